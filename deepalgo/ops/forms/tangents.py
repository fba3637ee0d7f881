"""Forward derivatives of functions that only say how to go backwards: what goes back is linear, and its transpose goes forward.

>>> class Triple(torch.autograd.Function):
...     @staticmethod
...     def forward(x):
...         return 3 * x
...     @staticmethod
...     def setup_context(ctx, inputs, output):
...         pass
...     @staticmethod
...     def backward(ctx, g):
...         return 3 * g
>>> torch.func.jvp(with_tangents(Triple).apply, (torch.tensor(2.0),), (torch.tensor(1.0),))
(tensor(6.), tensor(3.))
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


@functools.cache
def with_tangents(function: Any) -> type[torch.autograd.Function]:
    """The function with a rule for forward derivatives, which `torch.compile` would not take."""
    if function.jvp is not torch.autograd.Function.jvp:
        return function  # type: ignore[no-any-return]  # it has one of its own

    class WithTangents(function):  # type: ignore[misc]  # any function
        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
            kept = Keeper(ctx)
            function.setup_context(kept, inputs, output)
            ctx.save_for_backward(*kept.tensors, output)
            ctx.save_for_forward(*kept.tensors, output)  # the same, as `vmap` has one list of axes for both

        @staticmethod
        def backward(ctx: Any, *adjoints: Tensor) -> Any:
            return function.backward(AsBackward(ctx, ctx.saved_tensors[:-1], ctx.needs_input_grad), *adjoints)

        @staticmethod
        def jvp(ctx: Any, *tangents: Tensor | None) -> Tensor:
            return forward_derivative(inspect.unwrap(function.backward), ctx, tangents)

    return WithTangents


def forward_derivative(backward: Any, ctx: Any, tangents: Sequence[Tensor | None]) -> Tensor:
    """The derivative of a result along tangents of its operands, from the function that takes its adjoint to theirs."""
    given = {place: tangent for place, tangent in enumerate(tangents) if tangent is not None}
    *saved, output = ctx.saved_tensors
    known = AsBackward(ctx, tuple(saved), tuple(tangent is not None for tangent in tangents))

    def back(adjoint: Tensor) -> tuple[Tensor, ...]:
        found = backward(known, adjoint)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(torch.zeros_like(tangent) if found[place] is None else found[place] for place, tangent in given.items())

    transposed = torch.func.vjp(back, torch.zeros_like(output))[1]
    (result,) = transposed(tuple(given.values()))
    return result  # type: ignore[no-any-return]  # torch


class Keeper:
    """A context that notes which tensors shall be saved."""

    def __init__(self, ctx: Any) -> None:
        object.__setattr__(self, "ctx", ctx)
        object.__setattr__(self, "tensors", ())

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Note them."""
        object.__setattr__(self, "tensors", tensors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ctx, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.ctx, name, value)


class AsBackward:
    """A context as the way back sees it."""

    def __init__(self, ctx: Any, saved: tuple[Tensor, ...], wanted: tuple[bool, ...]) -> None:
        self.ctx, self.saved_tensors, self.needs_input_grad = ctx, saved, wanted

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ctx, name)
