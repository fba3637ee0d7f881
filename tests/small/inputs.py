"""Ordinary and edge inputs for a small function, by the names of its parameters.

`x`, `y`, `z` are numbers, `v`, `w` arrays of four, `m` is a matrix of two rows and three columns, `s` a square one, `items` a list of four.

>>> rows(lambda x: x)[0]
(2.0665311091502883,)
>>> len(rows(lambda v, x: v)) == ORDINARY + len(EDGES) + MIXED
True
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

SHAPES: dict[str, tuple[int, ...]] = {"v": (4,), "w": (4,), "m": (2, 3), "s": (3, 3), "items": (4,)}
ORDINARY, MIXED = 10, 14
TINY, SMALL, LARGE, HUGE = 5e-324, 1e-310, 1e160, 1e308
EDGES = (math.inf, -math.inf, math.nan, 0.0, -0.0, HUGE, -HUGE, LARGE, TINY, SMALL, 1.0, -1.0, 2.0, 0.5, -2.5)
Row = tuple[Any, ...]


def rows(function: Callable[..., Any]) -> list[Row]:
    """Ordinary calls first; then every edge in all places at once, so that there are ties; then edges among ordinary numbers."""
    names = list(inspect.signature(function).parameters)
    rng = random.Random(0)
    ordinary = [tuple(_filled(name, lambda: rng.uniform(-3.0, 3.0)) for name in names) for _ in range(ORDINARY)]
    edges = [tuple(_filled(name, lambda edge=edge: edge * 1.0) for name in names) for edge in EDGES]  # each NaN is an object of its own
    return [*ordinary, *edges, *(tuple(_filled(name, lambda: _either(rng)) for name in names) for _ in range(MIXED))]


def _either(rng: random.Random) -> float:
    return rng.choice(EDGES) * 1.0 if rng.random() < 0.5 else rng.uniform(-3.0, 3.0)


def _filled(name: str, draw: Callable[[], float]) -> Any:
    if name not in SHAPES:
        return draw()
    numbers = [draw() for _ in range(math.prod(SHAPES[name]))]
    return numbers if name == "items" else np.array(numbers).reshape(SHAPES[name])
