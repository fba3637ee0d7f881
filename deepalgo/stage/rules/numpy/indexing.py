"""Items and slices of arrays: views where NumPy gives views, copies where it gives copies."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.state.aliases import has_kin
from deepalgo.stage.state.array_conversion import box, call_numpy, is_plain, kind, plain, to_signal, wrap
from deepalgo.stage.state.arrays import Array, as_attr, attr_of_plain, read, root_of, seen, shape_of
from deepalgo.stage.state.machine import UNROLL, Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions, kept, same_computation
from deepalgo.stage.state.structure import stand_for
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import DataText, NeedsUnroll, Signal, Union, UserRaise


def get(machine: Machine, array: Array, key: Any, node: ast.AST) -> Any:
    """`array[key]`."""
    if isinstance(key, Union):
        return distribute(machine, key, lambda case: get(machine, array, case, node), node)
    entries = as_entries(machine, key)
    if any(is_mask(machine, entry) for entry in entries):
        return _masked(machine, to_signal(machine, array), entries, node)
    if any(_is_dynamic(machine, entry) for entry in entries):
        return _chosen(machine, array, entries, node)
    static = [plain(machine, entry) for entry in entries]
    whole = read(machine, array)
    if isinstance(whole, np.ndarray) and not is_basic(static):
        return call_numpy(machine, lambda: whole[tuple(static)])
    if is_basic(static):
        return _basic(machine, array, tuple(static))
    return _fancy(machine, array, tuple(static))


def as_entries(machine: Machine, key: Any) -> list[Any]:
    """The entries of a key, weights among them as plain numbers."""
    entries = list(key) if isinstance(key, tuple) else [key]
    entries = [entry.mask if isinstance(entry, Positions) else entry for entry in entries]
    if any(isinstance(entry, (Union, DataText, Masked)) for entry in entries):
        machine.refuse("an index whose kind depends on data cannot be compiled", "Index by a number, a slice or one mask.")
    return [
        machine.demand(entry, "chooses an item at compile time") if isinstance(entry, Signal) and entry.known is not None else entry
        for entry in entries
    ]


def is_mask(machine: Machine, entry: Any) -> bool:
    """A mask that depends on data."""
    return isinstance(entry, (Array, Signal)) and not is_plain(machine, entry) and kind(machine, entry) is Kind.BOOL


def _is_dynamic(machine: Machine, entry: Any) -> bool:
    return isinstance(entry, (Array, Signal, list)) and not is_plain(machine, entry)


def is_basic(entries: list[Any]) -> bool:
    """Whether a key has numbers, slices, new axes and an ellipsis only."""
    return all(
        entry is None or entry is ... or isinstance(entry, (slice, int, np.integer)) and not isinstance(entry, bool) for entry in entries
    )


def probe(machine: Machine, shape: tuple[int, ...], key: Any) -> np.ndarray:
    """Which of the numbers, counted in order, a static key reaches."""
    try:
        return np.asarray(np.arange(int(np.prod(shape))).reshape(shape)[key])
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


def _basic(machine: Machine, array: Array, key: tuple[Any, ...]) -> Any:
    places = probe(machine, shape_of(array), key)
    attr = as_attr(key)
    if places.shape or ... in key:
        return machine.heap.created(Array(np.empty(0), array, attr))
    whole = read(machine, array)
    if isinstance(whole, np.ndarray):
        return whole[key]
    name = "index" if all(isinstance(entry, int) and entry >= 0 for entry in attr) else "take"
    return wrap(machine, machine.emit(name, whole, key=attr, flavour="np"))


def _fancy(machine: Machine, array: Array, key: tuple[Any, ...]) -> Any:
    """Any static key: pick the numbers that it reaches."""
    shape = shape_of(array)
    places = probe(machine, shape, key)
    flat = machine.emit("reshape", to_signal(machine, array), shape=(int(np.prod(shape)),), flavour="np")
    return wrap(machine, machine.emit("pick", flat, indices=attr_of_plain(places), axis=0, flavour="np"))


def _chosen(machine: Machine, array: Array, entries: list[Any], node: ast.AST) -> Any:
    """An index chosen by data along one axis or more; with single positions and slices only, NumPy gives a view."""
    shape = shape_of(array)
    entries = expanded(entries, len(shape))
    if sum(not is_basic([entry]) for entry in entries) > 1 and any(_extent(machine, entry) for entry in entries):
        return _gathered(machine, to_signal(machine, array), entries, node)
    if any(entry is None or _extent(machine, entry) for entry in entries):
        return _chosen_copy(machine, array, entries, node)
    places = _positions(machine, entries, shape)
    view = Array(np.empty(0), array, tuple(places), "chosen")
    return machine.heap.created(view) if shape_of(view) else wrap(machine, to_signal(machine, view))


def _chosen_copy(machine: Machine, array: Array, entries: list[Any], node: ast.AST) -> Any:
    """An array of positions chosen by data, or a new axis."""
    result = to_signal(machine, array)
    axis = 0
    for entry in entries:
        if _is_dynamic(machine, entry):
            message = f"index {{0}} is out of bounds for axis {axis} with size {result.shape[axis]}"
            index = place_of(machine, to_signal(machine, entry), result.shape[axis], message)
            result = machine.emit("pick_at", result, index, axis=axis, flavour="np")
            axis += len(index.shape)
            continue
        if not is_basic([plain(machine, entry)]):
            machine.refuse("an index chosen by data is mixed with a list of positions", "Index one axis at a time.", node)
        key = (slice(None),) * axis + (plain(machine, entry),)
        result = machine.emit("take", result, key=as_attr(key), flavour="np")
        axis += 0 if isinstance(entry, (int, np.integer)) else 1
    made = wrap(machine, result)
    if isinstance(made, Array) and not any(_extent(machine, entry) for entry in entries):
        stand_for(machine, made, (root_of(array),))
    return made


def _positions(machine: Machine, entries: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """Slices as they are, positions checked and counted from the front."""
    if len(entries) > len(shape):
        probe(machine, shape, (0,) * len(entries))  # raises
    pairs = enumerate(zip(entries, shape, strict=False))
    return [entry if isinstance(entry, slice) else _position(machine, entry, axis, size) for axis, (entry, size) in pairs]


def _extent(machine: Machine, entry: Any) -> tuple[int, ...]:
    return () if isinstance(entry, (slice, type(None), int, np.integer)) else to_signal(machine, entry).shape


def _gathered(machine: Machine, array: Signal, entries: list[Any], node: ast.AST) -> Any:
    """Several index arrays are read side by side: `a[rows, columns]` picks one number for each pair."""
    if any(isinstance(entry, (slice, type(None))) for entry in entries):
        machine.refuse("index arrays chosen by data are mixed with slices", "Index the axes one after the other.", node)
    sizes = array.shape[: len(entries)]
    flat: Signal | None = None
    for axis, (entry, size) in enumerate(zip(entries, sizes, strict=True)):
        place = place_of(machine, to_signal(machine, entry), size, f"index {{0}} is out of bounds for axis {axis} with size {size}")
        flat = place if flat is None else machine.emit("add", machine.emit("mul", flat, size), place, flavour="np")
    assert flat is not None
    rows = machine.emit("reshape", array, shape=(int(np.prod(sizes)), *array.shape[len(entries) :]), flavour="np")
    return wrap(machine, machine.emit("pick_at", rows, flat, axis=0, flavour="np"))


def expanded(entries: list[Any], rank: int) -> list[Any]:
    """Write an ellipsis out."""
    if not any(entry is ... for entry in entries):
        return entries
    place = next(number for number, entry in enumerate(entries) if entry is ...)
    used = sum(entry is not None and entry is not ... for entry in entries)
    return [*entries[:place], *[slice(None)] * (rank - used), *entries[place + 1 :]]


def place_of(machine: Machine, index: Signal, size: int, message: str) -> Signal:
    """An index chosen by data, checked and counted from the front."""
    if index.kind > Kind.INT:
        raise UserRaise(
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
            machine.span,
        )
    if index.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL and not index.shape and index.value.name != "round":
        raise NeedsUnroll
    if index.value.name == "round":
        return index
    inside = machine.emit("and", machine.emit("ge", index, -size), machine.emit("lt", index, size))
    for _ in index.shape:
        inside = machine.emit("all", inside, axis=0)
    machine.check(inside, IndexError, message, (index,) if not index.shape else ())
    return machine.emit("select", machine.emit("lt", index, 0), machine.emit("add", index, size), index)


def _masked(machine: Machine, array: Signal, entries: list[Any], node: ast.AST) -> Any:
    mask, key = _mask_and_rest(machine, array.shape, entries, node)
    return kept(machine, array if not key else machine.emit("take", array, key=as_attr(key), flavour="np"), mask)


def _mask_and_rest(machine: Machine, shape: tuple[int, ...], entries: list[Any], node: ast.AST) -> tuple[Signal, tuple[Any, ...]]:
    """A mask of the first axes, and a key that takes these axes whole and the others by what stands behind the mask."""
    rest = [plain(machine, entry) if is_plain(machine, entry) else entry for entry in entries[1:]]
    if not is_mask(machine, entries[0]) or not is_basic(rest):
        machine.refuse("a mask that depends on data is mixed with other indices", "Use np.where.", node)
    mask = to_signal(machine, entries[0])
    if mask.shape != shape[: len(mask.shape)]:
        size = next((place for place, pair in enumerate(zip(mask.shape, shape, strict=False)) if pair[0] != pair[1]), None)
        if size is None:
            raise UserRaise(IndexError, "too many indices for array", machine.span)
        text = f"boolean index did not match indexed array along axis {size}; size of axis is {shape[size]} but size of corresponding "
        raise UserRaise(IndexError, text + f"boolean axis is {mask.shape[size]}", machine.span)
    if any(isinstance(entry, (int, np.integer)) for entry in rest) and any(entry is None or entry is ... for entry in rest):
        machine.refuse("a mask that depends on data is mixed with other indices", "Use np.where.", node)
    return mask, (*(slice(None),) * len(mask.shape), *rest) if rest else ()


def get_from_number(machine: Machine, number: Signal, key: Any, node: ast.AST) -> Any:
    """Indexing a NumPy number: all of it, or what a mask leaves of it."""
    entries = as_entries(machine, key)
    if any(is_mask(machine, entry) for entry in entries):
        return _masked(machine, number, entries, node)
    if all(entry is ... or entry is None for entry in entries):
        fresh = sum(entry is None for entry in entries)
        return wrap(machine, machine.emit("reshape", number, shape=(1,) * fresh, flavour="np")) if fresh else number
    raise UserRaise(IndexError, "invalid index to scalar variable.", machine.span)


def store(machine: Machine, array: Any, key: Any, value: Any, node: ast.AST) -> None:
    """`array[key] = value`."""
    if isinstance(array, Masked):
        _store_kept(machine, array, key, value, node)
        return
    if isinstance(array, Positions):
        machine.refuse("this writes into an array whose length depends on data", "Use np.where on the whole array.", node)
    if isinstance(array, Union):
        distribute(machine, array, lambda case: store(machine, case, key, value, node), node)
        return
    root = writable(machine, array, node)
    if isinstance(value, Union):
        value = distribute(machine, value, lambda case: to_signal(machine, case), node)
    entries = as_entries(machine, key)
    updated = _updated(machine, array, entries, value, node)
    write(machine, root, array, updated)


def _store_kept(machine: Machine, array: Masked, key: Any, value: Any, node: ast.AST) -> None:
    """`kept[key] = value`, all of it or where a further mask holds."""
    root, held = writable(machine, array.array, node), array.signal
    taken = array.mask
    if isinstance(key, Masked) and key.signal.kind is Kind.BOOL and same_computation(machine, key.mask, array.mask):
        taken = machine.emit("and", array.mask, key.signal, flavour="np")
    elif key is not ... and not (isinstance(key, slice) and key == slice(None)):
        machine.refuse("this writes into an array whose length depends on data", "Use np.where on the whole array.", node)
    if isinstance(value, Masked) and not same_computation(machine, value.mask, taken):
        machine.refuse("values chosen by one mask are stored by another", "Use the same mask variable on both sides.", node)
    if isinstance(value, Union):
        value = distribute(machine, value, lambda case: to_signal(machine, case), node)
    new = value.signal if isinstance(value, Masked) else to_signal(machine, value)
    if new.kind > held.kind or taken.shape != held.shape or (not isinstance(value, Masked) and new.shape not in ((), (1,))):
        machine.refuse("an array is spread over a mask that depends on data", "Use np.where.", node)
    updated = machine.emit("select", taken, machine.cast(new, Type(held.kind, new.shape)), held, flavour="np")
    write(machine, root, array.array, updated)


def writable(machine: Machine, array: Any, node: ast.AST) -> Array:
    """The box behind an array, if it is ours to change."""
    root = root_of(array) if isinstance(array, Array) else array
    if not isinstance(root, Array) or id(root) not in machine.heap.inside:
        machine.refuse(
            "this writes into an array that lives outside of the function",
            "Make a copy first: a = a.copy().",
            node,
        )
    if root.shared or array.shared or has_kin(machine, root):
        machine.refuse("this writes into an array that is one of several, depending on data", "Make a copy in each arm of the `if`.", node)
    return root


def write(machine: Machine, root: Array, array: Array, updated: Any) -> None:
    """Put new content into an array, through every view down to its base."""
    machine.heap.touch(root)
    while array.base is not None:
        updated = _put_back(machine, array, read(machine, array.base), updated)
        array = array.base
    array.held = updated


def _put_back(machine: Machine, view: Array, whole: Any, value: Any) -> Any:
    """The content of a base after its view has changed."""
    if isinstance(whole, np.ndarray) and isinstance(value, np.ndarray) and view.how != "chosen":
        copy = whole.copy()
        seen(view, copy)[...] = value
        return copy
    held = to_signal(machine, whole)
    new = machine.cast(to_signal(machine, value), Type(held.kind, to_signal(machine, value).shape))
    match view.how:
        case "reshape":
            return machine.emit("reshape", new, shape=held.shape, flavour="np")
        case "permute":
            return machine.emit("permute", new, axes=tuple(view.key.index(axis) for axis in range(len(view.key))), flavour="np")
        case "chosen":
            return _store_places(machine, held, list(view.key), new)
        case _:
            return machine.emit("put", held, new, key=view.key, flavour="np")


def _updated(machine: Machine, array: Array, entries: list[Any], value: Any, node: ast.AST) -> Any:
    """The content of an array after a store."""
    whole = read(machine, array)
    if any(is_mask(machine, entry) for entry in entries):
        return _store_masked(machine, whole, entries, value, node)
    if any(_is_dynamic(machine, entry) for entry in entries):
        return _store_chosen(machine, whole, entries, value, node)
    key = tuple(plain(machine, entry) for entry in entries)
    if isinstance(whole, np.ndarray) and is_plain(machine, value):
        copy = whole.copy()
        call_numpy(machine, lambda: copy.__setitem__(key, plain(machine, value)))
        return copy
    held = _room(machine, whole, to_signal(machine, value))
    if is_basic(list(key)):
        probe(machine, held.shape, key)
        return machine.emit(
            "put",
            held,
            machine.cast(to_signal(machine, value), Type(held.kind, to_signal(machine, value).shape)),
            key=as_attr(key),
            flavour="np",
        )
    return _put_fancy(machine, held, key, to_signal(machine, value))


def _room(machine: Machine, whole: Any, value: Signal) -> Signal:
    """The array as a Signal that can take the value: a store never changes an array's kind."""
    held = to_signal(machine, whole)
    if value.kind > held.kind and held.kind <= Kind.INT and value.kind is Kind.REAL:
        machine.refuse(
            "a float is stored into an array of whole numbers, which cuts off its digits", "Make the array of floats: np.zeros(n)."
        )
    return held


