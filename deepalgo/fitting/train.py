"""`Training`: the steps from the initial weights to the best ones that validation has seen.

Several runs, each with a seed of its own, advance together. Everything that decides the next step is in `state()`, so a run that
was interrupted goes on as if it had not been.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.batches import Batches
from deepalgo.fitting.objective import Objective
from deepalgo.fitting.optimise import Optimiser, is_second_order, make, one_cycle
from deepalgo.fitting.resume import check_progress, check_run, rehearse
from deepalgo.fitting.samples import Samples, mix
from deepalgo.fitting.space import Space
from deepalgo.fitting.together import Together
from deepalgo.fitting.world import World

#: So many steps in a row without a finite loss and gradient end a run.
HOPELESS = 25
#: A validation loss so many times the heuristic's, so often in a row, ends a run, too.
DIVERGED, TOLERATED = 1e3, 10
#: No run is given up for lack of gain before this part of it: while the rate is high, losses go up and down.
PATIENT = 0.5
#: Samples times weights of all runs that one batch may hold.
MOST_TOGETHER = 5_000_000
#: How far from the initial weights the second and later runs start, relative to each weight.
SPREAD = 0.1


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train."""

    steps: int
    rate: float
    clip: float | None
    patience: int
    optimiser: Optimiser
    runs: int
    seed: int
    seconds: float | None
    share: float = 1.0  # the part of the seconds that steps may take; the rest is for polishing

    @property
    def every(self) -> int:
        """Steps between two looks at the validation samples."""
        return max(1, self.steps // 100)


@dataclass(slots=True, eq=False)
class Run:
    """One seed."""

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


class Training:
    """The runs of one network. `known` marks the validation samples on which the heuristic has a finite loss."""

    def __init__(
        self,
        space: Space,
        objective: Objective,
        batches: Batches,
        validation: Samples,
        known: Tensor,
        settings: Settings,
        world: World,
        start: Tensor | None = None,
    ) -> None:
        self.space = space
        self.objective = objective
        self.batches = batches
        self.validation = validation
        self.known = known
        self.settings = settings
        self.world = world
        self.progress = Progress()
        self.begun = time.monotonic()
        self.interrupted = False
        self.unit = 1.0  # losses are seen relative to where they begin
        self.together: Together | None = None
        origin = torch.zeros(len(space), dtype=space.net.dtype) if start is None else start
        self.floor = self.score(origin)
        self.unit = self.floor if 0 < self.floor < torch.inf else 1.0
        if start is None and len(space):
            space.measure(self.gradient(origin, batches.batch(0, 0))[1])
        self.last_loss = torch.nan
        self.runs = [self._begin(number, origin) for number in range(settings.runs)]
        if settings.runs > 1 and len(space) and not is_second_order(settings.optimiser):
            self.together = self._join()

    @property
    def best(self) -> Run:
        """The run with the lowest validation loss so far."""
        return min(self.runs, key=lambda run: run.best)

    def run(self, after_look: Callable[[Training], None] = lambda training: None) -> None:
        """All steps, or as many as are needed."""
        self.begun = time.monotonic() - self.progress.seconds
        try:
            while not self.is_over and len(self.space):
                self.advance()
                self.progress.seconds = self.elapsed()
                if self.progress.step % self.settings.every == 0 or self.is_over:
                    self.look()
                    after_look(self)
        except KeyboardInterrupt:
            self.interrupted = True

    def advance(self) -> None:
        """One step of every run."""
        runs = [run for run in self.runs if not run.ended]
        if is_second_order(self.settings.optimiser):
            losses = [self._guarded(run, self._closed_step) for run in runs]
        else:
            found = self.gradients([run.x for run in runs], [self.batches.batch(run.number, self.progress.step) for run in runs])
            losses = [self._guarded(run, functools.partial(self._plain_step, found=one)) for run, one in zip(runs, found, strict=True)]
        self.progress.step += 1
        self.last_loss = min(losses, default=torch.nan)

    def look(self) -> None:
        """See how the runs do on validation; keep what is best, and end what does not get better."""
        for run in self.runs:
            if run.ended:
                continue
            score = self.score(run.x)
            if score < run.best:
                run.best, run.best_x, run.stale = score, run.x.detach().clone(), 0
            elif self._part() > PATIENT:
                run.stale += 1
            run.high = run.high + 1 if not score <= DIVERGED * self.floor else 0
            if run.high >= TOLERATED:
                run.ended = "diverged"
            elif run.stale * self.settings.every >= self.settings.patience / 100 * self.settings.steps:
                run.ended = "no gain"
        self.progress.history.append((self.progress.step, self.last_loss * self.unit, self.best.best))

    def score(self, x: Tensor) -> float:
        """The mean validation loss of a point; infinite where a sample that the heuristic answers gets no answer."""
        self.space.put(x)
        losses = measure(self.objective, self.space.net, self.validation, self.world)[self.known]
        return losses.mean().item() if len(losses) and bool(losses.isfinite().all()) else torch.inf

    @functools.cached_property
    def answered(self) -> Tensor:
        """Which training samples have a finite loss with the initial weights."""
        self.space.put(torch.zeros(len(self.space), dtype=self.space.net.dtype))
        return measure(self.objective, self.space.net, self.batches.whole(), self.world).isfinite()

    def gradient(self, x: Tensor, batch: Samples) -> tuple[float, Tensor]:
        """The mean loss of a batch in units of the first one, and its gradient; samples without a finite loss take no part."""
        return self.gradients([x], [batch])[0]

    def gradients(self, points: list[Tensor], batches: list[Samples]) -> list[tuple[float, Tensor]]:
        """The same for several points, each with its batch."""
        shares = [self.world.share(batch) for batch in batches]
        if self.together is not None and len(points) > 1:
            totals, counts, found = self.together.gradients(torch.stack([x.detach() for x in points]), shares)
            numbers = torch.cat([found, totals[:, None], counts[:, None]], 1)
        else:
            numbers = torch.stack([self.alone(x, share) for x, share in zip(points, shares, strict=True)])
        numbers = self.world.add(numbers)
        numbers = numbers / (numbers[:, -1:] * self.unit)
        return [(row[-2].item(), row[:-2]) for row in numbers]

    def alone(self, x: Tensor, share: Samples) -> Tensor:
        """The gradient of the sum of losses of this process's samples, that sum, and their number."""
        self.space.put(x)
        total, count = self._backward(share)
        return torch.cat([self.space.take_gradient(), torch.tensor([total, count], dtype=x.dtype)])

    def _join(self) -> Together | None:
        """The runs as one batch, if that is possible, not too large, and right."""
        batches = [self.batches.batch(run.number, 0) for run in self.runs]
        if self.objective.whole or sum(map(len, batches)) * len(self.space) > MOST_TOGETHER:
            return None
        points = [run.x for run in self.runs]
        together = Together(self.space, self.objective)
        losses, gradients = zip(*self.gradients(points, batches), strict=True)
        wanted = torch.tensor(losses, dtype=points[0].dtype) * self.unit, torch.stack(gradients) * self.unit
        return together if together.repeats(torch.stack([x.detach() for x in points]), batches, *wanted) else None

    def _backward(self, samples: Samples) -> tuple[float, int]:
        """Add up the losses of this process's samples, backward too; their sum and their number."""
        if len(samples) == 0:
            return 0.0, 0
        losses = self.objective.losses(self.space.net, samples)
        finite = losses.detach().isfinite()
        if not bool(finite.all()) and not self.objective.whole:
            return self._backward(samples.pick(finite))
        total = losses.sum() * (len(samples) if self.objective.whole else 1)
        if total.requires_grad:
            total.backward()  # type: ignore[no-untyped-call]  # torch
        return total.item(), len(samples)

    def _begin(self, number: int, origin: Tensor) -> Run:
        x = origin.clone()
        if number:
            x += SPREAD * torch.randn(len(x), dtype=x.dtype, generator=torch.Generator().manual_seed(mix(self.settings.seed, number)))
        x.requires_grad_()
        optimiser = make(self.settings.optimiser, x, self.settings.rate) if len(x) else torch.optim.SGD([x])
        return Run(number, x, optimiser, self.floor, origin.clone())

    @property
    def is_over(self) -> bool:
        """Whether all steps were taken, or as many as are of use."""
        limit = self.settings.seconds
        late = limit is not None and self.progress.seconds >= self.settings.share * limit
        return late or self.progress.step >= self.settings.steps or all(run.ended for run in self.runs)

    @property
    def is_late(self) -> bool:
        """Whether all the time is over, polishing included."""
        return self.settings.seconds is not None and self.elapsed() >= self.settings.seconds

    def elapsed(self) -> float:
        """Seconds since the start; where they are limited, those of the slowest process, as all have to stop together."""
        mine = time.monotonic() - self.begun
        return mine if self.settings.seconds is None else self.world.most(mine)

    def _guarded(self, run: Run, step: Callable[[Run], float]) -> float:
        """Take a step, and take it back if it leads to no number."""
        before = run.x.detach().clone()
        loss = step(run)
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

    def _plain_step(self, run: Run, found: tuple[float, Tensor]) -> float:
        loss, gradient = found
        if not bool(gradient.isfinite().all()):
            return torch.nan
        for group in run.optimiser.param_groups:
            group["lr"] = self.settings.rate * one_cycle(self._part())
        run.x.grad = clipped(gradient, self.settings.clip)
        run.optimiser.step()
        return loss

    def _closed_step(self, run: Run) -> float:
        batch = self.batches.whole()
        found: list[float] = []

        def closure() -> float:
            loss, run.x.grad = self.gradient(run.x, batch)
            found.append(loss)
            return loss

        run.optimiser.step(closure)
        return found[0]

    def _part(self) -> float:
        part, limit = self.progress.step / self.settings.steps, self.settings.seconds
        return part if limit is None else min(1.0, max(part, self.progress.seconds / (self.settings.share * limit)))

    def state(self) -> dict[str, Any]:
        """Everything that decides how it goes on, as tensors and plain values."""
        runs = [
            {
                "x": run.x.detach().clone(),
                "optimiser": run.optimiser.state_dict(),
                "best": run.best,
                "best_x": run.best_x,
                "stale": run.stale,
                "in_a_row": run.in_a_row,
                "high": run.high,
                "ended": run.ended,
            }
            for run in self.runs
        ]
        progress = self.progress
        return {
            "runs": runs,
            "step": progress.step,
            "skipped": progress.skipped,
            "seconds": progress.seconds,
            "history": [list(row) for row in progress.history],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go back to a state; one of UNFIT for a state that is none of this training."""
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


def measure(objective: Objective, net: Any, samples: Samples, world: World) -> Tensor:
    """The loss of every sample, computed by all processes together."""
    if objective.whole or world.size == 1:
        return objective.measure(net, samples)
    return world.collect(objective.measure(net, world.share(samples)), len(samples))


def clipped(gradient: Tensor, most: float | None) -> Tensor:
    """A gradient that is no longer than `most`."""
    norm = gradient.norm()
    return gradient if most is None or norm <= most else gradient * (most / norm)
