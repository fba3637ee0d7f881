"""`where`, several times faster than torch's where the condition is hard to foresee.

Torch's own kernel branches at every number, and a processor mispredicts half of them on mixed data. Here the bits of the two
operands are blended by a mask of ones and zeros, forward and backward.

>>> where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 7.0)
tensor([1., 7.])
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from deepalgo.ops.forms.operands import Operand, may_look, tensors, wants_gradient

#: Below so many numbers the calls cost more than the mispredictions.
FEW = 4096
BITS = {torch.float64: torch.int64, torch.float32: torch.int32, torch.int64: torch.int64}
#: Masks by the condition, as long as that lives.
_masks: WeakIdKeyDictionary = WeakIdKeyDictionary()


def where(condition: Operand, a: Operand, b: Operand) -> Tensor:
    """`a` where the condition holds, else `b`."""
    condition = torch.as_tensor(condition)
    if condition.numel() < FEW or not may_look() or condition.device.type != "cpu":
        return torch.where(condition, a, b)
    a, b = tensors(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else (torch.as_tensor(a), torch.as_tensor(b))
    if a.dtype == b.dtype == torch.bool:
        return (condition & a) | (~condition & b)
    if a.dtype != b.dtype or a.dtype not in BITS:
        return torch.where(condition, a, b)
    if not wants_gradient(a, b):
        return _blend(_kept_mask(condition, a.dtype), a, b)
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


def look_up(index: Tensor, *numbers: Operand) -> Tensor:
    """The number at each index."""
    return torch.stack(tensors(*numbers)).index_select(0, index)


def _mask(condition: Tensor, dtype: torch.dtype) -> Tensor:
    """All bits one where the condition holds."""
    return condition.view(torch.int8).to(BITS[dtype]).neg_()


def _kept_mask(condition: Tensor, dtype: torch.dtype) -> Tensor:
    """The mask, made once for all choices by a condition."""
    if condition not in _masks or _masks[condition].dtype != BITS[dtype]:
        _masks[condition] = _mask(condition, dtype)
    mask: Tensor = _masks[condition]
    return mask


def _blend(mask: Tensor, a: Tensor, b: Tensor) -> Tensor:
    bits = mask.dtype
    other = b.view(bits)
    return torch.bitwise_and(a.view(bits) ^ other, mask).bitwise_xor_(other).view(a.dtype)


class Blend(torch.autograd.Function):
    """Operands have one shape."""

    @staticmethod
    def forward(ctx: Any, condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(condition)
        return _blend(_mask(condition, a.dtype), a, b)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[None, Tensor | None, Tensor | None]:
        (condition,) = ctx.saved_tensors
        if torch.is_grad_enabled():
            return None, torch.where(condition, g, 0), torch.where(condition, 0, g)
        _, by_a, by_b = ctx.needs_input_grad
        bits = g.view(BITS[g.dtype])
        first = bits & _mask(condition, g.dtype)
        return None, first.view(g.dtype) if by_a else None, (bits ^ first).view(g.dtype) if by_b else None
