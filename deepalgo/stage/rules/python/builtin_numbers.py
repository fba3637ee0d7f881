"""Python's built-in functions of numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.python.number_checks import division_by_zero, no_overflow, nonzero
from deepalgo.stage.rules.registry import HANDLERS, Args, Kwargs, handles
from deepalgo.stage.state.array_conversion import only_item
from deepalgo.stage.state.arrays import Array, read
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.flavours import flavour_of_choice, flavour_of_result, may_be_whole, number_kind
from deepalgo.stage.state.guarded_items import GuardedItems, best
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.static_values import refuse_text, static_int
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import DataText, Generator, Known, Signal, Union, UserRaise, is_number, user_method


def pointwise(machine: Machine, name: str, native: Any, *args: Any, flavour: str | None = None, **attrs: Any) -> Any:
    """One operation on Signals and numbers, with its value where it is known."""
    if not any(isinstance(item, Signal) for item in args):
        return run_static(machine, native, *args)
    result = machine.emit(name, *args, flavour=flavour or flavour_of_result(*args), **attrs)
    knowns = [item.known if isinstance(item, Signal) else Known(item, frozenset()) for item in args]
    if any(known is None for known in knowns):
        return result
    found = [known for known in knowns if known is not None]
    value = run_static(machine, native, *[known.value for known in found])
    return Signal(result.value, result.flavour, True, Known(value, frozenset().union(*[known.keys for known in found])))


@handles(abs)
def _abs(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: _abs_one(machine, item, node), node)


def _abs_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    if isinstance(value, Array):
        return HANDLERS[np.absolute](machine, [value], {}, node)
    method = user_method(value, "__abs__")
    if method is not None:
        return machine.call(method, [value], {}, node)
    if isinstance(value, Signal) and value.kind is Kind.BOOL and value.flavour == "np":
        return value
    if isinstance(value, Signal) and value.kind is Kind.BOOL:
        value = machine.cast(value, Type(Kind.INT))
    result = pointwise(machine, "abs", abs, value)
    if isinstance(value, Signal) and value.kind is Kind.COMPLEX and value.flavour == "py":
        parts = [machine.emit(name, value) for name in ("real", "imag")]
        no_overflow(machine, result, parts, "absolute value too large")
    return result


@handles(min, options="key default")
def _min(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _extreme(machine, "min", min, args, kwargs, node)


@handles(max, options="key default")
def _max(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _extreme(machine, "max", max, args, kwargs, node)


def _extreme(machine: Machine, name: str, native: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) > 1 and "default" in kwargs:
        raise UserRaise(TypeError, f"Cannot specify a default for {name}() with multiple positional arguments", machine.span)
    if len(args) == 1 and isinstance(args[0], (GuardedItems, Generator)):
        return _extreme_of_guarded(machine, name, native, args[0], kwargs, node)
    items = list(args) if len(args) > 1 else machine.iterate(args[0], node)
    if not contains_signal(items) and not contains_signal(kwargs):
        return run_static(machine, lambda *inner: native(*inner, **kwargs), *args)
    if not items:
        if "default" in kwargs:
            return kwargs["default"]
        raise UserRaise(ValueError, f"{name}() arg is an empty sequence", machine.span)
    best = items[0]
    for item in items[1:]:
        best = _better(machine, name, native, best, item, kwargs.get("key"), node)
    return best


def _extreme_of_guarded(machine: Machine, name: str, native: Any, items: GuardedItems | Generator, kwargs: Kwargs, node: ast.AST) -> Any:
    def none() -> Any:
        if "default" in kwargs:
            return kwargs["default"]
        raise UserRaise(ValueError, f"{name}() arg is an empty sequence", machine.span)

    return best(machine, items, lambda held, item: _better(machine, name, native, held, item, kwargs.get("key"), node), none, node)


def _better(machine: Machine, name: str, native: Any, best: Any, item: Any, key: Any, node: ast.AST) -> Any:
    """Python keeps the first of two equal items."""
    plain = [isinstance(side, Signal) or is_number(side) for side in (best, item)]
    if key is None and all(plain) and _same_kind(best, item):
        chosen = pointwise(machine, name, native, best, item, flavour=flavour_of_choice(best, item))
        if isinstance(chosen, Signal) and any(map(may_be_whole, (best, item))):
            return replace(chosen, mixed=True)
        return chosen
    sides = [item, best] if key is None else [machine.call(key, [side], {}, node) for side in (item, best)]
    op = ast.Lt if name == "min" else ast.Gt
    verdict = decide(machine, machine.truth(machine.compare(op, sides[0], sides[1], node), node))
    if not isinstance(verdict, Signal):
        return item if verdict else best
    return choose(machine, verdict, lambda: item, lambda: best, node)


def _same_kind(left: Any, right: Any) -> bool:
    kinds = [side.kind if isinstance(side, Signal) else number_kind(side) for side in (left, right)]
    return kinds[0] == kinds[1] or Kind.REAL in kinds


@handles(round, options="ndigits")
def _round(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    digits = args[1] if len(args) > 1 else kwargs.get("ndigits")
    return distribute(machine, args[0], lambda item: _round_one(machine, item, digits, node), node)


def _round_one(machine: Machine, value: Any, digits: Any, node: ast.AST) -> Any:
    if not isinstance(value, Signal):
        return machine.call_native(round, [value] if digits is None else [value, digits], {}, node)
    if value.kind <= Kind.INT and digits is None:
        return machine.cast(value, Type(Kind.INT))
    if digits is None:
        return to_int(machine, machine.emit("rint", value), value, round)
    digits = static_int(machine, digits, node, "the number of digits")
    if not hasattr(type(digits), "__index__"):
        raise UserRaise(TypeError, f"'{type(digits).__name__}' object cannot be interpreted as an integer", machine.span)
    if value.flavour == "np" and value.kind is Kind.REAL:
        return HANDLERS[np.round](machine, [value], {"decimals": digits}, node)  # which scales, and is not exact
    if value.kind <= Kind.INT and digits >= 0:
        return value
    if value.kind <= Kind.INT:
        machine.refuse("rounding a whole number to tens depends on data", "Divide, round and multiply.", node)
    return pointwise(machine, "round_digits", lambda item: round(item, digits), value, digits=digits)


def to_int(machine: Machine, rounded: Signal, value: Signal, native: Any) -> Signal:
    """A whole number made of a float: NaN and infinity raise, and 64 bits must be enough."""
    machine.vouch()
    if value.known is None:
        machine.check(machine.negated(machine.emit("isnan", value)), ValueError, "cannot convert float NaN to integer")
        machine.check(machine.negated(machine.emit("isinf", value)), OverflowError, "cannot convert float infinity to integer")
        machine.check(machine.emit("lt", machine.emit("abs", value), 2.0**62), "IntegerTooLarge", "a whole number beyond 64 bits")
    result = machine.emit("to_int", rounded)
    if value.known is None:
        return result
    return Signal(result.value, "py", True, Known(run_static(machine, native, value.known.value), value.known.keys))


#: The methods that make a number of an object, in the order in which they are asked for.
CONVERSIONS: dict[type, tuple[str, ...]] = {int: ("__int__", "__index__", "__trunc__"), float: ("__float__", "__index__")}


def _converted(machine: Machine, native: type, value: Any, result: Any, name: str, node: ast.AST) -> Any:
    """What a method of the user's made of an object; Python takes no other kind of number."""
    kind = {Kind.INT: int, Kind.REAL: float}.get(result.kind) if isinstance(result, Signal) and not result.shape else type(result)
    wanted = float if name == "__float__" else int
    if kind is not wanted:
        shown = kind.__name__ if kind is not None else "bool"
        raise UserRaise(TypeError, f"{type(value).__name__}.{name} returned non-{wanted.__name__} (type {shown})", machine.span)
    return result if wanted is native else HANDLERS[native](machine, [result], {}, node)


