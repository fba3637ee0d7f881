"""Questions about a whole batch that one fast reduction answers with yes; no means "look closer".

A comparison writes a mask and a second pass reads it; smallest, largest and sum read the numbers once, several times faster.

>>> finite(torch.tensor([1.0, 2.0])), finite(torch.tensor([1.0, torch.inf])), nonzero(torch.tensor([-1.0, torch.nan]))
(True, False, True)
"""

from __future__ import annotations

import cmath

import torch
from torch import Tensor


def finite(x: Tensor) -> bool:
    """No sample is inf or NaN."""
    return cmath.isfinite(x.sum().item())


def nonzero(x: Tensor) -> bool:
    """No sample is 0."""
    return above(x, 0) or int(torch.count_nonzero(x)) == x.numel()


def at_least(x: Tensor, bound: float) -> bool:
    """`x >= bound` for all."""
    return x.numel() == 0 or x.min().item() >= bound


def above(x: Tensor, bound: float) -> bool:
    """`x > bound` for all."""
    return x.numel() == 0 or x.min().item() > bound


def at_most(x: Tensor, bound: float) -> bool:
    """`x <= bound` for all."""
    return x.numel() == 0 or x.max().item() <= bound


def below(x: Tensor, bound: float) -> bool:
    """`x < bound` for all."""
    return x.numel() == 0 or x.max().item() < bound
