"""`UndoUselessMoves`: put back the weights whose move gained nothing, so that the changes left to read are those that mattered."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search

#: All that is put back may cost this part of the validation loss.
COST = 2e-4


class UndoUselessMoves(Search):
    """Leads to a point with as many weights as possible where they began, those first that are missed least."""

    name = "undo"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.x = problem.origin
        self.allowed = torch.inf
        self.order: list[slice] = []
        self.done = 0

    def start(self, x: Tensor) -> None:
        """Put the weights in order."""
        sizes = self.problem.space.sizes
        ends = torch.tensor(sizes).cumsum(0).tolist()
        parts = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        score = self.problem.score(x)
        self.x, self.allowed = x, score + COST * abs(score)
        self.order = sorted(parts, key=lambda part: self.problem.score(_without(x, part)))

    def step(self) -> None:
        """Put one weight back if the loss allows it."""
        part = self.order[self.done]
        if bool(self.x[part].any()) and self.problem.score(_without(self.x, part)) <= self.allowed:
            self.x = _without(self.x, part)
        self.done += 1

    @property
    def ended(self) -> str:
        """All weights tried."""
        return "every weight was tried" if self.done >= len(self.order) else ""

    @property
    def found(self) -> Tensor:
        """The point with fewer moves."""
        return self.x

    def state(self) -> dict[str, Any]:
        """The point, and how many weights were tried."""
        return {"x": self.x, "done": self.done}

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state with a point and a count."""
        check_point(state["x"], self.x)
        check_count(state["done"])
        self.x, self.done = state["x"], state["done"]


def _without(x: Tensor, part: slice) -> Tensor:
    x = x.clone()
    x[part] = 0
    return x
