"""`PutBack`: put back the weights whose moves, all together, are worth no more than noise, and fit the others again.

Where weights are correlated, each of them alone seems to matter. What a set of moves is worth is by how much the least sum of squares
of the training samples is higher without them; whether that is more than chance is Fisher's test. The linear problem says which set to
try; the test is made with the sum of squares that is reached when the others are fitted again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepalgo.fitting.judge.distributions import fisher_tail
from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search
from deepalgo.fitting.uncertainty.estimates import decompose
from deepalgo.fitting.uncertainty.refine import refine
from deepalgo.fitting.uncertainty.residuals import Array, Residuals, usable

#: Moves are worth no more than noise if chance alone would make as much of as many with this probability.
LEVEL = 0.05
#: So many steps lead the others to where they belong, as they are near.
ROUNDS = 25
#: This part of the sum of squares at the origin is rounding.
ROUNDING = 1e-24
#: How much more sure than others is an undetermined direction, that it costs nothing to go along it.
FREE = 1e8


class PutBack(Search):
    """Leads to a point with as many weights as possible where they began; a group of samples counts as one."""

    name = "put back"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.x = problem.origin
        self.order: list[NDArray[np.int64]] = []  # the places of weights in a point, those first that are missed least
        self.count = 0  # how many of them are tried next
        self.squares, self.freedom = 0.0, 0

    def start(self, x: Tensor) -> None:
        """Choose which weights to try."""
        space, self.x = self.problem.space, x
        self.samples = self.problem.batches.whole()
        self.residuals = Residuals(space.net, self.problem.objective, self.samples, space.keys)
        origin, _ = self._at(np.zeros(len(x)))
        roots, jacobian = self._at(x.numpy())
        keep = usable(roots, jacobian) & np.isfinite(origin)
        roots, jacobian = roots[keep], jacobian[keep]
        self.squares = float(roots @ roots) + ROUNDING * float(origin[keep] @ origin[keep])
        groups = self.samples.groups
        numbers = len(roots) if groups is None else len(np.unique(groups.numpy()[self.residuals.owners(len(keep))[keep]]))
        self.freedom = numbers - int(jacobian.any(0).sum())
        self.score = self.problem.score(x)
        self.order = self._chosen(roots, jacobian) if self.freedom > 0 else []
        self.count = len(self.order)

    def step(self) -> None:
        """Put back so many weights, fit the others again, and take that if it is worth no less beyond noise; else try fewer."""
        if self.problem.clock.is_late:
            self.count = 0
            return
        places = np.concatenate(self.order[: self.count])
        values, free = self.x.numpy().copy(), np.ones(len(self.x), dtype=bool)
        values[places], free[places] = 0.0, False
        found = refine(self._at, values, free & (self.x.numpy() != 0), rounds=ROUNDS)
        x = self.problem.space.within(torch.from_numpy(found.values))
        if self._is_noise(found.squares, len(places)) and self._is_held(x, len(places)):
            self.x, self.count = x, 0
        else:
            self.count -= max(1, self.count // 4)

    @property
    def ended(self) -> str:
        """Weights put back, or none left to try."""
        return "" if self.count else "every set of weights was tried"

    @property
    def found(self) -> Tensor:
        """The point with fewer moves."""
        return self.x

    def state(self) -> dict[str, Any]:
        """The point, and how many weights are tried next."""
        return {"x": self.x, "count": self.count}

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state with a point and a count."""
        check_point(state["x"], self.x)
        check_count(state["count"])
        if state["count"] > len(self.order):
            raise ValueError("more weights than there are")
        self.x, self.count = state["x"], state["count"]

    def _at(self, x: Array) -> tuple[Array, Array]:
        """The residuals at a point, and their derivatives by it."""
        space, point = self.problem.space, torch.from_numpy(x)
        space.put(point)
        roots, jacobian = self.residuals.at(self.residuals.values())
        return roots, space.chain(point, torch.from_numpy(jacobian)).numpy()

    def _chosen(self, roots: Array, jacobian: Array) -> list[NDArray[np.int64]]:
        """The largest set that the linear problem lets go, one weight after another."""
        moved = [places for places in self._places() if bool(self.x.numpy()[places].any())]
        order = [places for places in moved if not jacobian[:, places].any() and self._is_idle(places)]
        left = [places for places in moved if jacobian[:, places].any()]
        covariance, distance = _linear(roots, jacobian, self.x.numpy())
        taken = np.zeros(0, dtype=np.int64)
        while left:
            costs = [_cost(covariance, distance, np.r_[taken, places]) for places in left]
            best = int(np.argmin(costs))
            if not self._is_noise(self.squares + costs[best], len(taken) + len(left[best])):
                break
            taken = np.r_[taken, left[best]]
            order.append(left.pop(best))
        return order

    def _places(self) -> list[NDArray[np.int64]]:
        return np.split(np.arange(len(self.x)), np.cumsum(self.problem.space.sizes)[:-1])

    def _is_idle(self, places: NDArray[np.int64]) -> bool:
        """Whether a weight without a derivative, such as a threshold, can be put back alone."""
        values = self.x.numpy().copy()
        values[places] = 0.0
        roots, _ = self._at(values)
        return self._is_noise(float(np.nan_to_num(roots @ roots, nan=np.inf)), len(places))

    def _is_noise(self, squares: float, count: int) -> bool:
        """Whether a sum of squares is no higher than chance makes it if so many numbers are put back."""
        gain = (squares - self.squares) / self.squares if self.squares else np.inf * (squares > 0)
        return bool(fisher_tail(gain * self.freedom / count, count, self.freedom) >= LEVEL)

    def _is_held(self, x: Tensor, count: int) -> bool:
        """Whether the same holds for the validation samples, which the others were not fitted to."""
        groups = self.problem.validation.groups
        score, samples = self.problem.score(x), int(self.problem.known.sum()) if groups is None else len(np.unique(groups.numpy()))
        if score <= self.score:
            return True
        gain = (score - self.score) / self.score if self.score else np.inf
        return bool(np.isfinite(score)) and fisher_tail(gain * samples / count, count, samples) >= LEVEL


def _linear(roots: Array, jacobian: Array, x: Array) -> tuple[Array, Array]:
    """The inverse of the normal matrix, and where the linear problem has its least sum of squares; 0 for what has no derivative."""
    live = jacobian.any(0)
    sizes = np.linalg.norm(jacobian[:, live], axis=0)
    parts = decompose(jacobian[:, live] / sizes)
    covariance, distance = np.zeros((len(x), len(x))), x.copy()
    inner = parts.inverse @ parts.inverse.T
    inner = inner + FREE * np.abs(inner).max(initial=1.0) * parts.null.T @ parts.null
    covariance[np.ix_(live, live)] = inner / np.outer(sizes, sizes)
    distance[live] -= parts.inverse @ (parts.basis.T @ roots) / sizes
    return covariance, distance


def _cost(covariance: Array, distance: Array, places: NDArray[np.int64]) -> float:
    """By how much the least sum of squares is higher with some numbers at 0."""
    found = np.linalg.lstsq(covariance[np.ix_(places, places)], distance[places], rcond=None)[0]
    return max(float(distance[places] @ found), 0.0)
