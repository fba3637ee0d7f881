"""Rows that derivatives of arrays need: numbers added at places that data chooses, and numbers taken along an axis.

>>> print(_take_along((Type(Kind.REAL, (2, 3)), Type(Kind.INT, (2, 3))), {"axis": 1}))
real[2, 3]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import bounds
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import Adjoint


def _add_at(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    array, index, item = args
    axis = attrs["axis"]
    if not isinstance(axis, int) or index.kind != Kind.INT or not -len(array.shape) <= axis < len(array.shape):
        raise TypeError("places along an axis of an array are whole numbers")
    axis %= len(array.shape)
    if item.shape != (*array.shape[:axis], *index.shape, *array.shape[axis + 1 :]):
        raise ValueError(f"numbers of shape {item.shape} for places of shape {index.shape} in an array of shape {array.shape}")
    return Type(max(array.kind, item.kind), array.shape)


def _take_along(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    array, index = args
    if index.kind != Kind.INT or index.shape != array.shape:
        raise TypeError("there is one place for each number of the array")
    return array


ROWS = (
    Row(
        "add_at", types=_add_at, broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=25,
        slope=Adjoint("g", None, "pick_at(g, y, axis=axis)"),
        python="add_at({0}, {1}, {2}, {axis})[0]", numpy="add_at({0}, {1}, {2}, {axis})[0]",
        torch="ops.add_at({0}, {1}, {2}, {axis}, {batch0}, {batch1}, {batch2})", numpy_form="deepalgo.ops.numpy_forms.places",
    ),
    Row(
        "take_along", types=_take_along, broadcasts=False,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=20, moves=True,
        slope=Adjoint("take_along(g, argsort(y, axis=axis), axis=axis)", None),
        python="np.take_along_axis({0}, {1}, {axis})", numpy="np.take_along_axis({0}, {1}, {axis})",
        torch="ops.take_along({0}, {1}, {axis}, {batch0}, {batch1})",
        bounds=bounds.unchanged,
    ),
)
