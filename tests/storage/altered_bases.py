"""Networks whose files are altered: between them they have every kind of statement, structure, argument and attribute."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

import deepalgo as da

Pair = collections.namedtuple("Pair", "low high")
GAIN = 0.5
TABLE = [[0.25 * number for number in range(20)] for _ in range(3)]


@dataclass
class Point:
    x: float
    y: float


class Lost(Exception):
    pass


def rules(x, y, *, mode="fast"):
    total = GAIN * x + 1e-3 - 2 * y
    for row in TABLE:
        total = total + row[3] * y
    while total > 2.0:
        total = total / 1.5
    if y == 0.0:
        raise ValueError(f"y is {y:.3f} and {x}")
    return {"total": total, "mode": mode, "pair": (total**2.0, 3)}


def errors(x, limit=3.0):
    try:
        if x > limit:
            raise Lost(f"far: {x}")
        low = math.sqrt(x) / (x - 1.0)
    except (ZeroDivisionError, Lost):
        low = -1.0
    except ValueError:
        low = -2.0
    return Pair(low, round(low, 2))


def rounds(x):
    total, count = 0.0, 0
    for number in range(40):
        if total > 5.0:
            break
        total = total + 0.25 * x * number
        count += 1
    for number in range(200):
        total = total * 0.99 + number
    return total, count


def arrays(m, v):
    w = np.concatenate([m @ v, v[::-1], m[1:, 0]])
    w = np.where(w > 0.5, np.sqrt(np.abs(w)), 0.1 * w)
    z = np.sort(w.reshape(2, -1), axis=1)[:, ::2]
    s = np.sum(z, axis=0) + np.max(m, axis=0)[:2] * np.interp(v[0], [0.0, 1.0, 2.0], [1.0, 3.0, 2.0])
    return s, np.argmax(w), float(np.cumsum(v)[-1]), np.searchsorted([0.0, 1.0, 2.0], v), m.T[None] * 2.0


def solved(m, v):
    k = int(v[0] * 2) % 3
    return {"x": np.linalg.solve(m, v), "n": np.linalg.norm(v), "at": v[k], "d": np.linalg.det(m), "c": complex(v[0], v[1]) ** 2}


def changed(v, p):
    v[1] = v[0] * 0.5 + p["a"][0]
    v[2:] += 0.25
    return v.sum() + p["b"]


def shapes(points, *rest, scale=2.0, **more):
    total = 0.0
    for x, y in points:
        total = total + scale * math.hypot(x, y)
    return Point(total + sum(rest), more["bias"] * 1.5)


def whole(x):
    n = int(x * 10)
    k = (n // 3) % 7 + (n & 5) - (n << 2)
    return k, n > 4 and x < 3.0, [1, 2, 3, 5, 8][k % 5], round(x, 1), bool(n % 2), "text" if True else ""


def special(x):
    y = scipy.special.jv(1.0, x) + scipy.special.erf(x) + scipy.special.lambertw(x).real
    return y + math.gamma(x) + math.atan2(x, 0.3) + 10**30 * x


def newton(s):
    x = 1.0
    for _ in range(3):
        x = x - 1.0 * (x**5 - s) / (5 * x**4)
    return x


def stepped(x):
    if x > 0.5:
        y = 2.0 * x
    else:
        y = 1.0 - x
    return y


def gap(x, y):
    gap = x - y
    return np.sqrt(np.sum(gap * gap))


@dataclass(frozen=True)
class Base:
    """How a network is made, and the arguments of a call; `samples` are batches of the inputs."""

    name: str
    make: Callable[[], Any]
    call: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]


def _plain(function: Callable[..., Any], call: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]], **options: Any) -> Base:
    return Base(function.__name__, lambda: da.compile(function, example=call(), **options), call)


M = [[2.0, 0.5, 0.1], [0.3, 1.5, 0.2], [0.1, 0.4, 1.8]]
BASES = (
    Base("rules", lambda: da.compile(rules), lambda: ((1.5, 0.75), {})),
    Base("errors", lambda: da.compile(errors, inputs=("x", "limit")), lambda: ((0.5, 3.0), {})),
    _plain(rounds, lambda: ((1.3,), {})),
    _plain(arrays, lambda: ((np.array(M), np.array([0.3, 1.2, -0.4])), {})),
    _plain(solved, lambda: ((np.array(M), np.array([0.3, 1.2, -0.4])), {}), errors="nan"),
    _plain(changed, lambda: ((np.array([0.3, 1.2, -0.4]), {"a": [0.5], "b": 2.0}), {})),
    _plain(shapes, lambda: (([(0.3, 0.4), (1.0, 2.0)], 1.0, 2.0), {"bias": 0.5})),
    _plain(whole, lambda: ((1.37,), {})),
    _plain(special, lambda: ((0.8,), {})),
    Base("settled", lambda: da.compile(newton, loops="settle"), lambda: ((2.0,), {})),
    Base("grown", lambda: da.remember(da.untie(da.compile(newton)), depth=2), lambda: ((2.0,), {})),
    Base("guarded", lambda: da.guard(da.correct(da.compile(newton), "x", hidden=3), by=lambda x, s: abs(x**5 - s)), lambda: ((2.0,), {})),
    Base("soft", lambda: da.soften(da.compile(stepped), [0.1, 0.4, 0.9]), lambda: ((0.45,), {})),
    Base(
        "wide",
        lambda: da.widen(da.compile(gap, example=((np.zeros(4), np.ones(4)), {})), "gap", da.Dense()),
        lambda: ((np.arange(4.0), np.ones(4)), {}),
    ),
)
