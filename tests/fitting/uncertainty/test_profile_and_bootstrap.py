"""Intervals on request: by a profile, which takes no problem for a linear one, and by drawing samples or groups of them."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.errors import InputError
from deepalgo.fitting.uncertainty.profile import profile
from deepalgo.fitting.uncertainty.refine import refine

X = torch.linspace(0, 5, 40, dtype=torch.float64)
NOISE = 0.1 * torch.randn(40, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


def line(x, slope=1.0, start=0.0):
    return slope * x + start


def decay(t, top=2.0, rate=0.5):
    return top * math.exp(-rate * t)


def fitted(function, targets, **options):
    return da.fit(da.compile(function), X, targets=targets, validation=None, steps=20, **options)


def test_the_profile_of_a_linear_problem_is_the_interval_of_standard_errors():
    fit = fitted(line, 1.3 * X + 0.2 + NOISE)
    found, linear = fit.profile("slope"), fit.estimates["slope"]
    assert (found.low, found.high) == pytest.approx((linear.low, linear.high), rel=1e-5)
    assert str(found) == f"slope = {linear.value:.6g}, 95 % interval {found.low:.6g} .. {found.high:.6g} by its profile"


def test_a_profile_ends_where_the_least_sum_of_squares_is_beyond_noise():
    fit = fitted(decay, 2.5 * torch.exp(-1.5 * X) + 2 * NOISE)
    found, evidence = fit.profile("rate"), fit.evidence
    values = evidence.values.copy()
    values[1] = found.high
    at_end = refine(evidence.residuals.at, values, np.array([True, False])).squares
    best = (evidence.residuals.at(evidence.values)[0] ** 2).sum()
    assert at_end == pytest.approx(best * (1 + 2.024394**2 / 38), rel=1e-4)
    assert found.high - found.value > 1.05 * (found.value - found.low)  # a rate is less sure above than below
    assert len(found.places) < 40 and (np.diff(found.places) >= 0).all() and found.squares.min() == pytest.approx(best)


def test_an_end_that_data_do_not_set_is_infinite():
    def step(x, height=1.0, speed=3.0):
        return height * (1 - math.exp(-speed * x))

    x = torch.linspace(0.6, 5, 40, dtype=torch.float64)
    fit = da.fit(da.compile(step), x, targets=1.2 - 0.02 * torch.exp(-x) + NOISE, validation=None, steps=20)
    found = profile(fit.evidence.residuals, fit.evidence.values, 1)
    assert found.high == math.inf and 0 < found.low < found.value


def test_what_has_no_profile_says_why():
    fit = fitted(line, 1.3 * X + 0.2 + NOISE)
    with pytest.raises(InputError) as caught:
        fit.profile("slop")
    assert str(caught.value) == "'slop' was not trained; there are slope, start"
    with pytest.raises(InputError) as caught:
        fitted(line, 1.3 * X + 0.2, loss="absolute").profile("slope")
    assert str(caught.value) == "line has no trained weights whose squares of errors could tell how sure they are"


def test_a_bootstrap_over_samples_agrees_with_standard_errors_where_these_hold():
    fit = fitted(line, 1.3 * X + 0.2 + NOISE)
    found = fit.bootstrap(200)
    assert found.errors == pytest.approx(fit.estimates.errors, rel=0.25)
    assert found.correlations[0, 1] == pytest.approx(fit.estimates.correlations[0, 1], abs=0.1)
    assert (fit.bootstrap(20).draws == fit.bootstrap(20).draws).all() and (fit.bootstrap(20, seed=1).draws != fit.bootstrap(20).draws).any()


def test_a_bootstrap_over_groups_sees_errors_that_a_group_has_in_common():
    site = torch.arange(8).repeat_interleave(5)
    common = 0.3 * torch.randn(8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)[site]
    fit = fitted(line, 1.3 * X + 0.2 + common + 0.01 * NOISE)
    by_group = fit.bootstrap(200, groups=[f"site {number}" for number in site.tolist()])
    assert by_group.groups == 8
    assert by_group.errors[1] > 1.5 * fit.bootstrap(200).errors[1]
    assert str(by_group).endswith("by 200 draws of 8 groups")


def test_groups_have_to_name_each_sample():
    fit = fitted(line, 1.3 * X + 0.2 + NOISE)
    with pytest.raises(InputError) as caught:
        fit.bootstrap(groups=["a"] * 39)
    assert str(caught.value) == "groups names 39 samples, but 40 were used for training"
    with pytest.raises(InputError) as caught:
        fit.bootstrap(groups=["a"] * 40)
    assert str(caught.value) == "one group cannot be drawn in several ways: a bootstrap needs at least two"
