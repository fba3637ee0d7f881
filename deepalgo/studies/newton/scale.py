"""Coefficients of any size, brought to the middle of the range of floats by powers of two, which is exact.

The polynomial at x = 2^by y, times 2^unit, has coefficients of about one; what is in the middle already stays as it is.

>>> S, by, unit = balanced(np.array([[1e-150, 0.0, -4e150], [1.0, -3.0, 2.0]]))
>>> by.tolist(), unit.tolist()
([500, 0], [-502, 0])
>>> S[1].tolist()
[1.0, -3.0, 2.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Exponents of two between which coefficients stay as they are: their squares and products are far from the ends of the range.
LOW, HIGH = -200, 200


def balanced(S: Array) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """The coefficients, and the two exponents for each sample; systems have their equations scaled, and not their variables."""
    flat = S.reshape(len(S), -1)
    size = np.maximum(np.abs(flat.real), np.abs(flat.imag))
    held = (size > 0) & np.isfinite(flat)
    exponents = np.frexp(np.where(held, size, 1.0))[1].astype(np.int64)
    high, low = (np.where(held, exponents, 0).max(axis=1), np.where(held, exponents, 0).min(axis=1))
    far = np.flatnonzero((high > HIGH) | (low < LOW))
    by, unit = np.zeros(len(S), dtype=np.int64), np.zeros(len(S), dtype=np.int64)
    S = S.copy()
    for sample in far:
        powers = np.zeros(flat.shape[1], dtype=np.int64)
        places = np.flatnonzero(held[sample])
        if S.ndim == 2 and len(places) > 1:
            first, last = places[0], places[-1]
            by[sample] = round((exponents[sample, last] - exponents[sample, first]) / (last - first))
            powers = by[sample] * np.arange(flat.shape[1] - 1, -1, -1)
        unit[sample] = -(exponents[sample] + powers)[places].max(initial=0 if not len(places) else -(2**62))
        S[sample] = grown(S[sample], (powers + unit[sample]).reshape(S.shape[1:]))
    return S, by, unit


def grown(x: Array, exponent: NDArray[np.int64]) -> Array:
    """Numbers times powers of two.

    >>> grown(np.array([3.0 + 1.0j]), np.array([2])).tolist()
    [(12+4j)]
    """
    exponent = exponent.reshape(exponent.shape + (1,) * (x.ndim - exponent.ndim)) if exponent.ndim < x.ndim else exponent
    if not np.iscomplexobj(x):
        return np.asarray(np.ldexp(x, exponent))
    found = np.empty(np.broadcast_shapes(x.shape, exponent.shape), dtype=np.complex128)
    found.real, found.imag = np.ldexp(x.real, exponent), np.ldexp(x.imag, exponent)
    return found
