"""Incomplete gamma and beta functions.

The smaller tail of each distribution is computed with all its digits, the other one is the rest to 1. Small parameters use a
power series or a continued fraction; large ones an integral over the tail, whose logarithm is nearly a parabola. Derivatives by
the parameters, for which there is no formula, are differences of the logarithm of the smaller tail, exact to sixth order.

>>> gammainc(torch.tensor([2.0, 500.0], dtype=torch.float64), torch.tensor([1.0, 510.0], dtype=torch.float64))
tensor([0.2642, 0.6769], dtype=torch.float64)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from deepalgo.ops.forms.gammas import LARGE, betaln, stirling
from deepalgo.ops.forms.kernel import kernel
from deepalgo.ops.forms.smooth import smooth

#: Parameters from which on the tail is integrated.
INTEGRATED = 60.0
NODES = 48
#: Logarithm by which the density falls over the integrated part of the tail.
FALL = 40.0
ROUNDS = 3000
TINY = 1e-300
#: Weights of a difference, in sixtieths of its step.
STENCIL = {-3: -1, -2: 9, -1: -45, 1: 45, 2: -9, 3: 1}
#: A factor this near to 1 ends a continued fraction.
SETTLED = 5e-16
EULER = 0.57721566490153286


@smooth(lambda a, x, y: _gamma_slope(a, x), lambda a, x, y: _gamma_density(a, x))
def gammainc(a: Tensor, x: Tensor) -> Tensor:
    """The integral of the gamma density with parameter a from 0 to x."""
    return gamma_below(a, x)


@smooth(lambda a, x, y: -_gamma_slope(a, x), lambda a, x, y: -_gamma_density(a, x))
def gammaincc(a: Tensor, x: Tensor) -> Tensor:
    """The integral of the gamma density with parameter a from x on."""
    return gamma_above(a, x)


@smooth(lambda a, b, x, y: _beta_slope(a, b, x, 0), lambda a, b, x, y: _beta_slope(a, b, x, 1), lambda a, b, x, y: _beta_density(a, b, x))
def betainc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The integral of the beta density with parameters a and b from 0 to x."""
    return beta_below(a, b, x)


@smooth(lambda a, b, x, y: -_beta_slope(a, b, x, 0), lambda a, b, x, y: -_beta_slope(a, b, x, 1),
        lambda a, b, x, y: -_beta_density(a, b, x))
def betaincc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The integral of the beta density with parameters a and b from x to 1."""
    return beta_above(a, b, x)


@kernel("gamma_below", "Tensor a", "Tensor x")
def gamma_below(a: Tensor, x: Tensor) -> Tensor:
    """The lower tail of the gamma distribution."""
    return _gamma_tails(a, x)[0]


@kernel("gamma_above", "Tensor a", "Tensor x")
def gamma_above(a: Tensor, x: Tensor) -> Tensor:
    """The upper tail of the gamma distribution."""
    return _gamma_tails(a, x)[1]


@kernel("beta_below", "Tensor a", "Tensor b", "Tensor x")
def beta_below(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The lower tail of the beta distribution."""
    return _beta_tails(a, b, x)[0]


