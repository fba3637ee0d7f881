"""Arrays: putting together, taking out, adding up. `batch` counts the leading axes that number samples (0 or 1).

>>> table = torch.tensor([10.0, 20.0, 30.0])
>>> gather(table, torch.tensor([2, 0, 7]), 0, 1)
tensor([30., 10., 30.])
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand, spread


def stack(items: tuple[Operand, ...], batch: int) -> Tensor:
    """The items along a new first axis of each sample."""
    return torch.stack(spread(*items), dim=batch)


def gather(array: Tensor, index: Operand, array_batch: int, index_batch: int) -> Tensor:
    """`array[index]` along the first axis of each sample; an index out of range is brought into it."""
    index = torch.as_tensor(index).clamp(0, array.shape[array_batch] - 1)
    if not array_batch:
        return array[index]
    if not index_batch:
        return array[:, index]
    sample = torch.arange(len(array), device=array.device)
    return array[sample.reshape(-1, *[1] * (index.dim() - 1)), index]


def sum(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The sum of each sample along one axis, or of all its numbers."""
    if axis is not None:
        return array.sum(axis + batch if axis >= 0 else axis)
    return array.sum(tuple(range(batch, array.dim()))) if array.dim() > batch else array


def real(x: Tensor) -> Tensor:
    """The real part."""
    return torch.real(x)


def imag(x: Tensor) -> Tensor:
    """The imaginary part, 0 for a real number."""
    return torch.imag(x) if x.is_complex() else torch.zeros_like(x)


def conj(x: Tensor) -> Tensor:
    """The complex conjugate."""
    return torch.conj(x).resolve_conj()
