"""Questions about a whole batch that one fast reduction answers with yes; no means "look closer".

A comparison writes a mask and a second pass reads it; smallest, largest and sum read the numbers once, several times faster.

>>> finite(torch.tensor([1.0, 2.0])), finite(torch.tensor([1.0, torch.inf])), nonzero(torch.tensor([-1.0, torch.nan]))
(True, False, True)
"""

from __future__ import annotations

import cmath

import torch

from deepalgo.ops.forms.operands import Operand, may_look


def holds(mask: torch.Tensor) -> bool:
    """True for all; NumPy's reduction of truth values is ten times faster than torch's."""
    return bool(mask.numpy().all() if mask.device.type == "cpu" and may_look() else mask.all())


def finite(x: Operand) -> bool:
    """No sample is inf or NaN."""
    return cmath.isfinite(torch.as_tensor(x).sum().item())


def nonzero(x: Operand) -> bool:
    """No sample is 0."""
    x = torch.as_tensor(x)
    return above(x, 0) or int(torch.count_nonzero(x)) == x.numel()


def above(x: Operand, bound: Operand) -> bool:
    """`x > bound` for all."""
    x = torch.as_tensor(x)
    return x.numel() == 0 or bool(x.min().item() > bound)  # type: ignore[operator]  # a real number


def below(x: Operand, bound: Operand) -> bool:
    """`x < bound` for all."""
    x = torch.as_tensor(x)
    return x.numel() == 0 or bool(x.max().item() < bound)  # type: ignore[operator]  # a real number
