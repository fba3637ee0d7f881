"""Arranging the numbers of arrays otherwise. `batch` counts the leading axes that number samples (0 or 1).

>>> broadcast(torch.tensor([[1.0], [2.0]]), (2, 2), 1)[1]
tensor([[2., 2.],
        [2., 2.]])
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def reshape(array: Tensor, shape: tuple[int, ...], batch: int) -> Tensor:
    """`np.reshape(array, shape)` of each sample."""
    if -1 in shape:
        rest = -math.prod(shape)
        shape = tuple(math.prod(array.shape[batch:]) // max(rest, 1) if size == -1 else size for size in shape)
    return array.reshape((*array.shape[:batch], *shape))


def lead(array: Tensor, count: int, batch: int) -> Tensor:
    """An array with axes of length 1 in front of those of each sample."""
    for _ in range(count):
        array = array.unsqueeze(batch)
    return array


def permute(array: Tensor, axes: tuple[int, ...], batch: int) -> Tensor:
    """`np.transpose(array, axes)` of each sample."""
    rank = array.dim() - batch
    return array.permute(*range(batch), *(axis % rank + batch for axis in axes))


def broadcast(array: Tensor, shape: tuple[int, ...], batch: int) -> Tensor:
    """`np.broadcast_to(array, shape)` of each sample."""
    lead, own = array.shape[:batch], array.shape[batch:]
    return array.reshape((*lead, *[1] * (len(shape) - len(own)), *own)).expand((*lead, *shape))


def concat(arrays: tuple[Tensor, ...], axis: int, batch: int) -> Tensor:
    """`np.concatenate(arrays, axis)` of each sample; arrays of one rank, so those with an axis less are the same for all samples."""
    rank = max(array.dim() for array in arrays)
    size = next((len(array) for array in arrays if array.dim() == rank), 0)
    spread = [array if array.dim() == rank else array.expand(size, *array.shape) for array in arrays]
    order = _memory_order(max(spread, key=Tensor.numel))
    place = order.index((axis + batch if axis >= 0 else axis) % rank)
    return torch.cat([array.permute(order) for array in spread], place).permute([order.index(axis) for axis in range(rank)])


def _memory_order(array: Tensor) -> list[int]:
    """The axes from the longest to the shortest step in memory: what is made in this order goes well with the array."""
    steps = array.stride()
    return sorted(range(array.dim()), key=lambda axis: -steps[axis])
