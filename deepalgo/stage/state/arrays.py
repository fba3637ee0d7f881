"""`Array`: a NumPy array that depends on data, or may come to.

Arrays have identity: two names may hold one array, and a slice writes through to the array it was taken from. So an array is a box
whose content is replaced by every store; the content itself is a Signal, or a plain array as long as no data has entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deepalgo.ir import Attr, Kind, Type
from deepalgo.stage.state.values import Signal, StandIn

if TYPE_CHECKING:
    from deepalgo.stage.state.machine import Machine

Held = Signal | np.ndarray


class Array(StandIn):
    """A box with an array in it, or a view of another box: part of it (`take`), at positions that data chose (`chosen`), reshaped,
    or with its axes in another order (`permute`).

    `shared` is set where NumPy gives a view and we a copy: whom a store would reach is then not known, so stores are refused. `name` is
    the user's name for a view. `certain` tells that the array lies in memory as its rows are read, view apart.
    """

    python = "numpy.ndarray"

    __slots__ = ("base", "certain", "held", "how", "key", "name", "shared")

    def __init__(self, held: Held, base: Array | None = None, key: Any = None, how: str = "take") -> None:
        self.held = held
        self.base = base
        self.key = key
        self.how = how
        self.shared = False
        self.certain = True
        self.name = ""

    def content(self) -> Held:
        """What the heap remembers of this box."""
        return self.held

    def restore(self, content: Held) -> None:
        """Put a remembered content back."""
        self.held = content

    def __repr__(self) -> str:
        return f"Array({self.held!r})"


def own_content(value: Any) -> Any:
    """What an array holds that is no view; anything else is itself."""
    return value.held if isinstance(value, Array) and value.base is None else value


def read(machine: Machine, array: Array) -> Held:
    """The content of an array; a view reads what its base holds now."""
    if array.base is None:
        return array.held
    found = _viewed(machine, array, read(machine, array.base))
    if array.name and isinstance(found, Signal):
        machine.builder.name(found.value, array.name)
    return found


def _viewed(machine: Machine, array: Array, whole: Held) -> Held:
    if array.how == "chosen":
        return read_chosen(machine, whole if isinstance(whole, Signal) else machine.constant_array(whole), array.key)
    if isinstance(whole, np.ndarray):
        return np.asarray(seen(array, whole))
    match array.how:
        case "reshape":
            return machine.emit("reshape", whole, shape=array.key, flavour="np")
        case "permute":
            return machine.emit("permute", whole, axes=array.key, flavour="np")
        case _:
            return machine.emit("take", whole, key=array.key, flavour="np")


def read_chosen(machine: Machine, whole: Signal, entries: tuple[Any, ...]) -> Signal:
    """`whole[entries]`, where an entry is a slice, a position, or a Signal that is a position."""
    axis = 0
    for entry in entries:
        if isinstance(entry, Signal):
            whole = machine.emit("pick_at", whole, entry, axis=axis, flavour="np")
            continue
        whole = machine.emit("take", whole, key=as_attr((slice(None),) * axis + (entry,)), flavour="np")
        axis += isinstance(entry, slice)
    return whole


def as_attr(key: tuple[Any, ...]) -> tuple[Attr, ...]:
    """A basic key as it is stored in a Program."""

    def entry_of(entry: Any) -> Attr:
        if isinstance(entry, slice):
            return ("slice", *(None if part is None else int(part) for part in (entry.start, entry.stop, entry.step)))
        return "..." if entry is ... else None if entry is None else int(entry)

    return tuple(entry_of(entry) for entry in key)


def seen(view: Array, whole: np.ndarray) -> Any:
    """What a view shows of a plain array."""
    match view.how:
        case "reshape":
            return whole.reshape(view.key)
        case "permute":
            return whole.transpose(view.key)
        case "chosen":
            return whole[tuple(0 if isinstance(entry, Signal) else entry for entry in view.key)]
        case _:
            return whole[numpy_key(view.key)]


def stand_in(array: Array) -> np.ndarray:
    """A plain array of the same layout in memory: it tells whether NumPy gives a view or a copy."""
    if array.base is None:
        return np.empty(tuple(array.held.shape))
    return np.asarray(seen(array, stand_in(array.base)))


def is_chosen(array: Array) -> bool:
    """Whether data chose the part of its base that an array shows."""
    return array.base is not None and (array.how == "chosen" or is_chosen(array.base))


def root_of(array: Array) -> Array:
    """The box that a view shows part of."""
    while array.base is not None:
        array = array.base
    return array


def numpy_key(key: Attr) -> Any:
    """A static key as NumPy takes it."""
    assert isinstance(key, tuple)
    return tuple(_numpy_entry(entry) for entry in key)


def _numpy_entry(entry: Attr) -> Any:
    if isinstance(entry, tuple):
        return slice(*entry[1:])
    return ... if entry == "..." else entry


def shape_of(array: Array) -> tuple[int, ...]:
    """The shape of an array."""
    if array.base is None:
        return tuple(array.held.shape)
    return tuple(stand_in(array).shape)


def kind_of_array(array: Array) -> Kind:
    """The kind of number in an array."""
    root = root_of(array)
    return root.held.kind if isinstance(root.held, Signal) else kind_of_dtype(root.held.dtype)


def kind_of_dtype(dtype: np.dtype[Any]) -> Kind:
    """The kind of numbers that a dtype holds."""
    return {"b": Kind.BOOL, "i": Kind.INT, "u": Kind.INT, "f": Kind.REAL, "c": Kind.COMPLEX}[dtype.kind]


def has_numbers(value: Any) -> bool:
    """Whether a plain array holds numbers that a Program can compute with."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biufc"


def type_of_plain(value: np.ndarray) -> Type:
    """The type of a plain array of numbers."""
    return Type(kind_of_dtype(value.dtype), tuple(value.shape))


def attr_of_plain(value: np.ndarray) -> Attr:
    """A plain array as it is stored in a Program."""

    def freeze(item: Any) -> Attr:
        return tuple(freeze(part) for part in item) if isinstance(item, list) else item

    return freeze(value.tolist())


DTYPES: dict[Kind, Any] = {
    Kind.BOOL: np.dtype(bool),
    Kind.INT: np.dtype(np.int64),
    Kind.REAL: np.dtype(np.float64),
    Kind.COMPLEX: np.dtype(np.complex128),
}
