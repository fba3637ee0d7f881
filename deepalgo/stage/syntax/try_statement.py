"""`try`: a handler takes over the samples whose first failing check it catches.

Exceptions that depend on no data are caught here and now. Checks on data inside the body make a `Try` region; where a handler looks
at one of several exceptions, or at what the body wrote before it failed, exceptions are ways out of the body (`exact.py`).
"""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.ir import Block, Check, Handler, Statement, Try, Value, blocks
from deepalgo.stage.rules.python.exceptions import class_named, raised_by
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.exits import FALL, Case, Exit, Way
from deepalgo.stage.state.heap import Change
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import Arm, Meeting, Thunk, branch, resume, run_arm
from deepalgo.stage.state.sequence import merged_guard, sequence
from deepalgo.stage.state.structure import structure_of
from deepalgo.stage.state.values import UNDEFINED, RecursionBound, Signal, Union, UserRaise
from deepalgo.stage.syntax.exact_exceptions import attempt, follow, keeping_names, lose, release, thrown, united, watching
from deepalgo.stage.syntax.failures import escaping

Classes = tuple[type[BaseException], ...]
COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With)


def run_try(machine: Machine, node: ast.Try) -> Exit:
    """`try: ... except ...: ... else: ... finally: ...`."""
    if not node.finalbody:
        return _handled(machine, node)
    body = ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, []), node)
    return finally_do(machine, lambda: _handled(machine, body), lambda: machine.block(node.finalbody), _leaves(node.finalbody), node)


def _leaves(statements: list[ast.stmt]) -> bool:
    """Whether statements may end the path that an exception is on."""
    return any(isinstance(item, (ast.Return, ast.Break, ast.Continue, ast.Raise)) for part in statements for item in ast.walk(part))


def finally_do(machine: Machine, body: Thunk, last: Thunk, leaves: bool, node: ast.AST) -> Exit:
    """Run something on every way out of a body."""
    if not (leaves or is_watched(machine)):
        with keeping_names(machine):
            try:
                outcome = body()
            except UserRaise:
                ended = last()
                if not ended.falls:
                    return ended
                raise
        return _unless(machine, last(), outcome, node)
    with keeping_names(machine), watching(machine, (BaseException,)):
        outcome = body()
    return release(machine, _unless(machine, last(), outcome, node), node)


def is_watched(machine: Machine) -> bool:
    """Whether some `try` around may see what becomes of samples that raise."""
    return machine.exact is not None or bool(machine.dirty_checks)


def _unless(machine: Machine, ended: Exit, outcome: Exit, node: ast.AST) -> Exit:
    """The ways out of a body, for those that `finally` did not lead elsewhere."""
    return outcome if ended.only_falls else follow(machine, ended, Way.FALL, lambda _: outcome, node)


def _handled(machine: Machine, node: ast.Try) -> Exit:
    if not node.handlers:
        return machine.block(node.body)
    catches = [_classes(machine, handler) for handler in node.handlers]
    if machine.exact is not None:
        return _exactly(machine, node, catches)
    mark = machine.mark()
    fine: dict[str, Any] = machine.heap.namespace({"fine": False})
    arm, dirty = attempt(machine, lambda: _body(machine, node, fine))
    caught = _caught(machine, arm.body, catches, node.handlers)
    if not caught:
        outcome = _without_checks(machine, node, arm, catches)
    elif _tells_apart(machine, node, arm, catches) or (dirty and any(isinstance(item, COMPOUND) for item in node.body)):
        machine.rewind(mark)
        return _exactly(machine, node, catches)
    elif dirty and len(node.body) > 1:
        machine.rewind(mark)
        return _statement_by_statement(machine, node)
    else:
        outcome = _region(machine, node, arm, catches, caught, dirty)
    if not node.orelse or not outcome.falls or fine["fine"] is False:
        return outcome
    return sequence(machine, [lambda: outcome, lambda: _else(machine, node, fine["fine"])], node)


def _body(machine: Machine, node: ast.Try, fine: dict[str, Any]) -> Exit:
    outcome = machine.block(node.body)
    if outcome.falls:
        machine.heap.touch(fine)
        fine["fine"] = True
    return outcome


