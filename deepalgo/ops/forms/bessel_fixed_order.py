"""Bessel functions of a fixed real order.

Small x: power series. Large x: Hankel's expansion. J in between: Schläfli's integral by Gauss' rule. K: the integral of
exp(-x cosh t) cosh(v t) by the trapezium rule, which on such integrands doubles its digits with each halving of the step.

>>> jv(torch.tensor([1.0], dtype=torch.float64), 0.5)
tensor([0.6714], dtype=torch.float64)
"""

from __future__ import annotations

import functools
import math

import numpy as np
import torch
from torch import Tensor

from deepalgo.ops.forms.kernel import kernel
from deepalgo.ops.forms.smooth import smooth

TERMS = 3000


@smooth(lambda x, y, order: _finite(jv(x, order - 1) - jv(x, order + 1)) / 2)
def jv(x: Tensor, order: float) -> Tensor:
    """The Bessel function of the first kind."""
    return bessel_j(x, float(order))


@smooth(lambda x, y, order: _finite(iv(x, order - 1) + iv(x, order + 1)) / 2)
def iv(x: Tensor, order: float) -> Tensor:
    """The modified Bessel function of the first kind."""
    return bessel_i(x, float(order))


@smooth(lambda x, y, order: _finite(kv(x, order - 1) + kv(x, order + 1)) / -2)
def kv(x: Tensor, order: float) -> Tensor:
    """The modified Bessel function of the second kind."""
    return bessel_k(x, float(order))


def _finite(slope: Tensor) -> Tensor:
    """The derivative at 0 is infinite for some orders, and counts as 0."""
    return torch.where(torch.isinf(slope), 0, slope)


@kernel("bessel_j", "Tensor x", "float order")
def bessel_j(x: Tensor, order: float) -> Tensor:
    """J of a real order; NaN for negative x unless the order is whole."""
    whole = order == round(order)
    v, size = (abs(order), torch.abs(x)) if whole else (order, x)
    edge = 25 + v * v / 2
    small = size * size <= (20 * (v + 1) if v >= 0 else 16)
    value = torch.full_like(x, torch.nan)
    middle, large = ~small & (size <= edge), ~small & (size > edge)
    value[small] = _series(size[small], v, -1.0)
    value[middle] = _schlaefli(size[middle], v, whole, edge)
    value[large] = _hankel(size[large], v)
    value = torch.where(size >= 0, value, torch.nan)
    return torch.where(_turns(x, order), -value, value) if whole else value


@kernel("bessel_i", "Tensor x", "float order")
def bessel_i(x: Tensor, order: float) -> Tensor:
    """I of a real order; NaN for negative x unless the order is whole."""
    whole = order == round(order)
    v, size = abs(order), torch.abs(x) if whole else x
    large = size > max(30.0, v * v)
    value = torch.full_like(x, torch.nan)
    value[~large] = _series(size[~large], v, 1.0)
    value[large] = _expansion(size[large], v)
    if order < 0 and not whole:
        value = value + 2 / math.pi * _sin_pi(v) * _trapezium(size, v)
    value = torch.where(size >= 0, value, torch.nan)
    return torch.where((x < 0) & (v % 2 == 1), -value, value)


@kernel("bessel_k", "Tensor x", "float order")
def bessel_k(x: Tensor, order: float) -> Tensor:
    """K of a real order; NaN for negative x."""
    return _trapezium(x, abs(order))


def _turns(x: Tensor, order: float) -> Tensor:
    """Whether a whole order changes the sign: J(-n, x) = J(n, -x) = (-1)**n J(n, x)."""
    odd = order % 2 == 1
    return (x < 0) ^ (order < 0) if odd else torch.zeros_like(x, dtype=torch.bool)


def _sin_pi(v: float) -> float:
    """sin(pi v) without the rounding error of pi v."""
    return math.sin(math.pi * (v - 2 * round(v / 2)))


