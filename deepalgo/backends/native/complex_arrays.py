"""Complex arrays of a call: native code takes and returns their two parts, as `lower/split_complex.py` has them.

>>> in_parts([np.array([1 + 2j])])
[array([1.]), array([2.])]
>>> put_together([np.array([1.0]), np.array([2.0])], [Type(Kind.COMPLEX)])
[array([1.+2.j])]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deepalgo.kinds import Kind, Type

Array = np.ndarray[Any, Any]


def in_parts(arrays: Sequence[Array]) -> list[Array]:
    """The arrays, and the parts of complex ones."""
    return [part for array in arrays for part in ((array.real, array.imag) if np.iscomplexobj(array) else (array,))]


def put_together(arrays: Sequence[Array], types: Sequence[Type]) -> list[Array]:
    """Arrays of these types; complex ones are made of two."""
    waiting, found = iter(arrays), list[Array]()
    for type in types:
        array = next(waiting)
        if type.kind is Kind.COMPLEX:
            whole = np.empty(array.shape, np.complex128)
            whole.real, whole.imag = array, next(waiting)
            array = whole
        found.append(array)
    return found
