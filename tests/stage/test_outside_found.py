"""What functions of packages ask for: vectors of two, arrays without a copy, complex numbers in order, whole rows that a mask keeps."""

import numpy as np
import pytest
import scipy.special
import torch

import deepalgo as da

INPUTS = [[0.3, -0.4, 0.5], [0.3, 0.3, 0.3], [-0.0, 1.0, -2.0], [2.0, -1.0, -1.0]]


def cross_of_vectors_of_two(v):
    return np.cross(v[:2], v[1:])


def cross_of_two_and_three(v):
    return np.cross(v[:2], v[::-1])


def cross_of_three_and_two(v):
    return np.cross(v[::-1], v[1:])


def cross_of_rows_of_two(v):
    rows = np.stack([v, v + 1.0, v * v])
    return np.cross(rows[:, :2], rows[:, 1:])


def array_without_a_copy(v):
    w = v.copy()
    same = np.array(w[:2], dtype=np.float64, copy=False)
    same[0] = 7.0
    return w + np.array(w, copy=False)


def complex_without_nan(v):
    z = np.log(v + 0.5j) / (v - v[0])
    kept = np.nan_to_num(z, posinf=5.0, neginf=-5.0)
    return kept.real + 10.0 * kept.imag


def complex_in_order(v):
    z = np.round(v) + 1j * v[::-1]
    return (z > 0.3) + 2.0 * (z <= z[::-1]) + 4.0 * (z < z[1]) + 8.0 * (z >= 0.3 + 0.3j)


def zeros_of_a_bessel_function(v):
    return v * scipy.special.jn_zeros(0, 2)[1]


def bessel_of_any_order(v):
    return scipy.special.jv(v[0], 3.0 + v[1]) + scipy.special.kv(v[1] + 2.0, 1.5 - v[0]) + scipy.special.iv([0, 1.5, 2], 4.0 + v)


def bessel_of_whole_order(v):
    return scipy.special.kn(3.0 * v, 1.5) + scipy.special.kn(2, 4.0 + v)


def reductions_of_one_number(v):
    one = np.asarray(v[0])
    return np.array([one.argmin(), np.argmax(one), np.sum(one > 0) + np.sum(one < 5), one.flat[np.abs(one - 3.0).argmin()], one.max()])


def sum_of_kept_rows(v):
    table = np.outer(v, v + 1.0)
    kept = table[v > 0]
    return np.array([np.sum(kept), np.mean(kept) if len(kept) else 0.0, np.prod(table[v > 0, 1:])])


def extremes_of_kept_rows(v):
    table = np.outer(v + 3.0, [1.0, -2.0])
    kept = table[v < 1.5]
    return np.array([np.min(kept), kept.max(), np.any(kept > 3.0) * 1.0, np.all(kept > -9.0) * 1.0])


FUNCTIONS = [
    cross_of_vectors_of_two, cross_of_two_and_three, cross_of_three_and_two, cross_of_rows_of_two, array_without_a_copy,
    complex_without_nan, complex_in_order, zeros_of_a_bessel_function, bessel_of_any_order, bessel_of_whole_order, reductions_of_one_number,
    sum_of_kept_rows, extremes_of_kept_rows,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_network_answers_as_numpy_does(function):
    network = da.compile(function, example=((np.array(INPUTS[0]),), {}))
    for row in INPUTS if "bessel_of_any" not in function.__name__ else INPUTS[:3]:
        expected = np.asarray(function(np.array(row)), dtype=float)
        found = network(torch.tensor([row], dtype=torch.float64)).detach().numpy()[0]
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


def test_an_array_that_would_have_to_be_copied_raises_as_in_numpy():
    def listed(x):
        try:
            return np.array([x], copy=False)[0]
        except ValueError:
            return -x

    assert da.compile(listed, example=((1.0,), {}))(torch.tensor([2.0], dtype=torch.float64)).tolist() == [listed(2.0)]


def test_pythons_complex_numbers_have_no_order():
    def ordered(x):
        try:
            return 1.0 if x + 1j > 0.5 else 2.0
        except TypeError:
            return -x

    assert da.compile(ordered, example=((1.0,), {}))(torch.tensor([2.0], dtype=torch.float64)).tolist() == [ordered(2.0)]


def test_a_large_order_is_a_limit_of_ours():
    network = da.compile(lambda v, x: scipy.special.jv(v, x), example=((1.0, 1.0), {}))
    with pytest.raises(da.HeuristicError, match="this is a Bessel function of an order beyond 40"):
        network(torch.tensor([50.0]), torch.tensor([1.0]))
