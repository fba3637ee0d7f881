"""Vector forms of functions are at most 2 ulp off, as the C library at special values, and the same for one number as for eight."""

import math

import numpy as np
import pytest

import deepalgo as da
from benchmarks.mathematics import Loop, errors, points_of, reference, reference_error, same_bits, special_points, wrong_specials
from deepalgo.backends.native import engine_of
from deepalgo.backends.native.build import fuses
from deepalgo.backends.native.mathematics import VECTOR_FORMS
from deepalgo.backends.native.write import write
from deepalgo.ir import parse

POINTS = 20_000
pytestmark = [
    pytest.mark.skipif(not fuses(), reason="vector forms need a processor with fused steps"),
    pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="long doubles have no 80 bits here"),
]


@pytest.mark.parametrize("name", VECTOR_FORMS)
def test_forms_are_at_most_two_ulp_off(name):
    rng = np.random.default_rng(1)
    points = points_of(name, rng, POINTS)
    found = errors(Loop(name)(*points), reference(name, points))
    worst = int(np.argmax(found))
    assert found[worst] <= 2.0, [array[worst].hex() for array in points]


@pytest.mark.parametrize("name", VECTOR_FORMS)
def test_special_values_are_those_of_the_c_library(name):
    points = special_points(name)
    found, expected = Loop(name)(*points), Loop(name, libm=True)(*points)
    wrong = wrong_specials(points, found, expected, reference(name, points))
    assert [tuple(array[place] for array in (*points, found, expected)) for place in np.nonzero(wrong)[0]] == []


@pytest.mark.parametrize("name", VECTOR_FORMS)
def test_a_number_alone_and_among_others_has_the_same_bits(name):
    points = points_of(name, np.random.default_rng(2), POINTS)
    eight = Loop(name)(*points)
    assert same_bits(eight, Loop(name, 1)(*points)).all()
    assert same_bits(eight, Loop(name, 4)(*points)).all()
    other_neighbours = np.random.default_rng(3).permutation(POINTS)
    assert same_bits(eight[other_neighbours], Loop(name)(*(array[other_neighbours] for array in points))).all()


@pytest.mark.parametrize("name", ["exp", "pow", "sin", "atan2", "log1p"])
def test_the_reference_is_far_better_than_two_ulp(name):
    assert reference_error(name, np.random.default_rng(4), 300) < 0.01


def test_results_that_are_floats_come_out_as_they_are():
    base, exponent = (array.ravel().astype(float) for array in np.meshgrid(np.arange(1, 300), np.arange(0, 20)))
    exact = base**exponent < 2.0**53
    assert (Loop("pow")(base, exponent) == [math.pow(*pair) for pair in zip(base, exponent)])[exact].all()
    numbers = np.arange(1.0, 2000.0)
    assert (Loop("pow")(numbers**2, np.full_like(numbers, 0.5)) == numbers).all()
    assert (Loop("cbrt")(numbers**3) == numbers).all()
    wholes = np.arange(-1074.0, 1024.0)
    assert (Loop("exp2")(wholes) == np.ldexp(1.0, wholes.astype(int))).all()
    assert (Loop("log2")(np.ldexp(1.0, wholes.astype(int))) == wholes).all()
    tens = np.arange(-300, 309)
    assert (Loop("log10")(np.array([float(f"1e{ten}") for ten in tens])) == tens).all()


def test_the_checks_find_wrong_results():
    exact = np.array([1.0, 1.0, math.nan, math.inf, 0.0], np.longdouble)
    found = np.array([1.0 + 3 * 2.0**-52, math.inf, 1.0, 1e308, -0.0])
    assert errors(found, exact)[0] == 3.0
    assert np.isinf(errors(found, exact)[1:4]).all()
    points = [np.array([0.5] * 5)]
    assert wrong_specials(points, found, exact.astype(float), exact).all()


@pytest.mark.parametrize("mathematics", ["exact", "vector"])
def test_an_engine_calls_the_forms_where_it_is_asked_to(mathematics):
    program = parse("""
f(x: real)
  weight w = 0.7
  %w = weight w
  %s = sin %w
  %e = exp %x
  %y = mul %s %e
  return %y
""")
    xs = np.random.default_rng(0).normal(size=100)
    found = engine_of(program, mathematics=mathematics).forward([xs], np.array([0.7])).results[0]
    vector = mathematics == "vector"
    sine = Loop("sin", 1)(np.array([0.7]))[0] if vector else math.sin(0.7)
    powers = Loop("exp")(xs) if vector else np.array([math.exp(x) for x in xs])
    assert (found == sine * powers).all()
    assert ("llvm.fma" in write(program, mathematics=mathematics).for_lanes(8)) == vector


def test_gradients_with_vector_forms_agree_with_those_of_the_c_library():
    def swing(x, y, rate=0.3):
        return math.exp(-rate * x) * math.sin(x * y) + math.log(1.0 + x * x) ** 1.7 + math.atan2(y, x) * math.tanh(y)

    program = da.compile(swing).program
    xs, ys = np.random.default_rng(0).uniform(0.2, 3.0, (2, 50))
    weights = np.array([weight.value for weight in program.weights])
    one, other = (engine_of(program, mathematics=word).gradient([xs, ys], weights, [np.ones(50)]) for word in ("exact", "vector"))
    for a, b in zip([*one.inputs, *one.weights], [*other.inputs, *other.weights]):
        assert np.abs(a - b).max() <= 1e-13 * (1.0 + np.abs(a).max())
