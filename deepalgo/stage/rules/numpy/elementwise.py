"""NumPy's functions that treat every number on its own, and Python's operators on arrays."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.ops.table import MEANS
from deepalgo.stage.rules.numpy.indexing import store
from deepalgo.stage.rules.registry import HANDLERS, Args, Handler, Kwargs, handles
from deepalgo.stage.state.array_conversion import call_numpy, is_plain, plain, to_signal, wrap
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions, kept, same_computation
from deepalgo.stage.state.unions import distribute_first
from deepalgo.stage.state.values import Known, Signal, UserRaise

MAY_WARN = frozenset(
    "add sub mul div floordiv mod pow sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos sinh cosh acosh atanh fmod "
    "hypot".split()
)
ORDER = frozenset({"lt", "le", "gt", "ge"})
LOGICAL = frozenset({"and", "or", "xor", "not"})
#: What NumPy does with truth values only.
ON_TRUTHS = {
    "add": "or", "mul": "and", "maximum": "or", "minimum": "and", "bitand": "and", "bitor": "or", "bitxor": "xor", "invert": "not",
}


def apply(machine: Machine, name: str, native: Callable[..., Any], args: Args) -> Any:
    """One elementwise operation; plain values are left to NumPy."""
    return distribute_first(machine, args, lambda cases: _apply(machine, name, native, cases), ast.Pass())


def _apply(machine: Machine, name: str, native: Callable[..., Any], args: Args) -> Any:
    if any(isinstance(item, Masked) for item in args):
        return _apply_masked(machine, name, native, args)
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, native, *[plain(machine, item) for item in args])
    signals = [_operand(machine, name, item) for item in args]
    if all(signal.kind is Kind.BOOL for signal in signals):
        name = _on_truths(machine, name, native, len(signals))
    if name in ORDER and any(signal.kind is Kind.COMPLEX for signal in signals):
        return wrap(machine, _ordered_complex(machine, name, signals))
    try:
        result = machine.emit(name, *signals, flavour="np")
    except (ValueError, TypeError) as error:
        raise UserRaise(type(error), str(error), machine.span) from None
    if name in ("floordiv", "pow") and all(signal.kind is Kind.INT for signal in signals):
        result = _of_whole_numbers(machine, name, result, signals)
    if machine.numpy_raises is not None and name in MAY_WARN:
        _raise_warnings(machine, name, result, signals)
    return wrap(machine, with_known(machine, native, result, signals))


def _ordered_complex(machine: Machine, name: str, signals: list[Signal]) -> Signal:
    """Complex numbers as NumPy orders them: by their real parts, and by their imaginary ones where those are equal."""
    reals, images = ([_part(machine, part, signal) for signal in signals] for part in ("real", "imag"))
    strict = emit(machine, {"le": "lt", "ge": "gt"}.get(name, name), *reals)
    defined = emit(machine, "not", emit(machine, "or", *[emit(machine, "isnan", image) for image in images]))
    equal = emit(machine, "and", emit(machine, "eq", *reals), emit(machine, name, *images))
    return emit(machine, "or", emit(machine, "and", strict, defined), equal)


def _part(machine: Machine, part: str, signal: Signal) -> Signal:
    return emit(machine, part, machine.cast(signal, Type(Kind.COMPLEX, signal.shape)))


def _of_whole_numbers(machine: Machine, name: str, result: Signal, signals: list[Signal]) -> Signal:
    """Whole numbers of NumPy have no infinity: a quotient by zero is zero, and there are no negative powers."""
    if name == "floordiv":
        return machine.emit("select", machine.emit("eq", signals[1], 0, flavour="np"), 0, result, flavour="np")
    whole = machine.emit("ge", signals[1], 0, flavour="np")
    for _ in whole.shape:
        whole = machine.emit("all", whole, axis=0)
    machine.check(whole, ValueError, "Integers to negative integer powers are not allowed.")
    return result


def _on_truths(machine: Machine, name: str, native: Callable[..., Any], arity: int) -> str:
    """The operation that a name stands for between truth values; there is no difference and no negative of them."""
    if name in ("sub", "neg", "pos"):
        call_numpy(machine, native, *[np.True_] * arity)  # raises
    return ON_TRUTHS.get(name, name)


def _raise_warnings(machine: Machine, name: str, result: Signal, signals: list[Signal]) -> None:
    """Where the user turned NumPy's warnings into errors, an infinite or undefined result raises."""
    reals = [signal for signal in signals if signal.kind >= Kind.REAL]
    finite = machine.emit("no_overflow", result, *reals)
    undefined = machine.emit("isnan", result)
    for signal in reals:
        undefined = machine.emit("and", undefined, machine.emit("not", machine.emit("isnan", signal)))
    assert machine.numpy_raises is not None
    machine.check(
        machine.emit("and", finite, machine.emit("not", undefined)),
        machine.numpy_raises,
        f"divide by zero or invalid value encountered in {name}",
    )


