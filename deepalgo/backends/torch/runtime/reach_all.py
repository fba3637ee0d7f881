"""Let every weight have a gradient, as `DistributedDataParallel` waits for those of all parameters.

>>> used, unused = (torch.tensor(number, requires_grad=True) for number in (2.0, 3.0))
>>> result, = reach_all([3.0 * used], [used, unused])
>>> result.backward()
>>> result.item(), used.grad.item(), unused.grad.item()
(6.0, 3.0, 0.0)
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import Tensor


def is_shared() -> bool:
    """Whether this is one of several processes that may train together."""
    return dist.is_available() and dist.is_initialized()


def reach_all(results: Sequence[Tensor], weights: Sequence[Tensor]) -> list[Tensor]:
    """The same results, bit for bit, with a gradient of 0 for weights that no sample used."""
    asked = [weight for weight in weights if weight.requires_grad]
    if not asked or not torch.is_grad_enabled():
        return list(results)
    yes = torch.ones((), dtype=torch.bool, device=asked[0].device)
    # Backwards, each `where` makes a tensor of zeros of its own: gradients that share memory would be reduced into each other.
    total = torch.stack([torch.where(yes, 0.0, weight).sum() for weight in asked]).sum()
    return [torch.where(yes, item, total.to(item.dtype)) if item.is_floating_point() or item.is_complex() else item for item in results]
