"""`Course`: the searches of a plan, run one after another on a problem, and what they found so far."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.report.table import count
from deepalgo.fitting.search.check_state import check_seconds
from deepalgo.fitting.search.gradient_steps import GradientSteps, Progress, StepSettings
from deepalgo.fitting.search.least_squares import LeastSquares
from deepalgo.fitting.search.levenberg_marquardt import LevenbergMarquardt
from deepalgo.fitting.search.other_starts import OtherStarts
from deepalgo.fitting.search.plan import PLAN, PlannedSearch, Start
from deepalgo.fitting.search.problem import Problem
from deepalgo.fitting.search.search import Search


@dataclass(frozen=True, slots=True)
class Status:
    """How a fit ended: whether it `converged`, the test that said so or what else ended it, and the `steps` of all searches.

    >>> print(Status(True, "the loss stands still", 12))
    converged after 12 steps: the loss stands still
    """

    converged: bool
    reason: str
    steps: int

    def __str__(self) -> str:
        return f"{'converged' if self.converged else 'not converged'} after {count(self.steps, 'step')}: {self.reason}"


class Course:
    """The run of a plan. `settings` are those of the gradient steps; `polished` says whether other searches follow them.

    A course that is restored goes through the plan again, each search with the state that it had, so that it ends with the same bits.
    """

    def __init__(self, problem: Problem, settings: StepSettings, polished: bool, plan: tuple[PlannedSearch, ...] = PLAN) -> None:
        self.problem = problem
        self.settings = settings
        self.polished = polished
        self.plan = plan
        self.searches: list[Search] = []  # those that have run, and the one that runs
        self.best = self.last = problem.origin
        self.moved: dict[str, bool] = {}  # by the name of a search, whether the last one of the kind left its start
        self.interrupted = False
        self.place = 0  # in the plan
        self.is_running = False
        self.begun = problem.origin  # where the search that runs started
        self.seconds = 0.0  # that an earlier part of the course took
        self._worth: float | None = None  # of the best point, where it is known

    @functools.cached_property
    def has_squares(self) -> bool:
        """Whether the loss has a name, and derivatives can be had for every sample."""
        return LeastSquares.applies(self.problem) and LeastSquares.at(self.problem, self.problem.origin) is not None

    @property
    def is_settled(self) -> bool:
        """Whether least squares ended where nothing more is to be done, before any other search."""
        return any(search.is_settled for search in self.searches[:2] if isinstance(search, (LevenbergMarquardt, OtherStarts)))

    @property
    def status(self) -> Status:
        """Whether the weights converged, and what says so."""
        ends = [search for search in self.searches if isinstance(search, (LevenbergMarquardt, OtherStarts, GradientSteps))]
        if self.interrupted:
            return Status(False, "interrupted", self.steps_taken)
        settled = [search for search in ends if isinstance(search, (LevenbergMarquardt, OtherStarts)) and search.converged]
        if settled:
            return Status(True, settled[-1].ended, self.steps_taken)
        return Status(False, ends[-1].ended if ends else "no step was taken", self.steps_taken)

    @property
    def steps_taken(self) -> int:
        """Steps of all searches that walk."""
        walks = sum(search.steps for search in self.searches if isinstance(search, (LevenbergMarquardt, OtherStarts)))
        return walks + sum(search.progress.step for search in self.searches if isinstance(search, GradientSteps))

    @property
    def steps(self) -> GradientSteps | None:
        """The first gradient steps, once they have begun."""
        return next((search for search in self.searches if isinstance(search, GradientSteps)), None)

    @property
    def progress(self) -> Progress:
        """How far the gradient steps are."""
        return self.steps.progress if self.steps is not None else Progress()

    def run(self, after_step: Callable[[Course], None] = lambda course: None) -> None:
        """Run what is left of the plan. Ctrl-C ends it with the best point so far."""
        self.problem.clock.start(self.seconds)
        try:
            while self.is_running or self._begin():
                search = self.searches[-1]
                while not search.ended:
                    search.step()
                    after_step(self)
                self._finish()
        except KeyboardInterrupt:
            self.interrupted = True
            if self.is_running:
                self._take(self.searches[-1].found)

    def _begin(self) -> bool:
        """Start the next search whose conditions hold; False if none is left."""
        while self.place < len(self.plan) and not (self.searches and self.problem.clock.is_late):
            entry = self.plan[self.place]
            if all(holds(self) for holds in entry.when):
                self.begun = {Start.INITIAL: self.problem.origin, Start.BEST: self.best, Start.LAST: self.last}[entry.start]
                search = entry.make(self)
                search.start(self.begun)
                self.searches.append(search)
                self.is_running = True
                return True
            self.place += 1
        return False

    def _finish(self) -> None:
        """Take what the search that runs has found."""
        entry, search = self.plan[self.place], self.searches[-1]
        self.last = search.found
        self.moved[search.name] = not torch.equal(self.last, self.begun)
        if entry.always:
            self.best, self._worth = self.last, None
        elif not torch.equal(self.last, self.best):
            self._take(self.last)
        self.is_running = False
        self.place += 1

    def _take(self, x: Tensor) -> None:
        """Let a point be the best one if it is worth at least as much."""
        if self._worth is None:
            self._worth = self.problem.worth(self.best)
        worth = self.problem.worth(x)
        if worth <= self._worth:
            self.best, self._worth = x, worth

    def state(self) -> dict[str, Any]:
        """The state of every search so far, and the seconds that they took."""
        return {"searches": [search.state() for search in self.searches], "seconds": self.problem.clock.elapsed()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go through the plan to where a state was kept; one of UNFIT for a state that is none of this course."""
        check_seconds(state["seconds"])
        self.seconds = state["seconds"]
        for kept in state["searches"]:
            if self.is_running or not self._begin():
                raise ValueError("more searches than the plan has")
            self.searches[-1].restore(kept)
            if self.searches[-1].ended:
                self._finish()
