"""`LevenbergMarquardt`: the way down a loss by name, by steps of least squares within a trust region.

Near a point the loss is a sum of squares of linear functions, whose lowest point within a radius is where a step leads (Moré 1978). Lengths
are measured by the largest derivatives so far, so that units do not matter. A step is bent by the curvature along it (Transtrum and
Sethna 2012), which leads along narrow valleys. Losses with a kink are rounded off, less and less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.fitting.search.check_state import check_count, check_point
from deepalgo.fitting.search.least_squares import LeastSquares, Linearised
from deepalgo.fitting.search.problem import FEW_WEIGHTS, Problem
from deepalgo.fitting.search.search import Search
from deepalgo.fitting.search.trust_region import Array, Quadratic, Step

#: With many weights a step costs much: there are fewer, so that steps times weights is at most this.
STEPS_TIMES_WEIGHTS = 30_000
#: Gains of less than this part of the loss, and steps of less than this part of the weights, end it.
STILL, SHORT = 1e-15, 1e-15
#: The same for a loss that is rounded off, which needs no more.
STILL_ROUNDED = 1e-9
#: Where no step is short enough to gain anything, and a long one promises more than this part of the loss, the derivatives mislead.
FLAT, ROUNDING, NO_STEP = 1e-6, 1e-13, "no step makes the loss smaller"
#: A step has to bring this part of what it promises; a part of what it promised that lets the radius shrink, and one that lets it grow.
LEAST, POOR, GOOD = 1e-4, 0.25, 0.75
#: How far along a step its curvature is looked at, and how long, as a part of the step, the bend may be.
AHEAD, MOST_BENT, SHORTEST_BENT = 0.1, 0.375, 1e-8
#: A free step that brings what it promises, but for this part, is straight enough, and so is the next one.
STRAIGHT = 0.05
#: Weights that hardly matter are measured as if they mattered this part of the one that matters most.
LEAST_SCALE = 1e-12
#: Many weights, so many steps without a lower validation loss end it.
IDLE = 30
#: Of two points whose losses differ by less than this part, the one with the lower training loss is taken.
SAME = 1e-3
#: How far a loss with a kink is rounded off at first and at the end, as a part of the typical error, and how much less each time.
FIRST_BLUR, LAST_BLUR, LESS_BLUR = 0.3, 1e-6, 0.25
#: At the end for the largest error, as a part of it: times the logarithm of the number of errors, so much higher is the rounded one.
LAST_BLUR_OF_LARGEST = 1e-4
#: A singular value or a derivative that has become this part of what it was no longer leads anywhere.
LOST = 1e-9


@dataclass(frozen=True, slots=True)
class Descent:
    """How far the first step may lead, as a part of the weights, whether steps are bent, and how many there are."""

    radius: float = 1.0
    bends: bool = True
    steps: int = 300


class LevenbergMarquardt(Search):
    """Steps down a loss by name; of many weights each is scored on validation."""

    name = "least squares"

    def __init__(self, problem: Problem, walk: Descent = Descent()) -> None:  # noqa: B008  # frozen
        super().__init__(problem)
        self.walk = walk
        self.squares: LeastSquares | None = None
        self.x = self.best = problem.origin
        self.score = math.inf  # of best, on validation
        self.scale = np.ones(len(problem.origin))
        self.radius = self.blur = 0.0
        self.steps = self.idle = 0
        self.reason, self.converged = "", False
        self._part = math.inf  # of what it promised that the last step brought, if it was free
        self._size = 0.0  # of the weights, as steps are measured
        bounded = problem.space.is_bounded
        self._bounds = [end.double().numpy() for end in (problem.space.lower, problem.space.upper)] if bounded else []
        self._value, self._near = math.inf, Linearised(np.zeros((0, 0)), np.zeros(0))
        self._errors = self._factors = torch.zeros(0)
        self._first, self._begun = np.ones(len(problem.origin)), 0.0  # the derivatives and the loss where it began

    def start(self, x: Tensor) -> None:
        """Begin at a point."""
        self.x = self.best = x
        self.squares = LeastSquares.at(self.problem, x)
        if self.squares is None:
            self.reason = "no derivatives"
            return
        self._errors, self._factors = self.squares.errors(x)
        self.blur = self._first_blur()
        self._arrive()
        self.scale, self._begun = self._sizes(), self._value
        self._first = np.linalg.norm(self._near.triangle, axis=0)
        self._size = self._measured()
        self.radius = self.walk.radius * self._size or self.walk.radius
        self.score = self.problem.score(x) if self.is_scored else math.inf

    @property
    def is_scored(self) -> bool:
        """Whether the weights are so many that they could adapt to single samples."""
        return len(self.x) > FEW_WEIGHTS

    def step(self) -> None:
        """Try one step, as long as there is time."""
        if self.problem.clock.is_late:
            self.reason = "the time is over"
            return
        self.steps += 1
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                self._try()
        except np.linalg.LinAlgError:
            self.reason = NO_STEP  # numbers beyond the largest

    def _try(self) -> None:
        """See where the loss is lowest nearby by its derivatives, and go there if it is lower."""
        model = Quadratic(self._near.triangle, self._near.right, self.scale)
        step = model.step(self.radius, *self._room())
        promised = model.gain(step.move)
        moved = self._moved(model, step)
        errors, factors = self._squares.errors(moved)
        value = self._squares.loss(moved, errors, factors, self.blur)
        gain = self._value - value
        self._resize(step, gain, promised, model)
        if self._ends(gain, promised, model):
            self.x = moved if gain > 0 else self.x
            self._next_blur()
        elif gain >= LEAST * promised and gain > 0:
            self.x, self._errors, self._factors = moved, errors, factors
            self._arrive()
            self.scale = np.maximum(self.scale, self._sizes())
            self._size = self._measured()
            self._look()

    @property
    def ended(self) -> str:
        """The test of convergence that held, or what else ended it."""
        most = min(self.walk.steps, max(20, STEPS_TIMES_WEIGHTS // max(len(self.x), 1)))
        return self.reason or ("all steps were taken" if self.steps >= most else "")

    @property
    def found(self) -> Tensor:
        """The lowest point on the way down, or the best one by validation if that is clearly better."""
        if not self.is_scored:
            return self.x
        lowest, best = self.problem.worth(self.x), self.problem.worth(self.best)
        return self.x if lowest <= best + SAME * abs(best) else self.best

    @property
    def is_stuck(self) -> bool:
        """Whether it came to no end, or to one where weights that led somewhere lead nowhere."""
        if self.squares is None or not self._first.all():
            return False  # a weight that only decides which way samples go is not found by walking
        if not self.converged:
            return self.reason != "the time is over"
        sizes = np.linalg.norm(self._near.triangle, axis=0)
        return bool((sizes < LOST * self._first).any()) and self._value > 0

    @property
    def is_settled(self) -> bool:
        """Whether it converged where every weight leads somewhere, so that no other search is needed."""
        return self.converged and not self.is_stuck and bool(np.linalg.norm(self._near.triangle, axis=0).all())

    @property
    def _squares(self) -> LeastSquares:
        assert self.squares is not None
        return self.squares

    def _arrive(self) -> None:
        """See how the errors change around the point."""
        self._value = self._squares.loss(self.x, self._errors, self._factors, self.blur)
        self._near = self._squares.linearise(self.x, self._errors, self._factors, self.blur)

    def _sizes(self) -> Array:
        """How much each weight matters."""
        sizes = np.linalg.norm(self._near.triangle, axis=0)
        return np.maximum(sizes, LEAST_SCALE * sizes.max()) if sizes.any() else np.ones(len(sizes))

    def _measured(self) -> float:
        """How far the weights are from zero, as steps are measured."""
        return float(np.linalg.norm(self.scale * lengths(self.problem, self.x)))

    def _room(self) -> tuple[Array, Array]:
        """How far each number may move down and up."""
        if not self._bounds:
            return np.full(len(self.x), -np.inf), np.full(len(self.x), np.inf)
        x = self.x.double().numpy()
        return self._bounds[0] - x, self._bounds[1] - x

    def _moved(self, model: Quadratic, step: Step) -> Tensor:
        """Where a step leads, bent if that is known well enough."""
        straight, near = self._at(step.move), self._near
        is_straight = abs(self._part - 1) < STRAIGHT or step.length <= SHORTEST_BENT * self._size
        if not self.walk.bends or is_straight or near.rows is None or near.weights is None:
            return straight
        ahead = self._squares.errors(self._at(AHEAD * step.move))[0] - self._errors
        turned = (near.weights * ahead.double().numpy()).reshape(-1)
        slope = near.rows.T @ (2 / AHEAD * (turned / AHEAD - near.rows @ step.move))
        if not np.isfinite(slope).all():
            return straight
        bend = model.bent(step.damping, slope)
        return straight if np.linalg.norm(self.scale * bend) > MOST_BENT * step.length else self._at(step.move + bend)

    def _at(self, move: Array) -> Tensor:
        space = self.problem.space
        return space.within(self.x + torch.from_numpy(move).to(self.x.dtype))

    def _resize(self, step: Step, gain: float, promised: float, model: Quadratic) -> None:
        """Let the radius follow from how well the step kept its promise."""
        part = gain / promised if promised > 0 else 0.0
        self._part = part if step.is_free else math.inf
        if self.steps == 1:
            self.radius = min(self.radius, step.length) or self.radius
        if part < POOR:
            slope = float(model.right @ (model.triangle @ step.move))  # half of it
            shorter = 0.1 if not math.isfinite(gain) else 0.5 if gain >= 0 else 0.5 * slope / (slope + 0.5 * gain)
            self.radius = min(max(shorter, 0.1), 0.5) * min(self.radius, 10 * step.length)
        elif part > GOOD or step.is_free:
            self.radius = max(self.radius, 2 * step.length)

    def _ends(self, gain: float, promised: float, model: Quadratic) -> bool:
        """Whether a test of convergence holds."""
        still = STILL if self.blur == 0 else STILL_ROUNDED
        if self._value == 0:
            self.reason = "no error is left"
        elif abs(gain) <= still * abs(self._value) and promised <= still * abs(self._value):
            self.reason = "the loss stands still"
        elif self.radius <= SHORT * self._size:
            far = model.gain(model.step(np.inf, *self._room()).move)
            rounding = ROUNDING * math.sqrt(abs(self._value * self._begun))
            self.reason = "the weights stand still" if far <= FLAT * abs(self._value) + rounding else NO_STEP
        self.converged = bool(self.reason) and self.reason != NO_STEP
        return bool(self.reason)

    def _first_blur(self) -> float:
        return FIRST_BLUR * float(self._errors.abs().mean()) if self._squares.named.has_kink else 0.0

    def _next_blur(self) -> None:
        """Go on with a loss that is rounded off less, if it is one."""
        if self.blur == 0:
            return
        named = self._squares.named
        size = float(self._errors.abs().max() if named.is_whole else self._errors.abs().mean())
        if self.blur <= (LAST_BLUR_OF_LARGEST if named.is_whole else LAST_BLUR) * size:
            return
        self.blur *= LESS_BLUR
        self.reason, self.converged = "", False
        self._errors, self._factors = self._squares.errors(self.x)
        self._arrive()
        self.radius = max(self.radius, 1e-3 * self._size)

    def _look(self) -> None:
        """Score a point of many weights on validation."""
        if not self.is_scored:
            return
        score = self.problem.score(self.x)
        if score < self.score:
            self.best, self.score, self.idle = self.x, score, 0
        else:
            self.idle += 1
            if self.idle == IDLE:
                self.reason = "no gain on validation"

    @property
    def lowest_loss(self) -> float:
        """Its loss."""
        return self._value

    def state(self) -> dict[str, Any]:
        """Two points, the scale and the radius of steps, and counts."""
        return {
            "x": self.x,
            "best": self.best,
            "scale": torch.from_numpy(self.scale.copy()),
            "score": float(self.score),
            "radius": float(self.radius),
            "blur": float(self.blur),
            "part": float(self._part),
            "steps": self.steps,
            "idle": self.idle,
            "converged": self.converged,
            "reason": self.reason,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state whose numbers are numbers."""
        for name in ("x", "best"):
            check_point(state[name], self.x)
        check_point(state["scale"], torch.from_numpy(self.scale))
        for name in ("steps", "idle"):
            check_count(state[name])
        numbers = [state[name] for name in ("score", "part", "radius", "blur")]
        if any(type(number) is not float for number in numbers) or min(numbers[2:]) < 0:
            raise ValueError("no radius, or no score")
        if type(state["converged"]) is not bool or type(state["reason"]) is not str:
            raise ValueError("no reason")
        self.x, self.best, self.scale = state["x"], state["best"], state["scale"].numpy()
        self.score, self._part, self.radius, self.blur = numbers
        self.steps, self.idle = state["steps"], state["idle"]
        self.converged, self.reason = state["converged"], state["reason"]
        if self.squares is not None:
            self._errors, self._factors = self._squares.errors(self.x)
            self._arrive()
            self._size = self._measured()


def lengths(problem: Problem, x: Tensor) -> Array:
    """How far each weight is from zero, in the numbers of a point."""
    numbers = torch.cat([value.reshape(-1) for value in problem.space.values(x[None])])
    own = torch.arange(len(numbers)) < len(x)  # those that are tied to others follow
    found: Array = (numbers[own] / problem.space.chain(x, own.to(x.dtype))).detach().double().numpy()
    return np.where(np.isfinite(found), found, 1.0)
