"""Python's `cmath` on Signals: always complex."""

from __future__ import annotations

import ast
import cmath
import math
import sys
from typing import Any

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.python.builtin_numbers import pointwise
from deepalgo.stage.rules.python.mathematics import real
from deepalgo.stage.rules.python.number_checks import nonzero
from deepalgo.stage.rules.registry import Handler, handles
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Known, Signal

NAMES = ("sqrt", "exp", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")

#: Where they have poles: the sizes of the real part and of the imaginary one.
POLES = {"log10": (0.0, 0.0), "atan": (0.0, 1.0), "atanh": (1.0, 0.0)}
#: Those that overflow.
OVERFLOW = frozenset({"exp", "sin", "cos", "sinh", "cosh"})


def as_complex(machine: Machine, value: Any) -> Any:
    """A number as `cmath` sees it."""
    if not isinstance(value, Signal):
        return complex(value)
    cast = machine.cast(value, Type(Kind.COMPLEX))
    return Signal(cast.value, "py", value.uniform, None if value.known is None else Known(complex(value.known.value), value.known.keys))


def _function(name: str, native: Any) -> Handler:
    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        if not contains_signal(args):
            return machine.call_native(native, args, kwargs, node)
        value = as_complex(machine, args[0])
        if value.known is None:
            _finite(machine, value)
            _no_pole(machine, name, value)
        result = pointwise(machine, name, native, value)
        if value.known is None and name in OVERFLOW:
            endless = [machine.emit("isinf", machine.emit(part, result)) for part in ("real", "imag")]
            machine.check(machine.none_of(endless), OverflowError, "math range error")
        return result

    return handler


def _no_pole(machine: Machine, name: str, value: Signal) -> None:
    """At a pole `cmath` raises."""
    if name not in POLES:
        return
    away = [
        machine.emit("ne", machine.emit("abs", machine.emit(part, value)), size)
        for part, size in zip(("real", "imag"), POLES[name], strict=True)
    ]
    machine.check(machine.emit("or", *away), ValueError, "math domain error")


def _finite(machine: Machine, value: Signal) -> None:
    """`cmath` has tables of its own for numbers that are not finite."""
    finite = [machine.emit("isfinite", machine.emit(part, value)) for part in ("real", "imag")]
    machine.check(machine.both(*finite), "ComplexEdge", "a function of `cmath` of a number that is not finite")


for _name in NAMES:
    handles(getattr(cmath, _name))(_function(_name, getattr(cmath, _name)))


@handles(cmath.log, options="base")
def _log(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(cmath.log, args, kwargs, node)
    # With a base the logarithm of zero is no error: that of the base, and the division, begin with a clean slate.
    nonzero(machine, as_complex(machine, args[-1]), ValueError, "math domain error")
    logs = [_log_of_one(machine, as_complex(machine, item)) for item in args]
    if len(logs) == 1:
        return logs[0]
    nonzero(machine, logs[1], ValueError, "math domain error")
    return machine.binary(ast.Div, logs[0], logs[1], node)


def _log_of_one(machine: Machine, value: Any) -> Any:
    if isinstance(value, Signal) and value.known is None:
        _finite(machine, value)
    return pointwise(machine, "log", _log_also_of_zero, value) if isinstance(value, Signal) else _log_also_of_zero(value)


def _log_also_of_zero(value: complex) -> complex:
    return complex(-math.inf, cmath.phase(value)) if value == 0 else cmath.log(value)


def _question(name: str, native: Any, joined: str) -> Handler:
    """A question that is asked of both parts."""

    def handler(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
        if not contains_signal(args):
            return machine.call_native(native, args, kwargs, node)
        value = as_complex(machine, args[0])
        return machine.emit(joined, *[machine.emit(name, machine.emit(part, value)) for part in ("real", "imag")])

    return handler


for _name, _joined in (("isnan", "or"), ("isinf", "or"), ("isfinite", "and")):
    handles(getattr(cmath, _name))(_question(_name, getattr(cmath, _name), _joined))


@handles(cmath.phase)
def _phase(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(cmath.phase, args, kwargs, node)
    value = as_complex(machine, args[0])
    height = machine.emit("imag", value)
    angle = machine.emit("atan2", height, machine.emit("real", value))
    tiny = machine.emit("and", machine.emit("ne", height, 0.0), machine.emit("lt", machine.emit("abs", angle), sys.float_info.min))
    machine.check(machine.negated(tiny), "ComplexEdge", "an angle that is almost zero, where `cmath` may raise OverflowError")
    return angle


@handles(cmath.polar)
def _polar(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(cmath.polar, args, kwargs, node)
    return machine.emit("abs", as_complex(machine, args[0])), _phase(machine, args, kwargs, node)


@handles(cmath.rect)
def _rect(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(cmath.rect, args, kwargs, node)
    radius, angle = (real(machine, item) for item in args)
    finite = [machine.emit("isfinite", machine.signal(item)) for item in (radius, angle)]
    machine.check(machine.both(*finite), "ComplexEdge", "a function of `cmath` of a number that is not finite")
    parts = [machine.emit("mul", radius, machine.emit(name, angle)) for name in ("cos", "sin")]
    return machine.emit("complex", *parts)
