"""Iterators that never end: `itertools.count`, `cycle` and `repeat`. What they hold on the heap is where they are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.machine import Machine

#: The next item and where the iterator is then, from where it is.
Give = Callable[[Any], tuple[Any, Any]]


class Endless(Spendable):
    """An iterator without an end; its one item is where it is."""

    def __init__(self, state: Any, give: Give) -> None:
        super().__init__([state])
        self.give = give


def pull(machine: Machine, value: Endless) -> Any:
    """The next item."""
    item, state = value.give(value[0])
    machine.heap.touch(value)
    value[:] = [state]
    return item


def loop_of(node: ast.For, function: ast.expr, endless: ast.expr) -> ast.While:
    """`for target in endless` as `while True: target = next(endless)`."""
    following = ast.Call(function, [endless], [])
    bind = ast.Assign([node.target], following)
    made = ast.While(ast.Constant(True), [bind, *node.body], node.orelse)
    for item in (function, endless, following, bind, made.test):
        ast.copy_location(item, node.iter)
    return ast.copy_location(made, node)


def refuse_endless(machine: Machine, value: Any, node: ast.AST) -> None:
    """Refuse to run over what never ends."""
    if isinstance(value, Endless):
        remedy = "Bound it with itertools.islice, or zip it with something that ends."
        machine.refuse("this runs over an iterator that never ends", remedy, node)
