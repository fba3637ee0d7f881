"""`TryIdleWeights`: move weights that have no gradient, such as thresholds of hard guards, by trying.

A threshold only decides which samples go where: the loss is a staircase in it, flat everywhere. Steps of several sizes to both sides find
the lower stairs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search

#: Sizes of steps, relative to a weight.
STEPS = (0.3, 0.1, 0.03, 0.01)
#: No more weights than this are tried, and no more steps of one size in a row.
MOST, ROW = 12, 8


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

    def start(self, x: Tensor) -> None:
        """Find the weights without a gradient."""
        _, gradient = self.problem.gradient(x, self.problem.batches.whole())
        idle = torch.nonzero(gradient == 0).squeeze(1).tolist()[:MOST]
        self.trials = [(place, step) for place in idle for step in STEPS]
        self.x, self.loss = x, self.problem.training_loss(x)

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
                break
            self.x, self.loss = moved, found

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
