"""Numbers added at places along an axis, and numbers taken along one, sample by sample.

>>> add_at(torch.zeros(3), torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]), 0, 0, 0, 0)
tensor([1., 0., 5.])
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.reductions import lay


def add_at(array: Tensor, index: Tensor, item: Tensor, axis: int, array_batch: int, index_batch: int, item_batch: int) -> Tensor:
    """The array with each item added at its place; a place out of range is brought into it."""
    batch = max(array_batch, index_batch, item_batch)
    samples = max(part.shape[0] if own else 1 for part, own in ((array, array_batch), (index, index_batch), (item, item_batch)))
    array, index, item = (
        _with_samples(part, own, samples) for part, own in ((array, array_batch), (index, index_batch), (item, item_batch))
    )
    axis = 1 + axis % (array.dim() - 1)
    before, after = array.shape[1:axis], array.shape[axis + 1 :]
    count = index[0].numel()
    places = index.clamp(-array.shape[axis], array.shape[axis] - 1) % array.shape[axis]
    places = places.reshape(samples, *[1] * len(before), count, *[1] * len(after)).expand(samples, *before, count, *after)
    kind = torch.promote_types(array.dtype, item.dtype)
    total = array.to(kind).scatter_add(axis, places, item.to(kind).reshape(samples, *before, count, *after))
    return total if batch else total[0]


def _with_samples(part: Tensor, batch: int, samples: int) -> Tensor:
    return part if batch else part.expand(samples, *part.shape)


def take_along(array: Tensor, index: Tensor, axis: int | None, array_batch: int, index_batch: int) -> Tensor:
    """`np.take_along_axis(array, index, axis)` of each sample."""
    array, along = lay(array, axis, array_batch)
    index, _ = lay(index, axis, index_batch)
    if array_batch == index_batch:
        return array.gather(along, index)
    if index_batch:
        return array.expand_as(index).gather(along + 1 if along >= 0 else along, index)
    return array.gather(along, index.expand_as(array))
