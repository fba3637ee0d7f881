"""`try`: a handler takes over the samples whose first failing check it catches.

Exceptions that depend on no data are caught here and now. Checks on data inside the body make a `Try` region.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from deepalgo.ir import Block, Check, Handler, Statement, Try, Value, walk
from deepalgo.stage.exits import FALL, Exit
from deepalgo.stage.heap import Change
from deepalgo.stage.machine import Machine
from deepalgo.stage.regions import Arm, Meeting, branch, resume, run_arm
from deepalgo.stage.sequence import sequence
from deepalgo.stage.values import LOST, UNDEFINED, UserRaise


def run_try(machine: Machine, node: ast.Try) -> Exit:
    """`try: ... except ...: ... else: ... finally: ...`."""
    from deepalgo.stage.statements import block

    if not node.finalbody:
        return _handled(machine, node)
    try:
        outcome = _handled(machine, node)
    except UserRaise:
        block(machine, node.finalbody)
        raise
    last = block(machine, node.finalbody)
    return outcome if last.only_falls else last


def _handled(machine: Machine, node: ast.Try) -> Exit:
    from deepalgo.stage.statements import block

    if not node.handlers:
        return block(machine, node.body)
    catches = [_classes(machine, handler) for handler in node.handlers]
    mark = machine.mark()
    fine: dict[str, Any] = machine.heap.namespace({"fine": False})
    machine.dirty_checks.append(False)
    level, machine.try_level = machine.try_level, len(machine.heap.levels)
    arm = run_arm(machine, machine.constant(True), True, lambda: _body(machine, node, fine))
    machine.try_level = level
    dirty = machine.dirty_checks.pop()
    caught = _caught(machine, arm.body, catches, node.handlers)
    if not caught:
        outcome = _without_checks(machine, node, arm, catches)
    elif dirty and len(node.body) > 1:
        machine.rewind(mark)
        return _statement_by_statement(machine, node)
    else:
        outcome = _region(machine, node, arm, catches, caught, dirty)
    if not node.orelse or not outcome.falls or fine["fine"] is False:
        return outcome
    return sequence(machine, [lambda: outcome, lambda: _else(machine, node, fine["fine"])], node)


def _body(machine: Machine, node: ast.Try, fine: dict[str, Any]) -> Exit:
    from deepalgo.stage.statements import block

    outcome = block(machine, node.body)
    if outcome.falls:
        machine.heap.touch(fine)
        fine["fine"] = True
    return outcome


def _else(machine: Machine, node: ast.Try, fine: Any) -> Exit:
    """`else` runs for samples that came through the body."""
    from deepalgo.stage.statements import block

    if fine is True:
        return block(machine, node.orelse)
    return branch(machine, fine, lambda: block(machine, node.orelse), lambda: FALL, node)


def _classes(machine: Machine, handler: ast.ExceptHandler) -> tuple[type[BaseException], ...]:
    from deepalgo.stage.expressions import evaluate

    if handler.type is None:
        return (BaseException,)
    found = evaluate(machine, handler.type)
    return tuple(found) if isinstance(found, tuple) else (found,)


def _caught(
    machine: Machine, body: list[Statement], catches: list[tuple[type[BaseException], ...]], handlers: list[ast.ExceptHandler]
) -> dict[str, int]:
    """Which handler takes which of the errors that checks of the body may raise."""
    found: dict[str, int] = {}
    for statement in walk(Block((), tuple(body), ())):
        if isinstance(statement, Check):
            place = _handler_of(class_named(machine, statement.error), catches)
            if place is not None and not _passes_on(handlers[place]):
                found[statement.error] = place
    return found


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing but raise again what it caught: the error stays what and where it is."""
    return len(handler.body) == 1 and isinstance(handler.body[0], ast.Raise) and handler.body[0].exc is None


def class_named(machine: Machine, name: str) -> type[BaseException] | None:
    """The exception class behind the name in a check; None for errors that Python does not know."""
    found = machine.error_classes.get(name) or getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def _handler_of(error: type[BaseException] | None, catches: list[tuple[type[BaseException], ...]]) -> int | None:
    if error is None:
        return None
    return next((place for place, classes in enumerate(catches) if issubclass(error, classes)), None)


