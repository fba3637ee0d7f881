"""Coefficients of the polynomials in `deepalgo/backends/native/mathematics`: `python -m benchmarks.minimax > .../coefficients.py`.

Each polynomial is the best one of its degree, found by the exchange of Remez with 60 digits; the degree is the smallest whose largest
error stays under the bound. The bound is relative to the result of the function, so that it adds a few hundredths of an ulp at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from mpmath import mp, mpf

mp.dps = 60
Function = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Wanted:
    """A function on an interval, the weight of an error there, and the bound of weighted errors as a power of two."""

    name: str
    formula: str
    function: Function
    interval: tuple[mpf, mpf]
    weight: Function
    bound: int


def error_at(item: Wanted, coefficients: list[mpf], x: mpf) -> mpf:
    """The weighted error of a polynomial."""
    return item.weight(x) * (mp.polyval(coefficients[::-1], x) - item.function(x))


def fitted(item: Wanted, degree: int, points: list[mpf]) -> list[mpf]:
    """The polynomial whose errors at the points are equal with changing signs."""
    rows = [[x**power for power in range(degree + 1)] + [(-1) ** place / item.weight(x)] for place, x in enumerate(points)]
    return list(mp.lu_solve(mp.matrix(rows), mp.matrix([item.function(x) for x in points])))[:-1]


def peak(item: Wanted, coefficients: list[mpf], low: mpf, high: mpf) -> mpf:
    """Where the error is largest between two points."""
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if abs(error_at(item, coefficients, left)) > abs(error_at(item, coefficients, right)):
            high = right
        else:
            low = left
    return (low + high) / 2


def minimax(item: Wanted, degree: int) -> tuple[list[mpf], mpf]:
    """The best polynomial of a degree, and its largest weighted error."""
    low, high = item.interval
    count = degree + 2
    # The ends are left out by a hair, as functions with a removable singularity are not defined there.
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * place + 1) / (2 * count)) for place in range(count)]
    for _ in range(8):
        coefficients = fitted(item, degree, points)
        borders = [low, *((a + b) / 2 for a, b in pairwise(points)), high]
        points = [peak(item, coefficients, a, b) for a, b in pairwise(borders)]
        errors = [abs(error_at(item, coefficients, x)) for x in points]
        if max(errors) < mpf("1.01") * min(errors):
            break
    return coefficients, max(errors)


def smallest(item: Wanted) -> tuple[list[mpf], mpf]:
    """The best polynomial of the smallest degree that keeps to the bound."""
    for degree in range(2, 24):
        coefficients, error = minimax(item, degree)
        if error < mpf(2) ** item.bound:
            return coefficients, error
    raise ValueError(f"{item.name} needs more than 24 coefficients")


LN2 = mp.log(2)
HALF = LN2 / 2
#: The largest (m - 1) / (m + 1) with m between the roots of 1/2 and 2, squared.
S2 = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2
#: The tangent of an eighth of pi, squared.
T2 = (mp.sqrt(2) - 1) ** 2
Q2 = (mp.pi / 4) ** 2
ONE = mpf(1)


def _root(function: Function) -> Function:
    return lambda z: function(mp.sqrt(z))


WANTED = [
    Wanted("EXP", "(exp(r) - 1 - r) / r**2", lambda r: (mp.expm1(r) - r) / r**2, (-HALF, HALF), lambda r: HALF**2, -57),
    Wanted("EXP2", "(2**r - 1) / r", lambda r: mp.expm1(r * LN2) / r, (-ONE / 2, ONE / 2), lambda r: ONE / 2, -56),
    Wanted("COSH", "(cosh(r) - 1) / r**2, of r**2", _root(lambda r: (mp.cosh(r) - 1) / r**2), (mpf(0), HALF**2), lambda z: z, -57),
    Wanted("SINH", "(sinh(r) - r) / r**3, of r**2", _root(lambda r: (mp.sinh(r) - r) / r**3), (mpf(0), HALF**2), lambda z: z, -58),
    Wanted("LOG", "(2 atanh(s) - 2 s) / s**3, of s**2", _root(lambda s: 2 * (mp.atanh(s) - s) / s**3), (mpf(0), S2), lambda z: z / 2, -58),
    Wanted(
        "LOG_PAIR",
        "(2 atanh(s) - 2 s - 2/3 s**3) / s**5, of s**2",
        _root(lambda s: 2 * (mp.atanh(s) - s - s**3 / 3) / s**5),
        (mpf(0), S2),
        lambda z: z**2 / 2,
        -67,
    ),
    Wanted("SIN", "(sin(r) - r) / r**3, of r**2", _root(lambda r: (mp.sin(r) - r) / r**3), (mpf(0), Q2), lambda z: z, -56),
    Wanted(
        "COS",
        "(cos(r) - 1 + r**2/2) / r**4, of r**2",
        _root(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4),
        (mpf(0), Q2),
        lambda z: z**2,
        -57,
    ),
    Wanted("ATAN", "(atan(t) - t) / t**3, of t**2", _root(lambda t: (mp.atan(t) - t) / t**3), (mpf(0), T2), lambda z: z, -57),
    Wanted("ASIN", "(asin(x) - x) / x**3, of x**2", _root(lambda x: (mp.asin(x) - x) / x**3), (mpf(0), ONE / 4), lambda z: z, -57),
    Wanted("CBRT", "m**(-1/3)", lambda m: m ** (-ONE / 3), (ONE, ONE * 2), lambda m: m ** (ONE / 3), -15),
]


def split(value: mpf, *bits: int) -> list[float]:
    """A number as a sum of floats, each with so many bits and the last with all that it can have.

    >>> split(mp.pi, 24)
    [3.1415927410125732, -8.742278000372485e-08]
    """
    found = []
    for count in bits:
        unit = mpf(2) ** (int(mp.floor(mp.log(abs(value), 2))) + 1 - count)
        found.append(float(mp.nint(value / unit) * unit))
        value -= found[-1]
    return [*found, float(value)]


#: Constants as sums of floats, with a word on each.
CONSTANTS = [
    ("LN2", "log(2), all bits of a float and the rest", split(LN2, 53)),
    ("LN2_SHORT", "log(2) with a first part that an exponent can multiply without rounding", split(LN2, 42)),
    ("LOG10_2_SHORT", "log10(2), likewise", split(mp.log10(2), 42)),
    ("PER_LN2", "1 / log(2)", split(1 / LN2, 53)),
    ("PER_LN10", "1 / log(10)", split(1 / mp.log(10), 53)),
    ("TWO_THIRDS", "2 / 3", split(mpf(2) / 3, 53)),
    ("HALF_PI", "pi / 2", split(mp.pi / 2, 53, 53)),
    ("QUARTER_PI", "pi / 4", split(mp.pi / 4, 53)),
    ("PER_HALF_PI", "2 / pi", split(2 / mp.pi, 53)[:1]),
    ("ROOTS", "the cube roots of 1/2 and 2", [float(mp.cbrt(mpf(1) / 2)), float(mp.cbrt(2))]),
]


def main() -> None:
    """Print the module."""
    print('"""Constants and polynomials of the forms, written by `python -m benchmarks.minimax`; the lowest power stands first."""\n')
    for name, words, parts in CONSTANTS:
        print(f"#: {words}\n{name} = ({', '.join(map(repr, parts))}{',' if len(parts) == 1 else ''})")
    for item in WANTED:
        coefficients, error = smallest(item)
        print(f"#: {item.formula}; largest error 2**{float(mp.log(error, 2)):.1f}\n{item.name} = (")
        for value in coefficients:
            print(f"    {float(value)!r},")
        print(")")


if __name__ == "__main__":
    main()
