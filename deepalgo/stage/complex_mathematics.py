"""Python's `cmath` on Signals: always complex."""

from __future__ import annotations

import ast
import cmath
from typing import Any

from deepalgo.ir import Kind, Type
from deepalgo.stage import arithmetic
from deepalgo.stage.builtin_numbers import pointwise
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import Handler, call_native, contains_signal, handles
from deepalgo.stage.values import Known, Signal

NAMES = ("sqrt", "exp", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")


def as_complex(machine: Machine, value: Any) -> Any:
    """A number as `cmath` sees it."""
    if not isinstance(value, Signal):
        return complex(value)
    cast = machine.cast(value, Type(Kind.COMPLEX))
    return Signal(cast.value, "py", value.uniform, None if value.known is None else Known(complex(value.known.value), value.known.keys))


def _function(name: str, native: Any) -> Handler:
    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        if not contains_signal(args):
            return call_native(machine, native, args, kwargs, node)
        return pointwise(machine, name, native, as_complex(machine, args[0]))

    return handler


for _name in NAMES:
    handles(getattr(cmath, _name))(_function(_name, getattr(cmath, _name)))


@handles(cmath.log, options="base")
def _log(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return call_native(machine, cmath.log, args, kwargs, node)
    for item in args:
        arithmetic.nonzero(machine, as_complex(machine, item), ValueError, "math domain error")
    logs = [pointwise(machine, "log", cmath.log, as_complex(machine, item)) for item in args]
    return logs[0] if len(logs) == 1 else arithmetic.binary(machine, ast.Div, logs[0], logs[1], node)


@handles(cmath.phase)
def _phase(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return call_native(machine, cmath.phase, args, kwargs, node)
    value = as_complex(machine, args[0])
    return machine.emit("atan2", machine.emit("imag", value), machine.emit("real", value))


@handles(cmath.polar)
def _polar(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return call_native(machine, cmath.polar, args, kwargs, node)
    return machine.emit("abs", as_complex(machine, args[0])), _phase(machine, args, kwargs, node)


@handles(cmath.rect)
def _rect(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return call_native(machine, cmath.rect, args, kwargs, node)
    radius, angle = args
    turned = machine.emit(
        "add", as_complex(machine, machine.emit("cos", angle)), machine.emit("mul", as_complex(machine, machine.emit("sin", angle)), 1j)
    )
    return machine.emit("mul", as_complex(machine, radius), turned)
