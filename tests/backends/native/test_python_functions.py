"""Functions that CPython computes by steps of its own: native code has Python's bits at ordinary and at extreme numbers."""

import math

import numpy as np
import pytest

from deepalgo.backends.native import Unsupported, compile_kernel
from deepalgo.ir import parse

EDGES = [
    0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 22.0, 23.0, 24.0, 5.52, 5.53, 140.0, 140.5, 171.6, 171.7, 180.5, 199.5, 200.5, 201.5,
    math.inf, math.nan, 5e-324, 1e-310, 2.0**-1022, 1e-21, 1e-20, 1e308, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 1e15, 1e16,
    1e22, 1e23, 2.675, 1.005,
    0.285, 0.05, 0.15, 0.25, 0.35, 25.0, 35.0, 50.0, 150.0, 250.0, 1e5 + 0.5,
]


def numbers(count, seed=0):
    """Numbers of all sizes, halves and decimal numbers among them."""
    rng = np.random.default_rng(seed)
    edges = np.array(EDGES)
    return np.concatenate([
        edges, -edges, rng.uniform(-200.0, 200.0, count), rng.standard_normal(count) * 10.0 ** rng.integers(-30, 30, count),
        rng.integers(0, 2**63, count, dtype=np.uint64).view(float), rng.integers(-400, 400, count) / 2.0,
        np.round(rng.uniform(-1000.0, 1000.0, count), 2) + 0.005,
    ])


def bits(numbers):
    """The bits of numbers; every NaN has the same."""
    numbers = np.asarray(numbers, float)
    return np.where(np.isnan(numbers), -1, numbers.view(np.int64))


def natively(operation, *columns):
    """An operation on the numbers of columns."""
    names = [f"x{place}" for place in range(len(columns))]
    text = f"f({', '.join(f'{name}: real' for name in names)})\n  %y = {operation.format(*(f'%{name}' for name in names))}\n  return %y\n"
    return compile_kernel(parse(text)).run(list(columns), np.zeros(0)).results[0]


def or_nan(function, *arguments):
    """What a function returns, NaN where it raises."""
    try:
        return function(*arguments)
    except (ValueError, OverflowError):
        return math.nan


FUNCTIONS = {
    "gamma": math.gamma, "lgamma": math.lgamma, "mantissa": lambda x: math.frexp(x)[0], "exponent": lambda x: math.frexp(x)[1],
    "angle": lambda x: math.atan2(0.0, x), "or_inf": lambda x: min(math.inf, x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_bits_of_python(name):
    xs = numbers(2000)
    expected = [or_nan(FUNCTIONS[name], x) for x in xs.tolist()]
    assert bits(natively(f"{name} {{}}", xs)).tolist() == bits(expected).tolist()


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 8, 15, 22, -1, -2, -5, -16, -22])
def test_round_to_digits_has_the_bits_of_python(digits):
    xs = numbers(2000, seed=1)
    expected = [round(x, digits) for x in xs.tolist()]
    assert bits(natively(f"round_digits {{}} digits={digits}", xs)).tolist() == bits(expected).tolist()


def test_round_to_more_digits_than_a_float_has_powers_of_ten_is_left_to_others():
    with pytest.raises(Unsupported, match="round to 23 digits"):
        natively("round_digits {} digits=23", np.ones(3))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_fsum_has_the_bits_of_python(count):
    rng = np.random.default_rng(count)
    columns = []
    for place in range(count):
        parts = [rng.standard_normal(4000), rng.standard_normal(4000) * 10.0 ** rng.integers(-20, 20, 4000),
                 rng.choice(EDGES if place == 2 else EDGES[:20], 4000),
                 np.floor(rng.uniform(-4, 4, 4000)) * 2.0 ** rng.integers(-60, 60, 4000)]
        column = np.choose(rng.integers(0, len(parts), 4000), parts)
        columns.append(np.where(rng.random(4000) < 0.2, -columns[0], column) if place else column)
    found = natively("fsum " + "{} " * count, *columns)
    expected = [or_nan(math.fsum, row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    assert bits(found).tolist() == bits(expected).tolist()


def test_fsum_tells_of_sums_that_leave_the_range_on_the_way():
    columns = np.array([[1e308, 1e308, -1e308], [math.inf, -math.inf, 1.0], [math.inf, 1e308, 1e308], [1e308, math.inf, 1e308]]).T
    found = natively("fsum {} {} {}", *columns)
    assert bits(found).tolist() == bits([math.nan, math.nan, math.nan, math.inf]).tolist()


def test_whole_numbers_to_powers_and_shifts_that_data_choose():
    def run(operation, xs, ys):
        program = parse(f"f(x: int, y: int)\n  %z = {operation} %x %y\n  return %z\n")
        return compile_kernel(program).run([np.array(xs), np.array(ys)], np.zeros(0)).results[0].tolist()

    pairs = [(x, y) for x in (-3, -2, -1, 0, 1, 2, 3, 7) for y in range(20)] + [(-1, 2**40 + 1), (1, 2**62), (0, 2**50), (2, 62), (-2, 63)]
    xs, ys = zip(*pairs, strict=True)
    assert run("pow", xs, ys) == [x**y for x, y in pairs]
    assert run("pow", [2, 1, -1, -1, 0, 5], [-1, -3, -3, -4, -2, -1]) == [0, 1, -1, 1, 0, 0]
    assert run("lshift", [1, 3, -5, 7, 7, 0], [0, 5, 3, 60, 64, 100]) == [1, 96, -40, 7 << 60, 0, 0]
