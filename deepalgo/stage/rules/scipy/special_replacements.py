"""Functions of `scipy.special` that SciPy writes in Python, in a text whose derivative is right everywhere; numbers in it are whole."""

from __future__ import annotations

from typing import Any

import numpy as np


def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """SciPy's steps; items that are equally large share the derivative of the largest."""
    a = np.atleast_1d(np.asarray(a, dtype=float))
    if a.size == 0:
        return NotImplemented
    if b is not None:
        b = np.atleast_1d(np.asarray(b, dtype=float))
        shape = np.broadcast_shapes(a.shape, b.shape)
        a, b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    axis = tuple(range(a.ndim)) if axis is None else axis
    total = np.sum(np.exp(a) if b is None else b * np.exp(a), axis=axis, keepdims=True)
    endless = np.log(np.abs(total) if return_sign else total)
    found, sign = _finite(a, b, axis)
    if not return_sign:
        found = np.where(sign < 0, np.nan, found)
    sign = np.where(np.isfinite(found), sign, np.sign(total))
    found = np.where(np.isfinite(found), found, endless)
    if not keepdims:
        found, sign = np.squeeze(found, axis=axis), np.squeeze(sign, axis=axis)
    return (found[()], sign[()]) if return_sign else found[()]


def _finite(a: Any, b: Any, axis: Any) -> Any:
    """The logarithm and the sign of the sum where neither it nor a term is infinite."""
    counts = True if b is None else b != 0
    top = np.max(a if b is None else np.where(counts, a, -np.inf), axis=axis, keepdims=True)
    largest = (a == top) & counts
    weights = np.where(largest, 1 if b is None else b, 0)
    weight = np.sum(weights, axis=axis, keepdims=True)
    equal = np.where(largest & np.isfinite(a), a - top, 0)  # is 0, and its derivative is not
    top = top + np.where(weight == 0, 0, np.sum(weights * equal, axis=axis, keepdims=True) / weight)
    gaps = np.where(largest, -np.inf, a) - top
    # A weight of 0 adds nothing, whatever is beside it, and has a derivative all the same.
    gaps = gaps if b is None else np.where(counts, gaps, np.where(np.isfinite(a), np.minimum(gaps, 700), -np.inf))
    rest = np.exp(gaps)
    rest = np.sum(rest if b is None else b * rest, axis=axis, keepdims=True)
    rest = np.where((rest == 0) & (weight == 0), rest, rest / weight)
    sign = np.sign(rest + 1) * np.sign(weight)
    rest = np.where(rest < -1, -rest - 2, rest)
    return np.log1p(rest) + np.log(np.abs(weight)) + top, sign
