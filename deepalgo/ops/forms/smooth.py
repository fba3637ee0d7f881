"""`smooth`: a function with hand-written derivatives, computed in double precision whatever the precision of its operands.

>>> @smooth(lambda x, y: 3 * x**2)
... def cubed(x):
...     return x**3
>>> x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
>>> cubed(x).backward()
>>> x.grad
tensor([0.7500], dtype=torch.float64)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.ops.forms.kernel import lead
from deepalgo.ops.forms.operands import Operand, apply, spread

Formula: TypeAlias = Callable[..., Tensor]
#: Value and derivatives of every smooth function by its name.
FORMULAS: dict[str, tuple[Formula, ...]] = {}


def smooth(*slopes: Formula) -> Callable[[Formula], Formula]:
    """Give a function of tensors, and of numbers after them, its derivatives by the tensors.

    A slope is a function of the tensors, the result and the numbers. It is differentiable itself, so that second derivatives exist.
    """

    def make(value: Formula) -> Formula:
        FORMULAS[value.__name__] = (value, *slopes)

        @functools.wraps(value)
        def form(*args: Operand) -> Tensor:
            operands, numbers = spread(*args[: len(slopes)]), args[len(slopes) :]
            result: Tensor = apply(Smooth, value.__name__, numbers, *_apart(operands))
            return result

        return form

    return make


def _apart(operands: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """No tensor twice, which `torch.compile` would not take."""
    return tuple(operand.clone() for operand in operands) if torch.compiler.is_compiling() and len(operands) > 1 else operands


class Smooth(torch.autograd.Function):
    """Operands have one shape."""

    generate_vmap_rule = True

    @staticmethod
    def forward(name: str, numbers: tuple[float, ...], *operands: Tensor) -> Tensor:
        return _evaluate(name, 0, [operand.double() for operand in operands], numbers).to(operands[0].dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.name, ctx.numbers = inputs[:2]
        ctx.save_for_backward(*inputs[2:], output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        values = [saved.double() for saved in ctx.saved_tensors]
        wanted = enumerate(ctx.needs_input_grad[2:], 1)
        slopes = (_evaluate(ctx.name, place, values, ctx.numbers).to(g.dtype) if needed else None for place, needed in wanted)
        return None, None, *(None if slope is None else g * slope for slope in slopes)


def _evaluate(name: str, place: int, values: list[Tensor], numbers: tuple[float, ...]) -> Tensor:
    """The value (place 0) or the slope by one operand; a graph that is being compiled gets it as one operation."""
    if torch.compiler.is_compiling():
        result: Tensor = torch.ops.deepalgo.smooth(values, name, place, numbers)
        return result
    return FORMULAS[name][place](*values, *numbers)


@torch.library.custom_op("deepalgo::smooth", mutates_args=(), schema="(Tensor[] values, str name, int place, float[] numbers) -> Tensor")
def _smooth(values: list[Tensor], name: str, place: int, numbers: list[float]) -> Tensor:
    return FORMULAS[name][place](*values, *numbers).clone()


@_smooth.register_fake
def _(values: list[Tensor], name: str, place: int, numbers: list[float]) -> Tensor:
    return torch.empty_like(values[0])


@_smooth.register_vmap
def _(info: Any, in_dims: Any, values: list[Tensor], name: str, place: int, numbers: list[float]) -> tuple[Tensor, int]:
    result: Tensor = _smooth(lead(info.batch_size, in_dims[0], values), name, place, numbers)
    return result, 0
