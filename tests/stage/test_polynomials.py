"""Polynomials as objects: how many coefficients there are is told by the program, and where data would decide it the network stops."""

import numpy as np
import pytest

import deepalgo as da


def line(x):
    return np.poly1d([x, 1.0])(2.0)


def difference(x):
    return (np.polynomial.Polynomial([1.0, x]) - np.polynomial.Polynomial([0.5, 2.0]))(3.0)


@pytest.mark.parametrize(("function", "zero", "place"), [(line, 0.0, "10:12"), (difference, 2.0, "14:13")])
def test_a_leading_coefficient_that_is_zero_is_a_limit_of_the_network(function, zero, place):
    network = da.compile(function, example=((1.5,), {}))
    assert network(0.25).item() == function(0.25)
    with pytest.raises(da.HeuristicError) as raised:
        network(zero)
    assert str(raised.value).splitlines()[0].endswith(f"test_polynomials.py:{place}: this is a polynomial whose leading coefficient is 0")
    assert str(raised.value).splitlines()[-1] == (
        "Sample 0 (1 of 1). Keep it away from 0, leave them out, or compile with errors='nan' to get NaN for them."
    )


def parabola(x):
    return np.poly1d([0.5, 2.0, 1.0])(x)


def test_the_leading_coefficient_can_be_trained():
    (parameter,) = da.compile(parabola, example=((1.5,), {})).parameters()
    assert parameter.requires_grad and parameter.tolist() == [0.5, 2.0, 1.0]
