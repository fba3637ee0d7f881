"""Functions of a point in the plane, with derivative 0 at the origin and no overflow on the way.

>>> x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
>>> hypot(x, x).backward()
>>> x.grad
tensor([0.], dtype=torch.float64)
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from deepalgo.ops.forms.endpoints import without_zero
from deepalgo.ops.forms.operands import Operand, apply, may_look, spread, tensors
from deepalgo.ops.forms.quick import finite, nonzero


def hypot(x: Operand, y: Operand) -> Tensor:
    """`sqrt(x*x + y*y)`."""
    x, y = spread(x, y)
    result: Tensor = apply(Hypot, x, y)
    return result


def atan2(y: Operand, x: Operand) -> Tensor:
    """The angle of the point (x, y)."""
    y, x = spread(y, x)
    result: Tensor = apply(Atan2, y, x)
    return result


def angle(x: Tensor) -> Tensor:
    """The angle of a complex number; its gradient at 0 is 0."""
    return atan2(torch.imag(x), torch.real(x)) if x.is_complex() else atan2(torch.zeros_like(x), x)


def copysign(x: Operand, sign: Operand) -> Tensor:
    """`x` with the sign of `sign`."""
    x, sign = tensors(x, sign)
    return torch.copysign(x, sign)


class Hypot(torch.autograd.Function):
    """Derivative (x, y) / hypot(x, y)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Tensor:
        return torch.hypot(x, y)

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        x, y, length = ctx.saved_tensors
        if not (may_look() and nonzero(length)):
            length = without_zero(length)
        return g * (x / length), g * (y / length)


class Atan2(torch.autograd.Function):
    """Derivative (x, -y) / (x*x + y*y)."""

    generate_vmap_rule = True

    @staticmethod
    def forward(y: Tensor, x: Tensor) -> Tensor:
        return torch.atan2(y, x)

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        y, x = ctx.saved_tensors
        length = torch.hypot(y, x)
        if not (may_look() and nonzero(length) and finite(length)):
            length = without_zero(length)
            far = torch.isinf(length)  # the angle of an infinite point does not move
            y, x = y.masked_fill(far, 0), x.masked_fill(far, 0)
        return g * (x / length / length), -g * (y / length / length)
