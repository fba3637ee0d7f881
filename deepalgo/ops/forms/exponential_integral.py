"""Exponential integrals, and sin(pi x) / (pi x).

>>> exp1(torch.tensor([1.0], dtype=torch.float64)), expi(torch.tensor([1.0], dtype=torch.float64))
(tensor([0.2194], dtype=torch.float64), tensor([1.8951], dtype=torch.float64))
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.endpoints import without_zero
from deepalgo.ops.forms.kernel import kernel
from deepalgo.ops.forms.smooth import smooth

EULER = 0.57721566490153286


@smooth(lambda x, y: -torch.exp(-x) / without_zero(x))
def exp1(x: Tensor) -> Tensor:
    """The integral of exp(-t) / t from x on; NaN below 0."""
    return torch.where(x < 0, torch.nan, -exponential_integral(-x.clamp(min=0)))


@smooth(lambda x, y: torch.exp(x) / without_zero(x))
def expi(x: Tensor) -> Tensor:
    """The integral of exp(t) / t up to x, as a principal value."""
    return exponential_integral(x)


@smooth(lambda x, y: _sinc_slope(x))
def sinc(x: Tensor) -> Tensor:
    """`sin(pi x) / (pi x)`."""
    return torch.sinc(x)


@kernel("exponential_integral", "Tensor x")
def exponential_integral(x: Tensor) -> Tensor:
    """Power series near 0, a continued fraction below and an asymptotic series above."""
    value = torch.full_like(x, torch.nan)
    low, high = x < -2, x > 40
    value[low] = -_fraction(-x[low])
    value[high] = _asymptotic(x[high])
    value[~low & ~high] = _series(x[~low & ~high])
    return value


def _series(x: Tensor) -> Tensor:
    total, term = torch.zeros_like(x), torch.ones_like(x)
    for place in range(1, 500):
        term = term * x / place
        total = total + term / place
        if not bool((torch.abs(term) > torch.abs(total) * place * 1e-17).any()):
            break
    return EULER + torch.log(torch.abs(x)) + total


def _fraction(x: Tensor) -> Tensor:
    """E1 for x > 2, from the far end of the fraction inwards."""
    tail = torch.zeros_like(x)
    for place in range(60, 0, -1):
        tail = place * place / (x + 2 * place + 1 - tail)
    return torch.exp(-x) / (x + 1 - tail)


def _asymptotic(x: Tensor) -> Tensor:
    total, term = torch.ones_like(x), torch.ones_like(x)
    for place in range(1, 41):
        term = term * place / x
        total = total + term
    return torch.where(x == torch.inf, x, torch.exp(x / 2) / x * total * torch.exp(x / 2))


def _sinc_slope(x: Tensor) -> Tensor:
    """(cos(pi x) - sinc(x)) / x, by its power series near 0."""
    t = math.pi * x
    near = torch.abs(t) < 0.5
    small, large = torch.where(near, t, 0).square(), torch.where(near, 1, t)
    series = torch.zeros_like(x)
    for place in range(9, 0, -1):
        series = (series + 2 * place * (-1) ** place / math.factorial(2 * place + 1)) * small
    series = series / torch.where(small == 0, 1, torch.where(near, t, 1))
    return math.pi * torch.where(near, series, (torch.cos(large) - torch.sin(large) / large) / large)
