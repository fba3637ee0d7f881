"""`where`, several times faster than torch's where the condition is hard to foresee, and choices of numbers from a table.

>>> where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 7.0)
tensor([1., 7.])
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.ops.forms import loops
from deepalgo.ops.forms.operands import Operand, may_look, tensors, wants_gradient


def where(condition: Operand, a: Operand, b: Operand) -> Tensor:
    """`a` where the condition holds, else `b`."""
    condition = torch.as_tensor(condition)
    if condition.numel() < loops.FEW or not may_look():
        return torch.where(condition, a, b)
    a, b = tensors(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else (torch.as_tensor(a), torch.as_tensor(b))
    if a.dtype == b.dtype == torch.bool:
        return (condition & a) | (~condition & b)
    if a.dtype != b.dtype or a.dtype not in loops.KNOWN or not loops.are_many(condition, a, b):
        return torch.where(condition, a, b)
    if not wants_gradient(a, b):
        return loops.blend(condition, a, b)
    result: Tensor = Blend.apply(*torch.broadcast_tensors(condition, a, b))  # type: ignore[no-untyped-call]  # torch
    return result


def first(*conditions: Tensor) -> Tensor:
    """For each sample the number of the first condition that holds; their count if none does.

    >>> first(torch.tensor([True, False, False]), torch.tensor([True, True, False]))
    tensor([0, 1, 2])
    """
    missed = ~conditions[0]
    number = missed.to(torch.uint8)
    for condition in conditions[1:]:
        missed = missed & ~condition
        number = number + missed
    return number.to(torch.int64)


def table_entries(index: Tensor, *numbers: Operand) -> Tensor:
    """The number at each index."""
    table = torch.stack(tensors(*numbers))
    if wants_gradient(table) or not may_look() or not loops.are_many(index, table):
        return table.index_select(0, index)
    return loops.table_entries(index, table)


class Blend(torch.autograd.Function):
    """Operands have one shape."""

    @staticmethod
    def forward(ctx: Any, condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(condition)
        return loops.blend(condition, a, b)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[None, Tensor | None, Tensor | None]:
        (condition,) = ctx.saved_tensors
        if torch.is_grad_enabled():
            return None, torch.where(condition, g, 0), torch.where(condition, 0, g)
        return None, *loops.part(condition, g)