def _without_checks(machine: Machine, node: ast.Try, arm: Arm, catches: list[tuple[type[BaseException], ...]]) -> Exit:
    """No data decides whether the body raises: it does or it does not."""
    outcome = resume(machine, arm)
    if arm.raised is None:
        return outcome
    place = _handler_of(arm.raised.kind, catches)
    if place is None:
        raise arm.raised
    return _run_handler(machine, node.handlers[place], arm.raised)


def _run_handler(machine: Machine, handler: ast.ExceptHandler, raised: UserRaise | None) -> Exit:
    from deepalgo.stage.statements import block

    error = _instance(raised)
    if handler.name is not None:
        machine.heap.touch(machine.frame.names)
        machine.frame.names[handler.name] = error
    frame = machine.frame
    before, frame.exception, frame.raised_at = (frame.exception, frame.raised_at), error, raised.span if raised is not None else None
    try:
        return block(machine, handler.body)
    finally:
        frame.exception, frame.raised_at = before


def _instance(raised: UserRaise | None) -> BaseException:
    if raised is None:
        return Exception("an error that depends on data")
    if isinstance(raised.error, type):
        return raised.error(*(() if raised.message is None else (raised.message,)))
    return raised.error


def _statement_by_statement(machine: Machine, node: ast.Try) -> Exit:
    """The body had written before it could fail: give every statement its own `try`, so that a handler sees what was written."""
    from deepalgo.stage.statements import block

    first, *rest = node.body
    tail = ast.copy_location(ast.Try(rest, node.handlers, node.orelse, []), node)
    return block(machine, [ast.copy_location(ast.Try([first], node.handlers, [tail], []), node)])


def _region(
    machine: Machine, node: ast.Try, arm: Arm, catches: list[tuple[type[BaseException], ...]], caught: dict[str, int], dirty: bool
) -> Exit:
    if arm.raised is not None:
        with machine.builder.into(arm.body):
            machine.fail(arm.raised)
        place = _handler_of(arm.raised.kind, catches)
        if place is not None and not _passes_on(node.handlers[place]):
            caught = {**caught, arm.raised.kind.__name__: place}
    handlers = []
    for place in sorted(set(caught.values())):
        names = tuple(name for name, owner in caught.items() if owner == place)
        error = _common_error(machine, arm.body, names)
        handlers.append((names, _handler_arm(machine, node.handlers[place], error, arm.change if dirty else None)))
    span = machine.at(node)
    arms = [arm, *(staged for _, staged in handlers)]
    return Meeting(machine, arms).conclude(lambda results, blocks: _try(results, blocks, handlers, span))


def _common_error(machine: Machine, body: list[Statement], names: tuple[str, ...]) -> UserRaise:
    """What a handler catches, with message and place as far as all checks of the body that raise it have them in common.

    Where they have no place in common, a bare `raise` names its own.
    """
    checks = [item for item in walk(Block((), tuple(body), ())) if isinstance(item, Check) and item.error in names]
    places = {item.span.place if item.span is not None else "" for item in checks}
    messages = {"" if item.operands else item.message for item in checks}
    span = checks[0].span if len(places) == 1 else None
    return UserRaise(class_named(machine, names[0]) or Exception, messages.pop() if len(messages) == 1 else "", span)


def _handler_arm(machine: Machine, handler: ast.ExceptHandler, error: UserRaise, lost: Change | None) -> Arm:
    """Stage a handler; what the body may have changed before it failed is lost to it."""

    def thunk() -> Exit:
        if lost is not None:
            _lose(machine, lost, handler)
        return _run_handler(machine, handler, error)

    staged = run_arm(machine, machine.constant(True), True, thunk)
    if staged.raised is not None:
        with machine.builder.into(staged.body):
            machine.fail(staged.raised)
    return staged


def _lose(machine: Machine, change: Change, handler: ast.ExceptHandler) -> None:
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
                handler,
            )
        machine.heap.touch(container)
        for key in keys:
            container[key] = LOST


def _try(results: tuple[Value, ...], blocks: list[Block], handlers: list[tuple[tuple[str, ...], Arm]], span: Any) -> Try:
    made = tuple(Handler(names, block) for (names, _), block in zip(handlers, blocks[1:], strict=True))
    return Try(results, blocks[0], made, span)
