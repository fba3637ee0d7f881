"""Statements inside of a `try` that looks at its exceptions: an exception is one more way out of a block, with the exception as its value.

Each statement is staged on its own. Checks in it that the `try` takes become the way `RAISE`; `if`, loops, `try` and `with` hand that
way on as they hand on `return`. So a handler sees the very state in which the statement before left the program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from deepalgo.ir import Block, Check, If, Statement, Value
from deepalgo.stage.rules.python.exceptions import class_named, raise_again, remember_place
from deepalgo.stage.state.exits import Case, Exit, Way, falling
from deepalgo.stage.state.given_nodes import Given
from deepalgo.stage.state.heap import Change
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import Arm, Meeting, Pending, resume, run_arm
from deepalgo.stage.state.sequence import close, merged_guard, open_arm, sequence
from deepalgo.stage.state.values import LOST, UNDEFINED, Generator, RecursionBound, Signal, UserRaise
from deepalgo.stage.syntax.failures import Coder, is_wanted
from deepalgo.stage.syntax.loops import rotated

Handle = Callable[[Machine, Any], "Exit | Pending"]


def execute(machine: Machine, node: ast.stmt, handler: Handle) -> Exit | Pending:
    """Execute one statement, exceptions included."""
    match node:
        case ast.If():
            test = node.test
            return _after_value(machine, test, lambda: _verdict(machine, test), lambda found: handler(machine, _with(node, test=found)))
        case ast.For():
            source = node.iter
            return _after_value(machine, source, lambda: _value(machine, source), lambda found: _loop(machine, node, found, handler))
        case ast.While() if not _is_constant(node.test):
            return handler(machine, rotated(node))
        case ast.While() | ast.Try() | ast.With() | ast.Pass() | ast.Break() | ast.Continue() | ast.Global() | ast.Nonlocal():
            return handler(machine, node)
        case _ if _yields(node):
            return handler(machine, node)
        case _:
            return leaf(machine, lambda: _closed(machine, handler, node), node)


def _loop(machine: Machine, node: ast.For, source: ast.expr, handler: Handle) -> Exit | Pending:
    """A loop over a generator runs inside of the generator's code, and is staged as a whole."""
    loop = _with(node, iter=source)
    inside = isinstance(source, Given) and isinstance(source.value, Generator)
    return leaf(machine, lambda: _closed(machine, handler, loop), node) if inside else handler(machine, loop)


def _closed(machine: Machine, handler: Handle, node: ast.stmt) -> Exit:
    return sequence(machine, [lambda: handler(machine, node)], node)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _yields(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Yield)


def _with(node: Any, **fields: Any) -> Any:
    return ast.copy_location(type(node)(**{**{name: getattr(node, name, None) for name in node._fields}, **fields}), node)


def _verdict(machine: Machine, node: ast.expr) -> Any:
    return machine.truth(machine.evaluate(node), node)


def _value(machine: Machine, node: ast.expr) -> Any:
    return machine.evaluate(node)


def _after_value(machine: Machine, node: ast.expr, make: Callable[[], Any], action: Callable[[ast.expr], Exit | Pending]) -> Exit | Pending:
    return after_value(machine, make, lambda value: action(ast.copy_location(Given(value), node)), node)


def after_value(machine: Machine, make: Callable[[], Any], action: Callable[[Any], Exit | Pending], node: ast.AST) -> Exit | Pending:
    """Compute a value, which may raise, and go on with it."""
    found = leaf(machine, lambda: falling(make()), node) if machine.exact is not None else falling(make())
    if not found.falls:
        return found
    value = found.cases[Way.FALL].value
    return action(value) if found.only_falls else sequence(machine, [lambda: found, lambda: action(value)], node)


@contextmanager
def watching(machine: Machine, classes: tuple[type[BaseException], ...] | None) -> Iterator[None]:
    """Stage statements whose exceptions of these classes are ways out; None: exceptions end the path, as usual."""
    before, machine.exact = machine.exact, classes
    try:
        yield
    finally:
        machine.exact = before


@contextmanager
def keeping_names(machine: Machine) -> Iterator[None]:
    """Names stay, as code that runs on every way out may read them."""
    machine.keeps_names += 1
    try:
        yield
    finally:
        machine.keeps_names -= 1


