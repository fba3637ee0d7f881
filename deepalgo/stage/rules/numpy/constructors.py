"""NumPy's functions that make arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.numpy import option_replacements, rows
from deepalgo.stage.rules.numpy.elementwise import emit
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles, register
from deepalgo.stage.rules.replacements import apply_text
from deepalgo.stage.state.array_conversion import call_numpy, is_array, is_plain, new_array, plain, shape, to_signal, wrap
from deepalgo.stage.state.arrays import DTYPES, Array, kind_of_array, kind_of_dtype, read
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import Signal, Union, UserRaise


def to_kind(machine: Machine, value: Signal, dtype: Any) -> Signal:
    """`value.astype(dtype)`."""
    if dtype is None:
        return value
    resolved = np.dtype(dtype)
    if resolved not in (np.dtype(bool), np.dtype(np.int64), np.dtype(float), np.dtype(complex)):
        machine.refuse(f"an array of {resolved} has no rule", "Use float, int, bool or complex.")
    return machine.cast(value, Type(kind_of_dtype(resolved), value.shape))


@handles(np.asarray, np.asanyarray, np.ascontiguousarray, options="dtype order copy")
def _array(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return make(machine, args, kwargs, node, copies=_copies(kwargs, None))


@handles(np.asfortranarray, options="dtype")
def _by_columns(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return make(machine, args, {**kwargs, "order": "F"}, node, copies=len(shape(machine, args[0])) > 1)


@handles(np.float64, options="value")
def _number(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not args or is_plain(machine, args[0]):
        return call_numpy(machine, np.float64, *[plain(machine, item) for item in args])
    return distribute(machine, args[0], lambda item: _as_number(machine, item, node), node)


def _as_number(machine: Machine, value: Any, node: ast.AST) -> Any:
    signal = to_signal(machine, value)
    if signal.kind is Kind.COMPLEX:
        machine.refuse("this drops the imaginary part", "Take `.real`.", node)
    result = machine.cast(signal, Type(Kind.REAL, signal.shape))
    return wrap(machine, Signal(result.value, "np", signal.uniform, signal.known))


@handles(np.int64, options="value")
def _whole_number(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not args or is_plain(machine, args[0]):
        return call_numpy(machine, np.int64, *[plain(machine, item) for item in args])
    return distribute(machine, args[0], lambda item: wrap(machine, _as_whole(machine, to_signal(machine, item), node)), node)


def _as_whole(machine: Machine, value: Signal, node: ast.AST) -> Signal:
    """A number without its fraction; Python's `int` and arrays of them have no infinity either."""
    if value.kind is Kind.COMPLEX:
        machine.refuse("this drops the imaginary part", "Take `.real`.", node)
    if value.flavour == "py" and value.kind is Kind.REAL:
        _fits(machine, value)
    result = machine.cast(value, Type(Kind.INT, value.shape))
    return Signal(result.value, "np", value.uniform, None)


def _fits(machine: Machine, value: Signal) -> None:
    """NumPy makes a whole number of a float as Python does, which raises; only arrays and their numbers are cut to 64 bits."""
    if value.known is not None:
        return
    machine.vouch()
    machine.check(machine.negated(machine.emit("isnan", value)), ValueError, "cannot convert float NaN to integer")
    machine.check(machine.negated(machine.emit("isinf", value)), OverflowError, "cannot convert float infinity to integer")
    inside = machine.both(machine.emit("ge", value, -(2.0**63)), machine.emit("lt", value, 2.0**63))
    machine.check(inside, OverflowError, "Python int too large to convert to C long")


def _all_fit(machine: Machine, value: Any) -> None:
    """The floats in a nested sequence become whole numbers one by one; arrays among them are cut."""
    if isinstance(value, (list, tuple)):
        for item in value:
            _all_fit(machine, item)
    elif isinstance(value, Signal) and value.kind is Kind.REAL and not value.shape:
        _fits(machine, value)


