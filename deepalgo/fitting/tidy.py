"""`tidy`: put back the weights whose move was of no use, so that what is left to read is what mattered."""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.fitting.train import Training

#: All that is put back may cost this part of the validation loss.
COST = 2e-4
#: With more weights than this, nobody reads them one by one.
MOST = 100


def tidy(training: Training, x: Tensor) -> Tensor:
    """The point with as many weights as possible where they began."""
    if len(training.space.weights) > MOST:
        return x
    allowed = training.score(x) * (1 + COST)
    ends = torch.tensor(training.space.sizes).cumsum(0).tolist()
    parts = [slice(end - size, end) for end, size in zip(ends, training.space.sizes, strict=True)]
    for part in sorted(parts, key=lambda part: training.score(_without(x, part))):
        if bool(x[part].any()) and training.score(_without(x, part)) <= allowed:
            x = _without(x, part)
    return x


def _without(x: Tensor, part: slice) -> Tensor:
    x = x.clone()
    x[part] = 0
    return x
