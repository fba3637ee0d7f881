"""How large a weight is: the unit in which it takes steps.

>>> sizes(torch.tensor([2040.0, -1e-6, 0.0])).tolist()
[2040.0, 9.99...e-07, 0.026...]
>>> step_size(torch.tensor([2040.0, -1e-6, 0.0])), step_size(torch.tensor(-3.0)), step_size(torch.tensor(0.0))
(9.99...e-07, 3.0, 1.0)
"""

from __future__ import annotations

import torch
from torch import Tensor

#: Entries of a matrix that are smaller than this part of the typical one are numbers in their own right.
OWN_SIZE = 1e-2


def sizes(start: Tensor) -> Tensor:
    """The size of each number; zeros in a table have the typical size of its others, shared among a row.

    A single 0, and what is not finite, has the size 1.
    """
    size = start.abs()
    usual = size[(size > 0) & size.isfinite()]
    size = torch.where(size.isfinite(), size, torch.ones_like(size))
    if start.dim() == 0:
        return size if start != 0 else torch.ones_like(size)
    typical = usual.log().mean().exp() if len(usual) else torch.ones((), dtype=start.dtype)
    shared = typical / start.shape[-1] ** 0.5
    if start.dim() == 1:
        return torch.where(size == 0, shared, size)
    return torch.where((size == 0) | (size > OWN_SIZE * typical), torch.maximum(size, shared), size)


def step_size(start: Tensor) -> float:
    """One size for all numbers of a tensor: of a row of constants the smallest that is not 0, of a matrix the typical one."""
    found = sizes(start.detach()).reshape(-1)
    if start.dim() < 2:
        own = found[start.detach() != 0]
        return float((own if len(own) else found).min()) if len(found) else 1.0
    return float(found.log().mean().exp()) if len(found) else 1.0
