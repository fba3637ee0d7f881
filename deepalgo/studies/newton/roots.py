"""All roots of a polynomial at once: Newton's method, with the roots that other iterates are after masked out.

`p / (x - z1) ... (x - zk)` has the roots that were not found yet, and Newton's method on it needs no division of polynomials: the
masked roots enter the step as a sum of 1 / (x - z) (Aberth and Ehrlich). The starts lie on circles whose radii come from the Newton
polygon of the coefficients (Bini).

>>> import numpy as np
>>> sorted(round(float(z.real), 9) for z in all_roots(np.array([1.0, -6.0, 11.0, -6.0])))
[1.0, 2.0, 3.0]
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deepalgo.studies.newton.polynomial import slope
from deepalgo.studies.newton.starts import TINY, polygon_radii, polygon_radii_at_once

#: How often every root is improved at most.
SWEEPS = 30
#: The square of the relative step below which a root has come: the next step would be of the order of its cube.
NEAR = 1e-10
#: The angle of the first start: no axis of symmetry of a real polynomial.
TURN = 0.7


def all_roots(S: Any) -> list[Any]:
    """The roots of the polynomial `S`, real or complex coefficients, the first of which is not zero."""
    degree = len(S) - 1
    z = starts_on_circles(S)
    a = list(S)
    for _ in range(SWEEPS):
        done = True
        for k in range(degree):
            p, dp = slope(a, z[k])
            masked = sum(inverse(z[k] - z[j]) for j in range(degree) if j != k)
            step = p * inverse(dp - p * masked)
            z[k] = z[k] - step
            done = done & (square(step) <= NEAR * square(z[k]))
        if done:
            break
    return z


def roots_together(S: Any) -> Any:
    """The same with all roots improved at once, as arrays: the form for torch, whose code does not grow with the degree squared.

    >>> import numpy as np
    >>> np.sort(roots_together(np.array([1.0, -6.0, 11.0, -6.0])).real).round(9).tolist()
    [1.0, 2.0, 3.0]
    """
    z = polygon_radii_at_once(S) * np.array([complex(math.cos(angle), math.sin(angle)) for angle in _angles(len(S) - 1)])
    a = list(S)
    for _ in range(2 * SWEEPS):
        p, dp = slope(a, z)
        masked = np.sum(inverse(z[:, None] - z[None, :]), axis=1)  # a root is no obstacle to itself: the inverse of 0 is 0
        step = p * inverse(dp - p * masked)
        z = z - step
        if np.all(square(step) <= NEAR * square(z)):
            break
    return z


def roots_in_turn(S: Any, rounds: int = 30) -> list[Any]:
    """The same one after the other: each root is found by Newton's method from a start of its own, with those found before masked.

    That is deflation without dividing by what was found, so that errors do not add up (Maehly). It takes more rounds than `all_roots`.

    >>> import numpy as np
    >>> sorted(round(float(z.real), 9) for z in roots_in_turn(np.array([1.0, -6.0, 11.0, -6.0])))
    [1.0, 2.0, 3.0]
    """
    a, found = list(S), list[Any]()
    for start in starts_on_circles(S):
        z = start
        for _ in range(rounds):
            p, dp = slope(a, z)
            z = z - p * inverse(dp - p * sum(inverse(z - other) for other in found))
        found.append(z)
    return found


def starts_on_circles(S: Any) -> list[Any]:
    """A start for each root, on the circles of Bini."""
    return [radius * complex(math.cos(angle), math.sin(angle)) for radius, angle in zip(polygon_radii(S), _angles(len(S) - 1), strict=True)]


def inverse(z: Any) -> Any:
    """1 / z by one division of real numbers; at z = 0 it is zero."""
    return z.conjugate() * (1 / (square(z) + TINY))


def square(z: Any) -> Any:
    """|z|^2."""
    return z.real * z.real + z.imag * z.imag


def _angles(degree: int) -> list[float]:
    return [2 * math.pi * k / degree + TURN for k in range(degree)]
