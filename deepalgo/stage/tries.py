"""`try`: a handler takes over the samples whose first failing check it catches.

Exceptions that depend on no data are caught here and now. Checks on data inside the body make a `Try` region.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from deepalgo.ir import Block, Check, Handler, Statement, Try, Value, walk
from deepalgo.stage.exits import DEAD, Exit
from deepalgo.stage.machine import Machine
from deepalgo.stage.regions import Arm, Meeting, resume, run_arm
from deepalgo.stage.sequence import sequence
from deepalgo.stage.values import UserRaise


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
    machine.dirty_checks.append(False)
    level, machine.try_level = machine.try_level, len(machine.heap.levels)
    arm = run_arm(machine, machine.constant(True), True, lambda: block(machine, node.body))
    machine.try_level = level
    dirty = machine.dirty_checks.pop()
    caught = _caught(machine, arm.body, catches)
    if not caught:
        return _without_checks(machine, node, arm, catches)
    if dirty:
        machine.rewind(mark)
        return _statement_by_statement(machine, node)
    return _region(machine, node, arm, catches, caught)


def _classes(machine: Machine, handler: ast.ExceptHandler) -> tuple[type[BaseException], ...]:
    from deepalgo.stage.expressions import evaluate

    if handler.type is None:
        return (BaseException,)
    found = evaluate(machine, handler.type)
    return tuple(found) if isinstance(found, tuple) else (found,)


def _caught(machine: Machine, body: list[Statement], catches: list[tuple[type[BaseException], ...]]) -> dict[str, int]:
    """Which handler takes which of the errors that checks of the body may raise."""
    found: dict[str, int] = {}
    for statement in walk(Block((), tuple(body), ())):
        if isinstance(statement, Check):
            place = _handler_of(class_named(machine, statement.error), catches)
            if place is not None:
                found[statement.error] = place
    return found


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
    from deepalgo.stage.statements import block

    outcome = resume(machine, arm)
    if arm.raised is None:
        return outcome if not node.orelse else sequence(machine, [lambda: outcome, lambda: block(machine, node.orelse)], node)
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
    before, machine.frame.exception = machine.frame.exception, error
    try:
        return block(machine, handler.body)
    finally:
        machine.frame.exception = before


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
    if not rest:
        machine.refuse(
            "this statement may fail after it has changed something that the handler can see",
            "Compute first and assign last inside the `try`.",
            first,
        )
    tail = ast.copy_location(ast.Try(rest, node.handlers, node.orelse, []), node)
    return block(machine, [ast.copy_location(ast.Try([first], node.handlers, [tail], []), node)])


def _region(machine: Machine, node: ast.Try, arm: Arm, catches: list[tuple[type[BaseException], ...]], caught: dict[str, int]) -> Exit:
    from deepalgo.stage.statements import block

    if arm.raised is not None:
        with machine.builder.into(arm.body):
            machine.fail(arm.raised)
        place = _handler_of(arm.raised.kind, catches)
        if place is not None:
            caught = {**caught, arm.raised.kind.__name__: place}
    handlers = []
    for place in sorted(set(caught.values())):
        names = tuple(name for name, owner in caught.items() if owner == place)
        error = UserRaise(class_named(machine, names[0]) or Exception, "", machine.span)
        staged = run_arm(machine, machine.constant(True), True, lambda place=place, error=error: _run_handler(machine, node.handlers[place], error))  # type: ignore[misc]
        if staged.raised is not None:
            with machine.builder.into(staged.body):
                machine.fail(staged.raised)
        handlers.append((names, staged))
    if node.orelse:
        _append_else(machine, node, arm)
    return _meet(machine, arm, handlers, node)


def _append_else(machine: Machine, node: ast.Try, arm: Arm) -> None:
    machine.refuse("`else` of a `try` whose body may fail on data cannot be compiled", "Move the `else` block behind the `try`.", node.orelse[0])


def _meet(machine: Machine, arm: Arm, handlers: list[tuple[tuple[str, ...], Arm]], node: ast.Try) -> Exit:
    """Merge the body with the handlers; arms that always raise contribute nothing."""
    span = machine.at(node)
    living = [item for item in (arm, *(staged for _, staged in handlers)) if not item.exit.is_dead]
    everything = [arm, *(staged for _, staged in handlers)]
    if not living:
        machine.builder.append(_try((), [Block((), tuple(item.body), ()) for item in everything], handlers, span))
        return DEAD
    for item in everything:
        if item.exit.is_dead:  # its values are read by nobody: let it look like a living arm
            item.exit = living[0].exit if item is arm else Exit(dict(living[0].exit.cases))
            _borrow(machine, item, living[0])
    return Meeting(machine, everything).conclude(lambda results, blocks: _try(results, blocks, handlers, span))


def _borrow(machine: Machine, dead: Arm, living: Arm) -> None:
    from deepalgo.stage.exits import Case
    from deepalgo.stage.structure import ANYTHING

    dead.exit = Exit({way: Case(None, ANYTHING) for way in living.exit.cases})


def _try(results: tuple[Value, ...], blocks: list[Block], handlers: list[tuple[tuple[str, ...], Arm]], span: Any) -> Try:
    made = tuple(Handler(names, block) for (names, _), block in zip(handlers, blocks[1:], strict=True))
    return Try(results, blocks[0], made, span)
