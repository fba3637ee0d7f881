"""Complete elliptic integrals by the arithmetic-geometric mean.

>>> ellipk(torch.tensor([0.0, 0.5], dtype=torch.float64))
tensor([1.5708, 1.8541], dtype=torch.float64)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.smooth import smooth

#: Quadratic convergence: enough for every float.
ROUNDS = 14


@smooth(lambda m, y: _k_slope(m))
def ellipk(m: Tensor) -> Tensor:
    """The complete elliptic integral of the first kind, of the parameter m = k*k."""
    value, _ = _means(m)
    return torch.where(m < 1, torch.where(m == -torch.inf, 0, value), torch.where(m == 1, torch.inf, torch.nan))


@smooth(lambda m, y: -_difference(m) / 2)
def ellipe(m: Tensor) -> Tensor:
    """The complete elliptic integral of the second kind, of the parameter m = k*k."""
    k, share = _means(m)
    return torch.where(m < 1, torch.where(m == -torch.inf, torch.inf, k - m * share * k), torch.where(m == 1, 1.0, torch.nan))


def _difference(m: Tensor) -> Tensor:
    """`(ellipk(m) - ellipe(m)) / m`; 0 at m = 1, where it is infinite."""
    k, share = _means(m)
    return torch.where(m == 1, 0, k * share)


def _k_slope(m: Tensor) -> Tensor:
    k, share = _means(m)
    return torch.where(m < 1, k * (1 - share) / (2 * torch.where(m < 1, 1 - m, 1)), 0)


def _means(m: Tensor) -> tuple[Tensor, Tensor]:
    """`ellipk(m)`, and the part of it that (ellipk - ellipe) / m is: 1/2 and then 2**(n-1) c(n)**2 / m."""
    inside = torch.where(m < 1, m, 0)
    a, b = torch.ones_like(m), torch.sqrt(1 - inside)
    share, weight = torch.full_like(m, 0.5), 1.0
    c = inside / (2 * (1 + b))
    ratio = c / (2 * (1 + b))
    for _ in range(ROUNDS):
        # `c` is (a - b) / 2 of the round before, and `ratio` is c * c / m, which m = 0 has too.
        share = share + weight * ratio
        a, b = (a + b) / 2, torch.sqrt(a) * torch.sqrt(b)
        following = c * c / (4 * ((a + b) / 2))
        ratio = ratio * (c * c) / (4 * ((a + b) / 2)) ** 2
        c, weight = following, 2 * weight
    return math.pi / (2 * a), share
