"""At infinities, NaN and negative zeros, and where large numbers cancel, a network answers as Python does, or leaves the sample open."""

import cmath
import dataclasses
import math

import numpy as np
import pytest
import torch
from scipy import special

import deepalgo as da
from deepalgo.stage.rules.python import sums
from tests.small.compare import judge

INF, NAN = math.inf, math.nan


def exact_sum(x):
    return math.fsum([x, 1e16, -1e16])


def exact_sum_of_many(items, x):
    return math.fsum([*items, x, 1e100, 1.0, -1e100])


def zero_of_nothing(x):
    return sum([-0.0, x]), sum([]), sum([x], -0.0)


def quotient(x, y):
    return complex(x, 1.0) / complex(y, -2.0), complex(x, y) / 2.0, 1.0 / complex(x, 3.0)


def sums_of_parts(x, y):
    return complex(x, y) + x, complex(x, y) - y, -complex(x, y), complex(x, y) * 2.0, y - complex(x, y)


def endless_powers(x):
    return (1 + 1j) ** x, 0j ** x


def powers(x, y):
    return complex(x, y) ** 2, complex(x, y) ** -1, complex(x, 1.0) ** 0, complex(x, 1.5) ** 3


def power_by_angle(x, y):
    return complex(x, 1.0) ** 1.5, complex(1.5, y) ** complex(0.5, x) if abs(x) < 9.0 and abs(y) < 9.0 else 0j


def parts(x, y):
    z = complex(x, y)
    return z.real, z.imag, z.conjugate(), abs(z), z == complex(y, x), cmath.phase(z), cmath.polar(z)


def below_the_cut(x):
    return cmath.sqrt(complex(x, -0.0)), cmath.sqrt(complex(x, 0.0)), cmath.log(complex(x, -0.0)) if x != 0.0 else 0j


def fraction(x):
    return math.modf(x)


def power(x, y):
    return math.pow(x, y)


def log_gamma(x):
    return math.lgamma(x), special.gammaln(x)


def log_of_sum(v, w):
    return np.logaddexp(v, w)


def step(v, x):
    return np.heaviside(v, x)


def largest(m):
    return np.nanmax(m), np.nanmin(m, axis=0)


def middle(v, s):
    return np.median(v), np.median(s, axis=1)


def counts(v):
    return np.histogram(v, bins=[-3.0, 0.0, 1.0, 3.0])[0], np.searchsorted(np.sort(v), [0.0, 1.0, np.inf, np.nan], side="right")


def itself(x):
    return (x,) == (x,), [x] != [x], x in (1.0, x), [x, 0.0].index(x), (x, x, 1.0).count(x), (x, 1.0) < (x, 2.0), x == x


def another(x, y):
    return (x,) == (y,), x in (1.0, y), [x, y].count(y), (x, 1.0) < (y, 2.0)


def same_after_arithmetic(x):
    return (x * 1.0,) == (x * 1.0,), [x + 0.0].count(x)


def ordered(items, x):
    return sorted(items), sorted([x, 0.0, -0.0]), sorted([0.0, x, -0.0], reverse=True)


def by_key(x, y):
    return sorted([x, y, 0.0], key=abs), sorted([(x, 1), (y, 2)])


def root_of_array(v):
    return v ** 0.5, v ** 2, v ** -2


def small_logs(v, x):
    return np.log1p(v), math.log1p(x) if x > -1.0 else 0.0


def rest(x, y):
    return x % y, divmod(x, y), math.fmod(x, y)


def running(m):
    return np.cumsum(m, axis=1)


@pytest.mark.parametrize("function", [
    exact_sum, exact_sum_of_many, zero_of_nothing, quotient, sums_of_parts, powers, power_by_angle, parts, below_the_cut, fraction, power,
    endless_powers, log_gamma,
    log_of_sum, step, largest, middle, counts, itself, another, same_after_arithmetic, ordered, by_key, root_of_array, small_logs, rest,
    running,
])
def test_it_answers_as_python_does_at_the_edges(function):
    verdict = judge(function)
    assert verdict.word == "right", f"{verdict.reason}: {verdict.detail}"


@pytest.mark.parametrize(("items", "error", "text"), [
    ([1e308, 1e308, -1e308, 0.0], "OverflowError", "intermediate overflow in fsum"),
    ([INF, 1.0, -INF, 0.0], "ValueError", "-inf + inf in fsum"),
])
def test_the_exact_sum_raises_what_python_raises(items, error, text):
    def total(items):
        return math.fsum(items)

    with pytest.raises(da.HeuristicError) as caught:
        da.compile(total, example=(([1.0, 2.0, 3.0, 4.0],), {}))(items)
    assert (caught.value.error, caught.value.message) == (error, text)


