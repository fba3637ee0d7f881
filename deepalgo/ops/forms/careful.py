"""Derivatives in which 0 times infinity is 0: an adjoint of 0 stays 0 where the derivative is infinite or NaN.

`numbers` is for operations that work number by number, `samples` for those that make each sample's result of that sample alone. Both
take a value, and its derivatives from the operation itself, which they look at afterwards. That takes more than twice the time:
`backends.torch.runtime.mend` computes like this where the plain derivatives have turned out not to be finite.

>>> x = torch.tensor([1.0, 800.0], dtype=torch.float64, requires_grad=True)
>>> torch.clamp(numbers(torch.exp(x), torch.exp, x), max=3.0).sum().backward()
>>> x.grad
tensor([2.7183, 0.0000], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.ops.forms import linear, reductions
from deepalgo.ops.forms.endpoints import sqrt
from deepalgo.ops.forms.operands import Operand, is_transformed, spread, wants_gradient

Form: TypeAlias = Callable[..., Tensor]


def numbers(value: Tensor, form: Form, *operands: Operand) -> Tensor:
    """The value with the derivatives of `form(*operands)`, number by number; one of constants has none.

    >>> numbers(torch.tensor(1.0), lambda: torch.tensor(1.0))
    tensor(1.)
    """
    if not any(isinstance(operand, Tensor) for operand in operands):
        return value
    return _apply(value, form, _silent_numbers, *spread(*operands))


def samples(value: Tensor, form: Form, *operands: Tensor) -> Tensor:
    """The value with the derivatives of `form(*operands)`, sample by sample; all operands have a batch axis."""
    return _apply(value, form, _silent_samples, *operands)


def matmul(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> Tensor:
    """`a @ b` of each sample, with derivatives product by product."""
    return _apply(linear.matmul(a, b, a_batch, b_batch), lambda a, b: _products(a, b, a_batch, b_batch), None, a, b)


def cross(a: Tensor, b: Tensor) -> Tensor:
    """The vector product of vectors of three, with derivatives product by product."""
    return _apply(linear.cross(a, b), _cross, None, *spread(a, b))


def norm2(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The Euclidean length, with derivatives square by square."""
    return _apply(linear.norm2(array, axis, batch), lambda array: _norm2(array, axis, batch), None, array)


