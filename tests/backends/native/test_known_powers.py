"""Powers by known whole exponents are products in pairs: at most one unit of the last digit off, and as `pow` of C has them elsewhere."""

import math

import mpmath
import numpy as np
import pytest

from deepalgo.backends.native import compile_kernel
from deepalgo.backends.native.build import fuses
from deepalgo.backends.native.known_powers import MOST
from deepalgo.ir import parse

pytestmark = pytest.mark.skipif(not fuses(), reason="products in pairs need a processor with fused steps")
EXPONENTS = range(-MOST, MOST + 1)
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 5e-324, -5e-324, 2.0**-1022, 1.7976931348623157e308, -1e200, 2.0**530]


def kernel_of(exponents, mathematics="vector"):
    lines = [f"  %e{place} = const {float(number)}\n  %y{place} = pow %x %e{place}" for place, number in enumerate(exponents)]
    names = ", ".join(f"%y{place}" for place in range(len(exponents)))
    return compile_kernel(parse("\n".join(["f(x: real)", *lines, f"  return {names}"])), mathematics=mathematics)


def ulps(found, x, exponent):
    with mpmath.workprec(200):
        exact = mpmath.mpf(x) ** exponent
        return float(abs(mpmath.mpf(found) - exact) / mpmath.mpf(math.ulp(float(exact))))


@pytest.mark.parametrize("exponents", [EXPONENTS[first : first + 16] for first in range(0, len(EXPONENTS), 16)])
def test_powers_are_at_most_one_ulp_off(exponents):
    rng = np.random.default_rng(1)
    xs = np.concatenate([rng.uniform(0.5, 2.0, 60), -rng.uniform(0.1, 10.0, 30), 10 ** rng.uniform(-30.0, 30.0, 30)])
    results = kernel_of(exponents).run([xs], np.zeros(0)).results
    for exponent, column in zip(exponents, results, strict=True):
        pairs = [(found, x) for found, x in zip(column.tolist(), xs.tolist(), strict=True) if 1e-300 < abs(found) < 1e300]
        assert pairs and max(ulps(found, x, exponent) for found, x in pairs) <= 1.0, exponent


@pytest.mark.parametrize("exponent", [-64, -63, -7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 13, 64])
def test_special_values_are_those_of_the_c_library(exponent):
    xs = np.array(SPECIAL)
    ours, theirs = (kernel_of([exponent], way).run([xs], np.zeros(0)).results[0] for way in ("vector", "exact"))
    for x, found, wanted in zip(SPECIAL, ours.tolist(), theirs.tolist(), strict=True):
        assert math.isnan(found) == math.isnan(wanted) and math.copysign(1.0, found) == math.copysign(1.0, wanted) or math.isnan(x)
        assert found == wanted or math.isnan(wanted) or abs(found - wanted) <= math.ulp(wanted), x


def test_a_wrong_product_is_found_out():
    with mpmath.workprec(200):
        assert ulps(3.0**30 * (1 + 2**-50), 3.0, 30) > 1.0