def test_the_exact_sum_has_slope_one_by_each_item():
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    da.compile(exact_sum)(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_equal_numbers_share_the_slope_of_the_logarithm_of_their_sum():
    def f(x):
        return np.logaddexp(x, 1.5)

    x = torch.tensor([1.5, -INF, INF], dtype=torch.float64, requires_grad=True)
    da.compile(f)(x).sum().backward()
    assert x.grad.tolist() == [0.5, 0.0, 1.0]


def neumaier(numbers, start=0):
    """`sum` of Python 3.12 written out, for floats and whole numbers."""
    total, lost = start, 0.0
    for number in numbers:
        if isinstance(total, float) and isinstance(number, float):
            after = total + number
            lost += (total - after) + number if abs(total) >= abs(number) else (number - after) + total
            total = after
        else:
            total = total + number
    return total + lost if lost and math.isfinite(lost) else total


def plainly(numbers, start=0):
    """`sum` of Python 3.11 written out."""
    for number in numbers:
        start = start + number
    return start


@pytest.mark.parametrize(("compensated", "algorithm"), [(True, neumaier), (False, plainly)])
@pytest.mark.parametrize("row", [
    (0.1, 0.2, 0.3), (1e16, 1.0, -1e16), (1e100, 1.0, -1e100), (INF, 1.0, 2.0), (INF, -INF, 1.0), (NAN, 1.0, 2.0), (-0.0, -0.0, -0.0),
    (1e308, 1e308, -1e308),
])
def test_a_sum_of_floats_is_compensated_if_the_interpreter_does_so(monkeypatch, compensated, algorithm, row):
    monkeypatch.setattr(sums, "COMPENSATED", compensated)

    def total(x, y, z):
        return sum([x, y, z]), sum([x, 2, y, True, z]), sum((x, y), z), sum(t for t in (x, y, z))

    x, y, z = row
    wanted = [algorithm([x, y, z]), algorithm([x, 2, y, True, z]), algorithm([x, y], z), algorithm([x, y, z])]
    got = [item.item() for item in da.compile(total)(*row)]
    assert np.array_equal(got, wanted, equal_nan=True)
    assert np.signbit(got).tolist() == np.signbit(wanted).tolist()


def test_the_written_out_sum_is_that_of_the_interpreter():
    algorithm = neumaier if sums.COMPENSATED else plainly
    for row in ([0.1] * 10, [1e16, 1.0, -1e16], [1e100, 1.0, -1e100, 3], [-0.0]):
        assert sum(row) == algorithm(row)


@dataclasses.dataclass(frozen=True)
class Fixed:
    a: float


def test_a_field_of_a_frozen_dataclass_cannot_be_written():
    def write(x):
        p = Fixed(x)
        if x > 1.0:
            p.a = 3.0
        return p.a

    network = da.compile(write)
    assert network(0.5).item() == 0.5
    with pytest.raises(da.HeuristicError) as caught:
        network(2.0)
    assert (caught.value.error, caught.value.message) == ("FrozenInstanceError", "cannot assign to field 'a'")


def test_whether_a_truth_value_or_a_number_is_refused_not_guessed():
    def f(x):
        b = x > 0 or x
        return 1.0 if isinstance(b, bool) else 2.0

    with pytest.raises(da.CompileError) as caught:
        da.compile(f)
    assert caught.value.reason == "whether this number is an int or a float depends on data"


@pytest.mark.parametrize(("function", "row", "text"), [
    (ordered, ([1.0, NAN, 0.0, 2.0], 1.0), "NaN has no place in an order"),
    (by_key, (NAN, 1.0), "NaN has no place in an order"),
])
def test_an_order_with_nan_is_left_open(function, row, text):
    with pytest.raises(da.HeuristicError) as caught:
        da.compile(function, example=(([1.0, 2.0, 3.0, 4.0], 1.0) if function is ordered else (1.0, 2.0), {}))(*row)
    assert caught.value.message == text
    assert "the heuristic raises" not in str(caught.value)


def test_a_number_of_numpy_is_rounded_as_numpy_does():
    def f(v, x):
        return round(v[0], 2), round(x, 2), round(v[1])

    v = np.array([1.115, 2.5])
    got = da.compile(f, example=((v, 1.0), {}))(v, 1.115)
    assert [item.item() for item in got] == [round(v[0], 2), round(1.115, 2), round(v[1])] == [1.12, 1.11, 2]