def _read_as(machine: Machine, native: type, one: Callable[..., Any], args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`int(...)` or `float(...)`, case by case."""
    args = [_number(machine, item) for item in args]
    if kwargs and contains_signal(args):
        raise UserRaise(TypeError, "int() can't convert non-string with explicit base", machine.span)
    method = next((found for name in CONVERSIONS[native] if args and (found := user_method(args[0], name)) is not None), None)
    if method is not None and len(args) == 1:
        return _converted(machine, native, args[0], machine.call(method, [args[0]], {}, node), method.__name__, node)
    if not args or not isinstance(args[0], (Signal, Union, DataText)):
        return machine.call_native(native, args, kwargs, node)
    return distribute(machine, args[0], lambda item: one(machine, item, node), node)


@handles(int, options="x base")
def _int(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _read_as(machine, int, _int_one, args, kwargs, node)


def _int_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    refuse_text(machine, "is read as a number", value, node)
    if not isinstance(value, Signal):
        return machine.call_native(int, [value], {}, node)
    if value.kind <= Kind.INT:
        return machine.cast(value, Type(Kind.INT))
    if value.kind is Kind.COMPLEX:
        raise UserRaise(TypeError, "int() argument must be a real number, not 'complex'", machine.span)
    return to_int(machine, value, value, int)


@handles(float, options="x")
def _float(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _read_as(machine, float, _float_one, args, kwargs, node)


def _float_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    refuse_text(machine, "is read as a number", value, node)
    if not isinstance(value, Signal):
        return machine.call_native(float, [value], {}, node)
    if value.kind is Kind.COMPLEX:
        raise UserRaise(TypeError, "float() argument must be a string or a real number, not 'complex'", machine.span)
    if value.kind is Kind.REAL and value.flavour == "py" and not value.shape and not value.mixed:
        return value  # the same object
    if value.shape:
        value = only_item(machine, value)
    result = machine.cast(value, Type(Kind.REAL))
    known = None if value.known is None else Known(float(value.known.value), value.known.keys)
    return Signal(result.value, "py", value.uniform, known)


def _number(machine: Machine, value: Any) -> Any:
    """An array of one number as that number."""
    if not isinstance(value, Array) or not contains_signal(value):
        return value
    held = read(machine, value)
    assert isinstance(held, Signal)
    return only_item(machine, held) if held.shape else held


@handles(bool, options="x")
def _bool(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    verdict = machine.truth(args[0], node) if args else False
    return replace(verdict, flavour="py") if isinstance(verdict, Signal) else verdict


@handles(complex, options="real imag")
def _complex(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not contains_signal(kwargs):
        return machine.call_native(complex, args, kwargs, node)
    real = kwargs.get("real", 0)
    if "imag" not in kwargs:
        return machine.cast(real, Type(Kind.COMPLEX))
    if all(number_kind(item) <= Kind.REAL for item in (real, kwargs["imag"])):
        return pointwise(machine, "complex", complex, real, kwargs["imag"], flavour="py")
    return machine.binary(ast.Add, real, machine.binary(ast.Mult, kwargs["imag"], 1j, node), node)


@handles(pow, options="mod")
def _pow(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if "mod" not in kwargs:
        return machine.binary(ast.Pow, args[0], args[1], node)
    if not contains_signal(args) and not contains_signal(kwargs):
        return machine.call_native(pow, args, kwargs, node)
    return _power_modulo(machine, [*args, kwargs["mod"]], node)


def _power_modulo(machine: Machine, args: Args, node: ast.AST) -> Any:
    """`pow(base, exponent, modulus)` by repeated squares, so that no product leaves the range of whole numbers."""
    if any(machine.signal(item).kind > Kind.INT for item in args):
        raise UserRaise(TypeError, "pow() 3rd argument not allowed unless all arguments are integers", machine.span)
    base, exponent, modulus = args
    power = static_int(machine, exponent, node, "the exponent of `pow` with a modulus")
    if power < 0:
        machine.refuse("an inverse of `pow` with a modulus has no rule here", "Use an exponent that is not negative.", node)
    nonzero(machine, modulus, ValueError, "pow() 3rd argument cannot be 0")

    def product(left: Any, right: Any) -> Any:
        return machine.binary(ast.Mod, machine.binary(ast.Mult, left, right, node), modulus, node)

    result, square = product(1, 1), product(base, 1)
    while power:
        result = product(result, square) if power & 1 else result
        power >>= 1
        square = product(square, square) if power else square
    return result


@handles(divmod)
def _divmod(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    left, right = args
    if isinstance(left, Union):
        return distribute(machine, left, lambda item: _divmod(machine, [item, right], {}, node), node)
    if isinstance(right, Union):
        return distribute(machine, right, lambda item: _divmod(machine, [left, item], {}, node), node)
    if not contains_signal(args):
        return machine.call_native(divmod, args, kwargs, node)
    if all(is_number(item) or isinstance(item, Signal) and item.flavour == "py" for item in args):
        nonzero(machine, right, ZeroDivisionError, division_by_zero(divmod, left, right))
    return tuple(machine.binary(op, left, right, node) for op in (ast.FloorDiv, ast.Mod))
