"""`smooth`: a function with hand-written derivatives, computed in double precision whatever the precision of its operands.

>>> x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
>>> smooth(lambda x: x**3, (lambda x, y: 3 * x**2,), x).backward()
>>> x.grad
tensor([0.7500], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand, apply, spread

#: The derivative by one operand, a function of the operands and of the result.
Derivative: TypeAlias = Callable[..., Tensor]


def smooth(value: Callable[..., Tensor], slopes: tuple[Derivative, ...], *operands: Operand) -> Tensor:
    """`value(*operands)`; the operands are brought to one shape. Slopes are differentiable, so that second derivatives exist."""
    result: Tensor = apply(Smooth, value, slopes, *spread(*operands))
    return result


class Smooth(torch.autograd.Function):
    """Operands have one shape."""

    generate_vmap_rule = True

    @staticmethod
    def forward(value: Callable[..., Tensor], slopes: tuple[Derivative, ...], *operands: Tensor) -> Tensor:
        return value(*(operand.double() for operand in operands)).to(operands[0].dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.slopes = inputs[1]
        ctx.save_for_backward(*inputs[2:], output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        values = [saved.double() for saved in ctx.saved_tensors]
        wanted = zip(ctx.slopes, ctx.needs_input_grad[2:], strict=True)
        return None, None, *(g * slope(*values).to(g.dtype) if needed else None for slope, needed in wanted)
