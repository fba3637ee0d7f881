"""`GradientSteps`: steps of an optimiser of torch, Adam unless another is asked for, each on a batch of the samples.

Several runs, each with a seed of its own, advance together. Every hundredth of the steps they are scored on validation: the best point of
each run is kept, and a run that diverges or does not get better ends.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.data.samples import Samples, mix
from deepalgo.fitting.search.check_state import check_progress, check_run, rehearse
from deepalgo.fitting.search.optimiser import Optimiser, is_second_order, make, one_cycle
from deepalgo.fitting.search.problem import Problem, unit_of
from deepalgo.fitting.search.search import Search
from deepalgo.fitting.search.side_by_side import SideBySide

#: So many steps in a row without a finite loss and gradient end a run.
HOPELESS = 25
#: A validation loss so many times the heuristic's, so often in a row, ends a run, too.
DIVERGED, TOLERATED = 1e3, 10
#: No run is given up for lack of gain before this part of it: while the rate is high, losses go up and down.
PATIENT = 0.5
#: Samples times weights of all runs that one batch may hold.
MOST_SIDE_BY_SIDE = 5_000_000
#: How far from the initial weights the second and later runs start, relative to each weight.
SPREAD = 0.1


@dataclass(frozen=True, slots=True)
class StepSettings:
    """How to take steps: how many, by which optimiser, in how many runs, and until how many seconds of the fit have passed."""

    steps: int
    rate: float = 0.01
    clip: float | None = 10.0
    patience: int = 20
    optimiser: Optimiser = "adam"
    runs: int = 1
    seed: int = 0
    until: float | None = None

    @property
    def every(self) -> int:
        """Steps between two looks at the validation samples."""
        return max(1, self.steps // 100)


@dataclass(slots=True, eq=False)
class SeededRun:
    """The point of one seed, its optimiser, and the best that it has seen."""

    number: int
    x: Tensor
    optimiser: torch.optim.Optimizer
    best: float
    best_x: Tensor
    stale: int = 0
    in_a_row: int = 0  # steps without a finite loss
    high: int = 0  # looks in a row at a loss far above the heuristic's
    ended: str = ""


@dataclass(slots=True)
class Progress:
    """What happened so far."""

    step: int = 0
    skipped: int = 0
    seconds: float = 0.0
    history: list[tuple[int, float, float]] = field(default_factory=list)  # step, training loss, validation loss of the best run


class GradientSteps(Search):
    """Steps of several runs from one point; the first run starts there, the others near it."""

    name = "gradient steps"

    def __init__(self, problem: Problem, settings: StepSettings) -> None:
        super().__init__(problem)
        self.settings = settings
        self.progress = Progress()
        self.runs: list[SeededRun] = []
        self.side_by_side: SideBySide | None = None
        self.floor = torch.inf
        self.unit = 1.0  # losses are seen relative to where they begin
        self.last_loss = torch.nan

    def start(self, x: Tensor) -> None:
        """Begin at a point, or near it."""
        self.floor = self.problem.score(x)
        self.unit = unit_of(self.floor)
        self.progress.seconds = self.problem.clock.elapsed()
        self.runs = [self._begin(number, x) for number in range(self.settings.runs)]
        if self.settings.runs > 1 and not is_second_order(self.settings.optimiser):
            self.side_by_side = self._join()

    def step(self) -> None:
        """One step of every run, and a look at the validation samples where one is due."""
        self._advance()
        self.progress.seconds = self.problem.clock.elapsed()
        if self.progress.step % self.settings.every == 0 or self.ended:
            self._look()

    @property
    def ended(self) -> str:
        """Whether all steps were taken, or as many as are of use."""
        if self.settings.until is not None and self.progress.seconds >= self.settings.until:
            return "the time is over"
        if self.progress.step >= self.settings.steps:
            return "all steps were taken"
        return "every run ended" if all(run.ended for run in self.runs) else ""

    @property
    def best(self) -> SeededRun:
        """The run with the lowest validation loss so far."""
        return min(self.runs, key=lambda run: run.best)

    @property
    def found(self) -> Tensor:
        """The point with the lowest validation loss."""
        return self.best.best_x

    def gradients(self, points: list[Tensor], batches: list[Samples]) -> list[tuple[float, Tensor]]:
        """The mean losses of several points, each on its batch, in units of the first loss, and their gradients."""
        shares = [self.problem.share(batch) for batch in batches]
        if self.side_by_side is not None and len(points) > 1:
            totals, counts, found = self.side_by_side.gradients(torch.stack([x.detach() for x in points]), shares)
            sums = torch.cat([found, totals[:, None], counts[:, None]], 1)
        else:
            sums = torch.stack([self.problem.sums(x, share) for x, share in zip(points, shares, strict=True)])
        return self.problem.expected(points, self.problem.means(sums, self.unit), self.unit)

    def _begin(self, number: int, origin: Tensor) -> SeededRun:
        x = origin.clone()
        if number:
            x += SPREAD * torch.randn(len(x), dtype=x.dtype, generator=torch.Generator().manual_seed(mix(self.settings.seed, number)))
        x.requires_grad_()
        return SeededRun(number, x, make(self.settings.optimiser, x, self.settings.rate), self.floor, origin.clone())

    def _join(self) -> SideBySide | None:
        """The runs as one batch, if that is possible, not too large, and right."""
        batches = [self.problem.batches.batch(run.number, 0) for run in self.runs]
        if self.problem.objective.whole or sum(map(len, batches)) * len(self.problem.space) > MOST_SIDE_BY_SIDE:
            return None
        points = [run.x for run in self.runs]
        side_by_side = SideBySide(self.problem.space, self.problem.objective)
        losses, gradients = zip(*self.gradients(points, batches), strict=True)
        wanted = torch.tensor(losses, dtype=points[0].dtype) * self.unit, torch.stack(gradients) * self.unit
        return side_by_side if side_by_side.repeats(torch.stack([x.detach() for x in points]), batches, *wanted) else None

    def _advance(self) -> None:
        """One step of every run."""
        runs = [run for run in self.runs if not run.ended]
        if is_second_order(self.settings.optimiser):
            losses = [self._guarded(run, self._closed_step) for run in runs]
        else:
            whole = self.problem.objective.whole
            batches = [
                self.problem.batches.whole() if whole else self.problem.batches.batch(run.number, self.progress.step) for run in runs
            ]
            found = self.gradients([run.x for run in runs], batches)
            losses = [self._guarded(run, functools.partial(self._plain_step, found=one)) for run, one in zip(runs, found, strict=True)]
        self.progress.step += 1
        self.last_loss = min(losses, default=torch.nan)

    def _look(self) -> None:
        """See how the runs do on validation; keep what is best, and end what does not get better."""
        for run in self.runs:
            if run.ended:
                continue
            score = self.problem.score(run.x)
            if score < run.best:
                run.best, run.best_x, run.stale = score, run.x.detach().clone(), 0
            elif self._part() > PATIENT:
                run.stale += 1
            run.high = run.high + 1 if not score <= self.floor + DIVERGED * abs(self.floor) else 0
            if run.high >= TOLERATED:
                run.ended = "diverged"
            elif run.stale * self.settings.every >= self.settings.patience / 100 * self.settings.steps:
                run.ended = "no gain"
        self.progress.history.append((self.progress.step, self.last_loss * self.unit, self.best.best))

    def _guarded(self, run: SeededRun, step: Callable[[SeededRun], float]) -> float:
        """Take a step, and take it back if it leads to no number."""
        before = run.x.detach().clone()
        loss = step(run)
        with torch.no_grad():
            run.x.copy_(self.problem.space.within(run.x))
        if math.isfinite(loss) and bool(run.x.detach().isfinite().all()):
            run.in_a_row = 0
            return loss
        with torch.no_grad():
            run.x.copy_(before)
        self.progress.skipped += 1
        run.in_a_row += 1
        if run.in_a_row >= HOPELESS:
            run.ended = "diverged"
        return torch.inf

    def _plain_step(self, run: SeededRun, found: tuple[float, Tensor]) -> float:
        loss, gradient = found
        if not bool(gradient.isfinite().all()):
            return torch.nan
        for group in run.optimiser.param_groups:
            group["lr"] = self.settings.rate * one_cycle(self._part())
        run.x.grad = clipped(gradient, self.settings.clip)
        run.optimiser.step()
        return loss

    def _closed_step(self, run: SeededRun) -> float:
        batch = self.problem.batches.whole()
        found: list[float] = []

        def closure() -> float:
            loss, run.x.grad = self.gradients([run.x], [batch])[0]
            found.append(loss)
            return loss

        run.optimiser.step(closure)
        return found[0]

    def _part(self) -> float:
        """The part of the steps, or of the time, that is over."""
        part, until = self.progress.step / self.settings.steps, self.settings.until
        return part if until is None else min(1.0, max(part, self.progress.seconds / until))

    @property
    def lowest_loss(self) -> float:
        """Its loss."""
        return self.best.best

    def state(self) -> dict[str, Any]:
        """Points, optimisers and counts."""
        return {
            "runs": [_kept(run) for run in self.runs],
            "step": self.progress.step,
            "skipped": self.progress.skipped,
            "seconds": self.progress.seconds,
            "history": [list(row) for row in self.progress.history],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state in which every optimiser can take a step."""
        for run, kept in zip(self.runs, state["runs"], strict=True):
            check_run(run, kept)
            rehearse(run.optimiser, kept["optimiser"])
            with torch.no_grad():
                run.x.copy_(kept["x"])
            run.optimiser.load_state_dict(kept["optimiser"])
            run.best, run.best_x, run.stale = kept["best"], kept["best_x"], kept["stale"]
            run.in_a_row, run.high, run.ended = kept["in_a_row"], kept["high"], kept["ended"]
        check_progress(state)
        history = [(row[0], row[1], row[2]) for row in state["history"]]
        self.progress = Progress(state["step"], state["skipped"], state["seconds"], history)


def _kept(run: SeededRun) -> dict[str, Any]:
    return {
        "x": run.x.detach().clone(),
        "optimiser": run.optimiser.state_dict(),
        "best": run.best,
        "best_x": run.best_x,
        "stale": run.stale,
        "in_a_row": run.in_a_row,
        "high": run.high,
        "ended": run.ended,
    }


def clipped(gradient: Tensor, most: float | None) -> Tensor:
    """A gradient that is no longer than `most`."""
    norm = gradient.norm()
    return gradient if most is None or norm <= most else gradient * (most / norm)
