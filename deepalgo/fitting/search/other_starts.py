"""`OtherStarts`: other ways down where steps of least squares are stuck: other first steps, and starts scattered around the weights.

Of many scattered points those with the lowest loss are walked down from. It ends once two walks have come to the same place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.data.samples import mix
from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.least_squares import LeastSquares
from deepalgo.fitting.search.levenberg_marquardt import Descent, LevenbergMarquardt, lengths
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search

#: Walks from the same point: a short first step, one that is not bent, and a long one.
WALKS = (Descent(radius=0.1, steps=150), Descent(bends=False, steps=150), Descent(radius=100.0, steps=150))
#: Scattered points, how many of the lowest are walked down from, and how far they are scattered, as logarithms of factors.
POINTS, LOWEST, WIDTHS = 60, 5, (0.3, 1.0, 2.0)
#: Steps of the last walk, which goes on from the lowest point.
LAST = Descent(steps=600)
#: Two walks have come to the same place if their losses differ by less than this part.
SAME = 1e-6
#: All walks together take so many steps.
MOST = 1500


@dataclass(slots=True)
class Arrival:
    """A point that a walk came to, its loss, and whether nothing more is to be done there."""

    x: Tensor
    value: float
    is_settled: bool


class OtherStarts(Search):
    """Walks from other points, one after another; finds the lowest place that any of them came to."""

    name = "other starts"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.origin = problem.origin
        self.places: list[Arrival] = []
        self.steps = 0
        self.reason = ""
        self._walk: LevenbergMarquardt | None = None
        self._scattered: list[Tensor] | None = None

    def start(self, x: Tensor) -> None:
        """Begin at a point."""
        self.origin = x
        self._begin()

    def step(self) -> None:
        """One step of the walk that goes on."""
        walk = self._walk
        assert walk is not None
        if not walk.ended:
            walk.step()
            self.steps += 1
        if not walk.ended and self.steps < MOST:
            return
        if walk.reason == "the time is over":
            self.reason = walk.reason
        elif self.steps >= MOST:
            self.reason = "all steps were taken"
        self.places.append(Arrival(walk.found, walk.lowest_loss, walk.is_settled))
        if not self.reason:
            self._begin()

    @property
    def ended(self) -> str:
        """Two walks came to the same place, all were made, or no time."""
        return self.reason

    @property
    def lowest(self) -> Arrival | None:
        """Where the loss is lowest."""
        return min(self.places, key=lambda place: place.value, default=None)

    @property
    def found(self) -> Tensor:
        """The lowest point."""
        lowest = self.lowest
        return self.origin if lowest is None else lowest.x

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is to be done at the lowest place."""
        return self.lowest is not None and self.lowest.is_settled

    @property
    def converged(self) -> bool:
        """Whether a test of convergence held at the lowest place."""
        return self.is_settled

    def _begin(self) -> None:
        """Start the next walk, unless two came to the same place, or all were made."""
        lowest, number = self.lowest, len(self.places)
        if lowest is not None and self._is_found_again(lowest):
            self.reason = "two walks came to the same place"
        elif number < len(WALKS):
            self._go(self.origin, WALKS[number])
        elif number < len(WALKS) + len(points := self._points()):
            self._go(points[number - len(WALKS)], Descent(steps=150))
        elif number == len(WALKS) + len(points) and lowest is not None and not lowest.is_settled:
            self._go(lowest.x, LAST)
        else:
            self.reason = "all walks were made"

    def _is_found_again(self, lowest: Arrival) -> bool:
        """Whether walks from two different points have come to the lowest place."""
        there = [place.is_settled and place.value <= lowest.value + SAME * abs(lowest.value) for place in self.places]
        starts = [0 if number < len(WALKS) else number for number, is_there in enumerate(there) if is_there]
        return len(set(starts)) > 1

    def _go(self, x: Tensor, walk: Descent) -> None:
        self._walk = LevenbergMarquardt(self.problem, walk)
        self._walk.start(x)

    def _points(self) -> list[Tensor]:
        """Points around the origin, those with the lowest loss."""
        if self._scattered is None:
            squares = LeastSquares.at(self.problem, self.origin)
            points = [self._point(number) for number in range(POINTS)]
            values = [math.inf if squares is None else squares.loss(point, *squares.errors(point)) for point in points]
            order = sorted(range(POINTS), key=values.__getitem__)
            self._scattered = [points[number] for number in order[:LOWEST] if math.isfinite(values[number])]
        return self._scattered

    def _point(self, number: int) -> Tensor:
        """Weights that are multiples of those where it began."""
        space = self.problem.space
        noise = torch.randn(len(self.origin), dtype=torch.float64, generator=torch.Generator().manual_seed(mix(number)))
        factors = torch.exp(WIDTHS[number % len(WIDTHS)] * noise)
        x = self.origin + (torch.from_numpy(lengths(self.problem, self.origin)) * (factors - 1)).to(self.origin.dtype)
        return space.within(x)

    @property
    def lowest_loss(self) -> float:
        """Its loss."""
        return math.nan if self.lowest is None else self.lowest.value

    def state(self) -> dict[str, Any]:
        """The places so far, and the walk that goes on."""
        places = [{"x": place.x, "value": place.value, "is_settled": place.is_settled} for place in self.places]
        walk = None if self._walk is None or self.reason else self._walk.state()
        return {"places": places, "walk": walk, "steps": self.steps, "reason": self.reason}

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state whose places are points."""
        check_count(state["steps"])
        for place in state["places"]:
            check_point(place["x"], self.origin)
            if type(place["value"]) is not float or type(place["is_settled"]) is not bool:
                raise ValueError("no place")
        if type(state["reason"]) is not str:
            raise ValueError("no reason")
        self.places = [Arrival(place["x"], place["value"], place["is_settled"]) for place in state["places"]]
        self.steps, self.reason = state["steps"], ""
        if not state["reason"]:
            self._begin()
            if self._walk is None or self.reason:
                raise ValueError("no walk")
            self._walk.restore(state["walk"])
        self.reason = state["reason"]
