"""The type of a value where it follows from what defines it, so that a text need not say it.

>>> print(of_op("div", [Type(Kind.INT), Type(Kind.REAL, (3,))], (), {}))
real[3]
>>> print(joined([Type(Kind.INT), Type(Kind.REAL)]), joined([Type(Kind.INT), Type(Kind.INT, (2,))]))
real None
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.sources import WEIGHT
from deepalgo.ops.table import TABLE, infer

INDEX = Type(Kind.INT)


def of_op(name: str, args: Sequence[Type], attrs: Sequence[tuple[str, Attr]], shapes: Mapping[str, tuple[int, ...]]) -> Type | None:
    """The type that the table gives an operation, None if it gives none; `shapes` are those of the weights by their keys."""
    held = dict(attrs)
    if name == WEIGHT:
        held["shape"] = shapes.get(str(held.get("key")))
    if name not in TABLE or held.get("shape", ()) is None:
        return None
    try:
        return infer(name, args, held)
    except Exception:  # noqa: BLE001  # whatever a rule says of operands that it was not written for
        return None


def joined(types: Sequence[Type]) -> Type | None:
    """What a value is that comes from one of several blocks: the largest kind, and the shape that all of them have."""
    shapes = {type.shape for type in types}
    return Type(max(type.kind for type in types), shapes.pop()) if len(shapes) == 1 else None
