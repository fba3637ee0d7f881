"""Operations on a Union: each case is treated where its guard holds, and the results are merged."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from deepalgo.stage.machine import Machine
from deepalgo.stage.regions import choose
from deepalgo.stage.values import LOST, UNDEFINED, Union


def resolve(machine: Machine, value: Any) -> Any:
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
    for guard, item in cases:
        if item is UNDEFINED and len(cases) > 1:
            machine.check(machine.logical("not", guard), UnboundLocalError, "a variable is used before it is assigned on this path")
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
    (guard, first), *others = value.cases
    rest = others[0][1] if len(others) == 1 else Union(tuple(others))
    return choose(machine, guard, lambda: action(first), lambda: distribute(machine, rest, action, node), node)
