"""Functions in Python that are compiled in place of NumPy's under certain options; without them the function has a rule of its own.

The texts keep to the terms of `replacements`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.stage.rules.gate import TEXTS
from deepalgo.stage.rules.replacements import Rule


def options_of(*natives: Any) -> Callable[[Rule], Rule]:
    """Register a text for calls with options that the rule of a function does not understand."""

    def enter(text: Rule) -> Rule:
        TEXTS.update(dict.fromkeys(natives, text))
        return text

    return enter


@options_of(np.mean)
def mean(a: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
    """The mean of the numbers that a mask lets through."""
    a = np.asarray(a)
    total = np.sum(a, axis=axis, keepdims=keepdims, where=where)
    return total / np.sum(np.broadcast_to(where, a.shape), axis=axis, keepdims=keepdims)


@options_of(np.var)
def var(
    a: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False, where: Any = True, mean: Any = None, correction: Any = None
) -> Any:
    """The mean squared distance from the mean, of the numbers that a mask lets through."""
    a = np.asarray(a)
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    there = np.broadcast_to(where, a.shape)
    if mean is None:
        mean = np.mean(a, axis=axis, keepdims=True, where=where)
    gaps = a - mean
    freedom = np.maximum(np.sum(there, axis=axis, keepdims=keepdims) - ddof, 0)
    return np.sum(gaps * gaps, axis=axis, keepdims=keepdims, where=where) / freedom


@options_of(np.std)
def std(
    a: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False, where: Any = True, mean: Any = None, correction: Any = None
) -> Any:
    """The root of the variance."""
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if mean is None:
        return np.sqrt(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where))
    return np.sqrt(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where, mean=mean))


@options_of(np.average)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    """The mean with weights, and on demand their sum."""
    a = np.asarray(a)
    if weights is None:
        found = np.mean(a, axis=axis, keepdims=keepdims)
        count = a.size if axis is None else a.size // found.size
        return (found, np.zeros_like(found) + count) if returned else found
    weights = np.asarray(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if not isinstance(axis, int) or weights.ndim != 1:
            return NotImplemented
        if weights.shape[0] != a.shape[axis]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = np.moveaxis(np.broadcast_to(weights, np.moveaxis(a, axis, -1).shape), -1, axis)
    scale = np.sum(weights, axis=axis, keepdims=keepdims)
    if (scale == 0).any():
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    found = np.sum(a * weights, axis=axis, keepdims=keepdims) / scale
    return (found, scale) if returned else found


@options_of(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours, with rows put before and behind."""
    a = np.asarray(a)
    parts = [a]
    if prepend is not None:
        parts = [_row(prepend, a, axis), *parts]
    if append is not None:
        parts = [*parts, _row(append, a, axis)]
    return np.diff(np.concatenate(parts, axis=axis), n, axis)


def _row(value: Any, a: Any, axis: int) -> Any:
    value = np.asarray(value)
    if value.ndim > 0:
        return value
    shape = list(a.shape)
    shape[axis] = 1
    return np.broadcast_to(value, tuple(shape))


@options_of(np.linspace)
def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """Points between two, or between the numbers of two arrays."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    start, stop = np.asarray(start) * 1, np.asarray(stop) * 1
    parts = num - 1 if endpoint else num
    width = stop - start
    step = width / parts if parts > 0 else np.nan
    rows = [start + place * step if parts > 0 else start + place * width for place in range(num)]
    if endpoint and num > 1:
        rows[-1] = np.broadcast_to(stop, np.broadcast_shapes(start.shape, stop.shape))
    if num == 0:
        return NotImplemented
    points = np.stack(rows, axis=axis)
    if dtype is not None:
        if np.dtype(dtype) != np.dtype(float):
            return NotImplemented
        points = points.astype(dtype)
    return (points, step) if retstep else points


@options_of(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1, axis: int = -1) -> Any:
    """The area under lines between points, along an axis."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    heights = y[..., 1:] + y[..., :-1]
    if x is None:
        return np.sum(dx * heights / 2, axis=-1)
    x = np.asarray(x)
    x = x if x.ndim == 1 else np.moveaxis(x, axis, -1)
    return np.sum(np.diff(x, axis=-1) * heights / 2, axis=-1)


@options_of(np.take)
def take(a: Any, indices: Any, axis: int | None = None, mode: Any = "raise") -> Any:
    """Items at places that are brought into range."""
    a = np.asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    size = a.shape[axis]
    if mode == "wrap":
        return np.take(a, np.asarray(indices) % size, axis=axis)
    if mode == "clip":
        return np.take(a, np.clip(indices, 0, size - 1), axis=axis)
    return NotImplemented


