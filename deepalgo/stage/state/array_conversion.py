"""Between Python values and arrays: what `np.asarray` sees, and what an operation hands back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.state.arrays import DTYPES, Array, has_numbers, kind_of_array, read, shape_of
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import POLYNOMIALS, DataLength, DataText, Signal, Union, UserRaise, is_number


def is_array(value: Any) -> bool:
    """An array of either sort."""
    return isinstance(value, (Array, np.ndarray))


def plain(machine: Machine, value: Any) -> Any:
    """The value as NumPy itself would get it, or None where data is in it."""
    match value:
        case Array():
            held = read(machine, value)
            return held if isinstance(held, np.ndarray) else None
        case Signal():
            return None
        case Union() | DataText():
            return None
        case list() | tuple() if type(value) in (list, tuple):
            parts = [plain(machine, item) for item in value]
            whole = all(part is not None or item is None for part, item in zip(parts, value, strict=True))
            return type(value)(parts) if whole else None
        case np.poly1d():
            return plain(machine, vars(value)["coeffs"])
        case _ if type(value) in POLYNOMIALS and any(isinstance(item, Array) for item in vars(value).values()):
            return None
        case _:
            return value


def is_plain(machine: Machine, value: Any) -> bool:
    """Whether no data is in a value."""
    return value is None or plain(machine, value) is not None


def known_plain(machine: Machine, value: Any) -> Any:
    """Like `plain`, but weights count as the numbers that they were written as; None where inputs are in it."""
    if isinstance(value, Signal):
        return None if value.known is None else value.known.value
    if isinstance(value, (list, tuple)):
        parts = [known_plain(machine, item) for item in value]
        return None if any(part is None for part in parts) else type(value)(parts)
    return plain(machine, value)


def to_signal(machine: Machine, value: Any) -> Signal:
    """Any number, array or nested list as one Signal, as `np.asarray` would make one array of it."""
    match value:
        case Signal():
            return value
        case Array():
            held = read(machine, value)
            return held if isinstance(held, Signal) else machine.constant_array(held)
        case np.ndarray():
            if not has_numbers(value):
                raise UserRaise(TypeError, f"an array of {value.dtype} holds no numbers", machine.span)
            return machine.constant_array(value)
        case list() | tuple():
            return _stack(machine, value)
        case np.generic():
            return machine.constant(value.item())
        case _ if is_number(value):
            return machine.constant(value)
        case np.poly1d():
            return to_signal(machine, vars(value)["coeffs"])
        case Union():
            machine.refuse("an array is made of values whose kind depends on data", "Make both paths numbers of the same shape.")
        case DataLength():
            machine.refuse("how many items this array has depends on data", "Use np.where, or sums over the mask.")
        case _ if type(value) in POLYNOMIALS:
            machine.refuse(f"an array is made of a {type(value).__name__}", "Use its coefficients: `.coef`.")
        case _:
            raise UserRaise(TypeError, f"{type(value).__name__} is not a number or an array", machine.span)


def _stack(machine: Machine, items: Any) -> Signal:
    whole = plain(machine, items)
    if whole is not None:
        return to_signal(machine, _native_array(machine, whole))
    signals = [to_signal(machine, item) for item in items]
    table = _whole_table(machine, signals)
    if table is not None:
        return table
    shapes = {signal.shape for signal in signals}
    if len(shapes) != 1:
        raise UserRaise(
            ValueError, "setting an array element with a sequence. The requested array has an inhomogeneous shape", machine.span
        )
    kind = max(signal.kind for signal in signals)
    return machine.emit("stack", *[machine.cast(item, Type(kind, item.shape)) for item in signals], flavour="np")


def _native_array(machine: Machine, whole: Any) -> np.ndarray:
    try:
        return np.asarray(whole)
    except ValueError as error:
        raise UserRaise(error, None, machine.span) from None


def _whole_table(machine: Machine, signals: list[Signal]) -> Signal | None:
    """The items of one table, in order, are the table."""
    first = machine.definition(signals[0])
    if first is None or first.name != "index" or first.args[0].type.shape[0] != len(signals):
        return None
    table = first.args[0]
    for number, signal in enumerate(signals):
        made = machine.definition(signal)
        if made is None or made.name != "index" or made.args[0] != table or made.attr("key") != (number,):
            return None
    return Signal(table, "np", signals[0].uniform, None)


def wrap(machine: Machine, signal: Signal) -> Any:
    """What an operation hands back: a new array, or a NumPy number where the shape is ()."""
    if not signal.shape:
        return Signal(signal.value, "np", signal.uniform, signal.known)
    return new_array(machine, signal)


def made(machine: Machine, held: Signal | np.ndarray) -> Array:
    """A new array; how it lies in memory is known while no axes were turned."""
    created: Array = machine.heap.created(Array(held))
    created.certain = not machine.turned
    return created


def box(machine: Machine, value: Any) -> Any:
    """A plain array that NumPy made, as an array that may take data later."""
    if isinstance(value, np.ndarray) and has_numbers(value):
        return made(machine, value)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(box(machine, item) for item in value)
    if isinstance(value, list):
        return machine.heap.created([box(machine, item) for item in value])
    return value


def new_array(machine: Machine, signal: Signal) -> Array:
    """An array object for a Signal of any shape, also ()."""
    return made(machine, Signal(signal.value, "np", signal.uniform, None))


def shape(machine: Machine, value: Any) -> tuple[int, ...]:
    """`np.shape(value)`."""
    match value:
        case Array():
            return shape_of(value)
        case Signal():
            return value.shape
        case list() | tuple():
            return (len(value), *(shape(machine, value[0]) if value else ()))
        case np.poly1d():
            return shape(machine, vars(value)["coeffs"])
        case _:
            return tuple(np.shape(value))


def kind(machine: Machine, value: Any) -> Kind:
    """The kind of number in a value."""
    if isinstance(value, Array):
        return kind_of_array(value)
    return to_signal(machine, value).kind


def representative_array(array: Array) -> np.ndarray:
    """A plain array of the same shape and dtype, for questions about types."""
    return np.ones(shape_of(array), dtype=DTYPES[kind_of_array(array)])


def call_numpy(machine: Machine, native: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """NumPy itself, on plain values."""
    try:
        with np.errstate(all="ignore"):
            return box(machine, native(*args, **kwargs))
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


def only_item(machine: Machine, value: Signal) -> Signal:
    """The number in an array of one item."""
    size = 1
    for extent in value.shape:
        size *= extent
    if size != 1:
        raise UserRaise(TypeError, "only length-1 arrays can be converted to Python scalars", machine.span)
    return machine.emit("index", value, key=(0,) * len(value.shape))
