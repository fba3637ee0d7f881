"""The classes of engineering, where trained Newton is closer at equal rounds, and systems that chains solve more often."""

import numpy as np
import pytest

from benchmarks.newton_quadratics import SOLVED, draw, plain_newton, trained
from deepalgo.studies.newton.deep import answers
from deepalgo.studies.newton.polish import sizes
from examples import newton_classes


@pytest.mark.slow
def test_trained_newton_is_closer_at_equal_rounds():
    row = newton_classes.study("Peng-Robinson", steps=40, count=400)
    assert row["trained"] < 0.01 * row["plain"] and row["equal"] >= 1


@pytest.mark.slow
def test_equal_rounds_and_equal_time_are_both_reported_for_every_class(capsys):
    found = newton_classes.main(steps=20, count=200)
    text = capsys.readouterr().out
    assert set(found) == {"Peng-Robinson", "lens", "two circles"} and all(row["trained"] < row["plain"] for row in found.values())
    assert text.count("in the time of the trained one plain Newton makes") == 3


@pytest.mark.slow
def test_chains_solve_more_quadratic_systems_than_newton_from_the_same_starts():
    S, starts = draw(3, 200, np.random.default_rng(3))
    chains, _, _ = trained(3, 0)
    shares = [(sizes(x, S, 2) < SOLVED).mean() for x in (answers(chains, S, starts), plain_newton(S, starts, False))]
    assert shares[0] > shares[1] + 0.1
