"""Rows that put numbers in order and look numbers up in an ordered table.

>>> print(_interp((Type(Kind.REAL, (2,)), Type(Kind.INT, (5,)), Type(Kind.REAL, (5,))), {}))
real[2]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import FLAT, Adjoint

_interp = by_numpy(np.interp, most=Kind.REAL)


def _searchsorted(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    if len(args[0].shape) != 1:
        raise ValueError("object too deep for desired array" if args[0].shape else "object of too small depth for desired array")
    return Type(Kind.INT, args[1].shape)


ROWS = (
    Row(
        "sort", types=by_numpy(np.sort, "axis", most=Kind.REAL), broadcasts=False,
        hazard=Hazard.NONE, exact=True, cost=40,
        slope=Adjoint("reshape(take_along(g, argsort(argsort(x, axis=axis), axis=axis), axis=axis), shape=shape(x))"),
        python="np.sort({0}, {axis}, kind='stable')", numpy="np.sort({0}, {axis}, kind='stable')",
        torch="ops.sort({0}, {axis}, {batch0})",
    ),
    Row(
        "argsort", types=by_numpy(np.argsort, "axis", most=Kind.REAL), broadcasts=False,
        hazard=Hazard.NONE, exact=True, cost=40, range=Range(0.0, nan=False),
        slope=FLAT,
        python="np.argsort({0}, {axis}, kind='stable')", numpy="np.argsort({0}, {axis}, kind='stable')",
        torch="ops.argsort({0}, {axis}, {batch0})",
    ),
    Row(
        "searchsorted", types=_searchsorted, common=Kind.BOOL, broadcasts=False,
        hazard=Hazard.NONE, exact=True, cost=40, range=Range(0.0, nan=False),
        slope=FLAT,
        python="np.searchsorted({0}, {1}, '{side}')", numpy="np.searchsorted({0}, {1}, '{side}')",
        torch="ops.searchsorted({0}, {1}, '{side}', {batch0}, {batch1})",
    ),
    Row(
        "interp", types=_interp, common=Kind.REAL, broadcasts=False,
        hazard=Hazard.SPREADS, exact=False, cost=450,
        slope=Adjoint("g * steepness()", "shifts()", "shares()"),
        python="float(np.interp({0}, {1}, {2}))", numpy="np.interp({0}, {1}, {2})",
        torch="ops.interp({0}, {1}, {2}, {batch0}, {batch1}, {batch2})",
    ),
)
