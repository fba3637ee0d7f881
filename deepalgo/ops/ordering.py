"""Rows that put numbers in order and look numbers up in an ordered table.

>>> print(_interp((Type(Kind.REAL, (2,)), Type(Kind.INT, (5,)), Type(Kind.REAL, (5,))), {}))
real[2]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.row import Hazard, Row

_interp = by_numpy(np.interp, most=Kind.REAL)


def _sort(name: str, function: Callable[..., Any]) -> Row:
    text = f"np.{name}({{0}}, {{axis}}, kind='stable')"
    return Row(name, by_numpy(function, "axis", most=Kind.REAL), f"ops.{name}({{0}}, {{axis}}, {{batch0}})", text, text, Hazard.NONE,
               broadcasts=False)


def _searchsorted(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    if len(args[0].shape) != 1:
        raise ValueError("object too deep for desired array" if args[0].shape else "object of too small depth for desired array")
    return Type(Kind.INT, args[1].shape)


ROWS = (
    _sort("sort", np.sort),
    _sort("argsort", np.argsort),
    Row("searchsorted", _searchsorted, "ops.searchsorted({0}, {1}, '{side}', {batch0}, {batch1})", "np.searchsorted({0}, {1}, '{side}')",
        "np.searchsorted({0}, {1}, '{side}')", Hazard.NONE, common=Kind.BOOL, broadcasts=False),
    Row("interp", _interp, "ops.interp({0}, {1}, {2}, {batch0}, {batch1}, {batch2})", "float(np.interp({0}, {1}, {2}))",
        "np.interp({0}, {1}, {2})", Hazard.SPREADS, common=Kind.REAL, broadcasts=False),
)
