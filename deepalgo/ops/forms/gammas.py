"""Relatives of the gamma function: digamma, beta, binomial coefficients.

>>> binom(torch.tensor([10.0, 5.5], dtype=torch.float64), 3.0)
tensor([120.0000,  14.4375], dtype=torch.float64)
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from deepalgo.ops.forms.smooth import smooth
from deepalgo.ops.forms.special import gamma, lgamma

#: Stirling's series: coefficients of 1/x, 1/x**3, ... in log(gamma(x)), B(2k) / (2k (2k-1)).
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
#: From here on Stirling's series has all digits.
LARGE = 10.0


@smooth(lambda x, y: trigamma(x))
def digamma(x: Tensor) -> Tensor:
    """The derivative of log(gamma(x))."""
    return torch.digamma(x)


@smooth(lambda x, y: torch.where((x <= 0) & (x == torch.floor(x)), 0, y * torch.digamma(x)))
def special_gamma(x: Tensor) -> Tensor:
    """SciPy's gamma: infinite where 1 / x overflows."""
    return torch.where(torch.isinf(1 / x), torch.copysign(torch.full_like(x, torch.inf), x), gamma(x))


def gammaln(x: Tensor) -> Tensor:
    """SciPy's logarithm of |gamma(x)|: minus infinity at minus infinity, and infinite where 1 / x overflows."""
    return torch.where(x == -torch.inf, x, torch.where(torch.isinf(1 / x), torch.inf, lgamma(x)))


def trigamma(x: Tensor) -> Tensor:
    """The derivative of digamma, 0 at its poles."""
    pole = (x <= 0) & (x == torch.floor(x))
    positive = torch.where(x > 0, x, 1 - x)
    value = torch.special.zeta(2.0, positive)
    sine = torch.sin(math.pi * (x - torch.round(x)).masked_fill(pole | (x > 0), 0.5))
    return torch.where(x > 0, value, (math.pi / sine) ** 2 - value).masked_fill(pole, 0)


