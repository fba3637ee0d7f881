"""`round(x, digits)`, correctly rounded in decimal as Python's is.

>>> round_digits(torch.tensor([2.675, 2.5, 1234.5], dtype=torch.float64), 2)
tensor([   2.6700,    2.5000, 1234.5000], dtype=torch.float64)
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import apply


def round_digits(x: Tensor, digits: int) -> Tensor:
    """`round(x, digits)`; the derivative is 0."""
    result: Tensor = apply(RoundDigits, x, digits)
    return result


@torch.library.custom_op("deepalgo::rounded", mutates_args=())
def rounded(x: Tensor, digits: int) -> Tensor:
    """Scale, round and scale back; samples near a tie, or with too many digits for that, are rounded by Python."""
    double = x.to(torch.float64)
    scale = 10.0 ** min(abs(digits), 22)  # beyond, Python rounds every sample
    scaled = double * scale if digits >= 0 else double / scale
    whole = torch.round(scaled)
    result = whole / scale if digits >= 0 else whole * scale
    doubtful = _is_doubtful(scaled, whole) & torch.isfinite(double) if abs(digits) <= 22 else torch.isfinite(double)
    if bool(doubtful.any()):
        exact = [round(value, digits) for value in double[doubtful].tolist()]
        result[doubtful] = torch.tensor(exact, dtype=torch.float64, device=x.device)
    return torch.where(torch.isfinite(double), result, double).to(x.dtype)


@rounded.register_fake
def _(x: Tensor, digits: int) -> Tensor:
    return torch.empty_like(x)


def _is_doubtful(scaled: Tensor, whole: Tensor) -> Tensor:
    """The scaled number is off by at most half a unit in its last place, so only a tie that near can be misjudged."""
    distance = torch.abs(torch.abs(scaled - whole) - 0.5)
    return (distance <= torch.abs(scaled) * 2.0**-51) | (torch.abs(scaled) >= 2.0**50)


class RoundDigits(torch.autograd.Function):
    """Constant between its steps."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, digits: int) -> Tensor:
        result: Tensor = rounded(x, digits)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, int], output: Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        return torch.zeros_like(g), None
