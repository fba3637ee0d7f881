"""`a / b` where nothing raises at `b == 0`: the value is infinite there, and the derivative is defined as 0, as at other endpoints.

>>> b = torch.tensor([2.0, 0.0], requires_grad=True)
>>> torch.clamp(quotient(3.0, b), max=5.0).sum().backward()
>>> b.grad
tensor([-0.7500, -0.0000])
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from deepalgo.ops.forms.operands import Operand, apply, may_look, spread, wants_gradient
from deepalgo.ops.forms.quick import nonzero


def quotient(a: Operand, b: Operand) -> Tensor:
    """`a / b`, with a derivative that is finite."""
    if not wants_gradient(a, b) or (may_look() and nonzero(b)):
        return a / b  # type: ignore[return-value]  # one of them is a tensor
    result: Tensor = apply(Division, *spread(a, b))
    return result


class Division(torch.autograd.Function):
    """Derivatives 1 / b and -a / b**2, and 0 where b is 0. Operands have one shape."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return a / b

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor | None]:
        a, b = ctx.saved_tensors
        by_a = torch.where(b == 0, 0, g / torch.where(b == 0, 1, b))
        return by_a, -by_a * (a / torch.where(b == 0, 1, b)) if ctx.needs_input_grad[1] else None
