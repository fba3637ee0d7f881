"""All roots of a polynomial at once: Newton's method, with the roots that other iterates are after masked out.

`p / (x - z1) ... (x - zk)` has the roots that were not found yet, and Newton's method on it needs no division of polynomials: the
masked roots enter the step as a sum of 1 / (x - z) (Aberth and Ehrlich). The starts lie on circles whose radii come from the Newton
polygon of the coefficients (Bini).

>>> sorted(round(float(z.real), 9) for z in all_roots(np.array([1.0, -6.0, 11.0, -6.0])))
[1.0, 2.0, 3.0]
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deepalgo.newton.polynomial import slope

#: How often every root is improved.
SWEEPS = 14
#: Stands for a coefficient that is zero, whose logarithm there is none of.
TINY = 1e-300
#: The angle of the first start: no axis of symmetry of a real polynomial.
TURN = 0.7


def all_roots(S: Any) -> list[Any]:
    """The roots of the polynomial `S`, real or complex coefficients, the first of which is not zero."""
    degree = len(S) - 1
    z = [radius * complex(math.cos(angle), math.sin(angle)) for radius, angle in zip(polygon_radii(S), _angles(degree), strict=True)]
    a = list(S)
    for _ in range(SWEEPS):
        for k in range(degree):
            p, dp = slope(a, z[k])
            masked = sum(inverse(z[k] - z[j]) for j in range(degree) if j != k)
            z[k] = z[k] - p * inverse(dp - p * masked)
    return z


def inverse(z: Any) -> Any:
    """1 / z by one division of real numbers; at z = 0 it is zero."""
    return z.conjugate() * (1 / (z.real * z.real + z.imag * z.imag + TINY))


def _angles(degree: int) -> list[float]:
    return [2 * math.pi * k / degree + TURN for k in range(degree)]


def polygon_radii(S: Any) -> list[Any]:
    """Bini's radii: the slopes of the upper convex hull of the logarithms of |coefficients|, one for each root.

    The slope over an interval is a minimum, over the points to its left, of maxima over the points to its right.

    >>> [round(float(radius), 6) for radius in polygon_radii(np.array([1.0, 0.0, 0.0, -8.0]))]
    [2.0, 2.0, 2.0]
    """
    degree = len(S) - 1
    height = [np.log(abs(c) + TINY) for c in S]
    slopes = [
        min(max((height[right] - height[left]) / (right - left) for right in range(k + 1, degree + 1)) for left in range(k + 1))
        for k in range(degree)
    ]
    return [np.exp(slope) for slope in slopes]


def cauchy_bound(S: Any) -> Any:
    """No root is larger than this: 1 + max |a_k / a_0| (Cauchy)."""
    return 1 + max(abs(c / S[0]) for c in S[1:])


def fujiwara_bound(S: Any) -> Any:
    """No root is larger than this: twice the largest |a_k / a_0|^(1/k), the last one halved (Fujiwara).

    >>> fujiwara_bound([1.0, -3.0, 2.0])
    6.0
    """
    degree = len(S) - 1
    return 2 * max(abs(c / S[0] / (2 if k == degree else 1)) ** (1 / k) for k, c in enumerate(S[1:], start=1))
