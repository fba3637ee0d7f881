"""`where` for operands of which one may be a plain number.

>>> where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 7.0)
tensor([1., 7.])
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand


def where(condition: Operand, a: Operand, b: Operand) -> Tensor:
    """`a` where the condition holds, else `b`."""
    return torch.where(torch.as_tensor(condition), a, b)
