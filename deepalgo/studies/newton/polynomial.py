"""Polynomials in one variable by Horner's rule, coefficients from the highest power down, as `numpy.roots` takes them.

>>> value([1.0, 0.0, -2.0], 3.0)
7.0
>>> horner([1.0, 0.0, -2.0], 3.0)
(7.0, 6.0, 1.0)

A power that does not occur costs nothing: derivatives begin with the first coefficient that enters them.
These functions are what `deepalgo.compile` reads, and what runs as they stand: a coefficient is a float, a complex number or, in
a batch written by hand, an array.
"""

from __future__ import annotations

from typing import Any


def value(S: Any, x: Any) -> Any:
    """The polynomial at `x`."""
    p = S[0]
    for c in S[1:]:
        p = p * x + c
    return p


def slope(S: Any, x: Any) -> tuple[Any, Any]:
    """The polynomial and its derivative at `x`."""
    p, dp = S[0], None
    for c in S[1:]:
        dp = p if dp is None else dp * x + p
        p = p * x + c
    return p, 0 * p if dp is None else dp


def horner(S: Any, x: Any) -> tuple[Any, Any, Any]:
    """The polynomial, its derivative and half of its second derivative at `x`."""
    p, dp, ddp = S[0], None, None
    for c in S[1:]:
        if dp is not None:
            ddp = dp if ddp is None else ddp * x + dp
        dp = p if dp is None else dp * x + p
        p = p * x + c
    return p, 0 * p if dp is None else dp, 0 * p if ddp is None else ddp


def damped(a: Any, b: Any, damping: float) -> Any:
    """`a / b`, damped, so that it is zero where `b` is; also for complex numbers.

    >>> damped(3.0, 2.0, 0.0), damped(3.0, 0.0, 1e-9), damped(2j, 1j, 0.0)
    (1.5, 0.0, (2+0j))
    """
    mirrored = b.conjugate()
    return mirrored / (mirrored * b + damping) * a
