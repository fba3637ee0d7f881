"""Type rules taken from NumPy itself: the function runs on zeros of the operands' types, so its errors are NumPy's own words.

>>> infer = by_numpy(np.prod, "axis")
>>> print(infer((Type(Kind.BOOL, (2, 3)),), {"axis": 0}))
int[3]
>>> infer((Type(Kind.REAL, (2, 3)),), {"axis": 2})
Traceback (most recent call last):
numpy.exceptions.AxisError: axis 2 is out of bounds for array of dimension 2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.row import Infer

DTYPES = {Kind.BOOL: np.bool_, Kind.INT: np.int64, Kind.REAL: np.float64, Kind.COMPLEX: np.complex128}
KINDS = {"b": Kind.BOOL, "i": Kind.INT, "f": Kind.REAL, "c": Kind.COMPLEX}


def blank(type: Type) -> np.ndarray[Any, Any]:
    """Zeros of a type that take no memory."""
    return np.broadcast_to(np.zeros((), DTYPES[type.kind]), type.shape)


def type_of(array: Any) -> Type:
    """The type of a NumPy array or number."""
    found = np.asarray(array)
    return Type(KINDS[found.dtype.kind], found.shape)


def by_numpy(function: Callable[..., Any], *names: str, least: Kind = Kind.BOOL, most: Kind = Kind.COMPLEX) -> Infer:
    """The rule of `function(*operands, *attributes)`; a kind above `most` is refused, one below `least` is promoted."""

    def infer(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
        check_kinds(args, most)
        raised = [Type(max(arg.kind, least), arg.shape) for arg in args]
        return type_of(function(*map(blank, raised), *(attrs[name] for name in names)))

    return infer


def check_kinds(args: Sequence[Type], most: Kind) -> None:
    """Raise TypeError for an operand of a kind above `most`."""
    for arg in args:
        if arg.kind > most:
            raise TypeError(f"not defined for {arg.kind.name.lower()} operands")
