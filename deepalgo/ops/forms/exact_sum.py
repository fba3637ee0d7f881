"""`math.fsum`: the sum of several numbers without any error but the last rounding.

>>> fsum(torch.tensor([0.5, 1.0], dtype=torch.float64), 1e16, -1e16)
tensor([0.5000, 1.0000], dtype=torch.float64)
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from deepalgo.ops.forms.kernel import lead
from deepalgo.ops.forms.operands import Operand, apply, spread


def fsum(*operands: Operand) -> Tensor:
    """`math.fsum(operands)`, and NaN where that raises."""
    result: Tensor = apply(ExactSum, torch.stack(spread(*operands)))
    return result


@torch.library.custom_op("deepalgo::fsum", mutates_args=(), schema="(Tensor values) -> Tensor")
def _fsum(values: Tensor) -> Tensor:
    columns = values.detach().double().cpu().reshape(len(values), -1).t().tolist()
    return torch.tensor([_sum(column) for column in columns], dtype=torch.float64).reshape(values.shape[1:]).to(values)


@_fsum.register_fake
def _(values: Tensor) -> Tensor:
    return torch.empty_like(values[0])


@_fsum.register_vmap
def _(info: Any, in_dims: Any, values: Tensor) -> tuple[Tensor, int]:
    (mapped,) = lead(info.batch_size, in_dims, [values])
    result: Tensor = _fsum(mapped.transpose(0, 1))
    return result, 0


def _sum(numbers: list[float]) -> float:
    try:
        return math.fsum(numbers)
    except (ValueError, OverflowError):
        return math.nan


class ExactSum(torch.autograd.Function):
    """Numbers along the first axis; the derivative by each is 1."""

    generate_vmap_rule = True

    @staticmethod
    def forward(values: Tensor) -> Tensor:
        result: Tensor = torch.ops.deepalgo.fsum(values)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.count = len(inputs[0])

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g.expand(ctx.count, *g.shape)
