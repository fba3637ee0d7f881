"""Rows for constants, weights and arrays.

>>> print(_const((), {"value": ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))}))
real[3, 2]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import bounds
from deepalgo.ops.row import Hazard, Row, broadcast, common_kind
from deepalgo.ops.slope import Adjoint, Slope

KINDS = {bool: Kind.BOOL, int: Kind.INT, float: Kind.REAL, complex: Kind.COMPLEX}


def _const(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    value = attrs["value"]
    kind = max((KINDS[type(item)] for item in _items(value)), default=Kind.REAL)
    return Type(kind, _shape(value))


def _items(value: Attr) -> Iterator[Attr]:
    if isinstance(value, tuple):
        for item in value:
            yield from _items(item)
    else:
        yield value


def _shape(value: Attr) -> tuple[int, ...]:
    if not isinstance(value, tuple):
        return ()
    return (len(value), *(_shape(value[0]) if value else ()))


def _weight(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    shape = attrs.get("shape", ())
    assert isinstance(shape, tuple)
    return Type(Kind.REAL, tuple(size for size in shape if isinstance(size, int)))


def _stack(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    return Type(common_kind(args), (len(args), *broadcast(args)))


def _index(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    key = attrs["key"]
    assert isinstance(key, tuple)
    return Type(args[0].kind, args[0].shape[len(key) :])


def _gather(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    if not args[0].shape or args[1].kind != Kind.INT:
        raise TypeError("a place is a whole number, and lies in an array")
    return Type(args[0].kind, (*args[1].shape, *args[0].shape[1:]))


def _sum(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    axis, shape = attrs.get("axis"), args[0].shape
    kind = max(args[0].kind, Kind.INT)
    if axis is None:
        return Type(kind)
    assert isinstance(axis, int)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {len(shape)}")
    return Type(kind, tuple(size for place, size in enumerate(shape) if place != axis % len(shape)))


def size(shape: tuple[int, ...]) -> int:
    """How many numbers an array of this shape holds."""
    return math.prod(shape)


ROWS = (
    Row(
        "const", types=_const,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0,
        slope=Slope(),
        python="{value}", numpy="{value}", torch="{value}",
    ),
    Row(
        "weight", types=_weight,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0,
        slope=Slope(),
        python="{key}", numpy="{key}", torch="{key}",
    ),
    Row(
        "stack", types=_stack, common=Kind.BOOL, broadcasts=False,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=2.7, moves=True,
        slope=Adjoint("index(g, key=(place,))", ...),
        python="[{*}]", numpy="np.stack(np.broadcast_arrays({*}))", torch="ops.stack(({*},), {batch})",
        bounds=bounds.any_of,
        drawn="column",
    ),
    Row(
        "index", types=_index, broadcasts=False, views=True, item=True, takes=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0, moves=True,
        slope=Adjoint("put(zeros(x), g, key=key)"),
        python="{0}{path}", numpy="{0}[{subscript}]", torch="{0}[{key}]",
        bounds=bounds.unchanged,
        drawn="index",
    ),
    Row(
        "gather", types=_gather, broadcasts=False, views=True, item=True, takes=True,
        raises=("IndexError",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=15, moves=True,
        slope=Adjoint("add_at(zeros(x), y, g, axis=0)", None),
        python="{0}[{1}]", numpy="{0}[{1}]", torch="ops.gather({0}, {1}, {batch0}, {batch1})",
        bounds=bounds.unchanged,
        drawn="place",
    ),
    Row(
        "sum", types=_sum, common=Kind.INT, broadcasts=False, repeats="add",
        hazard=Hazard.NONE, exact=False, cost=40,
        slope=Adjoint("broadcast(along(g, x, axis), shape=shape(x))"),
        python="sum({0})", numpy="np.sum({0}, axis={axis})", torch="ops.sum({0}, {axis}, {batch0})",
        bounds=bounds.total,
        drawn="reduction Σ",
    ),
)
