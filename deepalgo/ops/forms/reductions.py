"""One number of many, and running totals. `batch` counts the leading axes that number samples (0 or 1).

>>> x = torch.tensor([2.0, 1.0, 1.0], requires_grad=True)
>>> amin(x, None, 0).backward()
>>> x.grad
tensor([0., 1., 0.])
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import may_look


def lay(array: Tensor, axis: int | None, batch: int) -> tuple[Tensor, int]:
    """The array and the axis to work along; without an axis all numbers of a sample stand in one."""
    if axis is None:
        return array.reshape((*array.shape[:batch], math.prod(array.shape[batch:]))), batch
    return array, axis + batch if axis >= 0 else axis


def prod(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The product."""
    array, axis = lay(array, axis, batch)
    return array.prod(axis)


def amin(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The smallest number, NaN if there is one; the first of equal ones has the gradient."""
    array, axis = lay(array, axis, batch)
    return _at(array, _whole(array).argmin(axis, keepdim=True), axis)


def amax(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The largest number, NaN if there is one; the first of equal ones has the gradient."""
    array, axis = lay(array, axis, batch)
    return _at(array, _whole(array).argmax(axis, keepdim=True), axis)


def any(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """Whether a number is not 0."""
    array, axis = lay(array, axis, batch)
    return (array != 0).any(axis)


def all(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """Whether no number is 0."""
    array, axis = lay(array, axis, batch)
    return (array != 0).all(axis)


def argmin(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The place of the first NaN, or of the first smallest number."""
    array, axis = lay(array, axis, batch)
    return _whole(array).argmin(axis)


def argmax(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The place of the first NaN, or of the first largest number."""
    array, axis = lay(array, axis, batch)
    return _whole(array).argmax(axis)


def cumsum(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """Sums of the first one, the first two, ... numbers."""
    array, axis = lay(array, axis, batch)
    result = array.cumsum(axis)
    if not array.is_floating_point():
        return result
    negative = (array == 0) & torch.signbit(array)
    if may_look() and not bool(negative.any()):
        return result
    # torch starts from 0.0, and NumPy from the first number: sums of nothing but negative zeros are negative zeros.
    return torch.where((~negative).cumsum(axis) == 0, -(-array).cumsum(axis), result)


def cumprod(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """Products of the first one, the first two, ... numbers."""
    array, axis = lay(array, axis, batch)
    return array.cumprod(axis)


def _at(array: Tensor, place: Tensor, axis: int) -> Tensor:
    return array.gather(axis, place).squeeze(axis)


def _whole(array: Tensor) -> Tensor:
    """Truth values as numbers, which torch can compare."""
    return array.to(torch.uint8) if array.dtype == torch.bool else array
