"""On which side of its kinks and jumps a NumPy function is.

>>> side(np.maximum, (np.array([1.0, 3.0]), 2.0), {}, None)
(-1.0, 1.0)
>>> side(np.argmax, (np.array([1.0, 3.0]),), {}, 1), side(np.sin, (0.5,), {}, 0.479)
((1,), ())
>>> side(abs, (0.5,), {}, 0.5) is None
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

#: Methods of arrays whose slope jumps, or that compute.
METHODS = frozenset("max min argmax argmin sum mean cumsum clip prod ptp round argsort dot any all std var".split())

Side = Callable[..., Any]


def _order(values: Any, axis: int | None = None) -> Any:
    """How items compare, along an axis or all together."""
    array = np.asarray(values, dtype=float)
    lines = array.reshape(1, -1) if axis is None else np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])
    return _tuple(np.sign(lines[:, :, None] - lines[:, None, :]))


def _best(function: Any) -> Side:
    """Which items are the best ones."""

    def ask(values: Any, axis: int | None = None, **_: Any) -> Any:
        return _tuple(np.asarray(values) == function(values, axis=axis, keepdims=True))

    return ask


def _tuple(array: Any) -> Any:
    return tuple(np.ravel(array).tolist())


def _segment(x: Any, xp: Any, fp: Any) -> Any:
    return (_tuple(np.searchsorted(xp, x)), _tuple(np.searchsorted(xp, x, side="right")))


def _clipped(x: Any, low: Any = None, high: Any = None) -> Any:
    bounds = [bound for bound in (low, high) if bound is not None]
    return tuple(_tuple(np.sign(np.subtract(x, bound))) for bound in bounds)


#: What to write down about a call, by function.
SIDES: dict[Any, Side] = {
    np.abs: lambda x: _tuple(np.sign(x)) if not np.iscomplexobj(x) else _tuple(np.asarray(x) == 0),
    np.fabs: lambda x: _tuple(np.sign(x)),
    np.sign: lambda x: _tuple(np.sign(x)),
    np.maximum: lambda x, y: _tuple(np.sign(np.subtract(x, y))),
    np.minimum: lambda x, y: _tuple(np.sign(np.subtract(x, y))),
    np.clip: _clipped,
    np.sqrt: lambda x: _tuple(np.asarray(x) == 0),
    np.hypot: lambda x, y: _tuple((np.asarray(x) == 0) & (np.asarray(y) == 0)),
    np.arctan2: lambda y, x: (_tuple(np.sign(y)), _tuple(np.sign(x))),
    np.floor: lambda x: _tuple(np.floor(x)),
    np.ceil: lambda x: _tuple(np.ceil(x)),
    np.round: lambda x, decimals=0: _tuple(np.round(x, decimals)),
    np.max: _best(np.max),
    np.min: _best(np.min),
    np.argmax: _best(np.max),
    np.argmin: _best(np.min),
    np.ptp: lambda values, axis=None: (_best(np.max)(values, axis), _best(np.min)(values, axis)),
    np.sort: lambda values, axis=-1: _order(values, axis),
    np.argsort: lambda values, axis=-1: _order(values, axis),
    np.median: lambda values, axis=None: _order(values, axis),
    np.interp: _segment,
    np.linalg.norm: lambda x, axis=None: _tuple(np.linalg.norm(x, axis=axis) == 0),
    np.std: lambda x, axis=None: _tuple(np.std(x, axis=axis) == 0),
    np.heaviside: lambda x, at: _tuple(np.sign(x)),
    np.searchsorted: lambda table, x, side="left": _tuple(np.searchsorted(table, x, side=side)),
}
SIDES[np.argmax] = lambda values, axis=None: _tuple(np.argmax(values, axis=axis))
SIDES[np.argmin] = lambda values, axis=None: _tuple(np.argmin(values, axis=axis))
TOGETHER = frozenset({np.any, np.all, np.count_nonzero})


def side(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """What to note about a call of a NumPy function; None for functions of somebody else."""
    try:
        ours, known = _look_up(function)
    except TypeError:  # not hashable
        return None
    if known is not None:
        return known(*args, **kwargs)
    return (_tuple(result) if function in TOGETHER else ()) if ours else None


@functools.lru_cache(maxsize=256)
def _look_up(function: Any) -> tuple[bool, Side | None]:
    """Whether NumPy wrote a function, and what there is to note about its calls."""
    return getattr(function, "__module__", "").startswith("numpy") or isinstance(function, np.ufunc), SIDES.get(function)


def changes_arguments(function: Any) -> bool:
    """Whether what the call was given must be looked at before it."""
    return function in (np.fill_diagonal, np.put)