def _put_fancy(machine: Machine, held: Signal, key: tuple[Any, ...], value: Signal) -> Signal:
    """Replace the numbers that a static key reaches."""
    size = int(np.prod(held.shape))
    places = probe(machine, held.shape, key)
    source = np.arange(size)
    source[places.ravel()] = size + np.arange(places.size)
    flat = machine.emit("reshape", held, shape=(size,), flavour="np")
    spread = machine.emit("broadcast", machine.cast(value, Type(held.kind, value.shape)), shape=tuple(places.shape), flavour="np")
    both = machine.emit("concat", flat, machine.emit("reshape", spread, shape=(int(places.size),), flavour="np"), axis=0, flavour="np")
    return machine.emit(
        "reshape", machine.emit("pick", both, indices=attr_of_plain(source), axis=0, flavour="np"), shape=held.shape, flavour="np"
    )


def _store_masked(machine: Machine, whole: Any, entries: list[Any], value: Any, node: ast.AST) -> Signal:
    if len(entries) > 1:
        return _store_behind_mask(machine, whole, entries, value, node)
    mask = to_signal(machine, entries[0])
    if isinstance(value, Masked):
        if not same_computation(machine, value.mask, mask):
            machine.refuse("values chosen by one mask are stored by another", "Use the same mask variable on both sides.", node)
        new = value.signal
    else:
        new = to_signal(machine, value)
        behind = len(to_signal(machine, whole).shape) - len(mask.shape)
        if len(new.shape) > behind and new.shape != (1,):
            machine.refuse("an array is spread over a mask that depends on data", "Use np.where.", node)
    held = _room(machine, whole, new)
    mask = _aligned(machine, mask, held)
    return machine.emit("select", mask, machine.cast(new, Type(held.kind, new.shape)), held, flavour="np")