def _else(machine: Machine, node: ast.Try, fine: Any) -> Exit:
    """`else` runs for samples that came through the body."""
    if fine is True:
        return machine.block(node.orelse)
    return branch(machine, fine, lambda: machine.block(node.orelse), lambda: FALL, node)


def _classes(machine: Machine, handler: ast.ExceptHandler) -> Classes:
    if handler.type is None:
        return (BaseException,)
    found = machine.evaluate(handler.type)
    classes = tuple(found) if isinstance(found, tuple) else (found,)
    if not all(isinstance(item, type) and issubclass(item, BaseException) for item in classes):
        machine.refuse("what this `except` catches is no class of exceptions, or depends on data", "Name the classes.", handler.type)
    return classes


def looks(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does something with the exception that it caught."""
    parts = [item for part in handler.body for item in ast.walk(part)]
    again = any(isinstance(item, ast.Raise) and item.exc is None for item in parts) and not _passes_on(handler)
    return again or (handler.name is not None and any(isinstance(item, ast.Name) and item.id == handler.name for item in parts))


def _tells_apart(machine: Machine, node: ast.Try, arm: Arm, catches: list[Classes]) -> bool:
    """Whether a handler looks at the exception, and more than one can arrive there, or one with data in it."""
    for place, handler in enumerate(node.handlers):
        if not looks(handler):
            continue
        checks = [check for check in escaped(arm.body) if _handler_of(class_named(machine, check.error), catches) == place]
        errors = [raised_by(machine, check) for check in checks]
        if arm.raised is not None and _handler_of(arm.raised.kind, catches) == place:
            errors.append(arm.raised.instance)
        shapes = [structure_of(error, lambda item: True) for error in errors]
        if any(shape != shapes[0] for shape in shapes[1:]) or (errors and _has_numbers(machine, errors)):
            return True
    return False


def _has_numbers(machine: Machine, errors: list[BaseException]) -> bool:
    return any(contains_signal(error) for error in errors)


def _exactly(machine: Machine, node: ast.Try, catches: list[Classes]) -> Exit:
    """Exceptions are ways out of the body, and the handlers follow that way."""
    outer = machine.exact
    with watching(machine, (*(outer or ()), *(item for classes in catches for item in classes))):
        outcome = machine.block(node.body)
    outcome = follow(machine, outcome, Way.RAISE, lambda error: _dispatch(machine, node, catches, error), node)
    if node.orelse:
        outcome = follow(machine, outcome, Way.FALL, lambda _: machine.block(node.orelse), node)
    return release(machine, united(machine, outcome, Way.HANDLED), node)


def _dispatch(machine: Machine, node: ast.Try, catches: list[Classes], error: Any) -> Exit:
    """The first handler that takes an exception; what none takes goes on."""
    cases: tuple[tuple[Any, Any], ...] = error.cases if isinstance(error, Union) else ((None, error),)
    places = [_handler_of(type(case), catches) for _, case in cases]
    first = places[0]
    mine = [case for case, place in zip(cases, places, strict=True) if place == first]
    rest = [case for case, place in zip(cases, places, strict=True) if place != first]

    def take() -> Exit:
        held = mine[0][1] if len(mine) == 1 else Union(tuple(mine))
        if first is None:
            return Exit({Way.RAISE: Case(None, held)})
        outcome = _run_handler(machine, node.handlers[first], held)
        return outcome.rename({Way.FALL: Way.HANDLED})

    if not rest:
        return take()
    guard = merged_guard(machine, [guard for guard, _ in mine])
    assert isinstance(guard, Signal)
    others = rest[0][1] if len(rest) == 1 else Union(tuple(rest))
    return branch(machine, guard, take, lambda: _dispatch(machine, node, catches, others), node)


def escaped(body: list[Statement] | tuple[Statement, ...]) -> list[Check]:
    """The checks of statements that no handler among them takes."""
    found: list[Check] = []
    for item in body:
        match item:
            case Check():
                found.append(item)
            case Try():
                passes = escaping(item, lambda check: True)
                found += [check for check in escaped(item.body.body) if passes(check)]
                found += [check for handler in item.handlers for check in escaped(handler.block.body)]
            case _:
                found += [check for block in blocks(item) for check in escaped(block.body)]
    return found


def _caught(machine: Machine, body: list[Statement], catches: list[Classes], handlers: list[ast.ExceptHandler]) -> dict[str, int]:
    """Which handler takes which of the errors that checks of the body may raise."""
    found: dict[str, int] = {}
    for check in escaped(body):
        place = _handler_of(class_named(machine, check.error), catches)
        if place is not None and not _passes_on(handlers[place]):
            found[check.error] = place
    return found


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing but raise again what it caught: the error stays what and where it is."""
    return len(handler.body) == 1 and isinstance(handler.body[0], ast.Raise) and handler.body[0].exc is None


def _handler_of(error: type[BaseException] | None, catches: list[Classes]) -> int | None:
    if error is None or error is RecursionBound:
        return None
    return next((place for place, classes in enumerate(catches) if issubclass(error, classes)), None)


def _without_checks(machine: Machine, node: ast.Try, arm: Arm, catches: list[Classes]) -> Exit:
    """No data decides whether the body raises: it does or it does not."""
    outcome = resume(machine, arm)
    if arm.raised is None:
        return outcome
    place = _handler_of(arm.raised.kind, catches)
    if place is None:
        raise arm.raised
    return _run_handler(machine, node.handlers[place], thrown(machine, arm.raised))


def _run_handler(machine: Machine, handler: ast.ExceptHandler, error: Any) -> Exit:
    """Run a handler; the name of the exception is gone after it."""
    frame = machine.frame
    if handler.name is not None:
        machine.heap.touch(frame.names)
        frame.names[handler.name] = error
    before, frame.exception = frame.exception, error
    try:
        outcome = machine.block(handler.body)
    finally:
        frame.exception = before
    if handler.name is not None and not outcome.is_dead:
        machine.heap.touch(frame.names)
        frame.names[handler.name] = UNDEFINED
    return outcome


def _statement_by_statement(machine: Machine, node: ast.Try) -> Exit:
    """The body had written before it could fail: give every statement its own `try`, so that a handler sees what was written."""
    first, *rest = node.body
    tail = ast.copy_location(ast.Try(rest, node.handlers, node.orelse, []), node)
    return machine.block([ast.copy_location(ast.Try([first], node.handlers, [tail], []), node)])


def _region(machine: Machine, node: ast.Try, arm: Arm, catches: list[Classes], caught: dict[str, int], dirty: bool) -> Exit:
    if arm.raised is not None:
        thrown(machine, arm.raised)
        with machine.builder.into(arm.body):
            machine.fail(arm.raised)
        place = _handler_of(arm.raised.kind, catches)
        if place is not None and not _passes_on(node.handlers[place]):
            caught = {**caught, arm.raised.kind.__name__: place}
    handlers = []
    for place in sorted(set(caught.values())):
        names = tuple(name for name, owner in caught.items() if owner == place)
        error = _first_error(machine, arm.body, names)
        handlers.append((names, _handler_arm(machine, node.handlers[place], error, arm.change if dirty else None)))
    span = machine.at(node)
    arms = [arm, *(staged for _, staged in handlers)]
    return Meeting(machine, arms).conclude(lambda results, parts: _try(results, parts, handlers, span))


def _first_error(machine: Machine, body: list[Statement], names: tuple[str, ...]) -> BaseException:
    """The exception that a handler catches; where it may be one of several, the handler does not look at it.

    Where they have no place in common, a bare `raise` names its own.
    """
    checks = [item for item in escaped(body) if item.error in names]
    places = {item.span.place if item.span is not None else "" for item in checks}
    error = raised_by(machine, checks[0])
    machine.places[id(error)] = (error, checks[0].span if len(places) == 1 else None)
    return error


def _handler_arm(machine: Machine, handler: ast.ExceptHandler, error: BaseException, lost: Change | None) -> Arm:
    """Stage a handler; what the body may have changed before it failed is lost to it."""

    def thunk() -> Exit:
        if lost is not None:
            lose(machine, lost, handler)
        return _run_handler(machine, handler, error)

    staged = run_arm(machine, machine.constant(True), True, thunk)
    if staged.raised is not None:
        with machine.builder.into(staged.body):
            machine.fail(staged.raised)
    return staged


def _try(results: tuple[Value, ...], parts: list[Block], handlers: list[tuple[tuple[str, ...], Arm]], span: Any) -> Try:
    made = tuple(Handler(names, block) for (names, _), block in zip(handlers, parts[1:], strict=True))
    return Try(results, parts[0], made, span)