def _apply_masked(machine: Machine, name: str, native: Callable[..., Any], args: Args) -> Masked:
    """Numbers that one mask keeps, with each other or with single numbers."""
    masks = [item.mask for item in args if isinstance(item, Masked)]
    loose = [item for item in args if not isinstance(item, Masked)]
    ranks = {len(item.signal.shape) for item in args if isinstance(item, Masked)}
    behind = min(ranks) - len(masks[0].shape)
    short = all(len(to_signal(machine, item).shape) <= behind for item in loose)
    if any(not same_computation(machine, mask, masks[0]) for mask in masks) or len(ranks) > 1 or not short:
        machine.refuse("values that a mask keeps meet values of another length", "Use np.where.")
    if machine.numpy_raises is not None and name in MAY_WARN:
        machine.refuse("numbers that a mask drops would raise NumPy's warnings here", "Use np.where.")
    whole = apply(machine, name, native, [wrap(machine, item.signal) if isinstance(item, Masked) else item for item in args])
    return kept(machine, to_signal(machine, whole), masks[0])


def with_known(machine: Machine, native: Callable[..., Any], result: Signal, signals: list[Signal]) -> Signal:
    """Keep the value of numbers that only weights enter."""
    knowns = [signal.known for signal in signals]
    if result.shape or any(known is None for known in knowns):
        return result
    found = [known for known in knowns if known is not None]
    value = call_numpy(machine, native, *[known.value for known in found])
    value = value.item() if isinstance(value, np.generic) else value
    return Signal(result.value, "np", True, Known(value, frozenset().union(*[known.keys for known in found])))


def _operand(machine: Machine, name: str, value: Any) -> Signal:
    signal = to_signal(machine, value)
    if name in LOGICAL and signal.kind is not Kind.BOOL:
        return machine.emit("ne", signal, 0, flavour="np")
    return signal


def _ufunc(name: str, native: Callable[..., Any], arity: int) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        args = _in_kind(machine, name, native, args, kwargs, node)
        if native is np.float_power:
            args = [apply(machine, "mul", operator.mul, [item, 1.0]) for item in args]
        result = apply(machine, name, native, args[:arity])
        if "out" in kwargs:
            return _put(machine, native, result, kwargs["out"], kwargs.get("where", True), node)
        if "where" in kwargs:
            machine.refuse(f"`where` of np.{native.__name__} without `out` leaves numbers undefined", "Give it an `out`.", node)
        return result

    return handler


