"""A row that says `exact` gives the bits of Python and NumPy, which for arithmetic are those of the true result, rounded once."""

import itertools
import math
import struct

import mpmath
import numpy as np
import pytest
import torch

from deepalgo.kinds import Kind
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import Slope
from deepalgo.ops.table import TABLE
from tests.support.row_cases import all_cases, cases, in_numpy, in_python, in_torch, label, samples

inf, nan = math.inf, math.nan
HARD = [0.0, -0.0, 0.1, -0.3, 0.5, 1.0, -1.0, 1.5, 2.5, -3.5, 3.0, 7.0, -7.25, 1 / 3, 1e-9, 123.456, 1e16, -1e300, 5e-324, 2.0**52 + 1]
RARE = [inf, -inf, nan]
#: Arithmetic of real numbers, without rounding.
TRUE = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "quotient": lambda x, y: x / y,
    "fmod": lambda x, y: x - y * (mpmath.floor(x / y) if x / y > 0 else mpmath.ceil(x / y)),
    "remainder": lambda x, y: x - y * mpmath.nint(x / y),
    "fsum": lambda x, y, z: x + y + z,
}
#: Functions that are rounded in one way or another: what they are without rounding, and a part of their domain.
ROUNDED = {
    **{name: (getattr(mpmath, name), 0.0, 30.0) for name in "sqrt cbrt log log10 log1p exp expm1 asinh".split()},
    **{name: (getattr(mpmath, name), -9.0, 9.0) for name in "sin cos tan atan sinh cosh tanh erf".split()},
    **{name: (getattr(mpmath, name), -1.0, 1.0) for name in "asin acos atanh".split()},
    "acosh": (mpmath.acosh, 1.0, 30.0), "log2": (lambda x: mpmath.log(x, 2), 0.0, 30.0), "exp2": (lambda x: 2**x, -9.0, 9.0),
}
EXACT = [case for case in all_cases() if TABLE[case.name].exact and case.types]


def bits(value):
    """A number in which no two different floats look alike, and all NaN do."""
    if isinstance(value, complex):
        return bits(value.real), bits(value.imag)
    return "nan" if value != value else struct.pack("d", value) if isinstance(value, float) else value


def operands(case):
    """Numbers that are hard to round, and then random ones of all sizes."""
    if not all(type.shape == () and type.kind is Kind.REAL for type in case.types):
        is_complex = any(type.kind is Kind.COMPLEX for type in case.types)
        return samples(case) if TABLE[case.name].exact_complex or not is_complex else []
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(300, len(case.types))) * 10.0 ** rng.integers(-12, 12, (300, len(case.types)))
    found = [*itertools.product(HARD + RARE, repeat=len(case.types))] if len(case.types) < 3 else []
    found = [row for row in found if case.name != "to_int" or abs(row[0]) < 2**63]
    return [[np.array(item) for item in row] for row in [*found, *wide.tolist()]]


def torch_results(case, rows):
    return in_torch(case, [torch.as_tensor(np.stack(column)) for column in zip(*rows, strict=True)])().numpy()


@pytest.mark.parametrize("case", EXACT, ids=label)
def test_an_exact_row_has_the_bits_of_numpy_and_python(case):
    rows = operands(case)
    if not rows or TABLE[case.name].numpy_form:
        return
    for row, ours in zip(rows, torch_results(case, rows).tolist(), strict=True):
        python = in_python(case, row)
        if python is None or isinstance(python, complex) != any(type.kind is Kind.COMPLEX for type in case.types):
            continue  # it raises, or leaves the reals
        for theirs in (np.asarray(python).tolist(), in_numpy(case, row).tolist()):
            if theirs == 0 and ours == 0 and case.name in SIGNLESS:
                continue
            assert np.shape(ours) == np.shape(theirs)
            flat = zip(np.ravel(ours).tolist(), np.ravel(theirs).tolist(), strict=True)
            assert all(bits(one) == bits(type(one)(other)) for one, other in flat), (case.name, row, ours, theirs)


#: Python has whole numbers where torch has floats, and those have no negative zero; NumPy leaves open which of two zeros
#: is the smaller one.
SIGNLESS = {"floor", "ceil", "trunc", "rint", "minimum", "maximum", "fmin", "fmax"}


@pytest.mark.parametrize("name", TRUE)
def test_exact_arithmetic_is_rounded_correctly(name):
    assert TABLE[name].exact
    case = next(item for item in cases(name) if all(type.kind is Kind.REAL for type in item.types))
    rng = np.random.default_rng(2)
    rows = (rng.normal(size=(1500, len(case.types))) * 10.0 ** rng.integers(-6, 6, (1500, len(case.types)))).tolist()
    found = torch_results(case, [[np.array(item) for item in row] for row in rows]).tolist()
    with mpmath.workprec(400):
        for row, ours in zip(rows, found, strict=True):
            exact = TRUE[name](*map(mpmath.mpf, row))
            assert ours == float(exact) or exact == 0 == ours, (name, row, ours)


@pytest.mark.parametrize("name", ROUNDED)
def test_a_row_that_is_not_exact_is_less_than_two_ulp_off_the_true_result(name):
    assert not TABLE[name].exact
    function, low, high = ROUNDED[name]
    case = next(item for item in cases(name) if item.types[0].kind is Kind.REAL)
    points = np.random.default_rng(3).uniform(low, high, 400).tolist()
    found = torch_results(case, [[np.array(point)] for point in points]).tolist()
    with mpmath.workprec(200):
        off = [abs(mpmath.mpf(ours) - function(mpmath.mpf(point))) / math.ulp(ours) for point, ours in zip(points, found, strict=True)]
    assert max(off) < 2.0


@pytest.mark.parametrize("fact", ["hazard", "exact", "cost", "slope"])
def test_a_row_must_state_what_has_no_default(fact):
    facts = {"hazard": Hazard.NONE, "exact": True, "cost": 1, "slope": Slope("2")}
    with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{fact}'"):
        Row("double", types=TABLE["neg"].types, python="2 * {0}", numpy="2 * {0}", torch="2 * {0}",
            **{name: value for name, value in facts.items() if name != fact})


def test_the_checker_of_bits_tells_zeros_and_last_digits_apart():
    assert bits(0.0) != bits(-0.0)
    assert bits(0.1 + 0.2) != bits(0.3)
    assert bits(nan) == bits(-nan)
