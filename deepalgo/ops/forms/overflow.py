"""Which numbers are finite, and whether results left the range of floats although their operands were within it.

Spelled as comparisons: torch's own questions are asked number by number in a compiled graph.

>>> x = torch.tensor([1.0, torch.inf, torch.nan])
>>> isfinite(x), isinf(x), isnan(x)
(tensor([ True, False, False]), tensor([False,  True, False]), tensor([False, False,  True]))
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand, tensors


def isfinite(x: Tensor) -> Tensor:
    """Neither infinite nor NaN."""
    return torch.abs(x) < math.inf


def isinf(x: Tensor) -> Tensor:
    """Infinite."""
    return torch.abs(x) == math.inf


def isnan(x: Tensor) -> Tensor:
    """Not a number."""
    return x != x


def no_overflow(result: Operand, *operands: Operand) -> Tensor:
    """True where the result is finite, or an operand was not."""
    held, *others = tensors(result, *operands)
    ok = isfinite(held)
    for other in others:
        ok = ok | ~isfinite(other)
    return ok
