"""`Quadratic`: a sum of squares of linear functions, and its lowest point within bounds and a radius.

>>> model = Quadratic(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([-4.0, -1.0]), np.ones(2))
>>> far = model.step(10.0, np.full(2, -np.inf), np.full(2, np.inf))
>>> far.move.tolist(), far.is_free, model.gain(far.move)
([2.0, 1.0], True, 17.0)
>>> model.step(10.0, np.full(2, -np.inf), np.array([0.5, np.inf])).move.tolist()
[0.5, 1.0]
>>> round(float(np.linalg.norm(model.step(0.1, np.full(2, -np.inf), np.full(2, np.inf)).move)), 2)
0.1
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Singular values below this part of the largest one, times their number, are zero.
SMALLEST = float(np.finfo(np.float64).eps)
#: The length of a step may differ from the radius by this part.
CLOSE = 0.1
#: Newton's steps towards the damping that gives the radius.
TRIES = 60


@dataclass(frozen=True, slots=True)
class Step:
    """A step, its length in the scaled space, its damping, and whether it is the lowest point of all, inside of the radius."""

    move: Array
    length: float
    damping: float
    is_free: bool


class Quadratic:
    """`|triangle @ p + right|**2` for steps p, whose lengths are measured in units of `1 / scale`."""

    def __init__(self, triangle: Array, right: Array, scale: Array) -> None:
        self.triangle, self.right, self.scale = triangle, right, scale

    def gain(self, move: Array) -> float:
        """By how much a step makes it smaller."""
        moved = self.triangle @ move
        return float(-(2 * (self.right @ moved) + moved @ moved))

    def step(self, radius: float, lower: Array, upper: Array) -> Step:
        """The lowest point within a radius and, one number after another fixed at a bound that it would pass, within bounds."""
        free = np.ones(len(self.scale), bool)
        move = np.zeros(len(self.scale))
        left = radius
        while True:
            part, damping = self._inner(left, free, move)
            wanted = move.copy()
            wanted[free] = part
            beyond = free & ((wanted < lower) | (wanted > upper))
            if not beyond.any():
                return Step(wanted, float(np.linalg.norm(self.scale * wanted)), damping, damping == 0.0)
            move[beyond] = np.clip(wanted[beyond], lower[beyond], upper[beyond])
            free &= ~beyond
            left = max(math.sqrt(max(radius**2 - float(np.sum((self.scale * move) ** 2)), 0.0)), 1e-3 * radius)

    def bent(self, damping: float, slope: Array) -> Array:
        """Half the step that takes back a curvature whose slope is known, with the damping of a step."""
        curved = self.triangle / self.scale
        matrix = curved.T @ curved
        matrix[np.diag_indices_from(matrix)] += damping + SMALLEST * float(np.trace(matrix))
        found: Array = -0.5 * np.linalg.solve(matrix, slope / self.scale) / self.scale
        return found

    def _inner(self, radius: float, free: Array | NDArray[np.bool_], fixed: Array) -> tuple[Array, float]:
        """The numbers that are free, with the damping of their step; the others are fixed."""
        if not free.any():
            return np.zeros(0), 0.0
        right = self.right + self.triangle @ fixed
        left, sizes, axes = np.linalg.svd(self.triangle[:, free] / self.scale[free], full_matrices=False)
        along = left.T @ right
        whole = sizes > SMALLEST * len(self.scale) * sizes[0]
        plain = np.where(whole, along / np.where(whole, sizes, 1.0), 0.0)
        damping = 0.0
        if np.linalg.norm(plain) > (1 + CLOSE) * radius:
            damping = _damping(sizes, along, radius)
            plain = sizes * along / (sizes * sizes + damping)
        return -(axes.T @ plain) / self.scale[free], damping


def _damping(sizes: Array, along: Array, radius: float) -> float:
    """The damping with which a step has the length of the radius (Moré 1978)."""
    slopes = sizes * along
    low, high = 0.0, float(np.linalg.norm(slopes)) / radius
    found = 1e-3 * high
    for _ in range(TRIES):
        bottom = sizes * sizes + found
        length = float(np.linalg.norm(slopes / bottom))
        if abs(length - radius) <= CLOSE * radius:
            break
        low, high = (found, high) if length > radius else (low, found)
        fall = float(np.sum(slopes * slopes / bottom**3)) / length
        new = found + (length - radius) / fall * (length / radius) if fall > 0 else high
        found = new if low < new < high else max(1e-3 * high, math.sqrt(low * high))
    return found
