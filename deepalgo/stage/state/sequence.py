"""Statements in sequence, where some samples may leave early.

Where one arm of an `if` leaves, the steps that follow are staged inside the other arm, so an early `return` costs nothing. The open
arms are closed, innermost first, when the sequence ends.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from deepalgo.ir import Statement
from deepalgo.stage.state.exits import DEAD, FALL, Case, Exit, Way
from deepalgo.stage.state.heap import Change
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import Arm, Pending, meet
from deepalgo.stage.state.values import Signal, UserRaise

Step = Callable[[], "Exit | Pending"]


def sequence(machine: Machine, steps: Iterable[Step], node: ast.AST) -> Exit:
    """Stage steps in order until every sample has left."""
    pending: list[Pending] = []
    outcome, raised = FALL, None
    try:
        outcome = _run(machine, steps, pending, node)
    except UserRaise as error:
        if not pending:
            raise
        outcome, raised = DEAD, error
    while pending:
        try:
            outcome, raised = close(machine, pending.pop(), outcome, raised), None
        except UserRaise as error:
            if not pending:
                raise
            outcome, raised = DEAD, error
    return outcome


def _run(machine: Machine, steps: Iterable[Step], pending: list[Pending], node: ast.AST) -> Exit:
    for step in steps:
        outcome = step()
        if isinstance(outcome, Pending):
            pending.append(outcome)
        elif not outcome.falls:
            return outcome
        elif not outcome.only_falls:
            pending.append(split(machine, outcome, node))
    return FALL


def split(machine: Machine, outcome: Exit, node: ast.AST) -> Pending:
    """Some samples have left and some have not: what follows belongs to those that fell through."""
    guard = outcome.cases[Way.FALL].guard
    assert guard is not None
    others: dict[Way, Case] = {way: case for way, case in outcome.cases.items() if way is not Way.FALL}
    if len(others) == 1:
        others = {way: Case(None, case.value) for way, case in others.items()}
    left = Arm([], Change({}, {}), Exit(others))
    return open_arm(machine, guard, True, left, node)


def open_arm(machine: Machine, condition: Signal, truth: bool, left: Arm, node: ast.AST) -> Pending:
    """Continue inside the arm where the condition has the given truth."""
    body: list[Statement] = []
    outer = machine.builder.body
    machine.heap.open()
    machine.facts.enter()
    machine.learn(condition.value, truth)
    machine.builder.body = body
    return Pending(condition, left, not truth, body, outer, node)


def close(machine: Machine, pending: Pending, outcome: Exit, raised: UserRaise | None) -> Exit:
    """End the open arm and merge it with the one that had left."""
    arm = Arm(pending.body, machine.heap.close(), outcome, raised)
    machine.facts.leave()
    machine.builder.body = pending.outer
    arms = (pending.left, arm) if pending.left_truth else (arm, pending.left)
    return meet(machine, pending.condition, *arms, pending.node)


def going_on(machine: Machine, outcome: Exit) -> Exit:
    """`continue` and falling off the end of the body are the same."""
    if Way.CONTINUE not in outcome.cases:
        return outcome
    guards = [outcome.cases[way].guard for way in (Way.FALL, Way.CONTINUE) if way in outcome.cases]
    guard = None if len(guards) == len(outcome.cases) else merged_guard(machine, guards)
    others: dict[Way, Case] = {way: case for way, case in outcome.cases.items() if way not in (Way.FALL, Way.CONTINUE)}
    return Exit({Way.FALL: Case(guard), **others})


def merged_guard(machine: Machine, guards: list[Signal | None]) -> Signal | None:
    """The guard under which any of several ways is taken."""
    found = [guard for guard in guards if guard is not None]
    total = found[0]
    for guard in found[1:]:
        total = machine.either(total, guard)
    return total


def steps(machine: Machine, statements: list[ast.stmt]) -> list[Step]:
    """The statements of a block as steps of a sequence."""
    return [lambda node=node: machine.execute(node) for node in statements]  # type: ignore[misc]  # bound at once
