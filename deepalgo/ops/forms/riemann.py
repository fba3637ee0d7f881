"""Riemann's and Hurwitz' zeta function.

>>> zeta(torch.tensor([2.0, 0.5, -1.0], dtype=torch.float64))
tensor([ 1.6449, -1.4604, -0.0833], dtype=torch.float64)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand
from deepalgo.ops.forms.smooth import smooth

#: B(2k) / (2k)! of the Euler-Maclaurin formula.
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
             -3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000)
#: Terms of the series that are added one by one.
HEAD = 12


def zeta(x: Operand, q: Operand | None = None) -> Tensor:
    """The sum of (k + q)**-x over k = 0, 1, ...; without q that from 1 on, continued to x below 1."""
    return riemann(x) if q is None else hurwitz(x, q)


@smooth(lambda x, q, y: _slope_by_x(x, q), lambda x, q, y: _finite(-x * hurwitz(x + 1, q)))
def hurwitz(x: Tensor, q: Tensor) -> Tensor:
    """The sum of (k + q)**-x; NaN below 1."""
    value: Tensor = torch.special.zeta(x, q)
    return value


@smooth(lambda x, y: _riemann_slope(x))
def riemann(x: Tensor) -> Tensor:
    """The sum of k**-x from 1 on, continued to x below 1."""
    high = torch.special.zeta(x.clamp(min=1), torch.ones_like(x))
    value = torch.where(x > 1, high, torch.where(x >= 0, _maclaurin(x.clamp(0, 1), torch.ones_like(x)), _reflected(x)))
    value = torch.where((x < 0) & (torch.remainder(x, 2) == 0), 0, value)
    return torch.where(x == 1, torch.inf, torch.where(x == -torch.inf, torch.nan, value))


def _reflected(x: Tensor) -> Tensor:
    """The functional equation, for x < 0; the large factor is split because it can overflow before the product does."""
    y = 1 - x.clamp(max=0)
    sine = torch.sin(math.pi / 2 * torch.remainder(x, 4))
    half = torch.exp(0.5 * (torch.lgamma(y) - y * math.log(2 * math.pi)))
    value: Tensor = 2 * sine * half * torch.special.zeta(y.clamp(min=1), torch.ones_like(y)) * half
    return value


def _maclaurin(s: Tensor, q: Tensor) -> Tensor:
    """Euler and Maclaurin's formula, for s >= 0 other than 1 and q > 0."""
    total = torch.zeros_like(s)
    for place in range(HEAD):
        total = total + (q + place) ** -s
    end = q + HEAD
    away = torch.where(s == 1, torch.ones_like(s), s - 1)
    total = total + end ** (1 - s) / away + end**-s / 2
    rising = s * end ** (-s - 1)
    for place, coefficient in enumerate(BERNOULLI):
        total = total + coefficient * rising
        rising = rising * (s + 2 * place + 1) * (s + 2 * place + 2) / (end * end)
    return total


def _slope_by_x(x: Tensor, q: Tensor) -> Tensor:
    """The derivative of the Euler-Maclaurin formula by x, 0 at the pole."""
    inside = (x > 1) & (q > 0) & torch.isfinite(x)
    s, start = torch.where(inside, x, 2.0), torch.where(inside, q, 1.0)
    return torch.where(inside, _derivative(s, start), 0)


def _riemann_slope(x: Tensor) -> Tensor:
    """The same for q = 1, and below 0 the derivative of the functional equation."""
    inside = (x >= 0) & (x != 1) & torch.isfinite(x)
    upper = torch.where(inside, _derivative(torch.where(inside, x, 2.0), torch.ones_like(x)), 0)
    below = torch.where(x < 0, torch.where(torch.isfinite(x), x, -0.5), -0.5)
    y = 1 - below
    angle = math.pi / 2 * torch.remainder(below, 4)
    factor = 2 * torch.exp(torch.lgamma(y) - y * math.log(2 * math.pi))
    value, slope = riemann(y), _derivative(y, torch.ones_like(y))
    inner = math.pi / 2 * torch.cos(angle) * value - torch.sin(angle) * ((torch.digamma(y) - math.log(2 * math.pi)) * value + slope)
    return torch.where(x < 0, _finite(factor * inner), upper)


def _derivative(s: Tensor, q: Tensor) -> Tensor:
    """`_maclaurin` differentiated by s, term by term."""
    total = torch.zeros_like(s)
    for place in range(HEAD):
        total = total - torch.log(q + place) * (q + place) ** -s
    end = q + HEAD
    log, away = torch.log(end), s - 1
    total = total - end ** (1 - s) * (log / away + 1 / (away * away)) - log * end**-s / 2
    rising = s * end ** (-s - 1)
    slope = end ** (-s - 1) - log * rising
    for place, coefficient in enumerate(BERNOULLI):
        total = total + coefficient * slope
        first, second = s + 2 * place + 1, s + 2 * place + 2
        slope = (slope * first * second + rising * (first + second)) / (end * end)
        rising = rising * first * second / (end * end)
    return total


def _finite(x: Tensor) -> Tensor:
    return torch.where(torch.isfinite(x), x, 0)
