"""Rows that read or replace parts of an array. An index chosen by data is brought into range; a Check reports one that was not in it.

`key` is a tuple as NumPy's basic indexing has it, in plain data: an int, None, "..." or ("slice", start, stop, step). The NumPy
spellings have `{subscript}` where `subscript(key)` belongs, and a replacement calls `put`, whose text is `PUT`.

>>> subscript((0, "...", ("slice", None, None, -1), None))
'0, ..., ::-1, None'
>>> print(_take((Type(Kind.REAL, (4, 3)),), {"key": (("slice", None, None, -2),)}))
real[2, 3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import bounds
from deepalgo.ops.by_numpy import blank, by_numpy, check_kinds, type_of
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import Adjoint

#: The function that NumPy spellings call to replace a part of an array.
PUT = """
def put(array, key, item):
    array = np.array(array)
    array[key] = item
    return array[()]
"""


def index_of(key: Attr) -> tuple[Any, ...]:
    """The key as NumPy takes it."""
    assert isinstance(key, tuple)
    return tuple(_entry(entry) for entry in key)


def _entry(entry: Attr) -> Any:
    if isinstance(entry, tuple):
        return slice(*entry[1:])
    return ... if entry == "..." else entry


def subscript(key: Attr) -> str:
    """The key as it stands between brackets in Python source."""
    assert isinstance(key, tuple)
    return ", ".join(map(_entry_text, key)) + ("," if len(key) == 1 and key[0] is None else "") if key else "()"


def _entry_text(entry: Attr) -> str:
    if not isinstance(entry, tuple):
        return str(entry)
    _, start, stop, step = entry
    text = f"{'' if start is None else start}:{'' if stop is None else stop}"
    return text if step is None else f"{text}:{step}"


def _take(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    return type_of(blank(args[0])[index_of(attrs["key"])])


def _put(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    array, item = args
    part = _take(args[:1], attrs).shape
    _check_fits(array, item, part)
    return array


def _put_at(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    array, index, item = args
    _check_index(index)
    if not array.shape:
        raise IndexError("too many indices for array: array is 0-dimensional, but 1 were indexed")
    if index.shape:
        raise IndexError(f"one place is replaced at a time, but the index has shape {index.shape}")
    _check_fits(array, item, array.shape[1:])
    return array


def _check_fits(array: Type, item: Type, part: tuple[int, ...]) -> None:
    """Raise unless NumPy would assign the item; leading axes of length 1 are no obstacle."""
    if item.kind == Kind.COMPLEX:
        check_kinds((item,), max(array.kind, Kind.REAL) if array.kind < Kind.COMPLEX else Kind.COMPLEX)
    shape = item.shape
    while len(shape) > len(part) and shape[0] == 1:
        shape = shape[1:]
    tail = part[len(part) - len(shape) :]
    if len(shape) > len(part) or any(size not in (1, there) for size, there in zip(shape, tail, strict=True)):
        words = (str(shape).replace(" ", "") for shape in (item.shape, part))
        raise ValueError("could not broadcast input array from shape {} into shape {}".format(*words))


def _check_index(index: Type) -> None:
    if index.kind != Kind.INT:
        raise IndexError("arrays used as indices must be of integer (or boolean) type")


def _pick_at(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    _check_index(args[1])
    if type(attrs["axis"]) is not int:
        raise TypeError("numbers are picked along one axis")
    return _pick_anywhere(args, attrs)


_pick_anywhere = by_numpy(np.take, "axis")


ROWS = (
    Row(
        "take", types=_take, broadcasts=False, views=True, takes=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1.5, moves=True,
        slope=Adjoint("put(zeros(x), g, key=key)"),
        python="{0}[{subscript}]", numpy="{0}[{subscript}]", torch="ops.take({0}, {key}, {batch0})",
        bounds=bounds.unchanged,
        drawn="index",
    ),
    Row(
        "put", types=_put, broadcasts=False, replaces=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=5, moves=True,
        slope=Adjoint("put(g, 0.0, key=key)", "take(g, key=key)"),
        python="put({0}, np.s_[{subscript}], {1})", numpy="put({0}, np.s_[{subscript}], {1})",
        torch="ops.put({0}, {1}, {key}, {batch0}, {batch1})",
        bounds=bounds.first_two,
        drawn="change",
    ),
    Row(
        "pick", types=by_numpy(np.take, "indices", "axis"), broadcasts=False,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=8, moves=True,
        slope=Adjoint("add_at(zeros(x), places(indices, x, axis), g, axis=axis)"),
        python="np.take({0}, {indices}, {axis})", numpy="np.take({0}, {indices}, {axis})",
        torch="ops.pick({0}, {indices}, {axis}, {batch0})",
        bounds=bounds.unchanged,
        drawn="index",
    ),
    Row(
        "put_at", types=_put_at, broadcasts=False, replaces=True,
        raises=("IndexError",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=8, moves=True,
        slope=Adjoint("put_at(g, y, 0.0)", None, "gather(g, y)"),
        python="put({0}, {1}, {2})", numpy="put({0}, {1}, {2})", torch="ops.put_at({0}, {1}, {2}, {batch0}, {batch1}, {batch2})",
        bounds=bounds.outer_two,
        drawn="change",
    ),
    Row(
        "pick_at", types=_pick_at, broadcasts=False, views=True, item=True, takes=True,
        raises=("IndexError",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=20, moves=True,
        slope=Adjoint("add_at(zeros(x), y, g, axis=axis)", None),
        python="np.take({0}, {1}, {axis})", numpy="np.take({0}, {1}, {axis})", torch="ops.pick_at({0}, {1}, {axis}, {batch0}, {batch1})",
        bounds=bounds.unchanged,
        drawn="place",
    ),
)
