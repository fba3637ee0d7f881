"""`next` on a generator that has a name: it goes on where it stopped, up to its next `yield`.

Only code that contains a `yield` is taken apart; whether it is reached must not depend on data, as each `next` is one place of the
program. The rest runs as everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import Way
from deepalgo.stage.state.generators import DONE, LEFT, NEW, expression_body, fresh_frame
from deepalgo.stage.state.machine import MAX_STATIC_ROUNDS, Machine
from deepalgo.stage.state.values import Generator, NeedsUnroll, Signal
from deepalgo.stage.syntax.assignment import assign

REASON = "which item of this generator comes next depends on data"
REMEDY = "Run over it with `for`, or make a list of its items first."


class _Leave(Exception):
    """`return`, `break` or `continue` beside a `yield`."""

    def __init__(self, way: Way) -> None:
        super().__init__(way)
        self.way = way


class Resumption:
    """A generator that has begun: its frame, and the Python generator that interprets it."""

    def __init__(self, machine: Machine, generator: Generator) -> None:
        self.frame = fresh_frame(generator, lambda item: machine.refuse(REASON, REMEDY))
        machine.heap.namespace(self.frame.names)
        code = generator.code
        body = code.body if isinstance(code, ast.FunctionDef) else expression_body(code, generator.source)
        self.items = _block(machine, body)
        self.levels = len(machine.heap.levels)
        self.body = machine.builder.body


def following(machine: Machine, generator: Generator, node: ast.AST) -> list[Any]:
    """The next item of a generator in a list, or an empty list where it has ended."""
    if generator.state["is"] == DONE:
        return []
    held = _resumption(machine, generator, node)
    if held.levels != len(machine.heap.levels) or held.body is not machine.builder.body:
        if machine.attempts:
            raise NeedsUnroll
        machine.refuse("this asks a generator for its next item in a branch or a loop of its own", REMEDY, node)
    machine.frames.append(held.frame)
    try:
        found = next(held.items, _END)
    except _Leave:
        found = _END
    finally:
        machine.frames.pop()
        machine.at(node)
    if found is not _END:
        return [found]
    generator.state["is"] = DONE
    return []


_END = object()


def _resumption(machine: Machine, generator: Generator, node: ast.AST) -> Resumption:
    state = generator.state
    if state["is"] == NEW and machine.heap.is_fresh(state):
        state["is"] = LEFT
        state["run"] = Resumption(machine, generator)
    if state["is"] == NEW and machine.attempts:
        raise NeedsUnroll
    if not isinstance(state.get("run"), Resumption):
        machine.refuse("this asks a generator for its next item in a branch or a loop of its own", REMEDY, node)
    held: Resumption = state["run"]
    return held


def _block(machine: Machine, statements: list[ast.stmt]) -> Iterator[Any]:
    for statement in statements:
        yield from _statement(machine, statement)


def _statement(machine: Machine, node: ast.stmt) -> Iterator[Any]:
    if _yields(node):
        yield from _resumable(machine, node)
        return
    outcome = machine.block([node])
    if len(outcome.cases) != 1:
        machine.refuse(REASON, REMEDY, node)
    (way,) = outcome.cases
    if way is not Way.FALL:
        raise _Leave(way)


def _resumable(machine: Machine, node: ast.stmt) -> Iterator[Any]:
    match node:
        case ast.Expr(value=ast.Yield(value=value)) | ast.Assign(value=ast.Yield(value=value)):
            yield None if value is None else machine.evaluate(value)
            for target in node.targets if isinstance(node, ast.Assign) else ():
                assign(machine, target, None)
        case ast.Expr(value=ast.YieldFrom(value=value)):
            yield from _items(machine, machine.evaluate(value), value)
        case ast.If():
            yield from _block(machine, node.body if _decided(machine, node.test) else node.orelse)
        case ast.For():
            yield from _rounds(machine, node, _items(machine, machine.evaluate(node.iter), node.iter))
        case ast.While():
            yield from _while(machine, node)
        case _:
            machine.refuse("a generator that is asked for its next item yields inside of this statement", REMEDY, node)


def _items(machine: Machine, iterable: Any, node: ast.expr) -> Iterator[Any]:
    """The items of anything, one after the other; those of a generator as they are asked for."""
    if not isinstance(iterable, Generator):
        found = machine.walk(iterable, node)
        for place in range(len(found)):
            yield found.read(place)
        return
    while item := following(machine, iterable, node):
        yield item[0]


def _rounds(machine: Machine, node: ast.For, items: Iterator[Any]) -> Iterator[Any]:
    for item in items:
        assign(machine, node.target, item)
        if (yield from _one_round(machine, node.body)):
            return
    yield from _block(machine, node.orelse)


def _while(machine: Machine, node: ast.While) -> Iterator[Any]:
    for _ in range(MAX_STATIC_ROUNDS):
        if not _decided(machine, node.test):
            yield from _block(machine, node.orelse)
            return
        if (yield from _one_round(machine, node.body)):
            return
    machine.refuse(f"this `while` is still running after {MAX_STATIC_ROUNDS:,} rounds that depend on no data", REMEDY, node)


def _one_round(machine: Machine, body: list[ast.stmt]) -> Any:
    """One round of a loop; whether it ends by `break`."""
    try:
        yield from _block(machine, body)
    except _Leave as left:
        if left.way is Way.RETURN:
            raise
        return left.way is Way.BREAK
    return False


def _decided(machine: Machine, test: ast.expr) -> bool:
    verdict = decide(machine, machine.truth(machine.evaluate(test), test))
    if isinstance(verdict, Signal):
        machine.refuse(REASON, REMEDY, test)
    return bool(verdict)


def _yields(node: ast.AST) -> bool:
    """Whether a statement yields, apart from functions that it defines."""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)):
        return False
    return any(map(_yields, ast.iter_child_nodes(node)))