@handles(np.asarray_chkfinite, options="dtype")
def _checked_array(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    result = make(machine, args, kwargs, node, copies=False)
    if not is_plain(machine, result):
        machine.check(machine.emit("isfinite", to_signal(machine, result)), ValueError, "array must not contain infs or NaNs")
    return result


@handles(np.copy, options="order")
def _copy(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return make(machine, args[:1], kwargs, node, copies=True)


@handles(np.array, options="dtype copy order ndmin")
def _new_array(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return make(machine, args, kwargs, node, copies=_copies(kwargs, True))


def _copies(kwargs: Kwargs, default: bool | None) -> bool:
    """Whether the option `copy` asks for a copy also where none is needed."""
    return kwargs.get("copy", default) in (True, np._CopyMode.ALWAYS)


def make(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST, copies: bool) -> Any:
    """`np.array` and `np.asarray`: the latter hands an array on as it is."""
    value = args[0]
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    if kwargs.get("copy", True) in (False, np._CopyMode.NEVER):
        return _uncopied(machine, value, dtype, kwargs, node)
    if kwargs.get("order") in ("F", "A", "K"):
        machine.turned, copies = True, copies or kwargs["order"] == "F"
    if isinstance(value, Union):
        return distribute(machine, value, lambda case: make(machine, [case, *args[1:]], kwargs, node, copies), node)
    copies = copies or kwargs.get("ndmin", 0) > len(shape(machine, value))
    if dtype is object:
        machine.refuse("an array of objects has no rule", "Use a list.", node)
    if is_plain(machine, value):
        if isinstance(value, Array) and not copies and dtype is None:
            return value
        return call_numpy(machine, lambda: np.array(plain(machine, value), dtype=dtype, ndmin=kwargs.get("ndmin", 0)))
    if isinstance(value, Array) and not copies and (dtype is None or kind_of_dtype(np.dtype(dtype)) is kind_of_array(value)):
        to_kind(machine, to_signal(machine, value), dtype)
        return value
    return _new(machine, value, dtype, kwargs)


def _new(machine: Machine, value: Any, dtype: Any, kwargs: Kwargs) -> Any:
    """A new array of numbers that depend on data, with as many axes as `ndmin` asks for."""
    if dtype is not None and np.dtype(dtype) == np.dtype(int) and (not isinstance(value, Signal) or value.flavour == "py"):
        _all_fit(machine, value)
    result = to_kind(machine, to_signal(machine, value), dtype)
    missing = kwargs.get("ndmin", 0) - len(result.shape)
    if missing > 0:
        result = machine.emit("reshape", result, shape=(1,) * missing + result.shape, flavour="np")
    return new_array(machine, result)


def _uncopied(machine: Machine, value: Any, dtype: Any, kwargs: Kwargs, node: ast.AST) -> Any:
    """An array that must not be copied is itself; for what would have to be copied NumPy 2 raises, and NumPy 1 copies."""
    if isinstance(value, Array) and (dtype is None or np.dtype(dtype) == _dtype(machine, value)):
        if kwargs.get("order", "K") not in ("K", "A", None) or kwargs.get("ndmin", 0) > len(shape(machine, value)):
            machine.refuse("an array that must not be copied has no rule with this option", "Leave the option `copy` out.", node)
        return value
    if isinstance(value, Union):
        return distribute(machine, value, lambda case: _uncopied(machine, case, dtype, kwargs, node), node)
    call_numpy(machine, lambda: np.array(0.0, copy=False))
    machine.refuse("an array that must not be copied has no rule here", "Leave the option `copy` out.", node)


def _dtype(machine: Machine, array: Array) -> np.dtype[Any]:
    held = read(machine, array)
    return held.dtype if isinstance(held, np.ndarray) else DTYPES[held.kind]


#: What is in arrays of any shape; nobody may ask what is in an empty one.
FILL: dict[Any, float] = {np.zeros: 0.0, np.ones: 1.0, np.empty: 0.0}


def _filled(native: Callable[..., Any]) -> Handler:
    """`np.zeros` and its kin: a plain array that may take data later."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        machine.turned = machine.turned or kwargs.get("order", "C") not in ("C", None)
        found = rows.made(machine, args[0], FILL[native]) if native in FILL and len(args) == 1 and not kwargs else None
        return found if found is not None else call_numpy(
            machine,
            native,
            *[static_value(machine, item, node) for item in args],
            **{key: static_value(machine, item, node) for key, item in kwargs.items()},
        )

    return handler


def static_value(machine: Machine, value: Any, node: ast.AST) -> Any:
    """A shape or a bound, which must be known at compile time."""
    if isinstance(value, (tuple, list)):
        return type(value)(static_value(machine, item, node) for item in value)
    if isinstance(value, Signal):
        return static_int(machine, value, node, "the shape of this array")
    if not is_plain(machine, value):
        machine.refuse("the shape of an array or the place of its numbers depends on data", "Make it a fixed number.", node)
    return plain(machine, value)


register(_filled, np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.tri, np.indices, options="*")


@handles(np.full, options="dtype order")
def _full(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    size, value = static_value(machine, args[0], node), args[1]
    machine.turned = machine.turned or kwargs.get("order", "C") != "C"
    if kwargs.pop("order", "C") not in ("C", "F", None):
        raise UserRaise(ValueError, "only 'C' or 'F' order is permitted", machine.span)
    if is_plain(machine, value):
        return call_numpy(machine, np.full, size, plain(machine, value), **kwargs)
    target = (size,) if isinstance(size, int) else tuple(size)
    dtype = kwargs.get("dtype")
    return new_array(machine, machine.emit("broadcast", to_kind(machine, to_signal(machine, value), dtype), shape=target, flavour="np"))


def _like(native: Callable[..., Any]) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        model = plain(machine, args[0]) if is_plain(machine, args[0]) else representative(as_array(machine, args[0]))
        machine.turned = machine.turned or kwargs.get("order", "C") not in ("C", None)
        return call_numpy(machine, native, model, **{key: static_value(machine, item, node) for key, item in kwargs.items()})

    return handler


def as_array(machine: Machine, value: Any) -> Any:
    """The value itself, or an array that holds the number."""
    return value if is_array(value) else new_array(machine, to_signal(machine, value))


register(_like, np.zeros_like, np.ones_like, np.empty_like, options="dtype order shape")


@handles(np.full_like, options="dtype shape")
def _full_like(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    dtype = kwargs.get("dtype", DTYPES[to_signal(machine, args[0]).kind])
    size = kwargs.get("shape")
    return _full(machine, [shape(machine, args[0]) if size is None else size, args[1]], {"dtype": dtype}, node)


@handles(np.linspace, options="num endpoint")
def _linspace(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if all(is_plain(machine, item) for item in (*args, *kwargs.values())):
        return call_numpy(machine, np.linspace, *[plain(machine, item) for item in args], **kwargs)
    start, stop = args[:2]
    if shape(machine, start) or shape(machine, stop):
        return apply_text(machine, option_replacements.linspace, np.linspace, args, kwargs, node)
    count = static_int(machine, kwargs.get("num", 50), node, "the number of points")
    parts = max(count - (1 if kwargs.get("endpoint", True) else 0), 1)
    width = emit(machine, "sub", stop, start)
    step = emit(machine, "div", width, parts)
    places = emit(machine, "mul", machine.constant_array(np.arange(count) * 1.0), step)
    shares = emit(machine, "mul", machine.constant_array(np.arange(count) / parts), width)
    points = emit(machine, "add", emit(machine, "select", emit(machine, "eq", step, 0.0), shares, places), start)
    if kwargs.get("endpoint", True) and count > 1:
        points = machine.emit("put", points, to_signal(machine, stop), key=(-1,), flavour="np")
    return wrap(machine, points)


@handles(np.broadcast)
def _broadcast(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """Only shapes are asked of it: of arrays that hold nothing."""
    return call_numpy(machine, np.broadcast, *[np.empty(shape(machine, item)) for item in args])
