"""Whether results left the range of floats although their operands were within it."""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand, tensors


def no_overflow(result: Operand, *operands: Operand) -> Tensor:
    """True where the result is finite, or an operand was not."""
    held, *others = tensors(result, *operands)
    ok = torch.isfinite(held)
    for other in others:
        ok = ok | ~torch.isfinite(other)
    return ok
