"""How a weight depends on a number of a search: on a linear, a logarithmic, or a positive scale.

>>> start, size = torch.tensor(2.0), torch.tensor(2.0)
>>> [round(scale.weight(start, size, torch.tensor(0.5)).item(), 3) for scale in Scale]
[3.0, 3.297, 3.236]
>>> [scale.number(start, size, scale.weight(start, size, torch.tensor(-0.5))).item() for scale in Scale]
[-0.5, -0.5, -0.5]
"""

from __future__ import annotations

import enum

import torch
from torch import Tensor


class Scale(enum.StrEnum):
    """`linear`: start + size x. `log`: start exp(x). `positive`: between the two, linear where it has grown; neither leaves its sign."""

    LINEAR = "linear"
    LOG = "log"
    POSITIVE = "positive"

    def weight(self, start: Tensor, size: Tensor, x: Tensor) -> Tensor:
        """The weight at a number of a search."""
        if self is Scale.LINEAR:
            return start + size * x
        part = size / start.abs() * x
        return start * (part.exp() if self is Scale.LOG else _opened(part))

    def slope(self, start: Tensor, size: Tensor, x: Tensor) -> Tensor:
        """The derivative of the weight by that number."""
        if self is Scale.LINEAR:
            return size.expand_as(x)
        part = size / start.abs() * x
        return start.sign() * size * (part.exp() if self is Scale.LOG else _opened(part) / (1 + part * part).sqrt())

    def number(self, start: Tensor, size: Tensor, weight: Tensor) -> Tensor:
        """The number of a weight; the last one on its side where the scale does not reach the weight."""
        if self is Scale.LINEAR:
            return (weight - start) / size
        ratio = (weight / start).clamp(min=0)
        part = ratio.log() if self is Scale.LOG else (ratio - 1 / ratio) / 2
        return part * start.abs() / size


def _opened(x: Tensor) -> Tensor:
    """`x + sqrt(1 + x^2)`, in full precision below zero, too."""
    return torch.where(x < 0, 1 / ((1 + x * x).sqrt() - x), x + (1 + x * x).sqrt())
