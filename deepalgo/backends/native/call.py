"""Native code as a step of torch's autograd: tensors in, tensors out, and derivatives of first order natively.

What native code does not do is left to `otherwise`, which computes the same in torch: derivatives of derivatives, and of programs that
have no native derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.engine import Engine
from deepalgo.kinds import Kind
from deepalgo.ops.forms.operands import wants_gradient

#: Computes the results of a call in torch, from inputs and weights.
Otherwise = Callable[[Sequence[Tensor]], list[Tensor]]


@dataclass(frozen=True, slots=True)
class Call:
    """A program on a batch: so many of the tensors are inputs, the others weights."""

    engine: Engine
    inputs: int
    otherwise: Otherwise
    #: Whether samples that fail raise.
    raises: bool = False

    def forward(self, tensors: Sequence[Tensor]) -> tuple[list[Tensor], Array]:
        """The results, and the number of the check that each sample fails."""
        inputs, weights = self.arrays(tensors)
        outcome = self.engine.forward(inputs, weights)
        if self.raises and outcome.failed:
            self.engine.complain(outcome)
        return [torch.from_numpy(array) for array in outcome.results], outcome.codes

    def run(self, tensors: Sequence[Tensor]) -> tuple[list[Tensor], Tensor]:
        """The same as tensors that autograd follows, if a gradient is wanted."""
        if not wants_gradient(*tensors):
            results, codes = self.forward(tensors)
            return results, torch.from_numpy(codes)
        *found, numbers = NativeFunction.apply(self, *tensors)  # type: ignore[no-untyped-call]  # torch
        return found, numbers

    def arrays(self, tensors: Sequence[Tensor]) -> tuple[list[Array], Array]:
        """Inputs, and all weights in a row."""
        weights = [array.reshape(-1) for array in map(_array, tensors[self.inputs :])]
        return [*map(_array, tensors[: self.inputs])], np.concatenate(weights) if weights else np.zeros(0)

    def backward(self, tensors: Sequence[Tensor], adjoints: Sequence[Tensor]) -> list[Tensor | None]:
        """The adjoints of all tensors; None for those that are not real."""
        inputs, weights = self.arrays(tensors)
        found = self.engine.gradient(inputs, weights, [_array(adjoint) for adjoint in adjoints])
        waiting = iter(found.inputs)
        first = [torch.from_numpy(next(waiting)) if _is_inexact(tensor) else None for tensor in tensors[: self.inputs]]
        held = tensors[self.inputs :]
        if not held:
            return list(first)
        if all(weight.dim() == 0 for weight in held):
            return [*first, *torch.from_numpy(found.total).unbind()]
        parts = torch.split(torch.from_numpy(found.total), [weight.numel() for weight in held])
        return [*first, *(part.reshape(weight.shape) for part, weight in zip(parts, held, strict=True))]


class NativeFunction(torch.autograd.Function):
    """A call as a function of autograd. Its tensors are saved by torch, which notices weights that change before the backward pass."""

    @staticmethod
    def forward(ctx: Any, call: Call, *tensors: Tensor) -> tuple[Tensor, ...]:
        """The results, and at the end the numbers of failed checks."""
        results, codes = call.forward(tensors)
        ctx.call = call
        numbers = torch.from_numpy(codes.copy())
        ctx.save_for_backward(*tensors, numbers)
        ctx.set_materialize_grads(False)
        flat = [result for result in results if not _is_inexact(result)]
        ctx.mark_non_differentiable(numbers, *flat)
        return (*results, numbers)

    @staticmethod
    def backward(ctx: Any, *adjoints: Tensor | None) -> tuple[Tensor | None, ...]:
        """What arrives at inputs and weights; in torch where a derivative of this is wanted."""
        (*tensors, numbers), call = ctx.saved_tensors, ctx.call
        graph = torch.is_grad_enabled()
        if graph or torch._C._len_torch_dispatch_stack() or call.engine.reason_against(gradient=True):
            return (None, *_in_torch(call, tensors, adjoints[:-1], numbers == 0, graph))
        return (None, *call.backward(tensors, _filled(call, tensors, adjoints[:-1])))


def _array(tensor: Tensor) -> Array:
    """The numbers themselves, where torch has only noted that they are conjugate or negative."""
    plain = tensor.detach() if tensor.requires_grad else tensor
    found: Array = plain.resolve_conj().resolve_neg().numpy() if plain.is_complex() or plain.is_neg() else plain.numpy()
    return found


def _is_inexact(tensor: Tensor) -> bool:
    """Real or complex."""
    return tensor.is_floating_point() or tensor.is_complex()


def _filled(call: Call, tensors: Sequence[Tensor], adjoints: Sequence[Tensor | None]) -> list[Tensor]:
    """The adjoints of the real results, zero where none arrived."""
    size = len(tensors[0]) if call.inputs else 1
    found = []
    for adjoint, type in zip(adjoints, call.engine.result_types, strict=True):
        if type.kind >= Kind.REAL:
            dtype = torch.complex128 if type.kind is Kind.COMPLEX else torch.float64
            found.append(adjoint if adjoint is not None else torch.zeros((size, *type.shape), dtype=dtype))
    return found


def _in_torch(
    call: Call, tensors: Sequence[Tensor], adjoints: Sequence[Tensor | None], good: Tensor, graph: bool
) -> list[Tensor | None]:
    """The same derivative by torch, from the samples that did not fail; as a `graph`, it can be derived once more."""
    if not graph:
        tensors = [tensor.detach().requires_grad_(tensor.requires_grad) for tensor in tensors]
    wanted = [tensor for tensor in tensors if tensor.requires_grad]
    rows = good.nonzero().squeeze(1)
    with torch.enable_grad():
        results = call.otherwise([*(tensor[rows] for tensor in tensors[: call.inputs]), *tensors[call.inputs :]])
    pairs = [(result, adjoint[rows]) for result, adjoint in zip(results, adjoints, strict=True)
             if adjoint is not None and result.requires_grad]
    if not pairs or not wanted:
        return [None] * len(tensors)
    outputs, given = zip(*pairs, strict=True)
    found = iter(torch.autograd.grad(outputs, wanted, given, create_graph=graph, allow_unused=True))
    return [next(found) if tensor.requires_grad else None for tensor in tensors]
