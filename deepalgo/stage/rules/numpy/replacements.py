"""Functions in Python that are compiled in place of NumPy's, which are written in C or do what cannot be compiled.

Each is plain NumPy in terms of functions that have rules, on copies, since views would stop the heuristic from writing to its arrays.
Numbers in them are whole: a float would become a weight of the heuristic. What is left out answers `NotImplemented`, and is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deepalgo.stage.rules.replacements import written


@written(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Vector products along an axis of three, or of two: then the third number is 0, and two such give only the third one."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(np.array(a), axisa, -1), np.moveaxis(np.array(b), axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return z
    if a.shape[-1] == 2:
        x, y = a[..., 1] * b[..., 2], -(a[..., 0] * b[..., 2])
    elif b.shape[-1] == 2:
        x, y = -(a[..., 2] * b[..., 1]), a[..., 2] * b[..., 0]
    else:
        x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
        y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    found = np.stack((x, y, z), axis=-1)
    return found if found.ndim == 1 or axisc == -1 else np.moveaxis(found, -1, axisc).copy()


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """What `np.interp` does with its options."""
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        x, xp, fp = np.array(x) % period, np.array(xp) % period, np.array(fp)
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
        return np.interp(x, xp, fp)
    found = np.interp(x, xp, fp)
    if left is not None:
        found = np.where(np.array(x) < xp[0], left, found)
    if right is not None:
        found = np.where(np.array(x) > xp[-1], right, found)
    return found


@written(np.quantile)
def quantile(a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: bool = False) -> Any:
    """Between the two numbers around the place that the method names, or one of them."""
    a = np.array(a)
    if np.ndim(q) > 0:
        return np.stack([np.quantile(a, part, axis, method=method, keepdims=keepdims) for part in q])
    if not 0 <= q <= 1:
        raise ValueError("Quantiles must be in the range [0, 1]")
    ordered = _ordered(a, axis)
    last = len(ordered) - 1
    place = _place_of_quantile(last + 1, q, method)
    if place is None:
        return NotImplemented
    low, high, share = _share_of_neighbours(place, last, method)
    if method in ("lower", "higher", "nearest", "inverted_cdf") or (method == "linear" and isinstance(q, int)):
        found = ordered[low]
    else:
        below, above = ordered[low], ordered[high]
        gap = above - below
        found = above - gap * (1 - share) if 2 * share >= 1 else below + gap * share
    found = np.where(np.isnan(ordered[last]), ordered[last], found)
    return _kept_axes(found, a, axis) if keepdims else found[()]


def _ordered(a: Any, axis: Any) -> Any:
    """Numbers in their order along the first axis, which takes the place of one, several or all."""
    if axis is None:
        return np.sort(a.ravel(), axis=0)
    if isinstance(axis, tuple):
        moved = np.moveaxis(a, axis, tuple(range(len(axis))))
        return np.sort(moved.reshape(-1, *moved.shape[len(axis) :]), axis=0)
    return np.sort(np.moveaxis(a, axis, 0), axis=0)


def _kept_axes(found: Any, a: Any, axis: Any) -> Any:
    return np.reshape(found, (1,) * a.ndim) if axis is None else np.expand_dims(found, axis)


def _place_of_quantile(n: int, q: Any, method: Any) -> Any:
    """Where among n numbers in order a quantile lies; None for a method that versions of NumPy do not agree about."""
    place = q * (n - 1)
    plain = {"linear": place, "lower": np.floor(place), "higher": np.ceil(place), "nearest": np.round(place),
             "midpoint": (np.floor(place) + np.ceil(place)) / 2}
    ends = {"interpolated_inverted_cdf": (0, 1), "hazen": (1 / 2, 1 / 2), "weibull": (0, 0), "median_unbiased": (1 / 3, 1 / 3),
            "normal_unbiased": (3 / 8, 3 / 8)}
    if method in plain:
        return plain[method]
    if method in ends:
        alpha, beta = ends[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1
    return {"inverted_cdf": np.ceil(n * q - 1), "averaged_inverted_cdf": n * q - 1}.get(method)


def _share_of_neighbours(place: Any, last: int, method: Any) -> Any:
    """The numbers around a place, and the share of the second; beyond the ends NumPy counts it from the last one, or from the first."""
    low = int(np.floor(place))
    high, share = low + 1, place - low
    if place >= last:
        low, high, share = last, last, place + 1
    elif place < 0:
        low, high, share = 0, 0, place
    if method == "averaged_inverted_cdf":
        share = 1 / 2 if share == 0 else 1
    if method == "midpoint":
        share = 0 if place == np.floor(place) else 1 / 2
    return low, high, share


@written(np.percentile)
def percentile(a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: bool = False) -> Any:
    """A quantile in hundredths."""
    if np.ndim(q) > 0:
        return np.stack([np.percentile(a, part, axis, method=method, keepdims=keepdims) for part in q])
    if not 0 <= q <= 100:
        raise ValueError("Percentiles must be in the range [0, 100]")
    return np.quantile(a, q / 100, axis, method=method, keepdims=keepdims)


@written(np.cov)
def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Any:
    """Covariances of rows, or of columns."""
    rows = np.atleast_2d(np.array(m))
    if not rowvar and np.ndim(m) > 1:
        rows = rows.T
    if y is not None:
        others = np.atleast_2d(np.array(y))
        rows = np.concatenate((rows, others.T if not rowvar and others.shape[0] != 1 else others))
    if ddof is None:
        ddof = 0 if bias else 1
    freedom = rows.shape[1] - ddof
    if freedom <= 0:
        return NotImplemented
    rows = rows - rows.mean(axis=1)[:, None]
    return ((rows @ rows.T) / freedom).squeeze()


@written(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """Correlations of rows, or of columns."""
    found = np.cov(x, y, rowvar)
    if found.ndim == 0:
        return found / found
    spread = np.sqrt(np.diag(found))
    return np.clip(found / spread[:, None] / spread[None, :], -1, 1)


@written(np.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The bins that numbers lie in."""
    bins = np.array(bins)
    if (np.diff(bins) >= 0).all():
        return np.searchsorted(bins, x, side="left" if right else "right")
    if (np.diff(bins) <= 0).all():
        return len(bins) - np.searchsorted(bins[::-1], x, side="left" if right else "right")
    raise ValueError("bins must be monotonically increasing or decreasing")


