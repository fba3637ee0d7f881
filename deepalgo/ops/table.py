"""The one table of operations.

>>> print(infer("div", (Type(Kind.INT), Type(Kind.INT)), {}))
real
>>> TABLE["sqrt"].python
'math.sqrt({0})'
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import (
    PROVIDERS,
    arithmetic,
    arrays,
    compare,
    exponent,
    fourier,
    indexing,
    linear,
    mathematics,
    ordering,
    overflow,
    places,
    reductions,
    shapes,
    soft,
    special,
)
from deepalgo.ops.row import Row

__all__ = ["HARDENED", "MEANS", "TABLE", "Kind", "Row", "Type", "infer", "register"]

PARTS = (
    arithmetic, compare, mathematics, arrays, overflow, indexing, shapes, reductions, ordering, linear, fourier, special, exponent,
    soft, places,
)
TABLE: dict[str, Row] = {}
#: The operation that a function is, by the function's dotted name.
MEANS: dict[str, str] = {}
#: The operation that a softened one is without its softness.
HARDENED: dict[str, str] = {}


def register(row: Row) -> None:
    """Add an operation to the table."""
    TABLE[row.name] = row
    MEANS.update(dict.fromkeys(row.means, row.name))
    if row.softened:
        HARDENED[row.softened] = row.name


for _part in (*PARTS, *map(importlib.import_module, PROVIDERS)):
    for _row in _part.ROWS:
        register(_row)


def infer(name: str, args: Sequence[Type], attrs: Mapping[str, Attr] | Sequence[tuple[str, Attr]] = ()) -> Type:
    """The type of `name(args; attrs)`; ValueError where shapes do not broadcast, TypeError where a kind is not allowed."""
    return TABLE[name].types(tuple(args), dict(attrs))
