"""`feel`: move weights that have no gradient, such as thresholds of hard guards, by trying.

A threshold only decides which samples go where: the loss is a staircase in it, flat everywhere. Steps of several sizes to both sides find
the lower stairs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.fitting.train import Training, measure

#: Sizes of steps, relative to a weight.
STEPS = (0.3, 0.1, 0.03, 0.01)
#: No more weights than this are tried, and no more steps of one size in a row.
MOST, ROW = 12, 8


def feel(training: Training, x: Tensor) -> Tensor:
    """The point with its idle weights where the training loss is lowest nearby."""
    _, gradient = training.gradient(x, training.batches.whole())
    idle = torch.nonzero(gradient == 0).squeeze(1).tolist()[:MOST]
    loss = training_loss(training, x)
    for place in idle:
        for step in STEPS:
            if not training.is_late:
                x, loss = _walk(training, x, loss, place, step)
    return x


def _walk(training: Training, x: Tensor, loss: float, place: int, step: float) -> tuple[Tensor, float]:
    """Steps of one size, to the side where it goes down."""
    for side in (step, -step):
        for _ in range(ROW):
            moved = x.clone()
            moved[place] += side
            found = training_loss(training, moved)
            if not found < loss:
                break
            x, loss = moved, found
    return x, loss


def training_loss(training: Training, x: Tensor) -> float:
    """The mean loss of the training samples that the initial weights answer; infinite where one of them gets no answer."""
    training.space.put(x)
    losses = measure(training.objective, training.space.net, training.batches.whole(), training.world)[training.answered]
    return losses.mean().item() if bool(losses.isfinite().all()) else torch.inf