def _store_behind_mask(machine: Machine, whole: Any, entries: list[Any], value: Any, node: ast.AST) -> Signal:
    """`whole[mask, rest] = value`: the part that `rest` takes of all rows is changed where the mask holds, and put back."""
    held = to_signal(machine, whole)
    _, key = _mask_and_rest(machine, held.shape, entries, node)
    part = machine.emit("take", held, key=as_attr(key), flavour="np")
    changed = _store_masked(machine, wrap(machine, part), [entries[0]], value, node)
    room = _room(machine, whole, changed)
    return machine.emit("put", room, machine.cast(changed, Type(room.kind, changed.shape)), key=as_attr(key), flavour="np")


def _aligned(machine: Machine, mask: Signal, held: Signal) -> Signal:
    """A mask of the first axes covers whole rows."""
    missing = len(held.shape) - len(mask.shape)
    return mask if not missing else machine.emit("reshape", mask, shape=(*mask.shape, *(1,) * missing), flavour="np")


def _store_chosen(machine: Machine, whole: Any, entries: list[Any], value: Any, node: ast.AST) -> Signal:
    """A store at single positions, some of them chosen by data, and slices."""
    new = to_signal(machine, value)
    held = _room(machine, whole, new)
    entries = expanded(entries, len(held.shape))
    if any(entry is None or _extent(machine, entry) for entry in entries):
        if machine.attempts:
            raise NeedsUnroll
        machine.refuse("a store at several positions chosen by data cannot be compiled", "Store them one after the other, in a loop.", node)
    places = _positions(machine, entries, held.shape)
    return _store_places(machine, held, places, machine.cast(new, Type(held.kind, new.shape)))


