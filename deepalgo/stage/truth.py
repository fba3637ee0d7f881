"""Truth values: what `if`, `while`, `and`, `or` and `not` ask of an object."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.arrays.box import Array, read
from deepalgo.stage.machine import UNROLL, Machine
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import (
    DataLength,
    Generator,
    Known,
    NeedsUnroll,
    Signal,
    StandIn,
    Text,
    Union,
    UserRaise,
    refuse_again,
    user_method,
)


def truth(machine: Machine, value: Any, node: ast.AST) -> Any:
    """`bool(value)` as a plain bool, or as a Signal of truth values."""
    from deepalgo.stage.sifting import Sifted, fold

    refuse_again(value)
    if isinstance(value, Sifted):
        return fold(machine, value, False, lambda *_: True, node)
    if isinstance(value, Generator):
        return True
    if isinstance(value, Union):
        return distribute(machine, value, lambda item: truth(machine, item, node), node)
    if isinstance(value, Signal):
        return _signal_truth(machine, value)
    if isinstance(value, Array):
        held = read(machine, value)
        if isinstance(held, Signal):
            return _signal_truth(machine, held)
        value = held
    if isinstance(value, Text):
        return bool(value.template)
    if isinstance(value, StandIn):
        return _stand_in_truth(machine, value, node)
    method = user_method(value, "__bool__") or user_method(value, "__len__")
    if method is not None:
        from deepalgo.stage.calls import call

        return truth(machine, call(machine, method, [value], {}, node), node)
    try:
        return bool(value)
    except (ValueError, TypeError) as error:
        raise UserRaise(error, None, machine.at(node)) from None


def _stand_in_truth(machine: Machine, value: StandIn, node: ast.AST) -> Any:
    """Functions and iterators are true; a range is if it has items."""
    from deepalgo.stage.builtin_containers import DynamicRange
    from deepalgo.stage.comparisons import compare

    if isinstance(value, DynamicRange):
        return compare(machine, ast.Lt if value.step > 0 else ast.Gt, value.start, value.stop, node)
    if isinstance(value, DataLength) and not isinstance(value, Generator):
        machine.refuse_stand_in(node, value)
    return True


def _signal_truth(machine: Machine, value: Signal) -> Signal:
    if value.shape and value.shape != (1,):
        raise UserRaise(
            ValueError,
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            machine.span,
        )
    if value.shape:
        value = machine.emit("index", value, key=(0,) * len(value.shape))
    if value.kind is Kind.BOOL:
        return value
    result = machine.emit("ne", value, 0)
    known = Known(bool(value.known.value), value.known.keys) if value.known else None
    return Signal(result.value, "py", value.uniform, known)


def decide(machine: Machine, verdict: Any) -> Any:
    """A plain bool wherever data has no say: constants, what the path implies, and weights (which are frozen)."""
    if not isinstance(verdict, Signal):
        return verdict
    told = machine.truth_of(verdict)
    if told is not None:
        return told
    if verdict.known is not None:
        return bool(machine.demand(verdict, f"decides a branch at {machine.span.place if machine.span else 'compile time'}"))
    if verdict.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL:
        raise NeedsUnroll
    return verdict