def prod(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The product, with derivatives factor by factor."""
    return _apply(reductions.prod(array, axis, batch), lambda array: _cumprod(array, axis, batch)[0], None, array)


def cumprod(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """Running products, with derivatives factor by factor."""
    return _apply(reductions.cumprod(array, axis, batch), lambda array: _cumprod(array, axis, batch)[1], None, array)


def _apply(value: Tensor, form: Form, silent: Form | None, *operands: Tensor) -> Tensor:
    if not wants_gradient(*operands):
        return value
    function = Transformed if is_transformed() else Careful
    result: Tensor = function.apply(value.detach(), form, silent, *operands)  # type: ignore[no-untyped-call]  # torch
    return result


class Careful(torch.autograd.Function):
    """`silent(g, slope)` is where nothing is asked; without it the form is made of careful operations itself."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, form: Form, silent: Form | None, *operands: Tensor) -> Tensor:
        ctx.form, ctx.silent = form, silent
        ctx.save_for_backward(*operands)
        return value

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
        again, wanted = torch.is_grad_enabled(), ctx.needs_input_grad[3:]
        with torch.enable_grad():
            # Each place gets a tensor of its own, as an operand may be there twice.
            operands = [item.view_as(item) if again else item.detach() for item in ctx.saved_tensors]
            asked = [item if again else item.requires_grad_() for item, want in zip(operands, wanted, strict=True) if want]
            found = iter(torch.autograd.grad(ctx.form(*operands), asked, g, create_graph=again, allow_unused=True))
        return None, None, None, *(_settled(next(found), g, ctx.silent) if want else None for want in wanted)


class Transformed(torch.autograd.Function):
    """The same for `torch.func`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(value: Tensor, form: Form, silent: Form | None, *operands: Tensor) -> Tensor:
        return value.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.form, ctx.silent, *operands = inputs
        ctx.save_for_backward(*operands)
        ctx.save_for_forward(*operands)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Any, ...]:
        slopes = torch.func.vjp(ctx.form, *ctx.saved_tensors)[1](g)
        return None, None, None, *(_settled(slope, g, ctx.silent) for slope in slopes)

    @staticmethod
    def jvp(ctx: Any, *tangents: Tensor | None) -> Tensor:
        operands = ctx.saved_tensors
        moves = [torch.zeros_like(item) if move is None else move for item, move in zip(operands, tangents[3:], strict=True)]
        parts = [_along(ctx.form, operands, moves, place, ctx.silent) for place, move in enumerate(tangents[3:]) if move is not None]
        return torch.stack(parts).sum(0)


def _along(form: Form, operands: Sequence[Tensor], moves: Sequence[Tensor], place: int, silent: Form | None) -> Tensor:
    """How the result moves with one of the operands: not at all where that does not."""
    still = [move.clone(memory_format=torch.contiguous_format) if at == place else torch.zeros_like(move) for at, move in enumerate(moves)]
    places = tuple(item.clone(memory_format=torch.contiguous_format) for item in operands)  # torch writes to neither, but asks for it
    found: Tensor = torch.func.jvp(form, places, tuple(still))[1]
    return found if silent is None else found.masked_fill(silent(moves[place], found) & ~torch.isfinite(found), 0)


def _settled(slope: Tensor | None, g: Tensor, silent: Form | None) -> Tensor | None:
    """What is asked of an operand: 0 where nothing arrives, although a slope there may be infinite."""
    return slope if slope is None or silent is None else slope.masked_fill(silent(g, slope) & ~torch.isfinite(slope), 0)


def _silent_numbers(g: Tensor, slope: Tensor) -> Tensor:
    return g == 0


def _silent_samples(g: Tensor, slope: Tensor) -> Tensor:
    zero = (g == 0).flatten(1).all(1) if g.dim() > 1 else g == 0
    return zero.reshape(-1, *[1] * (slope.dim() - 1))


def _product(a: Tensor, b: Tensor) -> Tensor:
    return numbers(a * b, torch.mul, a, b)


def _products(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> Tensor:
    """A matrix product as a sum of products."""
    row, column = a.dim() - a_batch == 1, b.dim() - b_batch == 1
    a, b = linear.line_up(a.unsqueeze(-2) if row else a, b.unsqueeze(-1) if column else b, a_batch, b_batch)
    product = _product(a.unsqueeze(-1), b.unsqueeze(-3)).sum(-2)
    product = product.squeeze(-1) if column else product
    return product.squeeze(-1 if column else -2) if row else product


def _cross(a: Tensor, b: Tensor) -> Tensor:
    (x, y, z), (u, v, w) = a.unbind(-1), b.unbind(-1)
    pairs = ((y, w, z, v), (z, u, x, w), (x, v, y, u))
    return torch.stack([_product(p, q) - _product(r, s) for p, q, r, s in pairs], -1)


def _norm2(array: Tensor, axis: int | None, batch: int) -> Tensor:
    array, axis = reductions.lay(array, axis, batch)
    parts = torch.view_as_real(array).unbind(-1) if array.is_complex() else (array,)
    total = sum((_product(part, part).sum(axis) for part in parts), torch.zeros((), dtype=parts[0].dtype, device=array.device))
    return numbers(sqrt(total), sqrt, total)


def _cumprod(array: Tensor, axis: int | None, batch: int) -> tuple[Tensor, Tensor]:
    """The product and the running ones."""
    array, axis = reductions.lay(array, axis, batch)
    totals = [torch.ones_like(array.sum(axis))]
    for factor in array.unbind(axis):
        totals.append(_product(totals[-1], factor))
    return totals[-1], torch.stack(totals[1:], axis) if totals[1:] else array
