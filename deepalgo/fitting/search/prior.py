"""`Prior`: what is expected of weights, each counted like one sample, in the loss that a search sees.

The noise of the data is not known. A mean square `f` of `N` samples has the likelihood `f^(-N/2)` at its best noise, and a weight that is
`d` widths away from what was expected of it `exp(-d^2/2)`: their product is largest where `f * exp(sum(d^2) / N)` is smallest. For a mean
absolute error the exponent is half of that; to a loss of the caller's own, taken for a negative log-likelihood, `sum(d^2) / 2N` is added.

>>> from deepalgo.compiler import compile
>>> from deepalgo.fitting.choice.plan import plan_weights
>>> from deepalgo.fitting.choice.weight_options import WeightOptions
>>> def line(x, k=2.0):
...     return k * x
>>> net = compile(line)
>>> space = Space(net, plan=plan_weights(net, WeightOptions(priors={"k": (3.0, 0.5)})))
>>> round(Prior(space, Likelihood.SQUARES).loss(space.lower.new_zeros(1), 1.0, 100), 6) == round(math.exp(4 / 100), 6)
True
"""

from __future__ import annotations

import enum
import math

import torch
from torch import Tensor

from deepalgo.fitting.search.space import Space


class Likelihood(enum.Enum):
    """How a loss tells the likelihood of data: a mean square, a mean absolute error, or by itself."""

    SQUARES = 2
    ABSOLUTE = 1
    OWN = 0


class Prior:
    """The priors of a space, beside a mean loss of so many samples."""

    def __init__(self, space: Space, kind: Likelihood) -> None:
        self.space = space
        self.kind = kind
        self.is_given = bool(space.plan.priors)

    def loss(self, x: Tensor, loss: float, count: int) -> float:
        """The loss of a point with what was expected of it."""
        if not self.is_given:
            return loss
        return loss + self._distance(x) / (2 * count) if self.kind is Likelihood.OWN else loss * self.growth(x, count)

    def growth(self, x: Tensor, count: int) -> float:
        """How many times as large the loss is for what was expected."""
        return math.exp(min(self.kind.value * self._distance(x) / (2 * count), 700.0))

    def _distance(self, x: Tensor) -> float:
        return self.space.deviations(x.detach()).square().sum().item()

    def gradient(self, x: Tensor, loss: float, gradient: Tensor, count: int) -> Tensor:
        """A direction of its gradient: that of the mean loss, and of what was expected."""
        if not self.is_given:
            return gradient
        x = x.detach()
        pull = self.space.deviation_slopes(x).T @ self.space.deviations(x) / count
        return gradient + (pull if self.kind is Likelihood.OWN else self.kind.value * loss * pull)

    def rows(self, x: Tensor, loss: float, count: int) -> Tensor:
        """Derivatives and residuals `(rows, n + 1)`, whose squares stand below those that add up to the loss, before it grows."""
        x, part = x.detach(), 1.0 if self.kind is Likelihood.OWN else self.kind.value * loss
        rows = torch.cat([self.space.deviation_slopes(x), self.space.deviations(x)[:, None]], 1)
        return math.sqrt(max(part, 0.0) / (2 * count)) * rows
