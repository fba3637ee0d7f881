"""`and`, `or` and chained comparisons: the right side is evaluated only where the left side asks for it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import Way, falling
from deepalgo.stage.state.flavours import flavour_of, flavour_of_choice
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import meet, only_computes, resume, run_arm
from deepalgo.stage.state.values import Signal


def both(machine: Machine, left: Any, right: Callable[[], Any], node: ast.expr) -> Any:
    """`left and right()`: the right side is evaluated where the left side is true, and an operand is the result."""
    return short_circuit(machine, True, left, right, node)


def short_circuit(machine: Machine, keep_going: bool, left: Any, right: Callable[[], Any], node: ast.expr) -> Any:
    """`left and right()`, or `left or right()` where `keep_going` is False."""
    verdict = decide(machine, machine.truth(left, node))
    if not isinstance(verdict, Signal):
        return right() if verdict is keep_going else left
    arm = run_arm(machine, verdict, keep_going, lambda: falling(right()))
    if _is_plain_truth(left) and only_computes(arm) and _is_plain_truth(arm.exit.cases[Way.FALL].value):
        other = resume(machine, arm).cases[Way.FALL].value
        found = (machine.both if keep_going else machine.either)(verdict, machine.signal(other))
        return replace(found, flavour=flavour_of_choice(left, other))
    same = np.bool_ if flavour_of(left) == "np" else bool
    stay = run_arm(machine, verdict, not keep_going, lambda: falling(same(not keep_going) if _is_plain_truth(left) else left))
    outcome = meet(machine, verdict, *((arm, stay) if keep_going else (stay, arm)), node)
    return outcome.cases[Way.FALL].value


def _is_plain_truth(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Signal) and value.type == Type(Kind.BOOL))
