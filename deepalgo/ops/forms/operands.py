"""What the forms share: operands are tensors or plain numbers, and some of them ask for a gradient.

>>> a, b = tensors(torch.ones(2, dtype=torch.float64), 3.0)
>>> b
tensor(3., dtype=torch.float64)
"""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch import Tensor

Number: TypeAlias = bool | int | float | complex
Operand: TypeAlias = Tensor | Number

#: The complex type of the same precision; a table because `torch.compile` cannot look into `dtype.to_complex`.
COMPLEX = {torch.float64: torch.complex128, torch.float32: torch.complex64, torch.float16: torch.complex32}


def tensors(*operands: Operand) -> tuple[Tensor, ...]:
    """The operands as tensors; a number takes type and device of the first tensor."""
    like = next(operand for operand in operands if isinstance(operand, Tensor))
    return tuple(item if isinstance(item, Tensor) else torch.as_tensor(item, dtype=like.dtype, device=like.device) for item in operands)


def spread(*operands: Operand) -> tuple[Tensor, ...]:
    """The operands as tensors of one shape, so that a custom backward need not undo broadcasting."""
    return tuple(torch.broadcast_tensors(*tensors(*operands)))  # type: ignore[no-untyped-call]  # torch


def apply(function: type[torch.autograd.Function], *args: Any) -> Any:
    """Call an autograd function; with plain `forward` where no gradient is wanted, which is quicker."""
    if wants_gradient(*args):
        return function.apply(*args)  # type: ignore[no-untyped-call]  # torch
    return function.forward(*args)


def wants_gradient(*operands: Operand) -> bool:
    """Whether a custom backward is needed at all."""
    return torch.is_grad_enabled() and any(isinstance(item, Tensor) and item.requires_grad for item in operands)


def is_integral(*operands: Operand) -> bool:
    """Whether all operands are whole numbers by type."""
    return not any(_is_inexact(operand) for operand in operands)


def _is_inexact(operand: Operand) -> bool:
    if isinstance(operand, Tensor):
        return operand.is_floating_point() or operand.is_complex()
    return isinstance(operand, (float, complex))