def _in_kind(machine: Machine, name: str, native: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Args:
    """The operands of a ufunc that is told the kind of its numbers."""
    if kwargs.get("casting", "same_kind") not in ("same_kind", "unsafe"):
        machine.refuse(f"the option `casting` of np.{native.__name__} has no rule here", "Leave the option out.", node)
    if "dtype" not in kwargs:
        return list(args)
    dtype = np.dtype(kwargs["dtype"])
    narrows = any(to_signal(machine, item).kind is Kind.COMPLEX for item in args)
    if dtype != np.dtype(float) or narrows or native(*[np.ones(1)] * len(args)).dtype != dtype:
        machine.refuse(f"`np.{native.__name__}` in {dtype} has no rule", "Leave the option out.", node)
    return [HANDLERS[np.asarray](machine, [item], {"dtype": float}, node) for item in args]


def _put(machine: Machine, native: Any, result: Any, out: Any, where: Any, node: ast.AST) -> Any:
    """The result in the array that was given for it, where a mask says so."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(target, Array):
        machine.refuse(f"the `out` of np.{native.__name__} is no array", "Leave the option out.", node)
    held, new = to_signal(machine, target), to_signal(machine, result)
    if new.kind > held.kind or np.broadcast_shapes(held.shape, new.shape) != held.shape:
        machine.refuse(f"the `out` of np.{native.__name__} cannot hold its result", "Leave the option out.", node)
    store(machine, target, ..., result if where is True else HANDLERS[np.where](machine, [where, result, target], {}, node), node)
    return target


for _dotted, _name in MEANS.items():
    _native = getattr(np, _dotted.removeprefix("numpy."), None) if _dotted.startswith("numpy.") else None
    if isinstance(_native, np.ufunc):
        handles(_native, options="out where casting dtype")(_ufunc(_name, _native, _native.nin))


def emit(machine: Machine, name: str, *args: Any, **attrs: Any) -> Signal:
    """An operation between Signals, plain numbers and arrays."""
    return machine.emit(
        name, *[item if isinstance(item, (bool, int, float, complex)) else to_signal(machine, item) for item in args], flavour="np", **attrs
    )


@handles(np.square, options="")
def _square(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return apply(machine, "mul", operator.mul, [args[0], args[0]])


@handles(np.reciprocal, options="")
def _reciprocal(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return apply(machine, "div", operator.truediv, [1.0, args[0]])


@handles(np.clip, options="a_min a_max min max")
def _clip(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if {"a_min", "a_max"} & set(kwargs) and {"min", "max"} & set(kwargs):
        text = "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden."
        raise UserRaise(ValueError, text, machine.span)
    low, high = (kwargs.get(f"a_{name}", kwargs.get(name)) for name in ("min", "max"))
    result = args[0]
    if low is not None:
        result = apply(machine, "maximum", np.maximum, [result, low])
    if high is not None:
        result = apply(machine, "minimum", np.minimum, [result, high])
    return result


@handles(np.where, options="x y")
def _where(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) == 1:
        return _nonzero(machine, args, kwargs, node)
    if all(is_plain(machine, item) for item in args):
        return call_numpy(machine, np.where, *[plain(machine, item) for item in args])
    condition, yes, no = (to_signal(machine, item) for item in args)
    if condition.kind is not Kind.BOOL:
        condition = machine.emit("ne", condition, 0)
    kind = max(yes.kind, no.kind)
    result = machine.emit(
        "select", condition, machine.cast(yes, Type(kind, yes.shape)), machine.cast(no, Type(kind, no.shape)), flavour="np"
    )
    return new_or_number(machine, result)


@handles(np.nonzero, options="")
def _nonzero(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.nonzero, plain(machine, args[0]))
    mask = to_signal(machine, args[0])
    mask = mask if mask.kind is Kind.BOOL else machine.emit("ne", mask, 0, flavour="np")
    if len(mask.shape) != 1:
        machine.refuse("the positions where something holds: how many depends on data", "Use np.where(condition, a, b).", node)
    return (Positions(mask),)


def new_or_number(machine: Machine, result: Signal) -> Any:
    """A function that NumPy writes for arrays gives a 0-d array for numbers; it behaves as a number all the same."""
    return wrap(machine, result)


@handles(np.round, np.around, options="decimals")
def _round(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    digits = kwargs.get("decimals", 0)
    if is_plain(machine, args[0]):
        return call_numpy(machine, np.round, plain(machine, args[0]), digits)
    if digits == 0:
        return apply(machine, "rint", np.rint, [args[0]])
    scale = 10.0 ** abs(digits)
    first, second = ("mul", "div") if digits > 0 else ("div", "mul")
    return wrap(machine, emit(machine, second, emit(machine, "rint", emit(machine, first, args[0], scale)), scale))


@handles(np.real, options="")
def _real(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return apply(machine, "real", np.real, args) if _is_complex(machine, args[0]) else args[0]


@handles(np.imag, options="")
def _imag(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return apply(machine, "imag", np.imag, args)


@handles(np.angle, options="deg")
def _angle(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = to_signal(machine, args[0])
    parts = [machine.emit(name, machine.cast(value, Type(Kind.COMPLEX, value.shape)), flavour="np") for name in ("imag", "real")]
    angle = apply(machine, "atan2", np.arctan2, parts)
    return wrap(machine, emit(machine, "mul", angle, 180 / np.pi)) if kwargs.get("deg") else angle


def _is_complex(machine: Machine, value: Any) -> bool:
    return to_signal(machine, value).kind is Kind.COMPLEX


@handles(np.nan_to_num, options="copy nan posinf neginf")
def _nan_to_num(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not kwargs.get("copy", True) and not isinstance(args[0], Signal):
        return _nan_to_num_in_place(machine, args, {**kwargs, "copy": True}, node)
    value = to_signal(machine, args[0])
    if value.kind is Kind.COMPLEX:
        parts = [_nan_to_num(machine, [emit(machine, name, value)], kwargs, node) for name in ("real", "imag")]
        return wrap(machine, emit(machine, "complex", *parts))
    if value.kind is not Kind.REAL:
        machine.refuse("`np.nan_to_num` has a rule for floats only", "Leave it out for whole numbers.", node)
    largest = float(np.finfo(float).max)
    given = [kwargs.get(name) for name in ("nan", "posinf", "neginf")]
    usual = [default if item is None else item for item, default in zip(given, (0.0, largest, -largest), strict=True)]
    nan, high, low = (item if isinstance(item, Signal) else float(item) for item in usual)
    held = emit(machine, "select", emit(machine, "isnan", value), nan, value)
    held = emit(machine, "select", emit(machine, "eq", held, float("inf")), high, held)
    return wrap(machine, emit(machine, "select", emit(machine, "eq", held, float("-inf")), low, held))


def _nan_to_num_in_place(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    store(machine, args[0], ..., _nan_to_num(machine, args, kwargs, node), node)
    return args[0]


@handles(np.select, options="default")
def _select(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The choice of the first condition that holds."""
    conditions, choices = args
    result: Any = kwargs.get("default", 0)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = HANDLERS[np.where](machine, [condition, choice, result], {}, node)
    return result


@handles(np.sinc, options="")
def _sinc(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`sin(pi x) / (pi x)`, as NumPy computes it."""
    value = to_signal(machine, args[0])
    angle = emit(machine, "mul", emit(machine, "select", emit(machine, "eq", value, 0.0), 1e-20, value), np.pi)
    return wrap(machine, emit(machine, "div", emit(machine, "sin", angle), angle))


@handles(np.isclose, options="rtol atol equal_nan")
def _isclose(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return wrap(machine, close(machine, args, kwargs))


def close(machine: Machine, args: Args, kwargs: Kwargs) -> Signal:
    """`abs(a - b) <= atol + rtol * abs(b)`, and equal infinities are close."""
    relative, absolute = kwargs.get("rtol", 1e-5), kwargs.get("atol", 1e-8)
    gap = emit(machine, "abs", emit(machine, "sub", args[0], args[1]))
    limit = emit(machine, "add", emit(machine, "mul", emit(machine, "abs", args[1]), relative), absolute)
    near = emit(machine, "and", emit(machine, "le", gap, limit), emit(machine, "isfinite", args[1]))
    found = emit(machine, "or", near, emit(machine, "eq", args[0], args[1]))
    if not kwargs.get("equal_nan"):
        return found
    return emit(machine, "or", found, emit(machine, "and", *[emit(machine, "isnan", item) for item in args]))


@handles(np.heaviside, options="")
def _heaviside(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = to_signal(machine, args[0])
    positive = emit(machine, "select", emit(machine, "gt", value, 0.0), 1.0, 0.0)
    number = emit(machine, "select", emit(machine, "isnan", value), float("nan"), positive)
    return wrap(machine, emit(machine, "select", emit(machine, "eq", value, 0.0), args[1], number))


@handles(np.divmod, options="")
def _divmod(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return apply(machine, "floordiv", operator.floordiv, args), apply(machine, "mod", operator.mod, args)


@handles(np.logaddexp, options="")
def _logaddexp(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return apply(machine, "logaddexp", np.logaddexp, args)
