"""Discrete Fourier transforms of complex numbers in parts: halves of halves, and the definition where the length is odd.

>>> roots(4, -1)
([1.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 1.0])
"""

from __future__ import annotations

import math

from deepalgo.kinds import Attr
from deepalgo.lower.complex_functions import Pair
from deepalgo.lower.real_formulas import Real


def fourier(z: Pair, axis: int, sign: int) -> Pair:
    """The sums of all numbers along an axis, each times a root of 1 to the power of both places; `sign` is that of the exponents."""
    shape = z[0].value.type.shape
    axis %= len(shape)
    return _transformed(z, axis, sign)


def roots(count: int, sign: int) -> tuple[list[float], list[float]]:
    """The real and the imaginary parts of all roots of 1, exact where they are whole numbers."""
    cosines, sines = [], []
    for place in range(count):
        quarter, rest = divmod(4 * place, count)
        angle = math.pi / 2 * rest / count
        cosine, sine = math.cos(angle), math.sin(angle)
        for _ in range(quarter):
            cosine, sine = -sine, cosine
        cosines.append(cosine + 0.0)
        sines.append(sign * sine + 0.0)
    return cosines, sines


def _transformed(z: Pair, axis: int, sign: int) -> Pair:
    count = z[0].value.type.shape[axis]
    if count == 1:
        return z
    if count % 2:
        return _by_definition(z, axis, sign)
    first, second = (_transformed(_part(z, axis, place), axis, sign) for place in (0, 1))
    rank = len(z[0].value.type.shape)
    cosine, sine = (_along(z[0], numbers[: count // 2], axis, rank) for numbers in roots(count, sign))
    turned = second[0] * cosine - second[1] * sine, second[0] * sine + second[1] * cosine
    halves = [(one + other, one - other) for one, other in zip(first, turned, strict=True)]
    real, imag = (Real(low.build.add("concat", low.value, high.value, attrs=(("axis", axis),)), low.build) for low, high in halves)
    return real, imag


def _part(z: Pair, axis: int, start: int) -> Pair:
    """Every second number along an axis."""
    key: Attr = (*[("slice", None, None, None)] * axis, ("slice", start, None, 2))
    real, imag = (Real(part.build.add("take", part.value, attrs=(("key", key),)), part.build) for part in z)
    return real, imag


def _along(like: Real, numbers: list[float], axis: int, rank: int) -> Real:
    """Numbers along an axis, to be multiplied with an array."""
    shape = tuple(len(numbers) if place == axis else 1 for place in range(rank))
    row = like.build.const(tuple(numbers))
    return Real(like.build.add("reshape", row, attrs=(("shape", shape),)), like.build)


def _by_definition(z: Pair, axis: int, sign: int) -> Pair:
    count, rank = z[0].value.type.shape[axis], len(z[0].value.type.shape)
    whole = roots(count, sign)
    order = (*(place for place in range(rank) if place != axis), axis)
    back = tuple(order.index(place) for place in range(rank))
    cosine, sine = (z[0].build.const(tuple(tuple(numbers[one * other % count] for other in range(count)) for one in range(count)))
                    for numbers in whole)
    real, imag = (Real(part.build.add("permute", part.value, attrs=(("axes", order),)), part.build) for part in z)
    made = (real.call("matmul", Real(cosine, real.build)) - imag.call("matmul", Real(sine, real.build)),
            real.call("matmul", Real(sine, real.build)) + imag.call("matmul", Real(cosine, real.build)))
    one, other = (Real(part.build.add("permute", part.value, attrs=(("axes", back),)), part.build) for part in made)
    return one, other