def _series(x: Tensor, v: float, sign: float) -> Tensor:
    """The power series of J (sign -1) or I (sign 1)."""
    if v < 0 and v == round(v):
        raise AssertionError("whole orders are not negative here")
    square = sign * x * x / 4
    total, term = torch.ones_like(x), torch.ones_like(x)
    for place in range(1, TERMS):
        term = term * square / (place * (place + v))
        total = total + term
        if place > -v and not bool((torch.abs(term) > torch.abs(total) * 1e-17).any()):
            break
    scale = math.lgamma(v + 1)
    minus = v < 0 and math.floor(v + 1) % 2 == 1 and v + 1 < 0
    head = torch.exp(v * torch.log(x / 2) - scale) if v else torch.ones_like(x)
    return torch.where(x > 700, torch.exp(torch.log(total) + v * torch.log(x / 2) - scale), total * (-head if minus else head))


def _schlaefli(x: Tensor, v: float, whole: bool, edge: float) -> Tensor:
    """The integral of cos(v t - x sin t) over half a turn, and for broken orders one that falls off quickly."""
    place, weight = _gauss(int(0.6 * (edge + abs(v))) + 60, x)
    angle = math.pi * place
    value = (torch.cos(v * angle - x[..., None] * torch.sin(angle)) * weight).sum(-1)
    if whole:
        return value
    place, weight = _gauss(64, x)
    reach = torch.asinh((50 + 10 * abs(v)) / x)[..., None]
    t = reach * place
    rest = torch.exp(-x[..., None] * torch.sinh(t) - v * t) * reach
    return value - _sin_pi(v) / math.pi * (rest * weight).sum(-1)


def _gauss(count: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """Nodes and weights of Gauss' rule on [0, 1]."""
    place, weight = _nodes(64 * math.ceil(count / 64))
    as_tensor = [torch.as_tensor(part, dtype=like.dtype, device=like.device) for part in ((place + 1) / 2, weight / 2)]
    return as_tensor[0], as_tensor[1]


@functools.lru_cache(maxsize=32)
def _nodes(count: int) -> tuple[np.ndarray, np.ndarray]:
    place, weight = np.polynomial.legendre.leggauss(count)
    return place, weight


def _hankel(x: Tensor, v: float) -> Tensor:
    """Amplitude and phase in powers of 1/x, up to the smallest term."""
    p, q, term = torch.ones_like(x), torch.zeros_like(x), torch.ones_like(x)
    for place in range(1, 60):
        following = term * ((4 * v * v - (2 * place - 1) ** 2) / (8 * place)) / x
        term = torch.where(torch.abs(following) < torch.abs(term), following, 0)
        sign = -1.0 if place % 4 in (2, 3) else 1.0
        p, q = (p, q + sign * term) if place % 2 else (p + sign * term, q)
    phase = x - (v / 2 + 0.25) * math.pi
    return torch.sqrt(2 / (math.pi * x)) * (p * torch.cos(phase) - q * torch.sin(phase))


def _expansion(x: Tensor, v: float) -> Tensor:
    """I for large x."""
    total, term = torch.ones_like(x), torch.ones_like(x)
    for place in range(1, 60):
        following = -term * ((4 * v * v - (2 * place - 1) ** 2) / (8 * place)) / x
        term = torch.where(torch.abs(following) < torch.abs(term), following, 0)
        total = total + term
    return torch.exp(x / 2) / torch.sqrt(2 * math.pi * x) * total * torch.exp(x / 2)


def _trapezium(x: Tensor, v: float) -> Tensor:
    """K as an integral, each x with a step that fits the width of its peak."""
    safe = torch.where((x > 0) & torch.isfinite(x), x, 1.0)
    step = torch.clamp(0.6 / torch.sqrt(torch.hypot(safe, torch.full_like(safe, v))), max=0.2)
    total = torch.full_like(x, 0.5)
    log_peak = torch.zeros_like(x)
    for place in range(1, 20000):
        t = place * step
        # cosh t - 1 without cancellation, and cosh(v t) by its larger half so that it cannot overflow.
        exponent = v * t - 2 * safe * torch.sinh(t / 2).square()
        log_peak = torch.maximum(log_peak, exponent)
        total = total + torch.exp(exponent) * (1 + torch.exp(-2 * v * t)) / 2
        if not bool((exponent > log_peak - 45).any()):
            break
    value = torch.where(x == torch.inf, 0, total * step * torch.exp(-safe))
    return torch.where(x > 0, value, torch.where(x == 0, torch.inf, torch.nan))