@kernel("beta_above", "Tensor a", "Tensor b", "Tensor x")
def beta_above(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The upper tail of the beta distribution."""
    return _beta_tails(a, b, x)[1]


def _gamma_tails(a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Both integrals."""
    inside = (a > 0) & (x > 0) & torch.isfinite(a) & torch.isfinite(x)
    p, q = torch.where(inside, a, 1.0), torch.where(inside, x, 1.0)
    series = (p < INTEGRATED) & (q <= torch.clamp(p + 1, min=1.1))
    fraction = (p < INTEGRATED) & ~series
    below, above = torch.zeros_like(p), torch.zeros_like(p)
    below[series] = _gamma_series(p[series], q[series])
    above[series] = torch.where(_is_small(p[series], q[series]), _gamma_rest(p[series], q[series]), 1 - below[series])
    above[fraction] = _gamma_fraction(p[fraction], q[fraction])
    below[fraction] = 1 - above[fraction]
    rest = ~series & ~fraction
    tail, upper = _gamma_integral(p[rest], q[rest]), q[rest] >= p[rest]
    below[rest], above[rest] = torch.where(upper, 1 - tail, tail), torch.where(upper, tail, 1 - tail)
    none = (x == 0) & (a > 0) | (a == torch.inf) & (x >= 0) & (x < torch.inf)
    full = (a == 0) & (x > 0) | (x == torch.inf) & (a >= 0) & (a < torch.inf)
    return _settle(below, inside, none, full), _settle(above, inside, full, none)


def _settle(value: Tensor, inside: Tensor, none: Tensor, full: Tensor) -> Tensor:
    """The value inside of the domain, 0 or 1 at its ends, NaN elsewhere."""
    return torch.where(inside, value, torch.where(none, 0.0, torch.where(full, 1.0, torch.nan)))


def _is_small(a: Tensor, x: Tensor) -> Tensor:
    """Whether the upper tail can be so small that the rest to 1 has no digits."""
    return (x <= 1.1) & (torch.where(x <= 0.5, a * -torch.log(x) < 0.4, x * 1.1 >= a))


def log_gamma_weight(a: Tensor, x: Tensor) -> Tensor:
    """The logarithm of `x**a exp(-x) / gamma(a + 1)`; for large a the exponents are taken together before they can cancel."""
    high = a.clamp(min=LARGE)
    large = high * _log_less((x - high) / high, x / high) - stirling(high) - 0.5 * torch.log(2 * math.pi * high)
    return torch.where(a >= LARGE, large, a * torch.log(x) - x - torch.lgamma(a + 1))


def log1p_less(u: Tensor) -> Tensor:
    """`log(1 + u) - u` with all digits."""
    r = torch.where(torch.abs(u) < 0.4, u / (2 + u), 0)
    y, total = r * r, torch.zeros_like(u)
    for place in range(14, 0, -1):
        total = (total + 1 / (2 * place + 1)) * y
    return torch.where(torch.abs(u) < 0.4, r * (2 * total - u), torch.log1p(u) - u)


def _log_less(u: Tensor, ratio: Tensor) -> Tensor:
    """The same, for a ratio 1 + u that is near 0 or large."""
    return torch.where(torch.abs(u) < 0.4, log1p_less(u), torch.log(ratio) - u)


def _gamma_series(a: Tensor, x: Tensor) -> Tensor:
    total, term = torch.ones_like(a), torch.ones_like(a)
    for place in range(1, ROUNDS):
        term = term * x / (a + place)
        total = total + term
        if bool((term <= total * 1e-17).all()):
            break
    return torch.exp(log_gamma_weight(a, x)) * total


def _gamma_rest(a: Tensor, x: Tensor) -> Tensor:
    """The upper tail for small a and x, with the 1 taken out of the series."""
    total, factor = torch.zeros_like(a), torch.ones_like(a)
    for place in range(1, 40):
        factor = factor * -x / place
        total = total + factor / (a + place)
    exponent = a * torch.log(x) - _lgamma1p(a)
    return -torch.expm1(exponent) - torch.exp(exponent) * a * total


def _lgamma1p(a: Tensor) -> Tensor:
    """log(gamma(1 + a)) with all digits for small a."""
    near = a.clamp(max=0.25)
    total = torch.zeros_like(a)
    for power in range(30, 1, -1):
        total = (total + (-1) ** power * _zeta(power) / power) * near
    return torch.where(a < 0.25, (total - EULER) * near, torch.lgamma(1 + a))


@functools.cache
def _zeta(power: int) -> float:
    return float(torch.special.zeta(torch.tensor(float(power), dtype=torch.float64), 1.0))


def _gamma_fraction(a: Tensor, x: Tensor) -> Tensor:
    """Lentz' way through Legendre's continued fraction."""
    b = x + 1 - a
    c, d = torch.full_like(a, 1 / TINY), 1 / b
    h = d
    for place in range(1, ROUNDS):
        an = -place * (place - a)
        b = b + 2
        d = 1 / _nonzero(an * d + b)
        c = _nonzero(b + an / c)
        h, done = h * (c * d), torch.abs(c * d - 1) <= SETTLED
        if bool(done.all()):
            break
    return torch.exp(log_gamma_weight(a, x)) * a * h


def _nonzero(x: Tensor) -> Tensor:
    return torch.where(torch.abs(x) < TINY, TINY, x)


def _nodes(like: Tensor) -> tuple[Tensor, Tensor]:
    """Nodes and weights of Gauss' rule on [0, 1]."""
    place, weight = np.polynomial.legendre.leggauss(NODES)
    as_tensor = [torch.as_tensor(part, dtype=like.dtype, device=like.device) for part in ((place + 1) / 2, weight / 2)]
    return as_tensor[0], as_tensor[1]


def _reach(slope: Tensor, curve: Tensor) -> Tensor:
    """How far out `slope u + curve u**2 / 2` is FALL."""
    return 2 * FALL / (slope + torch.sqrt(slope * slope + 2 * FALL * curve))


def _gamma_integral(a: Tensor, x: Tensor) -> Tensor:
    """The tail away from the middle, by Gauss' rule; u is the distance from x in units of x."""
    place, weight = _nodes(a)
    slope = x - a + 1
    upper = x >= a
    reach = _reach(torch.abs(slope), a - 1)
    reach = torch.where(upper, reach * (1 + 0.7 * reach), torch.clamp(reach, max=1) * -1)
    u = reach[..., None] * place
    height = torch.exp((a - 1)[..., None] * log1p_less(u) - slope[..., None] * u)
    return torch.exp(log_gamma_weight(a, x)) * a * torch.abs(reach) * (height * weight).sum(-1)


def _gamma_density(a: Tensor, x: Tensor) -> Tensor:
    """The derivative by x, 0 at x = 0 where it is infinite or lies outside."""
    inside = (x > 0) & (a > 0)
    p, q = torch.where(inside, a, 1.0), torch.where(inside, x, 1.0)
    edge = torch.where((x == 0) & (a == 1), 1.0, 0.0)
    return torch.where(inside, torch.exp(log_gamma_weight(p, q) + torch.log(p) - torch.log(q)), edge)


def _gamma_slope(a: Tensor, x: Tensor) -> Tensor:
    """The derivative of the lower tail by a."""
    below, above = gammainc(a, x), gammaincc(a, x)
    lower = below < above
    inside = (a > 0) & (x > 0) & torch.isfinite(a) & torch.isfinite(x) & (torch.minimum(below, above) > 0)
    p, q = torch.where(inside, a, 1.0), torch.where(inside, x, 1.0)
    log_slope = _difference(lambda shifted: torch.log(torch.where(lower, gammainc(shifted, q), gammaincc(shifted, q))), p)
    return torch.where(inside, torch.where(lower, below, -above) * log_slope, 0)


def _difference(f: Callable[[Tensor], Tensor], a: Tensor) -> Tensor:
    """The derivative of f at a > 0 by differences that are exact for polynomials of degree six."""
    step = torch.minimum(a / 40, 0.05 * torch.sqrt(a)).detach()
    values = f(torch.stack([a + place * step for place in STENCIL]))
    total = torch.zeros_like(a)
    for weight, value in zip(STENCIL.values(), values, strict=True):
        total = total + weight * value
    return total / (60 * step)


def _beta_tails(a: Tensor, b: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Both integrals."""
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & torch.isfinite(a) & torch.isfinite(b)
    p, q, t = torch.where(inside, a, 1.0), torch.where(inside, b, 1.0), torch.where(inside, x, 0.5)
    series = (t <= 0.7) & (q * t <= 2)
    mirrored = ~series & (t >= 0.3) & (p * (1 - t) <= 2)
    swap = mirrored | ~series & (t > (p + 1) / (p + q + 2))
    p, q, t, rest = torch.where(swap, q, p), torch.where(swap, p, q), torch.where(swap, 1 - t, t), torch.where(swap, t, 1 - t)
    tail = torch.zeros_like(p)
    series = series | mirrored
    large = ~series & (torch.minimum(p, q) >= INTEGRATED)
    for part, method in ((series, _beta_series), (large, _beta_integral), (~series & ~large, _beta_fraction)):
        tail[part] = method(p[part], q[part], t[part], rest[part])
    below, above = torch.where(swap, 1 - tail, tail), torch.where(swap, tail, 1 - tail)
    zero_a, zero_b = (a == 0) | (b == torch.inf), (b == 0) | (a == torch.inf)
    domain = (a >= 0) & (b >= 0) & (x >= 0) & (x <= 1) & ~(zero_a & zero_b)
    none, full = domain & ((x == 0) | zero_b & (x < 1)), domain & ((x == 1) | zero_a & (x > 0))
    return _settle(below, inside, none, full), _settle(above, inside, full, none)


def log_beta_weight(a: Tensor, b: Tensor, x: Tensor, rest: Tensor) -> Tensor:
    """The logarithm of `x**a rest**b / beta(a, b)`; for large a and b the exponents are taken together before they can cancel."""
    p, q = a.clamp(min=LARGE), b.clamp(min=LARGE)
    whole = p + q
    shift = (x * q - rest * p) / whole
    large = (p * _log_less(shift * whole / p, x * whole / p) + q * _log_less(-shift * whole / q, rest * whole / q)
             + 0.5 * torch.log(p / whole * q / (2 * math.pi)) - stirling(p) - stirling(q) + stirling(whole))
    return torch.where(torch.minimum(a, b) >= LARGE, large, a * torch.log(x) + b * torch.log(rest) - betaln(a, b))


def _beta_series(a: Tensor, b: Tensor, x: Tensor, rest: Tensor) -> Tensor:
    """The lower tail for small b x: rest**b in powers of x, integrated."""
    total, factor = 1 / a, torch.ones_like(a)
    for place in range(1, ROUNDS):
        factor = factor * (place - b) * x / place
        total = total + factor / (a + place)
        if bool((torch.abs(factor) <= (a + place) * torch.abs(total) * 1e-17).all()):
            break
    return torch.exp(log_beta_weight(a, b, x, rest) - b * torch.log(rest)) * total


def _beta_fraction(a: Tensor, b: Tensor, x: Tensor, rest: Tensor) -> Tensor:
    """Lentz' way through the contracted continued fraction, in which nothing cancels below the middle."""
    first = 1 + a * rest - b * x
    h = a * first / (a + 1)
    c, d = h, torch.zeros_like(a)
    for place in range(1, ROUNDS):
        step = place * (b - place) * x / (a + 2 * place - 1)
        an = (a + place - 1) * (a + b + place - 1) / (a + 2 * place - 1) * step * x
        bn = place + step + (a + place) * (first + place * (1 + rest)) / (a + 2 * place + 1)
        d, c = 1 / _nonzero(bn + an * d), _nonzero(bn + an / c)
        h, done = h * (d * c), torch.abs(d * c - 1) <= SETTLED
        if bool(done.all()):
            break
    return torch.exp(log_beta_weight(a, b, x, rest)) / h


def _beta_integral(a: Tensor, b: Tensor, x: Tensor, rest: Tensor) -> Tensor:
    """The lower tail, which ends below the middle, by Gauss' rule; u is the distance from x in units of x."""
    place, weight = _nodes(a)
    odds = x / rest
    slope = (a - 1) - (b - 1) * odds
    reach = torch.clamp(_reach(torch.abs(slope), (a - 1) + (b - 1) * odds * odds), max=1)
    u = -reach[..., None] * place
    curve = (a - 1)[..., None] * log1p_less(u) + (b - 1)[..., None] * log1p_less(-u * odds[..., None])
    return torch.exp(log_beta_weight(a, b, x, rest)) / rest * reach * (torch.exp(curve + slope[..., None] * u) * weight).sum(-1)


def _beta_density(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The derivative by x, 0 at the ends where it is infinite or lies outside."""
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    p, q, t = torch.where(inside, a, 1.0), torch.where(inside, b, 1.0), torch.where(inside, x, 0.5)
    edge = torch.where((x == 0) & (a == 1), b, torch.where((x == 1) & (b == 1), a, 0.0))
    return torch.where(inside, torch.exp(log_beta_weight(p, q, t, 1 - t) - torch.log(t) - torch.log1p(-t)), edge)


def _beta_slope(a: Tensor, b: Tensor, x: Tensor, place: int) -> Tensor:
    """The derivative of the lower tail by a or b."""
    below, above = betainc(a, b, x), betaincc(a, b, x)
    lower = below < above
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & torch.isfinite(a) & torch.isfinite(b) & (torch.minimum(below, above) > 0)
    p, q, t = torch.where(inside, a, 1.0), torch.where(inside, b, 1.0), torch.where(inside, x, 0.5)

    def log_tail(shifted: Tensor) -> Tensor:
        first, second = (shifted, q) if place == 0 else (p, shifted)
        return torch.log(torch.where(lower, betainc(first, second, t), betaincc(first, second, t)))

    log_slope = _difference(log_tail, p if place == 0 else q)
    return torch.where(inside, torch.where(lower, below, -above) * log_slope, 0)
