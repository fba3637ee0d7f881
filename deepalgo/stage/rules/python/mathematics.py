"""Python's `math` on Signals: each function with the errors that it raises."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

from deepalgo.ir import Attr, Kind, Type
from deepalgo.ops.formula import condition
from deepalgo.ops.row import Hazard
from deepalgo.ops.table import TABLE
from deepalgo.stage.rules.python.builtin_numbers import pointwise, to_int
from deepalgo.stage.rules.python.number_checks import no_overflow
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles
from deepalgo.stage.state.array_conversion import only_item, to_signal
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import Known, Signal, UserRaise

DOMAIN = "math domain error"
RANGE = "math range error"


class OfMachine:
    """Writes conditions of rows as operations of the function that is compiled."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def op(self, name: str, args: Sequence[Any], attrs: Mapping[str, Attr]) -> Any:
        """An operation on Signals and numbers."""
        assert not attrs  # conditions are of numbers
        return self.machine.emit(name, *args)

    def const(self, value: Attr) -> Any:
        """A number."""
        return value

    def type(self, value: Any) -> Type:
        """The type of a Signal or a number."""
        return self.machine.signal(value).value.type

    def guards(self, hazard: Hazard) -> bool:
        """No one asks for derivatives here."""
        return False


def _finite(machine: Machine, value: Signal) -> Signal:
    return machine.negated(machine.emit("isinf", value))


def check_domain(machine: Machine, name: str, value: Signal) -> None:
    """Python raises where the row of an operation says that it fails; NaN passes."""
    row = TABLE[name]
    if row.fails and value.known is None:
        machine.check(machine.negated(condition(row, row.fails, (value,), OfMachine(machine))), ValueError, DOMAIN)


def check_range(machine: Machine, name: str, result: Signal, value: Signal) -> None:
    """Python raises where an infinity comes of a finite number, if the row of the operation says so."""
    if "OverflowError" in TABLE[name].raises and value.known is None:
        no_overflow(machine, result, [value], RANGE)


def _unary(name: str, native: Any) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if len(args) != 1 or kwargs:
            raise UserRaise(TypeError, f"math.{name}() takes exactly one argument ({len(args)} given)", machine.span)
        return distribute(machine, args[0], lambda item: apply_unary(machine, name, native, item, node), node)

    return handler


def apply_unary(machine: Machine, name: str, native: Any, value: Any, node: ast.AST) -> Any:
    """One function of `math` on one number."""
    if isinstance(value, Array) and contains_signal(value):
        value = to_signal(machine, value)
    if not isinstance(value, Signal):
        return machine.call_native(native, [value], {}, node)
    value = real(machine, value)
    machine.vouch()
    check_domain(machine, name, value)
    result = pointwise(machine, name, native, value, flavour="py")
    check_range(machine, name, result, value)
    return result


def real(machine: Machine, value: Any) -> Any:
    """`math` takes real numbers."""
    if isinstance(value, Array):
        value = to_signal(machine, value)
    if not isinstance(value, Signal):
        if isinstance(value, str) or not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise UserRaise(TypeError, f"must be real number, not {type(value).__name__}", machine.span)
        return float(value)
    if value.kind is Kind.COMPLEX:
        raise UserRaise(TypeError, "must be real number, not complex", machine.span)
    if value.shape:
        value = only_item(machine, value)
    cast = machine.cast(value, Type(Kind.REAL))
    known = None if value.known is None else Known(float(value.known.value), value.known.keys)
    return Signal(cast.value, "py", value.uniform, known)


def functions_of_one_number() -> list[str]:
    """The rows that are functions of `math` from a real number to a real number, in the words of `math`."""
    named = [row for row in TABLE.values() if row.python == f"math.{row.name}({{0}})" and hasattr(math, row.name)]
    return [row.name for row in named if row.broadcasts and not row.rounding and row.sorts == (0, 0)]


for _name in functions_of_one_number():
    handles(getattr(math, _name))(_unary(_name, getattr(math, _name)))