@smooth(lambda a, b, y: _beta_slope(a, b), lambda a, b, y: _beta_slope(b, a))
def betaln(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of |beta(a, b)|."""
    return _log_beta(a, b)


@smooth(lambda a, b, y: _finite(beta(a, b) * _beta_slope(a, b)), lambda a, b, y: _finite(beta(a, b) * _beta_slope(b, a)))
def beta(a: Tensor, b: Tensor) -> Tensor:
    """`gamma(a) gamma(b) / gamma(a + b)`."""
    return _beta(a, b)


@smooth(lambda n, k, y: _binom_slope(n, k, by_n=True), lambda n, k, y: _binom_slope(n, k, by_n=False))
def binom(n: Tensor, k: Tensor) -> Tensor:
    """The binomial coefficient of real numbers."""
    return _binom(n, k)


@smooth(lambda n, k, y: _if_possible(n, k, _binom_slope(n, k, by_n=True)),
        lambda n, k, y: _if_possible(n, k, _binom_slope(n, k, by_n=False)))
def comb(n: Tensor, k: Tensor) -> Tensor:
    """The number of ways to choose k things out of n, 0 where there are none."""
    return _if_possible(n, k, _binom(n, k))


def _if_possible(n: Tensor, k: Tensor, value: Tensor) -> Tensor:
    return torch.where((k <= n) & (n >= 0) & (k >= 0), value, 0)


def stirling(x: Tensor) -> Tensor:
    """What Stirling's formula for log(gamma(x)) lacks; for x >= LARGE."""
    inverse = 1 / x.clamp(min=LARGE)
    square, total = inverse * inverse, torch.zeros_like(x)
    for coefficient in reversed(STIRLING):
        total = total * square + coefficient
    return total * inverse


def _log_beta(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of |beta(a, b)|; large terms of Stirling's formula are taken together before they can cancel."""
    small, large = torch.minimum(a, b), torch.maximum(a, b)
    whole = small + large
    plain = torch.lgamma(small) + torch.lgamma(large) - torch.lgamma(whole)
    tail = stirling(large) - stirling(whole)
    high = large.clamp(min=LARGE)
    share = (small / (small + high)).clamp(max=0.5)
    one = torch.lgamma(small) + tail + small - small * torch.log(small + high) + (high - 0.5) * torch.log1p(-share)
    low = small.clamp(min=LARGE)
    ratio = low / high
    both = (0.5 * math.log(2 * math.pi) - 0.5 * torch.log(high) + stirling(low) + tail
            + (low - 0.5) * torch.log(ratio / (1 + ratio)) - high * torch.log1p(ratio))
    value = torch.where((large >= LARGE) & (small > 0), torch.where(small >= LARGE, both, one), plain)
    return torch.where(
        _cancels(small, whole), _log_beta_of_poles(small, large), torch.where(torch.isinf(large) & (small > 0), -torch.inf, value)
    )


def _cancels(small: Tensor, whole: Tensor) -> Tensor:
    """Both gamma(small) and gamma(whole) are at a pole, and their quotient is finite."""
    return (small <= 0) & (small == torch.floor(small)) & (whole <= 0) & (whole == torch.floor(whole))


def _log_beta_of_poles(small: Tensor, large: Tensor) -> Tensor:
    """The logarithm of gamma(1 - small - large) gamma(large) / gamma(1 - small), by reflection."""
    return torch.lgamma(1 - small - large) + torch.lgamma(large) - torch.lgamma(1 - small)


def _beta(a: Tensor, b: Tensor) -> Tensor:
    small, large = torch.minimum(a, b), torch.maximum(a, b)
    whole = small + large
    sign = _gamma_sign(small) * _gamma_sign(large) * _gamma_sign(whole)
    even = torch.where(torch.remainder(large, 2) == 0, 1.0, -1.0)
    return torch.where(_cancels(small, whole), even, sign) * torch.exp(_log_beta(a, b))


def _gamma_sign(x: Tensor) -> Tensor:
    """The sign of gamma(x), 1 at poles."""
    return torch.where((x < 0) & (x != torch.floor(x)) & (torch.remainder(torch.floor(x), 2) == 1), -1.0, 1.0)


def _beta_slope(a: Tensor, b: Tensor) -> Tensor:
    """The derivative of betaln by a: digamma(a) - digamma(a + b), 0 at a pole; for large a by Stirling's series, term by term."""
    near, far = a.clamp(min=LARGE), (a + b).clamp(min=LARGE)
    total = torch.log1p((b / near).clamp(min=-0.5)) + b / (2 * near * far)
    for place, coefficient in enumerate(STIRLING):
        total = total - coefficient * (2 * place + 1) * (far ** (-2 * place - 2) - near ** (-2 * place - 2))
    return _finite(torch.where((a >= LARGE) & (b > 0), -total, digamma(a) - digamma(a + b)))


def _finite(x: Tensor) -> Tensor:
    return torch.where(torch.isfinite(x), x, 0)


def _binom(n: Tensor, k: Tensor) -> Tensor:
    """A product of at most 19 fractions for small whole k, a beta function otherwise."""
    tiny = (torch.abs(n) <= 1e-8) & (n != 0)  # SciPy leaves these to the beta function, where `n - k + factor` has lost n here
    whole = (k == torch.floor(k)) & (~tiny | (k > 0))
    count = torch.where((n == torch.floor(n)) & (n > 0) & (k > n / 2), n - k, k)
    short = whole & (count >= 0) & (count < 20)
    top, bottom = torch.ones_like(n), torch.ones_like(n)
    for factor in range(1, 20):
        top = torch.where(factor <= count, top * torch.where(tiny, n - (count - factor), n - count + factor), top)
        bottom = torch.where(factor <= count, bottom * factor, bottom)
        large = torch.abs(top) > 1e50
        top, bottom = torch.where(large, top / bottom, top), torch.where(large, 1, bottom)
    general = torch.where((n >= 1e10 * k) & (k > 0), torch.exp(-_log_beta(1 + n - k, 1 + k) - torch.log(n + 1)),
                          1 / (n + 1) / _beta(1 + n - k, 1 + k))
    value = torch.where(short, top / bottom, general)
    return torch.where((n < 0) & (n == torch.floor(n)), torch.nan, value)


def _binom_slope(n: Tensor, k: Tensor, *, by_n: bool) -> Tensor:
    """The derivative by n or by k.

    Where gamma(n - k + 1) has a pole the coefficient is 0 and its derivative that of 1/gamma there: (-1)**m m! for m = k - n - 1.
    """
    near = (torch.abs(n) <= 1e-8) & (k == torch.floor(k)) & (k > 0)  # so near to a pole that products would lose the derivative
    rest = torch.where(near, 1 - k, n - k + 1)
    pole = (rest <= 0) & (rest == torch.floor(rest))
    safe = torch.where(pole, 1, rest)
    log_slope = digamma(n + 1) - digamma(safe) if by_n else digamma(safe) - digamma(k + 1)
    jump = torch.exp(torch.lgamma(n + 1) - torch.lgamma(k + 1) + torch.lgamma(1 + torch.where(pole, -rest, 0)))
    jump = torch.where(torch.remainder(rest, 2) == 0, jump, -jump) * (1 if by_n else -1)
    return _finite(torch.where(pole, jump, binom(n, k) * log_slope))
