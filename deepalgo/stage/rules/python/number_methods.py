"""Attributes and methods of numbers that depend on data: `x.real`, `x.is_integer()`, ..."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.ir import Kind, Type
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import BoundMethod, Signal, UserRaise


def attribute(machine: Machine, value: Signal, name: str, node: ast.AST) -> Any:
    """`value.name` of a number."""
    match name:
        case "real":
            return machine.emit("real", value, flavour=value.flavour) if value.kind is Kind.COMPLEX else value
        case "imag":
            if value.kind is Kind.COMPLEX:
                return machine.emit("imag", value, flavour=value.flavour)
            return 0.0 if value.kind is Kind.REAL else 0
        case "conjugate" | "is_integer" | "item" | "__abs__" | "__float__":
            return BoundMethod(METHODS[name], value)
        case _:
            kind: type = {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}[value.kind]
            if hasattr(kind, name):
                machine.refuse(f"Python's `.{name}` has no rule for data", "Write it out with functions of `math`.", node)
            raise UserRaise(AttributeError, f"'{kind.__name__}' object has no attribute '{name}'", machine.at(node))


def conjugate(machine: Machine, value: Signal) -> Signal:
    """`z.conjugate()`."""
    return machine.emit("conj", value, flavour=value.flavour) if value.kind is Kind.COMPLEX else value


def is_integer(machine: Machine, value: Signal) -> Any:
    """`x.is_integer()`."""
    whole = machine.emit("eq", value, machine.emit("floor", value))
    return machine.both(whole, machine.emit("isfinite", value))


def item(machine: Machine, value: Signal) -> Signal:
    """`x.item()` of a NumPy number is Python's number."""
    return Signal(value.value, "py", value.uniform, value.known)


def magnitude(machine: Machine, value: Signal) -> Signal:
    """`x.__abs__()`."""
    return machine.emit("abs", value, flavour=value.flavour)


def as_float(machine: Machine, value: Signal) -> Signal:
    """`x.__float__()`."""
    return machine.cast(value, Type(Kind.REAL))


#: Methods called with the machine and the number: `calls.call` knows them by this table.
METHODS = {"conjugate": conjugate, "is_integer": is_integer, "item": item, "__abs__": magnitude, "__float__": as_float}
