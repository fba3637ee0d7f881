"""Division with remainder as Python does it, without raising.

>>> mod(torch.tensor([7, -7, 7]), torch.tensor([3, 3, 0]))
tensor([1, 2, 0])
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from deepalgo.ops.forms.operands import Operand, apply, is_integral, may_look, spread, tensors
from deepalgo.ops.forms.overflow import isfinite

#: A power of two, so that multiples are exact; it brings every quotient of ordinary numbers below overflow.
HUGE = 2.0**1020
#: Quotients up to which torch's own remainder is exact.
TAME = 1e6


def floordiv(a: Operand, b: Operand) -> Tensor:
    """`a // b`; an integer divisor 0 gives `a`, its samples are caught by a check."""
    a, b = tensors(a, b)
    if not is_integral(a, b):
        return torch.div(a, b, rounding_mode="floor")
    # -1 has a case of its own because the processor traps on the smallest integer divided by -1.
    return torch.where(b == -1, -a, torch.div(a, _harmless(b), rounding_mode="floor"))


def mod(a: Operand, b: Operand) -> Tensor:
    """`a % b`, with the sign of `b`."""
    if is_integral(a, b):
        return a if isinstance(a, Tensor) and _is_reduced(a, b) else _whole_mod(*tensors(a, b))
    if may_look() and _is_tame(a, b):
        return _apply(TameMod, a, b)
    return _apply(Mod, a, b)


def _whole_mod(a: Tensor, b: Tensor) -> Tensor:
    return torch.remainder(a, _harmless(b))


def _is_reduced(a: Tensor, b: Operand) -> bool:
    """Whether all are below one positive divisor already, as the number of a case often is: a look is faster than a division."""
    if isinstance(b, (Tensor, complex)) or not may_look() or a.numel() == 0 or a.dtype != torch.int64:
        return False
    low, high = torch.aminmax(a)
    return low.item() >= 0 and high.item() < b


def fmod(a: Operand, b: Operand) -> Tensor:
    """`math.fmod(a, b)`, with the sign of `a`."""
    return _apply(Fmod, a, b)


def remainder(a: Operand, b: Operand) -> Tensor:
    """`math.remainder(a, b)`: what is left beside the nearest multiple of `b`."""
    return _apply(Remainder, a, b)


def lshift(a: Operand, b: Operand) -> Tensor:
    """`a << b`; shifts of 64 and more give 0 and a check has spoken before."""
    a, b = tensors(a, b)
    return torch.where(b > 63, 0, a << b.clamp(0, 63))


def rshift(a: Operand, b: Operand) -> Tensor:
    """`a >> b`."""
    a, b = tensors(a, b)
    return a >> b.clamp(0, 63)


def _harmless(divisor: Tensor) -> Tensor:
    return divisor.masked_fill((divisor == 0) | (divisor == -1), 1)


def _is_tame(a: Operand, b: Operand) -> bool:
    """One positive divisor, and no quotient too large for torch's own remainder."""
    if not isinstance(a, Tensor) or a.numel() == 0 or (isinstance(b, Tensor) and b.dim() > 0):
        return False
    divisor = b.item() if isinstance(b, Tensor) else b
    if isinstance(divisor, complex) or not 1e-30 < divisor < 1e30:
        return False
    low, high = torch.aminmax(a.detach())
    return -TAME * divisor < low.item() and high.item() < TAME * divisor


def exact_fmod(a: Tensor, b: Tensor) -> Tensor:
    """`fmod` in exact steps: torch gives NaN where `a / b` overflows."""
    if may_look() and b.numel() and not bool((torch.abs(b) < 1 / HUGE).any()):
        return torch.fmod(torch.fmod(a, HUGE * b), b)
    for scale in (HUGE * (HUGE * b), HUGE * b, b):
        a = torch.fmod(a, scale)
    return a


class Quotient(torch.autograd.Function):
    """A remainder `a - n b`: the derivative is 1 by `a` and -n by `b`. Operands have one shape."""

    generate_vmap_rule = True

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor | None]:
        if not ctx.needs_input_grad[1]:
            return g, None
        a, b, r = ctx.saved_tensors
        times = torch.round((a - r) / b).detach()
        return g, -g * torch.where(isfinite(times), times, 0)  # there is no remainder of infinity


class Fmod(Quotient):
    """C's remainder."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return exact_fmod(a, b)


class Mod(Quotient):
    """Python's `%`."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        rest = exact_fmod(a, b)
        other = rest + b
        # Choices, as `torch.remainder` divides once more. A zero takes the divisor's sign as well.
        return torch.copysign(torch.where(b < 0, torch.where(rest > 0, other, rest), torch.where(rest < 0, other, rest)), b)


class TameMod(Quotient):
    """Python's `%` for a positive divisor and moderate quotients; adding 0 turns -0 into 0."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return torch.remainder(a, b).add_(0.0)


class Remainder(Quotient):
    """IEEE remainder, by the steps of CPython's `m_remainder`."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        size, divisor = torch.abs(a), torch.abs(b)
        low = exact_fmod(size, divisor)
        high = divisor - low
        even = low - 2 * torch.fmod(0.5 * (size - low), divisor)
        near = torch.where(low < high, low, torch.where(low > high, -high, even))
        whole = torch.where(torch.isinf(b) & torch.isfinite(a), size, near)
        return torch.where(torch.signbit(a), -whole, whole)


def _apply(function: type[Quotient], a: Operand, b: Operand) -> Tensor:
    a, b = spread(a, b)
    result: Tensor = apply(function, a, b)
    return result
