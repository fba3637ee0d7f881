"""Choices between two operands: Python's `min` and `max`, and NumPy's four.

>>> nan, one = torch.tensor([torch.nan]), torch.tensor([1.0])
>>> min(one, nan), minimum(one, nan), fmin(nan, one)
(tensor([1.]), tensor([nan]), tensor([1.]))
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.choice import where
from deepalgo.ops.forms.operands import Operand, tensors


def min(a: Operand, b: Operand) -> Tensor:
    """`b if b < a else a`."""
    return where(b < a, b, a)  # type: ignore[operator]  # one of them is a tensor


def max(a: Operand, b: Operand) -> Tensor:
    """`b if b > a else a`."""
    return where(b > a, b, a)  # type: ignore[operator]  # one of them is a tensor


def minimum(a: Operand, b: Operand) -> Tensor:
    """The smaller one; NaN where either is NaN."""
    a, b = tensors(a, b)
    return where((a <= b) | (a != a), a, b)


def maximum(a: Operand, b: Operand) -> Tensor:
    """The larger one; NaN where either is NaN."""
    a, b = tensors(a, b)
    return where((a >= b) | (a != a), a, b)


def fmin(a: Operand, b: Operand) -> Tensor:
    """The smaller one; NaN only where both are NaN."""
    a, b = tensors(a, b)
    return where((a <= b) | (b != b), a, b)


def fmax(a: Operand, b: Operand) -> Tensor:
    """The larger one; NaN only where both are NaN."""
    a, b = tensors(a, b)
    return where((a >= b) | (b != b), a, b)


def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1; NaN stays NaN."""
    return torch.where(x != x, x, torch.sign(x))
