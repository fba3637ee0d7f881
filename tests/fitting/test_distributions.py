"""Student's t and Fisher's F are SciPy's."""

import math

import pytest
from scipy.special import betainc, fdtrc, stdtrit

from deepalgo.fitting.judge.distributions import fisher_tail, incomplete_beta, student_quantile

FREEDOMS = (1, 2, 3, 7.5, 10, 99, 1e4, 1e5, 1e6, 1e9)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_are_those_of_scipy(freedom):
    for part in (0.6, 0.9, 0.975, 0.9995):
        assert student_quantile(part, freedom) == pytest.approx(stdtrit(freedom, part), rel=1e-10)
    assert student_quantile(0.975, 0) == math.inf


@pytest.mark.parametrize("freedom", [1, 3, 10, 500, 1e5])
def test_tails_are_those_of_scipy(freedom):
    for above in (1, 2, 30):
        for value in (0.01, 0.5, 1.0, 4.0, 100.0):
            assert fisher_tail(value, above, freedom) == pytest.approx(fdtrc(above, freedom, value), abs=1e-10)
    assert fisher_tail(0.0, 1, 3) == 1.0 and fisher_tail(math.inf, 1, 3) == 0.0


def test_the_incomplete_beta_function_ends_at_zero_and_one():
    assert incomplete_beta(2.0, 3.0, 0.0) == 0.0 and incomplete_beta(2.0, 3.0, 1.0) == 1.0
    assert incomplete_beta(0.5, 40.0, 0.9) == pytest.approx(betainc(0.5, 40.0, 0.9))
