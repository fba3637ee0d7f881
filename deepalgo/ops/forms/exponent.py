"""The two parts of a float.

>>> x = torch.tensor([12.0, -0.25, 0.0])
>>> mantissa(x), exponent(x)
(tensor([ 0.7500, -0.5000,  0.0000]), tensor([ 4, -1,  0]))
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand


def exponent(x: Operand) -> Tensor:
    """The power of two; 0 for zero, inf and NaN."""
    held = torch.as_tensor(x).detach()
    found = torch.frexp(held).exponent.to(torch.int64)
    return torch.where(torch.isfinite(held), found, 0)


def mantissa(x: Operand) -> Tensor:
    """The rest: `x` over the power of two, which is a constant as far as the derivative goes."""
    held = torch.as_tensor(x)
    half = torch.div(exponent(held), 2, rounding_mode="floor")
    rest = exponent(held) - half
    return held * torch.exp2(-half.to(held.dtype)) * torch.exp2(-rest.to(held.dtype))
