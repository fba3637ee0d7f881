"""The built-in `next`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.state import generators
from deepalgo.stage.state.endless import Endless, pull
from deepalgo.stage.state.guarded_items import GuardedItems, first
from deepalgo.stage.state.iterator_state import Walking
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.streams import left_items, on_time
from deepalgo.stage.state.values import Generator, UserRaise, user_method


@handles(next, options="default")
def _next(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value, *default = args

    def none() -> Any:
        if default:
            return default[0]
        raise UserRaise(StopIteration, "", machine.span)

    if isinstance(value, GuardedItems) and value.stream is None:
        raise UserRaise(TypeError, "'list' object is not an iterator", machine.span)
    if isinstance(value, GuardedItems):
        return first(machine, value.taken(machine, node), none, node)
    if isinstance(value, Generator):
        return _next_of_generator(machine, value, none, node)
    if id(value) in machine.streams:
        if not left_items(machine, value, node):
            return none()
        machine.heap.touch(value)
        return on_time(value.pop(0))
    if isinstance(value, Endless):
        return pull(machine, value)
    if isinstance(value, Walking):
        return value.step(machine, none, node)
    method = user_method(value, "__next__")
    if method is not None:
        return machine.call(method, [value], {}, node)
    raise UserRaise(TypeError, f"'{type(value).__name__}' object is not an iterator", machine.span)


def _next_of_generator(machine: Machine, value: Any, none: Callable[[], Any], node: ast.AST) -> Any:
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], (ast.GeneratorExp, ast.Call)):
        return generators.first(machine, value, none, node)  # nobody can ask it again
    found = machine.following(value, node)
    return found[0] if found else none()
