"""Reading and replacing parts of arrays. `batch` counts the leading axes that number samples (0 or 1).

Replacing goes through torch's `select_scatter` and `slice_scatter`, not through assignment, so that it works under `vmap` too.

>>> take(torch.arange(5), (("slice", None, None, -2),), 0)
tensor([4, 2, 0])
>>> put(torch.zeros(3), 7, (1,), 0, 0)
tensor([0., 7., 0.])
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.ops.forms.arrays import gather
from deepalgo.ops.forms.operands import Operand

Key: TypeAlias = tuple[Any, ...]
Indices: TypeAlias = "int | tuple[Indices, ...]"


def take(array: Tensor, key: Key, batch: int) -> Tensor:
    """`array[key]` of each sample."""
    where, flips = _forward(key, tuple(array.shape[batch:]))
    part = array[(slice(None),) * batch + where]
    return part.flip([axis + batch for axis in flips]) if flips else part


def put(array: Tensor, item: Operand, key: Key, array_batch: int, item_batch: int) -> Tensor:
    """A copy of `array` with `array[key] = item`."""
    item = _as_item(item, array)
    batch = max(array_batch, item_batch)
    array = array if array_batch == batch else array.expand(len(item), *array.shape)
    where, flips = _forward(key, tuple(array.shape[batch:]))
    part = array[(slice(None),) * batch + where]
    item = _fit(item, item_batch, batch, tuple(part.shape))
    item = item.flip([axis + batch for axis in flips]) if flips else item
    axes = [axis + batch for axis, entry in enumerate(entry for entry in where if not isinstance(entry, int)) if entry is None]
    item = item.squeeze(axes) if axes else item
    return _scatter(array, item, tuple(entry for entry in where if entry is not None), batch)


def pick(array: Tensor, indices: Indices, axis: int, batch: int) -> Tensor:
    """`np.take(array, indices, axis)` of each sample, for fixed indices."""
    index = torch.as_tensor(indices, dtype=torch.int64, device=array.device)
    axis = axis + batch if axis >= 0 else array.dim() + axis
    size = array.shape[axis]
    chosen = array.index_select(axis, torch.where(index < 0, index + size, index).reshape(-1))
    return chosen.reshape((*array.shape[:axis], *index.shape, *array.shape[axis + 1 :]))


def put_at(array: Tensor, index: Operand, item: Operand, array_batch: int, index_batch: int, item_batch: int) -> Tensor:
    """A copy of `array` with `array[index] = item`; an index out of range is brought into it."""
    item = _as_item(item, array)
    batch = max(array_batch, index_batch, item_batch)
    size, rank = array.shape[array_batch], array.dim() - array_batch
    place = torch.as_tensor(index, device=array.device).clamp(0, size - 1)
    chosen = torch.arange(size, device=array.device) == (place[:, None] if index_batch else place)
    chosen = chosen.reshape(*chosen.shape, *[1] * (rank - 1))
    item = _fit(item, item_batch, batch, (*[1] * batch, *array.shape[array_batch + 1 :]))
    return torch.where(chosen, item.unsqueeze(batch), array)


def pick_at(array: Tensor, index: Operand, axis: int, array_batch: int, index_batch: int) -> Tensor:
    """`np.take(array, index, axis)` of each sample; an index out of range is brought into it."""
    place = torch.as_tensor(index, device=array.device)
    axis = axis % (array.dim() - array_batch)
    chosen = gather(array.movedim(axis + array_batch, array_batch), place, array_batch, index_batch)
    batch, rank = max(array_batch, index_batch), place.dim() - index_batch
    first = range(batch, batch + rank)
    return chosen.movedim(tuple(first), tuple(number + axis for number in first)) if axis and rank else chosen


def _as_item(item: Operand, array: Tensor) -> Tensor:
    return torch.as_tensor(item, dtype=array.dtype, device=array.device)


def _fit(item: Tensor, item_batch: int, batch: int, shape: tuple[int, ...]) -> Tensor:
    """The item, as NumPy assigns it to a part of a shape that starts with `batch` sample axes."""
    rank, found = len(shape) - batch, item.dim() - item_batch
    own = item.shape[item_batch + max(found - rank, 0) :]
    lead = item.shape[:1] if item_batch else (1,) * batch
    return item.reshape((*lead, *[1] * (rank - found), *own)).expand((*(lead if item_batch else shape[:batch]), *shape[batch:]))


def _real(array: Tensor) -> Tensor:
    return array.real if array.is_complex() else array


def _imag(array: Tensor) -> Tensor:
    return array.imag if array.is_complex() else torch.zeros_like(array)


def _scatter(array: Tensor, item: Tensor, where: Key, axis: int) -> Tensor:
    """`array` with `item` at the places of `where`, whose first entry is for `axis`; torch derives it for real numbers only."""
    if array.is_complex() or item.is_complex():
        parts = [_scatter(part(array), part(item), where, axis) for part in (_real, _imag)]
        return torch.complex(parts[0], parts[1])
    while where and where[0] == slice(None):
        where, axis = where[1:], axis + 1
    if not where:
        return item
    entry, rest = where[0], where[1:]
    if isinstance(entry, int):
        inner = _scatter(array.select(axis, entry), item, rest, axis) if rest else item
        return torch.select_scatter(array, inner, axis, entry)
    inner = _scatter(array[(slice(None),) * axis + (entry,)], item, rest, axis + 1) if rest else item
    return torch.slice_scatter(array, inner, axis, entry.start, entry.stop, entry.step)


def _forward(key: Key, shape: tuple[int, ...]) -> tuple[Key, list[int]]:
    """The key without dots and backward slices, and the axes of the result that are to be turned round."""
    count = sum(entry is not None and entry != "..." for entry in key)
    dots = key.index("...") if "..." in key else len(key)
    full = (*key[:dots], *[("slice", None, None, None)] * (len(shape) - count), *key[dots + 1 :])
    sizes, where, flips = iter(shape), [], []
    for entry in full:
        if not isinstance(entry, tuple):
            where.append(entry if entry is None else entry % next(sizes))
            continue
        part, backward = _slice(entry, next(sizes))
        if backward:
            flips.append(sum(not isinstance(found, int) for found in where))
        where.append(part)
    return tuple(where), flips


def _slice(entry: tuple[Any, ...], size: int) -> tuple[slice, bool]:
    """The same places in forward order, and whether the order was backward."""
    places = range(*slice(*entry[1:]).indices(size))
    if places.step > 0:
        return (slice(None) if len(places) == size else slice(places.start, max(places.stop, places.start), places.step)), False
    return (slice(places[-1], places[0] + 1, -places.step) if places else slice(0, 0, 1)), len(places) > 1
