"""Functions whose derivative is infinite at the end of their domain: there it is 0, so that one sample cannot spoil a sum.

`UnaryFunction` is the common part: a function of one operand with a hand-written derivative. The plain formula is tried first. Where it is
not finite, divisors are masked on the way in (`without_zero`), so that derivatives of derivatives stay finite too.

>>> x = torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True)
>>> sqrt(x).sum().backward()
>>> x.grad
tensor([0.0000, 0.2500], dtype=torch.float64)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from deepalgo.ops.forms.operands import apply, may_look
from deepalgo.ops.forms.quick import finite

#: The smallest number that is not denormal.
TINY = 2.0**-1022


def without_zero(divisor: Tensor) -> Tensor:
    """The divisor with inf in place of 0, so that the quotient is 0."""
    return divisor.masked_fill(divisor == 0, math.inf)


def _divided(g: Tensor, divisor: Tensor) -> Tensor:
    """The quotient, and 0 where the divisor is 0; complex numbers cannot be divided by inf."""
    zero = divisor == 0
    return (g / divisor.masked_fill(zero, 1)).masked_fill(zero, 0)


def settle(plain: Tensor, careful: Callable[[], Tensor]) -> Tensor:
    """The plain derivative where it is finite throughout, else the one with masks."""
    return plain if may_look() and finite(plain) else careful()


class UnaryFunction(torch.autograd.Function):
    """A function of one operand. Subclasses give `forward` and `backward`; both operand and result are kept."""

    generate_vmap_rule = True

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0], output)


class Sqrt(UnaryFunction):
    """Derivative 1 / (2 sqrt(x)), 0 at 0."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.sqrt(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        _, y = ctx.saved_tensors
        return settle(g / (2 * y).conj(), lambda: _divided(g, (2 * y).conj()))


class Cbrt(UnaryFunction):
    """Derivative 1 / (3 cbrt(x)**2), 0 at 0."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        guess = torch.copysign(torch.abs(x) ** (1 / 3), x)
        # One Newton step takes the last two digits that the rounded exponent costs.
        better = guess - (guess - x / (guess * guess)) / 3
        return torch.where(torch.isfinite(better), better, guess)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        _, y = ctx.saved_tensors
        return settle(g / 3 / y / y, lambda: g / 3 / without_zero(y) / without_zero(y))


class Log(UnaryFunction):
    """Derivative 1 / x, 0 at 0."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.log(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g / x.conj(), lambda: g / without_zero(x).conj())


class Log2(Log):
    """Derivative 1 / (x log(2)), 0 at 0."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.log2(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g / (x.conj() * math.log(2)), lambda: g / (without_zero(x).conj() * math.log(2)))


class Log10(Log):
    """Derivative 1 / (x log(10)), 0 at 0."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.log10(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g / (x.conj() * math.log(10)), lambda: g / (without_zero(x).conj() * math.log(10)))


class Log1p(UnaryFunction):
    """Derivative 1 / (1 + x), 0 at -1."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        if x.is_complex():  # NumPy adds the 1 and rounds; torch does not, and gives NaN for denormal numbers
            real, imag = 1 + torch.real(x), torch.imag(x)
            return torch.complex(torch.log(torch.hypot(real, imag)), torch.atan2(imag, real))
        return torch.where(torch.abs(x) < TINY, x, torch.log1p(x))  # torch's vectors flush denormal numbers to 0

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g / (1 + x).conj(), lambda: g / without_zero(1 + x).conj())


class Asin(UnaryFunction):
    """Derivative 1 / sqrt(1 - x**2), 0 at both ends."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.asin(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g * torch.rsqrt((1 - x) * (1 + x)), lambda: g * torch.rsqrt(without_zero((1 - x) * (1 + x))))


class Acos(UnaryFunction):
    """Derivative -1 / sqrt(1 - x**2), 0 at both ends."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.acos(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(-g * torch.rsqrt((1 - x) * (1 + x)), lambda: -g * torch.rsqrt(without_zero((1 - x) * (1 + x))))


class Acosh(UnaryFunction):
    """Derivative 1 / sqrt(x**2 - 1), 0 at 1."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.acosh(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g * torch.rsqrt(x - 1) * torch.rsqrt(x + 1), lambda: g * torch.rsqrt(without_zero(x - 1)) * torch.rsqrt(x + 1))


class Atanh(UnaryFunction):
    """Derivative 1 / (1 - x**2), 0 at both ends."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.atanh(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        return settle(g / ((1 - x) * (1 + x)).conj(), lambda: g / without_zero((1 - x) * (1 + x)).conj())


def _apply(function: type[UnaryFunction], x: Tensor) -> Tensor:
    result: Tensor = apply(function, x)
    return result


def sqrt(x: Tensor) -> Tensor:
    """Square root."""
    return _apply(Sqrt, x)


def cbrt(x: Tensor) -> Tensor:
    """Real cube root, of negative numbers too."""
    return _apply(Cbrt, x)


def log(x: Tensor) -> Tensor:
    """Natural logarithm."""
    return _apply(Log, x)


def log2(x: Tensor) -> Tensor:
    """Logarithm to base 2."""
    return _apply(Log2, x)


def log10(x: Tensor) -> Tensor:
    """Logarithm to base 10."""
    return _apply(Log10, x)


def log1p(x: Tensor) -> Tensor:
    """`log(1 + x)`, exact for small x."""
    return _apply(Log1p, x)


def asin(x: Tensor) -> Tensor:
    """Arc sine."""
    return torch.asin(x) if x.is_complex() else _apply(Asin, x)


def acos(x: Tensor) -> Tensor:
    """Arc cosine."""
    return torch.acos(x) if x.is_complex() else _apply(Acos, x)


def acosh(x: Tensor) -> Tensor:
    """Inverse hyperbolic cosine."""
    return torch.acosh(x) if x.is_complex() else _apply(Acosh, x)


def atanh(x: Tensor) -> Tensor:
    """Inverse hyperbolic tangent."""
    return _apply(Atanh, x)
