"""Where the samples of a step come from: the data in a random order, epoch by epoch, or a function that draws fresh ones.

>>> batches = Epochs(Samples([torch.arange(5.0)], None), size=2, seed=0)
>>> sorted(torch.cat([batches.batch(0, step).leaves[0] for step in range(3)]).tolist())
[0.0, 1.0, 2.0, 3.0, 4.0]
"""

from __future__ import annotations

from typing import Protocol

import torch

from deepalgo.fitting.data.samples import Draw, Samples, mix

#: The streams of a drawing function: validation and test samples are drawn once, training samples at each step.
VALIDATION, TEST, TRAINING = 0, 1, 2


class Batches(Protocol):
    """What a run trains on; `size` samples take part in a step."""

    size: int

    def batch(self, run: int, step: int) -> Samples:
        """The samples of a step of one of several runs; the same numbers always give the same samples."""

    def whole(self) -> Samples:
        """Samples for a method that wants them all at once."""


class Epochs:
    """Mini-batches of data that are there."""

    def __init__(self, samples: Samples, size: int, seed: int) -> None:
        self.samples = samples
        self.size = min(size, len(samples))
        self.seed = seed
        self.orders: dict[int, tuple[int, torch.Tensor]] = {}

    def batch(self, run: int, step: int) -> Samples:
        """All samples once in every epoch."""
        if self.size == len(self.samples):
            return self.samples
        epoch, number = divmod(step, -(-len(self.samples) // self.size))
        if self.orders.get(run, (-1,))[0] != epoch:
            generator = torch.Generator().manual_seed(mix(self.seed, run, epoch))
            self.orders[run] = (epoch, torch.randperm(len(self.samples), generator=generator))
        return self.samples.pick(self.orders[run][1][number * self.size : (number + 1) * self.size])

    def whole(self) -> Samples:
        """The data."""
        return self.samples


class DrawnBatches:
    """Samples that are drawn for each step."""

    def __init__(self, draw: Draw, size: int, most: int) -> None:
        self.draw = draw
        self.size = size
        self.most = most
        self.drawn: Samples | None = None

    def batch(self, run: int, step: int) -> Samples:
        """A draw of its own."""
        return self.draw(self.size, TRAINING + run, step)

    def whole(self) -> Samples:
        """One large draw."""
        if self.drawn is None:
            self.drawn = self.draw(self.most, TRAINING, 2**32 - 1)
        return self.drawn
