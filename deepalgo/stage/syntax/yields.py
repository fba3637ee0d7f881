"""`yield` and `yield from`: a consumer takes the item and tells how the generator goes on."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from deepalgo.stage.state.exits import FALL, Case, Exit, Way
from deepalgo.stage.state.generators import STOP, Consumer, run
from deepalgo.stage.state.given_nodes import Given
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.sequence import sequence
from deepalgo.stage.state.structure import ANYTHING
from deepalgo.stage.state.values import Generator


def hand_out(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Exit:
    """`yield` as a statement: the consumer takes the item and may stop the generator."""
    return _handed(machine, node)[0]


def value_of_yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Any:
    """`yield` inside of an expression."""
    outcome, value = _handed(machine, node)
    if not outcome.only_falls:
        machine.refuse("the loop over this generator may stop inside of an expression", "Give the `yield` a statement of its own.", node)
    return value


def assign_yield(machine: Machine, node: ast.Yield | ast.YieldFrom, assign: Callable[[Any], None]) -> Exit:
    """`target = yield item`."""
    outcome, value = _handed(machine, node)

    def follow() -> Exit:
        assign(value)
        return FALL

    return sequence(machine, [lambda: outcome, follow], node)


def _handed(machine: Machine, node: ast.Yield | ast.YieldFrom) -> tuple[Exit, Any]:
    value = None if node.value is None else machine.evaluate(node.value)
    frame = machine.frame
    if frame.consumer is None:
        machine.refuse("this `yield` is reached outside of a generator that is run over", "Build a list and return it.", node)
    if node in _guarded(frame.source.node):
        machine.refuse("this `yield` stands inside of a `try` or `with`", "Build a list and return it.", node)
    machine.at(node)
    if isinstance(node, ast.Yield):
        return frame.consumer(value), None
    return _from(machine, value, node)


def _from(machine: Machine, items: Any, node: ast.YieldFrom) -> tuple[Exit, Any]:
    """`yield from items`: the consumer is handed on to the inner generator."""
    consumer: Consumer | None = machine.frame.consumer
    assert consumer is not None
    if not isinstance(items, Generator):
        name = ast.copy_location(ast.Name("item of yield from", ast.Store()), node)
        item = ast.copy_location(ast.Name(name.id, ast.Load()), node)
        body = ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(item), node)), node)
        loop = ast.copy_location(ast.For(name, ast.copy_location(Given(items), node), [body], []), node)
        return machine.block([loop]), None
    control = machine.heap.namespace({"stopped": False})

    def consume(item: Any) -> Exit:
        outcome = consumer(item)
        if not outcome.only_falls:
            machine.heap.touch(control)
            left = outcome.cases.get(Way.RETURN)
            control["stopped"] = left is not None and (True if left.guard is None else left.guard)
        return outcome

    value = run(machine, items, consume, node)
    stopped = control["stopped"]
    if stopped is False:
        return FALL, value
    if stopped is True:
        return STOP, None
    return Exit({Way.FALL: Case(machine.negated(stopped)), Way.RETURN: Case(stopped, ANYTHING)}), value


@functools.lru_cache(maxsize=1024)
def _guarded(code: ast.AST) -> frozenset[ast.AST]:
    """The yields inside of a `try` with handlers, which must not see what the consumer raises, or of a `with`."""
    found: set[ast.AST] = set()
    for item in ast.walk(code):
        if isinstance(item, ast.With) or (isinstance(item, ast.Try) and (item.handlers or item.finalbody)):
            found.update(part for inner in item.body for part in ast.walk(inner) if isinstance(part, (ast.Yield, ast.YieldFrom)))
    return frozenset(found)
