"""Putting numbers in order, and looking them up in an ordered table. `batch` counts the leading axes that number samples.

>>> searchsorted(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.5, torch.nan]), "left", 0, 1)
tensor([2, 3])
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand
from deepalgo.ops.forms.reductions import lay


def sort(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The numbers in ascending order, NaN last."""
    array, axis = lay(array, axis, batch)
    return torch.sort(array, dim=axis, stable=True).values


def argsort(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The places of the numbers in ascending order; equal ones keep theirs."""
    array, axis = lay(array, axis, batch)
    return torch.sort(array, dim=axis, stable=True).indices


def searchsorted(table: Tensor, x: Operand, side: str, table_batch: int, x_batch: int) -> Tensor:
    """How many numbers of the ordered table come before x; at "right" those that equal x do."""
    x = torch.as_tensor(x, dtype=table.dtype, device=table.device).detach()
    table, right = table.detach(), side == "right"
    numbers = (table == table).sum(-1)  # NaN comes last, after infinity, and torch counts it as it falls
    whole = torch.where(table == table, table, math.inf)
    if not table_batch:
        return _before_nan(torch.searchsorted(whole.contiguous(), x.contiguous(), right=right), x, numbers, table.shape[-1], right)
    rows = x if x_batch else x.expand(len(table), *x.shape)
    found = torch.searchsorted(whole.contiguous(), _in_rows(rows).contiguous(), right=right).reshape(rows.shape)
    return _before_nan(found, rows, numbers.reshape(-1, *(1,) * (rows.dim() - 1)), table.shape[-1], right)


def _before_nan(found: Tensor, x: Tensor, numbers: Tensor, size: int, right: bool) -> Tensor:
    """Places among the numbers of a table; NaN itself belongs among the NaN, or after them."""
    return torch.where(x == x, torch.minimum(found, numbers), torch.full_like(found, size) if right else numbers)


def interp(x: Operand, xp: Tensor, fp: Tensor, x_batch: int, xp_batch: int, fp_batch: int) -> Tensor:
    """`np.interp(x, xp, fp)` of each sample. At a knot the derivative is the one to the right."""
    x = torch.as_tensor(x, dtype=fp.dtype, device=fp.device)
    last, rank, batch = xp.shape[-1] - 1, x.dim() - x_batch, max(xp_batch, x_batch)
    left = (searchsorted(xp, x, "right", xp_batch, x_batch) - 1).clamp(0, max(last - 1, 0))
    right = (left + 1).clamp(max=last)
    x0, x1 = _entries(xp, left, xp_batch, batch), _entries(xp, right, xp_batch, batch)
    y0, y1 = _entries(fp, left, fp_batch, batch), _entries(fp, right, fp_batch, batch)
    start, end = _edge(xp, 0, xp_batch, rank), _edge(xp, last, xp_batch, rank)
    low, high = _edge(fp, 0, fp_batch, rank), _edge(fp, last, fp_batch, rank)
    return torch.where(x < start, low, torch.where((x >= end) | (last == 0), high, _line(x, x0, x1, y0, y1)))


def _line(x: Tensor, x0: Tensor, x1: Tensor, y0: Tensor, y1: Tensor) -> Tensor:
    """The line through two points; where one of them is infinite, what NumPy makes of it."""
    width = x1 - x0
    slope = (y1 - y0) / torch.where(width == 0, 1, width)
    value = slope * (x - x0) + y0
    other = slope * (x - x1) + y1
    other = torch.where(torch.isnan(other) & (y0 == y1) & ~torch.isnan(x), y0, other)
    return torch.where(torch.isnan(value), torch.where(x == x0, y0, other), value)


def _entries(table: Tensor, place: Tensor, table_batch: int, place_batch: int) -> Tensor:
    """The numbers of the table at the places, in the shape of the places."""
    if not table_batch:
        return table[place]
    places = place if place_batch else place.expand(len(table), *place.shape)
    return table.gather(1, _in_rows(places)).reshape(places.shape)


def _in_rows(items: Tensor) -> Tensor:
    """What belongs to each sample in a row, also where there are no samples."""
    return items.reshape(len(items), math.prod(items.shape[1:]))


def _edge(table: Tensor, place: int, batch: int, rank: int) -> Tensor:
    """One number of the table, with the axes that it needs to meet the results."""
    edge = table[..., place]
    return edge.reshape(-1, *[1] * rank) if batch else edge