def leaf(machine: Machine, thunk: Callable[[], Exit], node: ast.AST) -> Exit:
    """Stage something that is no block of statements; what it raises becomes a way out."""
    classes = machine.exact or ()

    def wanted(check: Check) -> bool:
        kind = class_named(machine, check.error)
        return kind is not None and issubclass(kind, classes)

    arm, dirty = attempt(machine, thunk)
    some = any(is_wanted(item, wanted) for item in arm.body)
    if not some:
        outcome = resume(machine, arm)
        if arm.raised is None:
            return outcome
        if arm.raised.kind is RecursionBound or not issubclass(arm.raised.kind, classes):
            raise arm.raised
        return Exit({Way.RAISE: Case(None, thrown(machine, arm.raised))})
    if arm.raised is not None:
        thrown(machine, arm.raised)
        with machine.builder.into(arm.body):
            machine.fail(arm.raised)
    failing = run_arm(machine, machine.constant(True), True, lambda: _failed(machine, arm.change if dirty else None, node))
    machine.at(node)
    coder, span = Coder(machine, wanted), machine.span

    def region(results: tuple[Value, ...], blocks: list[Block]) -> Statement:
        columns = coder.inline(blocks[0])
        assert coder.code is not None
        fine = machine.emit("eq", Signal(coder.code), 0)
        return If(results, fine.value, Block((), (), columns), blocks[1], span)

    outcome = Meeting(machine, [arm, failing]).conclude(region)
    raised = Case(outcome.cases[Way.RAISE].guard, coder.error())
    return Exit({**outcome.cases, Way.RAISE: raised})


def attempt(machine: Machine, thunk: Callable[[], Exit]) -> tuple[Arm, bool]:
    """Stage as an arm, exceptions as usual; whether a check came after something had been written."""
    machine.dirty_checks.append(False)
    depth, level = len(machine.dirty_checks), machine.try_level
    machine.try_level = len(machine.heap.levels)
    try:
        with watching(machine, None):
            arm = run_arm(machine, machine.constant(True), True, thunk)
        return arm, machine.dirty_checks[depth - 1]
    finally:
        machine.try_level = level
        del machine.dirty_checks[depth - 1 :]


def thrown(machine: Machine, raised: UserRaise) -> BaseException:
    """The exception, with its place."""
    error = raised.instance
    remember_place(machine, error, raised.span)
    return error


def _failed(machine: Machine, lost: Change | None, node: ast.AST) -> Exit:
    if lost is not None:
        lose(machine, lost, node)
    return Exit({Way.RAISE: Case(None, None)})


def lose(machine: Machine, change: Change, node: ast.AST) -> None:
    """What a body may have changed before it failed is lost to the handler."""
    for container, before, after in change.touched.values():
        if isinstance(container, dict) and "fine" in container and len(container) == 1:
            continue
        if isinstance(container, dict):
            keys: list[Any] = [key for key in after if before.get(key, UNDEFINED) is not after[key]]
        elif isinstance(container, list) and len(before) == len(after):
            keys = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old is not new]
        else:
            machine.refuse(
                "this `try` may fail after it has changed a list or an array that the handler can see",
                "Compute first and store last inside the `try`.",
                node,
            )
        machine.heap.touch(container)
        for key in keys:
            container[key] = LOST


def follow(machine: Machine, outcome: Exit, way: Way, step: Callable[[Any], Exit], node: ast.AST) -> Exit:
    """Go on for the samples that left in one way; the others stay as they are."""
    case = outcome.cases.get(way)
    if case is None:
        return outcome
    others = without(outcome, way)
    if others.is_dead:
        return step(case.value)
    assert case.guard is not None
    pending = open_arm(machine, case.guard, True, Arm([], Change({}, {}), others), node)
    raised = None
    try:
        result = step(case.value)
    except UserRaise as error:
        result, raised = Exit({}), error
    return close(machine, pending, result, raised)


def without(outcome: Exit, way: Way) -> Exit:
    """The other ways, as those see them who have not left in this one."""
    others = {name: case for name, case in outcome.cases.items() if name is not way}
    if len(others) == 1:
        others = {name: Case(None, case.value) for name, case in others.items()}
    return Exit(others)


def united(machine: Machine, outcome: Exit, way: Way) -> Exit:
    """Let one way be the same as falling through."""
    if way not in outcome.cases:
        return outcome
    same = [outcome.cases[name].guard for name in (Way.FALL, way) if name in outcome.cases]
    others: dict[Way, Case] = {name: case for name, case in outcome.cases.items() if name not in (Way.FALL, way)}
    return Exit({Way.FALL: Case(merged_guard(machine, same) if others else None), **others})


def release(machine: Machine, outcome: Exit, node: ast.AST) -> Exit:
    """Where no one around looks at exceptions, those that are left are raised."""
    if machine.exact is not None:
        return outcome

    def step(error: Any) -> Exit:
        raise_again(machine, error, node)

    return follow(machine, outcome, Way.RAISE, step, node)