@written(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """All items but some."""
    arr = np.array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    if isinstance(obj, slice):
        obj = list(range(arr.shape[axis]))[obj]
    gone = [int(place) for place in (obj if np.ndim(obj) > 0 else [obj])]
    size = arr.shape[axis]
    if any(place < -size or place >= size for place in gone):
        raise IndexError("index is out of bounds for axis")
    gone = [place % size for place in gone]
    return np.take(arr, [place for place in range(size) if place not in gone], axis=axis)


@written(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Items before one place of a row."""
    arr = np.array(arr)
    if np.ndim(obj) > 0 or isinstance(obj, slice) or (axis is not None and (arr.ndim > 1 or axis not in (0, -1))):
        return NotImplemented
    arr = arr.ravel()
    if obj < -len(arr) or obj > len(arr):
        raise IndexError("index is out of bounds for axis")
    return np.concatenate((arr[:obj], np.ravel(values), arr[obj:]))


@written(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours, with numbers put before and behind."""
    found = np.diff(np.ravel(ary))
    if to_begin is not None:
        found = np.concatenate((np.ravel(to_begin), found))
    return found if to_end is None else np.concatenate((found, np.ravel(to_end)))


@written(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: int = -1) -> Any:
    """Angles without jumps by a turn."""
    p = np.moveaxis(np.array(p), axis, -1)
    steps = np.diff(p, axis=-1)
    short = np.mod(steps + np.pi, 2 * np.pi) - np.pi
    short = np.where((short == -np.pi) & (steps > 0), np.pi, short)
    bound = np.pi if discont is None else max(discont, np.pi)
    turns = np.where(np.abs(steps) < bound, 0, short - steps)
    return np.moveaxis(np.concatenate((p[..., :1], p[..., 1:] + np.cumsum(turns, axis=-1)), axis=-1), -1, axis)


@written(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """A convolution with one side turned round, and conjugated."""
    a, v = np.array(a), np.array(v)
    if np.iscomplexobj(v):
        v = np.conj(v)
    if len(v) > len(a):
        return np.convolve(v, a[::-1], mode)[::-1]
    return np.convolve(a, v[::-1], mode)


@written(np.logspace)
def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10) -> Any:
    """Powers of a base."""
    return np.power(base, np.linspace(start, stop, num, endpoint))


@written(np.linalg.multi_dot)
def multi_dot(arrays: Any) -> Any:
    """A product of several matrices, from left to right."""
    found = arrays[0]
    for other in arrays[1:]:
        found = found @ other
    return found


@written(np.inner)
def inner(a: Any, b: Any) -> Any:
    """Products of the rows of one with the rows of the other."""
    a, b = np.array(a), np.array(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim == 1 and b.ndim == 1:
        return a @ b
    rows = a.reshape(-1, a.shape[-1]) @ b.reshape(-1, b.shape[-1]).T
    return rows.reshape(a.shape[:-1] + b.shape[:-1])


@written(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """The product of all numbers of one, conjugated, with all of the other."""
    a = np.ravel(a)
    return (np.conj(a) if np.iscomplexobj(a) else a) @ np.ravel(b)


@written(np.kron)
def kron(a: Any, b: Any) -> Any:
    """Every number of one with all numbers of the other."""
    a, b = np.array(a), np.array(b)
    if a.ndim == b.ndim == 1:
        return np.outer(a, b).ravel()
    if a.ndim != 2 or b.ndim != 2:
        return NotImplemented
    whole = a[:, None, :, None] * b[None, :, None, :]
    return whole.reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])


@written(np.copyto)
def copyto(dst: Any, src: Any, where: Any = True) -> None:
    """Store where a mask says."""
    dst[...] = src if where is True else np.where(where, src, dst)


@written(np.block)
def block(arrays: Any) -> Any:
    """Arrays side by side: the innermost lists along the last axis, those around them along the one before."""
    depth = _depth(arrays)
    return _joined(arrays, depth, max(depth, _rank(arrays)))


def _depth(arrays: Any) -> int:
    if isinstance(arrays, tuple):
        raise TypeError("arrays is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit conversion.")
    if not isinstance(arrays, list):
        return 0
    if len(arrays) == 0:
        raise ValueError("List at arrays cannot be empty")
    depths = [_depth(item) for item in arrays]
    if min(depths) != max(depths):
        raise ValueError("List depths are mismatched.")
    return depths[0] + 1


def _rank(arrays: Any) -> Any:
    return max([_rank(item) for item in arrays]) if isinstance(arrays, list) else np.ndim(arrays)


def _joined(arrays: Any, depth: int, rank: int) -> Any:
    if depth == 0:
        return np.array(arrays, ndmin=rank)
    return np.concatenate([_joined(item, depth - 1, rank) for item in arrays], axis=-depth)


@written(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of rows, for each row."""
    arr = np.moveaxis(np.array(arr), axis, -1)
    outer = arr.shape[:-1]
    rows = arr.reshape(-1, arr.shape[-1])
    found = [np.array(func1d(rows[place], *args, **kwargs)) for place in range(rows.shape[0])]
    whole = np.stack(found).reshape(outer + found[0].shape)
    return np.moveaxis(whole, -1, axis) if found[0].ndim == 1 else whole


@written(np.polyfit)
def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: bool = False) -> Any:
    """The coefficients of the nearest polynomial."""
    if full or cov or rcond is not None:
        return NotImplemented
    x, y = np.array(x), np.array(y)
    if y.ndim != 1 or len(x) < deg + 1:
        return NotImplemented
    powers = np.vander(x, deg + 1)
    if w is not None:
        powers, y = powers * np.array(w)[:, None], y * np.array(w)
    scale = np.sqrt((powers * powers).sum(axis=0))
    return (np.linalg.pinv(powers / scale) @ y) / scale


def median(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Medians along an axis: means of the two in the middle."""
    a = np.array(a)
    ordered = _ordered(a, axis)
    last = len(ordered) - 1
    if last < 0:
        return np.mean(a, axis=axis, keepdims=keepdims)
    middle = ordered[last // 2] + 0.0  # a sum of negative zeros is zero
    mean = (middle + ordered[(last + 1) // 2]) / 2 if last % 2 else middle
    found = np.where(np.isnan(ordered[last]), ordered[last], mean)
    return _kept_axes(found, a, axis) if keepdims else found


@written(np.nanvar)
def nanvar(a: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The mean squared distance from the mean, of those that are numbers."""
    a = np.array(a)
    there = ~np.isnan(a)
    count = np.sum(there, axis=axis, keepdims=True)
    gaps = np.where(there, a - np.sum(np.where(there, a, 0), axis=axis, keepdims=True) / count, 0)
    freedom = np.sum(there, axis=axis, keepdims=keepdims) - ddof
    return np.where(freedom > 0, np.sum(gaps * gaps, axis=axis, keepdims=keepdims) / freedom, np.nan)


@written(np.nanstd)
def nanstd(a: Any, axis: Any = None, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The root of the variance, of those that are numbers."""
    return np.sqrt(np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims))


@written(np.signbit)
def signbit(x: Any) -> Any:
    """Whether a number is negative, -0 too."""
    return np.copysign(1, x) < 0
