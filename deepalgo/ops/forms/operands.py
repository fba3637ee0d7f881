"""What the forms share: operands are tensors or plain numbers, and some of them ask for a gradient.

>>> a, b = tensors(torch.ones(2, dtype=torch.float64), 3.0)
>>> b
tensor(3., dtype=torch.float64)
"""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch._C._functorch import TransformType

from deepalgo.ops.forms.tangents import with_tangents

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
    """Call an autograd function in the quickest way that will do: plain `forward` where no gradient is wanted."""
    if not wants_gradient(*args):
        return function.forward(*args)
    if may_look():
        function = _twin(function)
    elif is_transformed():
        function = with_tangents(function)
    return function.apply(*args)  # type: ignore[no-untyped-call]  # torch


def may_look() -> bool:
    """Whether numbers in tensors may be looked at: not in a graph that is being recorded, nor under `torch.func`."""
    return not torch.compiler.is_compiling() and not is_transformed()


def is_transformed() -> bool:
    """Whether a transformation of `torch.func` is at work."""
    return not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()


def levels(*kinds: TransformType) -> int:
    """How many transformations of these kinds are at work inside of one another."""
    return sum(item.key() in kinds for item in torch._C._functorch.get_interpreter_stack() or [])


def is_exporting() -> bool:
    """Whether the graph that is being recorded is one for `torch.export`, which keeps no derivatives."""
    return torch.compiler.is_exporting()


@functools.cache
def _twin(function: Any) -> type[torch.autograd.Function]:
    """The function in torch's older style, which `torch.func` cannot transform but which costs a fifth of the time to call."""

    class Twin(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            result = function.forward(*args)
            function.setup_context(ctx, args, result)
            return result

        backward = staticmethod(function.backward)

    return Twin


def wants_gradient(*operands: Operand) -> bool:
    """Whether a custom backward is needed at all; what has tangents under `torch.func` does not say that it wants any."""
    if is_transformed():
        return True
    return torch.is_grad_enabled() and any(isinstance(item, Tensor) and item.requires_grad for item in operands) and not is_exporting()


def is_integral(*operands: Operand) -> bool:
    """Whether all operands are whole numbers by type."""
    return not any(_is_inexact(operand) for operand in operands)


def _is_inexact(operand: Operand) -> bool:
    if isinstance(operand, Tensor):
        return operand.is_floating_point() or operand.is_complex()
    return isinstance(operand, (float, complex))