@options_of(np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """Places in an order that others have found."""
    return np.searchsorted(np.take(a, sorter), v, side)


@options_of(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Whether two arrays are the same, where NaN is NaN."""
    a1, a2 = np.asarray(a1), np.asarray(a2)
    if a1.shape != a2.shape:
        return False
    return bool(((a1 == a2) | (np.isnan(a1) & np.isnan(a2))).all())


@options_of(np.nansum)
def nansum(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = 0, where: Any = True) -> Any:
    """The sum of what is a number."""
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


@options_of(np.nanprod)
def nanprod(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = 1, where: Any = True) -> Any:
    """The product of what is a number."""
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


@options_of(np.nanmean)
def nanmean(a: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
    """The mean of what is a number."""
    a = np.asarray(a)
    return np.mean(np.where(np.isnan(a), 0, a), axis=axis, keepdims=keepdims, where=~np.isnan(a) & where)


@options_of(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norms of vectors, and those of matrices that need no singular values."""
    x = np.abs(np.asarray(x))
    if axis is None and ord is not None:
        axis = 0 if x.ndim == 1 else (0, 1)
        if x.ndim > 2:
            raise ValueError("Improper number of dimensions to norm.")
    if isinstance(axis, tuple) and len(axis) == 2:
        return _norm_of_matrix(x, ord, axis, keepdims)
    if ord in ("fro", "nuc"):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    axis = axis[0] if isinstance(axis, tuple) else axis
    if ord == np.inf:
        return np.max(x, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(x, axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdims).astype(float)
    return np.sum(x**ord, axis=axis, keepdims=keepdims) ** (1 / ord)


def _norm_of_matrix(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    row, column = axis[0] % x.ndim, axis[1] % x.ndim
    if ord in (1, -1):
        row, column = column, row
    if ord is None or ord == "fro":
        found = np.sqrt(np.sum(x * x, axis=axis))
    elif ord in (1, np.inf):
        found = np.max(np.sum(x, axis=column, keepdims=True), axis=(row, column))
    elif ord in (-1, -np.inf):
        found = np.min(np.sum(x, axis=column, keepdims=True), axis=(row, column))
    else:
        return NotImplemented
    return np.expand_dims(found, axis) if keepdims else found


@options_of(np.pad)
def pad(
    array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = None, end_values: Any = None, stat_length: Any = None,
    reflect_type: Any = None,
) -> Any:
    """Rows around an array, one axis after the other."""
    array = np.array(array)
    if not isinstance(mode, str) or mode == "empty":
        return NotImplemented
    given = {"constant_values": constant_values, "end_values": end_values, "stat_length": stat_length, "reflect_type": reflect_type}
    known = {"constant": "constant_values", "linear_ramp": "end_values", "reflect": "reflect_type", "symmetric": "reflect_type"}
    for name, value in given.items():
        if value is not None and known.get(mode, "" if mode in ("edge", "wrap") else "stat_length") != name:
            raise ValueError(f"unsupported keyword arguments for mode '{mode}': {name}")
    widths = _pairs(pad_width, array.ndim)
    if any(before < 0 or after < 0 for before, after in widths):
        raise ValueError("index can't contain negative values")
    fill = constant_values if mode == "constant" else end_values
    fills = _pairs(0 if fill is None else fill, array.ndim)
    lengths = _pairs(stat_length, array.ndim)
    for axis in range(array.ndim):
        before, after = widths[axis]
        array = np.moveaxis(array, axis, 0)
        if mode == "constant":
            array = _between(_repeated(fills[axis][0], before, array), array, _repeated(fills[axis][1], after, array))
        elif mode == "linear_ramp":
            low = [fills[axis][0] + place * (array[0] - fills[axis][0]) / before for place in range(before)]
            high = [fills[axis][1] + place * (array[-1] - fills[axis][1]) / after for place in range(after)]
            array = _between(low, array, high[::-1])
        elif mode in ("maximum", "minimum", "mean", "median"):
            low, high = _statistics(array, mode, lengths[axis])
            array = _between(_repeated(low, before, array), array, _repeated(high, after, array))
        elif reflect_type is None or reflect_type == "even" or mode in ("edge", "wrap"):
            around: Any = ((before, after), *((0, 0),) * (array.ndim - 1))
            way: Any = mode
            array = np.pad(array, around, mode=way)
        else:
            return NotImplemented
        array = np.moveaxis(array, 0, axis).copy()
    return array


def _pairs(value: Any, rank: int) -> Any:
    """One pair for each axis, from a number, a pair or pairs."""
    if value is None or not isinstance(value, (tuple, list)):
        value = value if value is None or np.ndim(value) == 0 else value.tolist()
    if value is None or not isinstance(value, (tuple, list)):
        return [(value, value)] * rank
    if len(value) == 1:
        return _pairs(value[0], rank) if not isinstance(value[0], (tuple, list)) or len(value[0]) > 1 else _pairs(value[0][0], rank)
    if not isinstance(value[0], (tuple, list)):
        return [(value[0], value[1])] * rank
    return [(item[0], item[-1]) for item in value]


def _repeated(value: Any, count: int, array: Any) -> Any:
    return [np.broadcast_to(value, array.shape[1:])] * count


def _between(low: Any, array: Any, high: Any) -> Any:
    parts = [np.stack(low)] if len(low) > 0 else []
    parts = [*parts, array]
    return np.concatenate([*parts, np.stack(high)] if len(high) > 0 else parts)


def _statistics(array: Any, mode: Any, lengths: Any) -> Any:
    """The extreme, mean or median of the first and of the last rows."""
    size = array.shape[0]
    first = array[: size if lengths[0] is None else min(lengths[0], size)]
    last = array[size - (size if lengths[1] is None else min(lengths[1], size)) :]
    if mode == "maximum":
        return first.max(axis=0), last.max(axis=0)
    if mode == "minimum":
        return first.min(axis=0), last.min(axis=0)
    if mode == "mean":
        return first.mean(axis=0), last.mean(axis=0)
    return np.median(first, axis=0), np.median(last, axis=0)
