"""`TryIdleWeights`: move weights that have no gradient, such as thresholds of hard guards, by trying.

A threshold only decides which samples go where: the loss is a staircase in it, flat everywhere. Steps of several sizes to both sides find
the lower stairs. Where the others are at their optimum, a move often pays only once they have followed: they take a step of least squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.least_squares import LeastSquares
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search

#: Sizes of steps, relative to a weight.
STEPS = (0.3, 0.1, 0.03, 0.01)
#: No more weights than this are tried, and no more steps of one size in a row.
MOST, ROW = 12, 8
#: Directions whose derivatives are a smaller part of the largest ones are undetermined.
SMALLEST = 1e-9


class TryIdleWeights(Search):
    """Leads to where the training loss is lowest nearby, weight by weight and size by size."""

    name = "idle weights"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.x = problem.origin
        self.loss = torch.inf
        self.trials: list[tuple[int, float]] = []  # a weight, and the size of a step
        self.done = 0
        self.is_late = False
        self.squares: LeastSquares | None = None

    def start(self, x: Tensor) -> None:
        """Find the weights without a gradient."""
        _, gradient = self.problem.gradient(x, self.problem.batches.whole())
        idle = torch.nonzero(gradient == 0).squeeze(1).tolist()[:MOST]
        self.trials = [(place, step) for place in idle for step in STEPS]
        self.x, self.loss = x, self.problem.training_loss(x)
        self.squares = self._squares(x) if idle else None

    def _squares(self, x: Tensor) -> LeastSquares | None:
        named = self.problem.objective.named
        return LeastSquares.of(self.problem, x) if named is not None and named.is_squares and LeastSquares.applies(self.problem) else None

    def step(self) -> None:
        """Steps of one size of one weight, to the side where it goes down."""
        self.is_late = self.problem.clock.is_late
        if self.is_late:
            return
        place, step = self.trials[self.done]
        for side in (step, -step):
            self._walk(place, side)
        self.done += 1

    def _walk(self, place: int, side: float) -> None:
        for _ in range(ROW):
            moved = self.x.clone()
            moved[place] += side
            found = self.problem.training_loss(moved)
            if not found < self.loss:
                moved = self._followed(moved, place)
                found = self.problem.training_loss(moved)
            if not found < self.loss:
                break
            self.x, self.loss = moved, found

    def _followed(self, moved: Tensor, place: int) -> Tensor:
        """The point that a step of least squares leads to from here, with the weight at a place held."""
        if self.squares is None:
            return moved
        model = self.squares.linearise(moved, *self.squares.errors(moved), 0.0)
        columns = model.triangle.copy()
        columns[:, place] = 0.0
        sizes = np.linalg.norm(columns, axis=0)
        sizes[sizes == 0] = 1.0
        step = np.linalg.lstsq(columns / sizes, -model.right, rcond=SMALLEST)[0] / sizes
        return moved + torch.from_numpy(step).to(moved)

    @property
    def ended(self) -> str:
        """All trials made, or no time."""
        if self.is_late:
            return "the time is over"
        return "every idle weight was tried" if self.done >= len(self.trials) else ""

    @property
    def found(self) -> Tensor:
        """The point with the lowest training loss."""
        return self.x

    def state(self) -> dict[str, Any]:
        """The point, its loss, and how many trials were made."""
        return {"x": self.x, "loss": self.loss, "done": self.done, "late": self.is_late}

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state whose numbers are numbers."""
        check_point(state["x"], self.x)
        check_count(state["done"])
        if type(state["loss"]) is not float or type(state["late"]) is not bool:
            raise ValueError("no loss")
        self.x, self.loss, self.done, self.is_late = state["x"], state["loss"], state["done"], state["late"]
