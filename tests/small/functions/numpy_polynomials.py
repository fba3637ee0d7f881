"""Functions that make polynomials: `np.poly1d` and the series of `numpy.polynomial`."""

import numpy as np
from numpy.polynomial import Chebyshev, Legendre, Polynomial

OUTSIDE = np.poly1d([1.0, -2.0, 0.5])
SERIES = Polynomial([1.0, -2.0, 0.5])


def poly1d_call(v):
    return np.poly1d([1.0, -2.0, 0.5])(v)


def poly1d_of_data(x, y):
    return np.poly1d([x, y, 0.5])(2.0)


def poly1d_derivatives(x):
    p = np.poly1d([1.0, -2.0, 0.5, 3.0])
    return p.deriv()(x), p.deriv(2)(x)


def poly1d_integrals(x):
    p = np.poly1d([1.0, -2.0, 0.5])
    return p.integ()(x), p.integ(2, k=[1.0, 2.0])(x), p.integ(k=x)(0.5)


def poly1d_attributes(x):
    p = np.poly1d([0.0, 1.0, x])
    return p.order, p.o, len(p), p.coeffs, p.c, p.coef


def poly1d_items(x):
    p = np.poly1d([2.0, 1.0, x])
    return p[0], p[1], p[2], p[5]


def poly1d_sums(x):
    p, q = np.poly1d([2.0, 1.0]), np.poly1d([1.5, 0.5, 2.0])
    return (p + q)(x), (q - p)(x), (p + 1.0)(x), (1.0 - p)(x), (p + x)(2.0), (-p)(x)


def poly1d_products(x):
    p, q = np.poly1d([2.0, 1.0]), np.poly1d([1.5, 0.5, 2.0])
    return (p * q)(x), (p * 2.0)(x), (x * p)(2.0), (p / 2.0)(x), (p**3)(x)


def poly1d_quotient(x):
    whole, rest = np.poly1d([1.5, 0.5, 2.0]) / np.poly1d([2.0, 1.0])
    return whole(x), rest(x)


def poly1d_composition(x):
    return np.poly1d([1.5, 0.5, 2.0])(np.poly1d([2.0, 1.0]))(x)


def poly1d_compare(x):
    return x if np.poly1d([2.0, 1.0]) == np.poly1d([2.0, 1.0]) else 0.0


def poly1d_iterate(x):
    return sum(c * x for c in np.poly1d([2.0, 1.0, 0.5]))


def poly1d_meets_arrays(v):
    p = np.poly1d([2.0, 1.0])
    return np.polyval(p, v), (p * v).c, v[:2] * p, v[0] * p


def poly1d_write(x):
    p = np.poly1d([2.0, 1.0])
    p[0] = x
    p[3] = 2.5
    return p(x), p.order


def poly1d_from_roots(x):
    return np.poly1d([1.0, 2.0], True)(x)


def poly1d_whole(x):
    p = np.poly1d([1, 2, 3])
    return p(x), p(2), p.deriv()(x), p.integ()(x)


def poly1d_zero(x):
    p = np.poly1d([0.0, 0.0])
    return p(x), p.order


def poly1d_chosen(x):
    p = np.poly1d([1.0, x]) if x > 0.0 else np.poly1d([2.0, x, 3.0])
    return p(1.5)


def poly1d_from_outside(x):
    return OUTSIDE(x) + OUTSIDE.deriv()(x) + OUTSIDE[1], (OUTSIDE * np.poly1d([x, 1.0]))(2.0), (OUTSIDE + x)(2.0)


def series_call(v):
    return Polynomial([1.0, -2.0, 0.5])(v)


def series_of_data(x, y):
    return Polynomial([x, y, 0.5])(2.0)


def series_derivatives(x):
    p = Polynomial([1.0, -2.0, 0.5, 3.0])
    return p.deriv()(x), p.deriv(2)(x)


def series_integrals(x):
    p = Polynomial([1.0, -2.0, 0.5])
    return p.integ()(x), p.integ(2, k=[1.0, 2.0], lbnd=0.5)(x)


def series_attributes(x):
    p = Polynomial([0.0, 1.0, x])
    return p.degree(), len(p), p.coef


def series_sums(x):
    p, q = Polynomial([2.0, 1.0]), Polynomial([1.5, 0.5, 2.0])
    return (p + q)(x), (q - p)(x), (p + 1.0)(x), (1.0 - p)(x), (p + x)(2.0), (-p)(x)


def series_products(x):
    p, q = Polynomial([2.0, 1.0]), Polynomial([1.5, 0.5, 2.0])
    return (p * q)(x), (p * 2.0)(x), (x * p)(2.0), (p / 2.0)(x), (p**3)(x)


def series_quotient(x):
    p, q = Polynomial([2.0, 1.0]), Polynomial([1.5, 0.5, 2.0])
    return (q // p)(x), (q % p)(x)


def series_that_cancel(x):
    return (Polynomial([2.0, 1.0]) - Polynomial([x, 1.0])).coef


def series_meet_arrays(v):
    return (v[0] * Polynomial([1.0, 2.0])).coef, (Polynomial([1.0, 2.0]) + v[:2]).coef


def series_domain(x):
    return Polynomial([1.0, 2.0, 0.5], domain=[0, 2], window=[-1, 1])(x)


def series_convert(x):
    return Polynomial([1.0, 2.0, 0.5]).convert(kind=Chebyshev).coef * x


def series_of_chebyshev(x):
    return Chebyshev([1.0, 2.0, 0.5])(x), Chebyshev([1.0, 2.0, 0.5]).deriv()(x)


def series_of_legendre(x):
    return Legendre([1.0, 2.0, 0.5])(x), (Legendre([1.0, 2.0]) * Legendre([0.5, 1.5])).coef * x


def series_truncate(x):
    return Polynomial([1.0, 2.0, x]).truncate(2)(x), Polynomial([1.0, 2.0, x]).copy()(x)


def series_from_roots(x):
    return Polynomial.fromroots([1.0, x])(2.0)


def series_basis(x):
    return Polynomial.basis(3)(x), Polynomial.identity()(x)


def series_chosen(x):
    p = Polynomial([1.0, x]) if x > 0.0 else Polynomial([x, 3.0])
    return p(1.5)


def series_from_outside(x):
    return SERIES(x) + SERIES.deriv()(x), (SERIES * Polynomial([x, 1.0]))(2.0)


def polynomial_functions(v, x):
    a, b = np.polyadd([1.0, 2.0], v), np.polysub(v, [x])
    return a, b, np.polyder(v), np.polyint(v)


def polynomial_products_of_data(x, y):
    return np.polymul([1.0, x], [y, 0.5]), (Polynomial([1.0, x]) * Polynomial([0.5, y])).coef
