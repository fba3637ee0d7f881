"""Checks that go with arithmetic: where Python raises for zero or for a result that is too large, and in which words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.state.flavours import number_kind
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Signal, UserRaise


def division_by_zero(function: Callable[[Any, Any], Any], left: Any, right: Any) -> str:
    """What Python says when it divides numbers of these kinds by zero; it depends on its version."""
    kind = max(number_kind(left), number_kind(right), Kind.INT)
    return said(function, {Kind.INT: 1, Kind.REAL: 1.0, Kind.COMPLEX: 1j}[kind], {Kind.INT: 0, Kind.REAL: 0.0, Kind.COMPLEX: 0j}[kind])


@functools.lru_cache(maxsize=None, typed=True)  # 1 and 1.0 are two questions
def said(function: Callable[..., Any], *args: Any) -> str:
    """The message of the exception that a call raises.

    >>> import operator
    >>> said(operator.truediv, 1, 0)
    'division by zero'
    """
    try:
        function(*args)
    except (ArithmeticError, ValueError) as error:
        return str(error)
    raise AssertionError(f"{function.__name__}{args} raises nothing")


def nonzero(machine: Machine, value: Any, error: type[BaseException], message: str) -> None:
    """Samples where the value is zero raise."""
    machine.vouch()
    if not isinstance(value, Signal):
        if value == 0:
            raise UserRaise(error, message, machine.span)
        return
    if value.known is not None and value.known.value != 0:
        return
    zero: Any = 0 if value.kind <= Kind.INT else 0.0
    machine.check(machine.emit("ne", value, zero), error, message)


def no_overflow(machine: Machine, result: Signal, operands: list[Any], message: str, error: type[BaseException] = OverflowError) -> None:
    """Python raises where a finite operand gives an infinite result."""
    machine.vouch()
    if result.known is not None or all(not isinstance(item, Signal) or item.known is not None for item in operands):
        return
    signals = [item for item in operands if isinstance(item, Signal) and item.kind >= Kind.REAL]
    machine.check(machine.emit("no_overflow", result, *signals), error, message)