@handles(math.log, options="base")
def _log(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    logs = [distribute(machine, item, lambda one: apply_unary(machine, "log", math.log, one, node), node) for item in args]
    return logs[0] if len(logs) == 1 else machine.binary(ast.Div, logs[0], logs[1], node)


@handles(math.fabs)
def _fabs(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: pointwise(machine, "abs", math.fabs, real(machine, item)), node)


def _rounding(name: str, native: Any) -> Handler:
    def one(machine: Machine, value: Any, node: ast.AST) -> Any:
        if not isinstance(value, Signal):
            return machine.call_native(native, [value], {}, node)
        if value.kind <= Kind.INT:
            return machine.cast(value, Type(Kind.INT))
        return to_int(machine, machine.emit(name, value), value, native)

    return lambda machine, args, kwargs, node: distribute(machine, args[0], lambda item: one(machine, item, node), node)


for _name in ("floor", "ceil", "trunc"):
    handles(getattr(math, _name))(_rounding(_name, getattr(math, _name)))


def _question(name: str, native: Any) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        return distribute(machine, args[0], lambda item: pointwise(machine, name, native, real(machine, item)), node)

    return handler


for _name in ("isnan", "isinf", "isfinite"):
    handles(getattr(math, _name))(_question(_name, getattr(math, _name)))


def _binary(machine: Machine, name: str, native: Any, args: Args, node: ast.AST) -> Any:
    """A function of two numbers, case by case where one is a Union."""

    def second(left: Any) -> Any:
        return distribute(
            machine, args[1], lambda right: pointwise(machine, name, native, real(machine, left), real(machine, right), flavour="py"), node
        )

    if len(args) != 2:
        raise UserRaise(TypeError, f"{name} expected 2 arguments, got {len(args)}", machine.span)
    if not contains_signal(args):
        return machine.call_native(native, args, {}, node)
    return distribute(machine, args[0], second, node)


@handles(math.atan2)
def _atan2(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _binary(machine, "atan2", math.atan2, args, node)


@handles(math.copysign)
def _copysign(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _binary(machine, "copysign", math.copysign, args, node)


def _remainder(name: str, native: Any) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if contains_signal(args):
            machine.vouch()
            left, right = machine.signal(args[0]), machine.signal(args[1])
            if left.known is None or right.known is None:
                fine = machine.emit("and", _finite(machine, real(machine, left)), machine.emit("ne", real(machine, right), 0.0))
                nan = machine.emit("or", machine.emit("isnan", real(machine, left)), machine.emit("isnan", real(machine, right)))
                machine.check(machine.emit("or", fine, nan), ValueError, DOMAIN)
        return _binary(machine, name, native, args, node)

    return handler


handles(math.fmod)(_remainder("fmod", math.fmod))
handles(math.remainder)(_remainder("remainder", math.remainder))


@handles(math.pow)
def _pow(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`math.pow` stays real: where `**` turns complex or divides by zero it raises ValueError."""
    if not contains_signal(args):
        return machine.call_native(math.pow, args, kwargs, node)
    base, exponent = (real(machine, machine.signal(item)) for item in args)
    machine.vouch()
    result = pointwise(machine, "pow", math.pow, base, exponent, flavour="py")
    if result.known is None:
        below = machine.emit("and", machine.emit("lt", base, 0.0), machine.emit("isfinite", base))
        zero = machine.emit("eq", base, 0.0)
        whole = machine.emit("eq", exponent, machine.emit("floor", exponent))
        wrong = machine.emit("and", below, machine.emit("not", machine.emit("or", whole, machine.emit("isnan", exponent))))
        pole = machine.emit("and", zero, machine.emit("and", machine.emit("lt", exponent, 0.0), machine.emit("isfinite", exponent)))
        machine.check(machine.negated(machine.emit("or", wrong, pole)), ValueError, DOMAIN)
        no_overflow(machine, result, [base, exponent], RANGE)
    return result


@handles(math.hypot)
def _hypot(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(math.hypot, args, kwargs, node)
    total = real(machine, args[0])
    if len(args) == 1:
        return pointwise(machine, "abs", abs, total)
    for item in args[1:]:
        total = pointwise(machine, "hypot", math.hypot, total, real(machine, item))
    return total


@handles(math.dist)
def _dist(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    first, second = (machine.iterate(item, node) for item in args)
    if len(first) != len(second):
        raise UserRaise(ValueError, "both points must have the same number of dimensions", machine.span)
    return _hypot(machine, [machine.binary(ast.Sub, a, b, node) for a, b in zip(first, second, strict=True)], {}, node)


@handles(math.prod, options="start")
def _prod(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _accumulate(machine, ast.Mult, [kwargs.get("start", 1), *machine.iterate(args[0], node)], node)


def _accumulate(machine: Machine, op: type[ast.operator], items: list[Any], node: ast.AST) -> Any:
    total = items[0]
    for item in items[1:]:
        total = machine.binary(op, total, item, node)
    return total


@handles(math.isclose, options="rel_tol abs_tol")
def _isclose(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)`, and equal infinities are close."""
    if not contains_signal(args) and not contains_signal(kwargs):
        return machine.call_native(math.isclose, args, kwargs, node)
    a, b = (real(machine, machine.signal(item)) for item in args)
    relative, absolute = kwargs.get("rel_tol", 1e-9), kwargs.get("abs_tol", 0.0)
    gap = machine.emit("abs", machine.emit("sub", a, b))
    scale = machine.emit("max", machine.emit("abs", a), machine.emit("abs", b))
    limit = machine.emit("max", machine.emit("mul", scale, relative), absolute)
    near = machine.emit("and", machine.emit("le", gap, limit), machine.emit("isfinite", gap))
    return machine.emit("or", near, machine.emit("eq", a, b))


@handles(math.frexp)
def _frexp(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(math.frexp, args, kwargs, node)
    value = real(machine, args[0])
    return machine.emit("mantissa", value), machine.emit("exponent", value)


@handles(math.ldexp)
def _ldexp(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`x * 2**i`, in two steps so that the power of two stays in range; as `math` it raises where the result does not."""
    if not contains_signal(args):
        return machine.call_native(math.ldexp, args, kwargs, node)
    value, shift = real(machine, args[0]), machine.signal(args[1])
    if shift.kind > Kind.INT:
        raise UserRaise(TypeError, "Expected an int as second argument to ldexp.", machine.span)
    half = machine.emit("floordiv", machine.emit("max", machine.emit("min", shift, 2200), -2200), 2)
    rest = machine.emit("sub", machine.emit("max", machine.emit("min", shift, 2200), -2200), half)
    result = value
    for part in (half, rest):
        result = machine.emit("mul", result, machine.emit("exp2", machine.cast(part, Type(Kind.REAL))))
    no_overflow(machine, result, [value], RANGE)
    return result


@handles(math.modf)
def _modf(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not contains_signal(args):
        return machine.call_native(math.modf, args, kwargs, node)
    value = real(machine, args[0])
    whole = machine.emit("trunc", value)
    nothing = machine.emit("copysign", 0.0, value)
    rest = machine.emit("select", machine.emit("isinf", value), nothing, machine.emit("fmod", value, 1.0))
    return rest, machine.emit("copysign", whole, value)
