"""Samples from beyond the range of the training data, where a fitted formula may go astray.

>>> inside = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1e-3, 1.0, 1e3])]
>>> outside = beyond_range(inside, inside, seed=0)
>>> [bool(((leaf < low) | (leaf > high)).any()) for leaf, low, high in zip(outside, (1, 1e-3), (3, 1e3))]
[True, True]
"""

from __future__ import annotations

import torch
from torch import Tensor

#: How far beyond, as a part of the range.
REACH = 0.25
#: A positive input that spans such a factor is seen on a logarithmic scale.
WIDE = 100.0


def beyond_range(training: list[Tensor], leaves: list[Tensor], seed: int) -> list[Tensor]:
    """The samples with one input each moved to a random place beyond the training data's range of this input."""
    generator = torch.Generator().manual_seed(seed)
    moving = [number for number, leaf in enumerate(training) if leaf.is_floating_point() and leaf.numel() and bool(leaf.max() > leaf.min())]
    if not moving:
        return leaves
    chosen = torch.tensor(moving)[torch.randint(len(moving), (len(leaves[0]),), generator=generator)]
    return [
        torch.where(_column(chosen == number, leaf), _outside(training[number], leaf, generator), leaf) if number in moving else leaf
        for number, leaf in enumerate(leaves)
    ]


def _outside(training: Tensor, leaf: Tensor, generator: torch.Generator) -> Tensor:
    low, high = training.min(), training.max()
    logarithmic = bool(low > 0) and bool(high / low > WIDE)
    start, end = (low.log(), high.log()) if logarithmic else (low, high)
    how_far = REACH * (end - start) * torch.rand(leaf.shape, generator=generator, dtype=leaf.dtype)
    up = torch.rand(leaf.shape, generator=generator) < 0.5
    moved = torch.where(up, end + how_far, start - how_far)
    return moved.exp() if logarithmic else moved


def _column(mask: Tensor, like: Tensor) -> Tensor:
    return mask.reshape(-1, *[1] * (like.dim() - 1))
