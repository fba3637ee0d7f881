"""The gamma function to the last digits, as CPython computes it.

>>> gamma(torch.tensor([5.0, 0.5], dtype=torch.float64))
tensor([24.0000,  1.7725], dtype=torch.float64)
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from deepalgo.ops.forms.endpoints import UnaryFunction
from deepalgo.ops.forms.operands import apply

# Lanczos' rational approximation with g = 6.024680040776729583740234375, N = 13, from CPython's mathmodule.c.
G_MINUS_HALF = 5.524680040776729583740234375
NUMERATOR = (
    23531376880.410759688572007674451636754734846804940,
    42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843,
    17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708,
    1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801,
    31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768,
    186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024,
    210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408,
)
DENOMINATOR = (0.0, 39916800.0, 120543840.0, 150917976.0, 105258076.0, 45995730.0, 13339535.0, 2637558.0, 357423.0, 32670.0,
               1925.0, 66.0, 1.0)
FACTORIALS = tuple(float(math.factorial(n)) for n in range(23))


def gamma(x: Tensor) -> Tensor:
    """`math.gamma(x)`; poles give NaN."""
    result: Tensor = apply(Gamma, x)
    return result


def lgamma(x: Tensor) -> Tensor:
    """`math.lgamma(x)`."""
    result: Tensor = apply(LogGamma, x)
    return result


class Gamma(UnaryFunction):
    """Derivative gamma(x) digamma(x)."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        factorials = torch.tensor(FACTORIALS, dtype=x.dtype, device=x.device)
        whole = x == torch.floor(x)
        small = factorials[(torch.where((x >= 1) & (x <= 23), x, 1) - 1).to(torch.int64)]
        value = torch.where(x < 0, _reflected(x), _lanczos(x))
        value = torch.where(torch.abs(x) < 1e-20, 1 / x, value)
        value = torch.where(whole & (x >= 1) & (x <= 23), small, value)
        return torch.where(whole & (x <= 0) & (x != 0) | (x == -torch.inf), torch.nan, value)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, y = ctx.saved_tensors
        slope: Tensor = y * torch.digamma(x)
        return g * slope


class LogGamma(UnaryFunction):
    """Derivative digamma(x), 0 at the poles."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return torch.lgamma(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        x, _ = ctx.saved_tensors
        pole = (x <= 0) & (x == torch.floor(x))
        slope: Tensor = torch.digamma(x.masked_fill(pole, 1)).masked_fill(pole, 0)
        return g * slope


def _lanczos(x: Tensor) -> Tensor:
    """Gamma of a positive number; the power is taken in two halves because the whole overflows first."""
    y = x + G_MINUS_HALF
    z = _correction(y, torch.maximum(x, torch.full_like(x, G_MINUS_HALF)), torch.minimum(x, torch.full_like(x, G_MINUS_HALF)))
    z = z * 6.024680040776729583740234375 / y
    r = _lanczos_sum(x) / torch.exp(y)
    r = r + z * r
    half = torch.pow(y, x / 2 - 0.25)
    whole = torch.where(x < 140, r * torch.pow(y, x - 0.5), r * half * half)
    return torch.where(x > 200, torch.inf, whole)


def _reflected(x: Tensor) -> Tensor:
    """Gamma of a negative number by the reflection formula."""
    size = torch.abs(x)
    y = size + G_MINUS_HALF
    z = _correction(y, torch.maximum(size, torch.full_like(x, G_MINUS_HALF)), torch.minimum(size, torch.full_like(x, G_MINUS_HALF)))
    z = z * 6.024680040776729583740234375 / y
    r = -math.pi / _sin_pi(size) / size * torch.exp(y) / _lanczos_sum(size)
    r = r - z * r
    half = torch.pow(y, size / 2 - 0.25)
    whole = torch.where(size < 140, r / torch.pow(y, size - 0.5), r / half / half)
    return torch.where(size > 200, torch.copysign(torch.zeros_like(x), -_sin_pi(size)), whole)


def _correction(y: Tensor, larger: Tensor, smaller: Tensor) -> Tensor:
    """What was lost when y was rounded."""
    return y - larger - smaller


def _lanczos_sum(x: Tensor) -> Tensor:
    """The quotient of two polynomials, in x below 5 and in 1/x above, so that neither overflows."""
    large = x >= 5
    t = torch.where(large, 1 / x, x)
    top = torch.where(large, _horner(NUMERATOR, t), _horner(NUMERATOR[::-1], t))
    bottom = torch.where(large, _horner(DENOMINATOR, t), _horner(DENOMINATOR[::-1], t))
    return top / bottom


def _horner(coefficients: tuple[float, ...], t: Tensor) -> Tensor:
    total = torch.zeros_like(t)
    for coefficient in coefficients:
        total = total * t + coefficient
    return total


def _sin_pi(x: Tensor) -> Tensor:
    """sin(pi x) for x >= 0, with the argument reduced before it meets pi."""
    y = torch.fmod(x, 2.0)
    n = torch.round(2 * y)
    quarter = math.pi * (y - 0.5 * n)
    sine, cosine = torch.sin(quarter), torch.cos(quarter)
    return torch.where(n == 0, sine, torch.where(n == 1, cosine, torch.where(n == 2, -sine, torch.where(n == 3, -cosine, sine))))
