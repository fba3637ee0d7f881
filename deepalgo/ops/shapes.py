"""Rows that arrange the numbers of arrays otherwise.

>>> print(_reshape((Type(Kind.REAL, (2, 3)),), {"shape": (3, -1)}))
real[3, 2]
>>> _reshape((Type(Kind.REAL, (2, 3)),), {"shape": (4,)})
Traceback (most recent call last):
ValueError: cannot reshape array of size 6 into shape (4,)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import bounds
from deepalgo.ops.by_numpy import blank, by_numpy, type_of
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import Adjoint

_reshape = by_numpy(np.reshape, "shape")


def _lead(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    count: Any = attrs["count"]
    return Type(args[0].kind, (1,) * count + args[0].shape)


def _concat(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    axis: Any = attrs["axis"]
    return type_of(np.concatenate([blank(arg) for arg in args], axis))


ROWS = (
    Row(
        "lead", types=_lead, broadcasts=False, views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0, moves=True,
        slope=Adjoint("reshape(g, shape=shape(x))"),
        python="np.reshape({0}, (1,) * {count} + np.shape({0}))", numpy="np.reshape({0}, (1,) * {count} + np.shape({0}))",
        torch="ops.lead({0}, {count}, {batch0})",
        drawn="itself",
    ),
    Row(
        "reshape", types=_reshape, broadcasts=False, views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0, moves=True,
        slope=Adjoint("reshape(g, shape=shape(x))"),
        python="np.reshape({0}, {shape})", numpy="np.reshape({0}, {shape})", torch="ops.reshape({0}, {shape}, {batch0})",
        bounds=bounds.unchanged,
        drawn="itself",
    ),
    Row(
        "permute", types=by_numpy(np.transpose, "axes"), broadcasts=False, views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0, moves=True,
        slope=Adjoint("permute(g, axes=inverse(axes))"),
        python="np.transpose({0}, {axes})", numpy="np.transpose({0}, {axes})", torch="ops.permute({0}, {axes}, {batch0})",
        bounds=bounds.unchanged,
        drawn="power T",
    ),
    Row(
        "broadcast", types=by_numpy(np.broadcast_to, "shape"), broadcasts=False, views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0, moves=True,
        slope=Adjoint("g"),
        python="np.broadcast_to({0}, {shape})", numpy="np.broadcast_to({0}, {shape})", torch="ops.broadcast({0}, {shape}, {batch0})",
        bounds=bounds.unchanged,
        drawn="itself",
    ),
    Row(
        "concat", types=_concat, common=Kind.BOOL, broadcasts=False,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=4, moves=True,
        slope=Adjoint("take(g, key=part(axis, place))", ...),
        python="np.concatenate([{*}], axis={axis})", numpy="np.concatenate([{*}], axis={axis})",
        torch="ops.concat(({*},), {axis}, {batch})",
        bounds=bounds.any_of,
        drawn="column",
    ),
)