def _store_places(machine: Machine, held: Signal, places: list[Any], new: Signal) -> Signal:
    """`held[places] = new`: the axes that have a position are brought to the front, and back."""
    places = [*places, *[slice(None)] * (len(held.shape) - len(places))]
    single = [axis for axis, place in enumerate(places) if not isinstance(place, slice)]
    slices = [axis for axis, place in enumerate(places) if isinstance(place, slice)]
    order = (*single, *slices)
    moved = held if order == tuple(sorted(order)) else machine.emit("permute", held, axes=order, flavour="np")
    stored = _store_at(machine, moved, [places[axis] for axis in single], tuple(places[axis] for axis in slices), new)
    back = tuple(order.index(axis) for axis in range(len(order)))
    return stored if moved is held else machine.emit("permute", stored, axes=back, flavour="np")


def _position(machine: Machine, entry: Any, axis: int, size: int) -> Signal | int:
    """A position along an axis, counted from the front."""
    message = f"index {{0}} is out of bounds for axis {axis} with size {size}"
    if not _is_dynamic(machine, entry):
        probe(machine, (size,), plain(machine, entry))
        return int(plain(machine, entry)) % size
    place = place_of(machine, to_signal(machine, entry), size, message)
    if place.uniform and machine.attempts and machine.rounds_at_hand <= UNROLL:
        raise NeedsUnroll
    return place


def _store_at(machine: Machine, held: Signal, places: list[Signal | int], rest: tuple[Any, ...], new: Signal) -> Signal:
    """`held[places][rest] = new`, one axis after the other."""
    if not places:
        return new if all(entry == slice(None) for entry in rest) else machine.emit("put", held, new, key=as_attr(rest), flavour="np")
    place, *others = places
    plain_rest = not others and all(entry == slice(None) for entry in rest)
    if isinstance(place, int):
        row = held if plain_rest else machine.emit("take", held, key=(place,), flavour="np")
        return machine.emit("put", held, _store_at(machine, row, others, rest, new), key=(place,), flavour="np")
    row = held if plain_rest else machine.emit("pick_at", held, place, axis=0, flavour="np")
    return machine.emit("put_at", held, place, _store_at(machine, row, others, rest, new), flavour="np")


def boxed(machine: Machine, value: Any) -> Any:
    """A value as an array object: what was plain becomes a box."""
    return value if isinstance(value, Array) else box(machine, np.asarray(value))
