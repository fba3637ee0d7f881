"""Lambert's W on the real axis, the inverse of `w * exp(w)`.

>>> lambertw(torch.tensor([1.0], dtype=torch.float64), 0)
tensor([0.5671], dtype=torch.float64)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.endpoints import without_zero
from deepalgo.ops.forms.smooth import smooth

#: 1/e, and what its rounding leaves out.
INVERSE_E, LEFT_OUT = 0.36787944117144233, -1.2428753672788363e-17
#: W in powers of p = sqrt(2 (e x + 1)) about its branch point (Corless et al. 1996, eq. 4.22).
BRANCH = (-1.0, 1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600, -1963 / 204120, 226287557 / 37623398400)


@smooth(lambda x, w, branch: _slope(lambertw(x, branch)))
def lambertw(x: Tensor, branch: int) -> Tensor:
    """W of the principal branch (0) or of the one below it (-1); NaN where that is not real."""
    return _lambertw(x, int(branch))


def _slope(w: Tensor) -> Tensor:
    """1 / (exp(w) (1 + w)), 0 at the branch point and at the pole."""
    endless = torch.isinf(w)
    return 1 / without_zero(torch.exp(w.masked_fill(endless, 0)) * (1 + w).masked_fill(endless, 0))


def _lambertw(x: Tensor, branch: int) -> Tensor:
    """Halley's method from a start by expansions; next to the branch point the expansion is better than any iteration."""
    distance = (x + INVERSE_E) + LEFT_OUT
    p = torch.sqrt((2 * math.e * distance).clamp(min=0)) * (1 if branch == 0 else -1)
    near = torch.zeros_like(x)
    for coefficient in reversed(BRANCH):
        near = near * p + coefficient
    w = _start(x, near, branch)
    for _ in range(8):
        w = _step(w, x)
    w = torch.where(torch.abs(p) < 0.02, near, w)
    w = torch.where(x == torch.inf, x, w) if branch == 0 else torch.where(x == 0, -torch.inf, w)
    outside = (distance < 0) & (x != -INVERSE_E) | torch.isnan(x) | ((x > 0) & (branch != 0))
    return torch.where(outside, torch.nan, w)


def _start(x: Tensor, near: Tensor, branch: int) -> Tensor:
    """A first value within a few per cent."""
    log = torch.log(torch.abs(x).clamp(min=5e-324)).clamp(max=700)
    if branch == 0:
        small = torch.where(x < -0.2, near, torch.log1p(x.clamp(min=-0.2)))
        large = log - torch.log(log.clamp(min=1))
        return torch.where(x > 3, large, small)
    deep = log - torch.log(-log.clamp(max=-1))
    return torch.where(x < -0.2, near, deep)


def _step(w: Tensor, x: Tensor) -> Tensor:
    """One step of Halley's method for w - x exp(-w) = 0; a step that leads nowhere is not taken."""
    error = w - x * torch.exp(-w)
    after = w - error / (1 + w - (w + 2) * error / (2 * w + 2))
    return torch.where(torch.isfinite(after), after, w)
