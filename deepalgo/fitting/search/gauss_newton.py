"""`GaussNewton`: the last digits of a sum of squares, by damped Gauss-Newton steps (Levenberg and Marquardt).

A first-order method is slow along the narrow valleys that products and exponents of constants make; with the derivatives of all samples
a step leads along the valley.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.least_squares import LeastSquares
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search

ROUNDS = 200
#: With many weights a round costs much: there are fewer, so that rounds times weights is at most this.
ROUNDS_TIMES_WEIGHTS = 30_000
#: The damping of the first step, and the factors that follow a step that was good or was not.
FIRST_DAMPING, LESS, MORE, LEAST = 1e-3, 10, 5, 1e-12
#: So many dampings are tried for one step.
TRIES = 12
#: Weights that hardly matter are damped as if they mattered this part of the one that matters most: else they run far away.
LEAST_DAMPED = 1e-4
#: So many rounds without a lower validation loss end it.
IDLE = 30
#: Gains below this part of the loss end it.
ENOUGH = 1e-9
#: Of two points whose losses differ by less than this part, the one with the lower training loss is taken.
SAME = 1e-3


class GaussNewton(Search):
    """Steps down the sum of squares, each scored on validation."""

    name = "Gauss-Newton"

    def __init__(self, problem: Problem, squares: LeastSquares) -> None:
        super().__init__(problem)
        self.squares = squares
        self.x = self.best = problem.origin
        self.loss = self.score = torch.inf  # of x on the training samples, of best on validation
        self.damping = FIRST_DAMPING
        self.rounds = self.idle = 0
        self.reason = ""

    def start(self, x: Tensor) -> None:
        """Begin at a point."""
        self.x = self.best = x
        self.score, self.loss = self.problem.score(x), self.squares.loss(x)

    def step(self) -> None:
        """One damped step, as long as there is time."""
        if self.problem.clock.is_late:
            self.reason = "the time is over"
            return
        normal, slope = self.squares.equations(self.x)
        moved, new = self._damped_step(normal, slope)
        gain = (self.loss - new) / self.loss if self.loss else 0.0
        self.x, self.loss = moved, new
        self.rounds += 1
        score = self.problem.score(moved)
        if score < self.score:
            self.best, self.score, self.idle = moved, score, 0
        else:
            self.idle += 1
        if not gain > ENOUGH:
            self.reason = "converged"
        elif self.idle == IDLE:
            self.reason = "no gain on validation"

    @property
    def ended(self) -> str:
        """Converged, no gain on validation, no time, or all rounds taken."""
        most = min(ROUNDS, ROUNDS_TIMES_WEIGHTS // len(self.x))
        return self.reason or ("all rounds were taken" if self.rounds >= most else "")

    @property
    def found(self) -> Tensor:
        """The lowest point on the way down, or the best one by validation if that is clearly better."""
        return self.x if self.problem.worth(self.x) <= (1 + SAME) * self.problem.worth(self.best) else self.best

    def _damped_step(self, normal: Tensor, slope: Tensor) -> tuple[Tensor, float]:
        """The first point that makes the loss smaller, with more and more damping, and the loss there; else where it was."""
        diagonal = normal.diagonal()
        weights = torch.maximum(diagonal, LEAST_DAMPED * diagonal.max().clamp(min=1e-300))
        for _ in range(TRIES):
            step, failed = torch.linalg.solve_ex(normal + torch.diag(self.damping * weights), slope)
            moved = self.x - step
            new = torch.inf if failed else self.squares.loss(moved)
            if new < self.loss:
                self.damping = max(self.damping / LESS, LEAST)
                return moved, new
            self.damping *= MORE
        return self.x, self.loss

    def state(self) -> dict[str, Any]:
        """Two points, their losses, the damping, and counts."""
        return {
            "x": self.x,
            "best": self.best,
            "loss": self.loss,
            "score": self.score,
            "damping": self.damping,
            "rounds": self.rounds,
            "idle": self.idle,
            "reason": self.reason,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state whose numbers are numbers."""
        for name in ("x", "best"):
            check_point(state[name], self.x)
        for name in ("rounds", "idle"):
            check_count(state[name])
        if any(type(state[name]) is not float for name in ("loss", "score", "damping")) or type(state["reason"]) is not str:
            raise ValueError("no loss, or no damping")
        self.x, self.best, self.loss, self.score = state["x"], state["best"], state["loss"], state["score"]
        self.damping, self.rounds, self.idle, self.reason = state["damping"], state["rounds"], state["idle"], state["reason"]
