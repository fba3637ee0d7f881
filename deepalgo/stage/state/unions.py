"""Operations on a Union: each case is treated where its guard holds, and the results are merged."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any

from deepalgo.stage.state.exits import Exit, Way, falling
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose, run_arm
from deepalgo.stage.state.values import LOST, UNDEFINED, Signal, Union, UserRaise, is_number


def resolve(machine: Machine, value: Any, name: str = "") -> Any:
    """Drop the cases that cannot hold on this path. A name that is undefined on some path raises there."""
    if value is LOST or (
        isinstance(value, Union) and any(item is LOST and machine.truth_of(guard) is not False for guard, item in value.cases)
    ):
        machine.refuse(
            "this reads a variable that a failing `try` may have changed before it failed",
            "Assign the variable in the handler, or compute first and assign last inside the `try`.",
        )
    if not isinstance(value, Union):
        return value
    cases = [(guard, item) for guard, item in value.cases if machine.truth_of(guard) is not False]
    message = f"cannot access local variable '{name}' where it is not associated with a value" if name else "used before it is assigned"
    if all(item is UNDEFINED or machine.truth_of(guard) is False for guard, item in cases):
        raise UserRaise(UnboundLocalError, message, machine.span)
    for guard, item in cases:
        if item is UNDEFINED:
            machine.check(machine.negated(guard), UnboundLocalError, message)
    certain = [item for guard, item in cases if machine.truth_of(guard) is True]
    if certain:
        return certain[0]
    cases = [(guard, item) for guard, item in cases if item is not UNDEFINED]
    if len(cases) == 1:
        return cases[0][1]
    return Union(tuple(cases))


def distribute_first(machine: Machine, args: list[Any], action: Callable[[list[Any]], Any], node: ast.AST) -> Any:
    """Apply an action to a list of arguments, case by case for the first Union among them."""
    place = next((number for number, item in enumerate(args) if isinstance(item, Union)), None)
    if place is None:
        return action(args)
    before, after = args[:place], args[place + 1 :]
    return distribute(machine, args[place], lambda case: distribute_first(machine, [*before, case, *after], action, node), node)


def distribute(machine: Machine, value: Any, action: Callable[[Any], Any], node: ast.AST) -> Any:
    """Apply an action to a value, case by case if it is a Union."""
    value = resolve(machine, value)
    if not isinstance(value, Union):
        return action(value)
    looked_up = _tabulated(machine, value, action)
    if looked_up is not None:
        return looked_up
    (guard, first), *others = value.cases
    rest = others[0][1] if len(others) == 1 else Union(tuple(others))

    def take_first() -> Any:
        for other, _ in others:
            machine.learn(other.value, False)
        return action(first)

    return choose(machine, guard, take_first, lambda: distribute(machine, rest, action, node), node)


def _tabulated(machine: Machine, value: Union, action: Callable[[Any], Any]) -> Union | None:
    """An action that computes nothing, such as reading a fixed table, keeps the guards as they are."""
    found = []
    if any(contains_numbers(item) for _, item in value.cases):
        return None
    for guard, item in value.cases:
        mark = machine.mark()
        arm = run_arm(machine, guard, True, functools.partial(_falling, action, item))
        result = arm.exit.cases[Way.FALL].value if arm.exit.only_falls else None
        if arm.body or arm.change.touched or arm.change.made or result is None or contains_numbers(result):
            machine.rewind(mark)
            return None
        found.append((guard, result))
    return Union(tuple(found))


def _falling(action: Callable[[Any], Any], item: Any) -> Exit:
    return falling(action(item))


def contains_numbers(value: Any) -> bool:
    """Whether paths could meet in one number here."""
    return isinstance(value, (Signal, Union)) or is_number(value)


def merge_cases(machine: Machine, cases: Sequence[tuple[Signal, Any]], node: ast.AST) -> Any:
    """One of several values, chosen by guards: merged where they are numbers, a Union where not."""
    return distribute(machine, Union(tuple(cases)), lambda item: item, node)
