"""`Problem`: the losses of a point, its gradient, and what it is worth, for every search to ask.

A point is a vector of the space of weights; the origin stands for the weights that training begins with.
"""

from __future__ import annotations

import functools
import math
import time
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from deepalgo.fitting.data.batches import Batches
from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.objective import Objective, measure
from deepalgo.fitting.processes import Processes
from deepalgo.fitting.search.prior import Likelihood, Prior
from deepalgo.fitting.search.space import Space
from deepalgo.ir import Role

if TYPE_CHECKING:
    from deepalgo.fitting.search.least_squares import LeastSquares

#: With few weights, and so many training samples for each of them, no weight can adapt to single samples.
FEW_WEIGHTS, MANY_SAMPLES = 30, 20


class Clock:
    """The seconds that a fit has taken; where they are limited, those of the slowest process, as all have to stop together."""

    def __init__(self, limit: float | None, processes: Processes) -> None:
        self.limit = limit
        self.processes = processes
        self.begun: float | None = None

    def start(self, elapsed: float = 0.0) -> None:
        """Begin to count; a fit that is resumed has taken some seconds before."""
        self.begun = time.monotonic() - elapsed

    def elapsed(self) -> float:
        """Seconds since the start, 0 before."""
        if self.begun is None:
            return 0.0
        mine = time.monotonic() - self.begun
        return mine if self.limit is None else self.processes.most(mine)

    @property
    def is_late(self) -> bool:
        """Whether all the time is over."""
        return self.limit is not None and self.elapsed() >= self.limit


class Problem:
    """One network to be trained.

    `known` marks the validation samples on which the heuristic has a finite loss; `is_seen` says that they are training samples.
    """

    def __init__(
        self,
        space: Space,
        objective: Objective,
        batches: Batches,
        validation: Samples,
        known: Tensor,
        processes: Processes,
        seconds: float | None = None,
        is_seen: bool = False,
    ) -> None:
        self.is_seen = is_seen
        self.space = space
        self.objective = objective
        self.batches = batches
        self.validation = validation
        self.known = known
        self.processes = processes
        self.clock = Clock(seconds, processes)
        self.prior = Prior(space, _likelihood(objective))
        self.count = len(batches.whole()) if self.prior.is_given else 1
        self.squares: tuple[Tensor, LeastSquares | None] | None = None  # of the point that was asked for last
        self._counts: dict[int, int] = {}  # of samples with an answer, by the identity of a set
        self.unit = 1.0  # losses are seen relative to where they begin
        self.floor = self.score(self.origin)
        self.unit = unit_of(self.floor)
        if any(bool((start == 0).any()) for start in space.starts):
            space.measure(self.gradient(self.origin, batches.batch(0, 0))[1])

    @property
    def origin(self) -> Tensor:
        """The point of the initial weights."""
        return torch.zeros(len(self.space), dtype=self.space.net.dtype)

    def score(self, x: Tensor) -> float:
        """The mean validation loss of a point; infinite where a sample that the heuristic answers gets no answer."""
        self.space.put(x)
        if self.objective.whole and self.validation.times is None:
            return self.prior.loss(x, self._of_set(self.validation), self.count)
        losses = measure(self.objective, self.space.net, self.validation, self.processes)[self.known]
        return self.prior.loss(x, losses.mean().item(), self.count) if len(losses) and bool(losses.isfinite().all()) else torch.inf

    @functools.cached_property
    def answered(self) -> Tensor:
        """Which training samples have a finite loss with the initial weights."""
        self.space.put(self.origin)
        return measure(self.objective, self.space.net, self.batches.whole(), self.processes).isfinite()

    def training_loss(self, x: Tensor) -> float:
        """The mean loss of the training samples that the initial weights answer; infinite where one of them gets no answer."""
        self.space.put(x)
        if self.objective.whole and self.batches.whole().times is None:
            return self.prior.loss(x, self._of_set(self.batches.whole()), self.count)
        losses = measure(self.objective, self.space.net, self.batches.whole(), self.processes)[self.answered]
        return self.prior.loss(x, losses.mean().item(), self.count) if bool(losses.isfinite().all()) else torch.inf

    def _of_set(self, samples: Samples) -> float:
        """The loss of a whole set; infinite where fewer samples have an answer than at first."""
        loss, answered = self.objective.of_set(self.space.net, samples)
        return loss if answered >= self._counts.setdefault(id(samples), answered) and math.isfinite(loss) else torch.inf

    def worth(self, x: Tensor) -> float:
        """The validation loss of a point; of few weights, which cannot adapt to single samples, the loss of training samples, too.

        A threshold can: it moves between two samples to put one of them on the better side.
        """
        loss = self.score(x)
        adapts = any(weight.role is Role.THRESHOLD for weight in self.space.weights)
        if adapts or len(x) > FEW_WEIGHTS or len(self.answered) < MANY_SAMPLES * len(x):
            return loss
        seen, held = int(self.answered.sum()), int(self.known.sum())
        return (seen * self.training_loss(x) + held * loss) / (seen + held)

    def gradient(self, x: Tensor, batch: Samples) -> tuple[float, Tensor]:
        """The mean loss of a batch in units of the first one, and its gradient; samples without a finite loss take no part."""
        return self.expected([x], self.means(self.sums(x, self.share(batch))[None], self.unit), self.unit)[0]

    def expected(self, points: list[Tensor], found: list[tuple[float, Tensor]], unit: float) -> list[tuple[float, Tensor]]:
        """Mean losses in a unit and their gradients, with what the priors expect of the points."""
        if not self.prior.is_given:
            return found
        return [
            (self.prior.loss(x, loss * unit, self.count) / unit, self.prior.gradient(x, loss * unit, unit * gradient, self.count) / unit)
            for x, (loss, gradient) in zip(points, found, strict=True)
        ]

    def share(self, batch: Samples) -> Samples:
        """This process's part of a batch; a loss of a whole set needs all of it."""
        return batch if self.objective.whole else self.processes.share(batch)

    def means(self, sums: Tensor, unit: float) -> list[tuple[float, Tensor]]:
        """Mean losses in a unit, and their gradients, from the sums of each process."""
        sums = self.processes.add(sums)
        sums = sums / (sums[:, -1:] * unit)
        return [(row[-2].item(), row[:-2]) for row in sums]

    def sums(self, x: Tensor, share: Samples) -> Tensor:
        """The gradient of the sum of losses of this process's samples, that sum, and their number."""
        self.space.put(x)
        total, count = self._backward(share)
        return torch.cat([self.space.take_gradient(), torch.tensor([total, count], dtype=x.dtype)])

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


def _likelihood(objective: Objective) -> Likelihood:
    """How the loss tells the likelihood of the data."""
    if objective.is_squares:
        return Likelihood.SQUARES
    return Likelihood.ABSOLUTE if objective.loss == "absolute" else Likelihood.OWN


def unit_of(loss: float) -> float:
    """The unit in which a search that begins with this loss sees losses."""
    return abs(loss) if 0 < abs(loss) < torch.inf else 1.0
