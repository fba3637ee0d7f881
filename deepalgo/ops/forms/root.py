"""A number that an iteration found, with the derivative of the equation that it solves.

>>> residual = torch.tensor([0.0], requires_grad=True)
>>> found = at_root(torch.tensor([2.0]), residual, torch.tensor([4.0]))
>>> found.detach(), torch.autograd.grad(found.sum(), residual)[0]
(tensor([2.]), tensor([-0.2500]))
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._C._functorch import TransformType
from torch.autograd.function import once_differentiable

from deepalgo.errors import InputError
from deepalgo.ops.forms.operands import Operand, apply, is_transformed, levels, spread


def at_root(root: Operand, residual: Operand, slope: Operand) -> Tensor:
    """`root`, whose derivative by the residual there is -1 / slope (implicit function theorem); the steps to it send none."""
    if is_transformed() and levels(TransformType.Grad, TransformType.Jvp) > 1:
        raise InputError("a number that an iteration found has a first derivative, and torch.func asks for a second")
    result: Tensor = apply(AtRoot, *spread(root, residual, slope))
    return result


class AtRoot(torch.autograd.Function):
    """The slope is a number here: there are no second derivatives."""

    generate_vmap_rule = True

    @staticmethod
    def forward(root: Tensor, residual: Tensor, slope: Tensor) -> Tensor:
        return root.detach().clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(inputs[2])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        (slope,) = ctx.saved_tensors
        return None, torch.where(g == 0, 0.0, -g / slope), None
