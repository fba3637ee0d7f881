"""The error function's inverses, the normal distribution, and the logistic function.

>>> ndtr(torch.tensor([-10.0], dtype=torch.float64))
tensor([7.6199e-24], dtype=torch.float64)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.endpoints import without_zero
from deepalgo.ops.forms.smooth import smooth

ROOT_PI = math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2 * math.pi)


@smooth(lambda x, y: _bell_inverse(y) * (ROOT_PI / 2))
def erfinv(x: Tensor) -> Tensor:
    """The number whose erf is x; SciPy's zero has no sign."""
    return torch.erfinv(x) + 0.0


@smooth(lambda x, y: _bell_inverse(y) * (-ROOT_PI / 2))
def erfcinv(x: Tensor) -> Tensor:
    """The number whose erfc is x: Newton's method on log(erfc), which is nearly a parabola; beyond 1 there is a mirror image."""
    folded = torch.where(x > 1, 2 - x, x)
    log = torch.log(folded.clamp(5e-324, 0.5))
    y = torch.sqrt(-log - 0.5 * torch.log(-log * math.pi).clamp(min=0))
    for _ in range(5):
        scaled = torch.special.erfcx(y)
        y = y + (torch.log(scaled) - y * y - log) * scaled * (ROOT_PI / 2)
    y = torch.where(folded > 0.5, torch.erfinv(1 - folded), y)
    y = torch.where(folded / 2 == 0, torch.inf, y)  # SciPy halves it first
    return torch.where((x >= 0) & (x <= 2), torch.where(x >= 1, -y, y), torch.nan)


@smooth(lambda x, y: 2 * x * erfcx(x) - 2 / ROOT_PI)
def erfcx(x: Tensor) -> Tensor:
    """`exp(x*x) * erfc(x)`."""
    value: Tensor = torch.special.erfcx(x)
    return value


@smooth(lambda x, y: torch.exp(-x * x / 2) / ROOT_TWO_PI)
def ndtr(x: Tensor) -> Tensor:
    """The probability that a standard normal number is below x."""
    return torch.erfc(-x * math.sqrt(0.5)) / 2


@smooth(lambda x, y: _hazard(x))
def log_ndtr(x: Tensor) -> Tensor:
    """The logarithm of `ndtr(x)`."""
    value: Tensor = torch.special.log_ndtr(x)
    return value


@smooth(lambda x, y: _bell_inverse(y * math.sqrt(0.5)) * ROOT_TWO_PI)
def ndtri(x: Tensor) -> Tensor:
    """The number whose `ndtr` is x."""
    value: Tensor = torch.special.ndtri(x)
    return value


@smooth(lambda x, y: torch.sigmoid(x) * torch.sigmoid(-x))
def expit(x: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return torch.sigmoid(x)


@smooth(lambda a, b, y: torch.sigmoid(_gap(a, b)), lambda a, b, y: torch.sigmoid(_gap(b, a)))
def logaddexp(a: Tensor, b: Tensor) -> Tensor:
    """`log(exp(a) + exp(b))`."""
    return torch.logaddexp(a, b)


def _gap(a: Tensor, b: Tensor) -> Tensor:
    """`a - b`, 0 for equal infinities."""
    return torch.where(a == b, 0, a - b)


@smooth(lambda x, y: 1 / without_zero(x * (1 - x)))
def logit(x: Tensor) -> Tensor:
    """`log(x / (1 - x))`, about 1/2 without the cancellation."""
    s = 2 * (x - 0.5)
    return torch.where(torch.abs(s) < 0.4, torch.log1p(s) - torch.log1p(-s), torch.log(x / (1 - x)))


@smooth(lambda x, y, z: torch.log(y.masked_fill(y <= 0, 1)), lambda x, y, z: x / without_zero(y))
def xlogy(x: Tensor, y: Tensor) -> Tensor:
    """`x * log(y)`, 0 where x is 0."""
    return torch.xlogy(x, y)


def _bell_inverse(y: Tensor) -> Tensor:
    """`exp(y*y)`, 0 where y is infinite."""
    endless = torch.isinf(y)
    return torch.exp(y.masked_fill(endless, 0).square()).masked_fill(endless, 0)


def _hazard(x: Tensor) -> Tensor:
    """The normal density divided by the distribution; below 0 both are small, so their ratio is taken from `erfcx`."""
    low = math.sqrt(2 / math.pi) / erfcx(-x.clamp(max=0) * math.sqrt(0.5))
    high = torch.exp(-x * x / 2) / ROOT_TWO_PI / ndtr(x.clamp(min=0))
    return torch.where(x < 0, low, high)
