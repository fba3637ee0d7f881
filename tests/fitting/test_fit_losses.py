"""Losses: by name, of a sample, of a whole set, below zero, with weights of samples and of targets."""

import math

import numpy as np
import polars as pl
import pytest
import torch
from scipy.optimize import linprog, minimize

import deepalgo as da
from deepalgo.fitting.judge.losses import named

RANDOM = np.random.default_rng(5)
X = np.sort(RANDOM.uniform(-2.0, 2.0, 200))
Y = 1.5 + 0.8 * X + RANDOM.standard_t(2, 200)


def line(x, start=1.0, slope=1.0):
    return start + slope * x


def parabola(x, a=1.0, b=1.0, c=0.5):
    return a + b * x + c * x * x


def found(fit):
    return np.array([weight.item() for weight in fit.network.weights.tensors()])


def smallest_largest(columns, y):
    """The least largest error of a linear function, by linear programming."""
    size, count = columns.shape
    rows = np.block([[columns, -np.ones((size, 1))], [-columns, -np.ones((size, 1))]])
    return linprog([0.0] * count + [1.0], rows, np.concatenate([y, -y]), bounds=[(None, None)] * (count + 1)).fun


@pytest.mark.parametrize("loss", ["absolute", "huber", "huber(0.3)", "quantile(0.8)", "squared"])
def test_a_loss_by_name_is_made_as_small_as_a_minimiser_makes_it(loss):
    def mean(weights):
        errors = torch.tensor(weights[0] + weights[1] * X - Y)
        return float(named(loss).value(errors).mean())

    best = minimize(mean, [1.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    fit = da.fit(da.compile(line), X, Y, loss=loss, validation=None)
    assert mean(found(fit)) <= best.fun * (1 + 1e-6)
    assert fit.status.converged


def test_the_largest_error_is_within_one_per_cent_of_the_best_possible():
    x = np.linspace(0.0, 3.0, 600)
    best = smallest_largest(np.stack([np.ones(600), x, x * x], 1), np.exp(x))
    fit = da.fit(da.compile(parabola), x, np.exp(x), loss="max", validation=None)
    a, b, c = found(fit)
    assert best <= np.abs(a + b * x + c * x * x - np.exp(x)).max() <= 1.01 * best
    assert "largest error" in str(fit) and "600 training samples" in str(fit)


def test_log_odds_are_those_of_logistic_regression():
    labels = (RANDOM.uniform(size=200) < 1 / (1 + np.exp(-(0.5 + 1.2 * X)))).astype(float)
    fit = da.fit(da.compile(line), X, labels, loss="logistic", validation=None)
    start, slope = found(fit)
    residual = 1 / (1 + np.exp(-(start + slope * X))) - labels
    assert abs(residual.sum()) < 1e-6 and abs((residual * X).sum()) < 1e-6
    with pytest.raises(da.InputError, match="the targets must be 0 or 1"):
        da.fit(da.compile(line), X, Y, loss="logistic")


def test_a_loss_of_a_whole_set_is_scored_on_the_whole_set():
    x = np.linspace(0.0, 3.0, 600)
    fit = da.fit(da.compile(parabola), x, np.exp(x), loss=lambda output, target: (output - target).abs().max(), validation=None, steps=50)
    assert fit.contenders[0].test.mean().item() == pytest.approx(np.abs(1 + x + 0.5 * x * x - np.exp(x)).max(), rel=1e-12)
    after = fit.held_out["tuned constants"]
    assert after.samples == 600 and math.isnan(after.median)
    assert "loss" in str(fit) and "median" not in str(fit)


def test_losses_may_be_below_zero():
    def utility(output, target):
        return -torch.exp(-((output - target) ** 2) / 50)

    fit = da.fit(da.compile(line), X, Y + 3.0, loss=utility, steps=100)
    assert fit.improved
    assert fit.contenders[-1].training["progress"].step > 10
    assert fit.contenders[-1].test.mean() < fit.contenders[0].test.mean() < 0
    assert "% of the heuristic's" not in str(fit)


def test_weights_of_samples_are_those_of_weighted_least_squares():
    weights = RANDOM.uniform(0.1, 3.0, 200)
    columns = np.stack([np.ones(200), X], 1)
    best = np.linalg.lstsq(columns * np.sqrt(weights)[:, None], Y * np.sqrt(weights), rcond=None)[0]
    fit = da.fit(da.compile(line), X, Y, sample_weight=weights, validation=None)
    assert found(fit) == pytest.approx(best, rel=1e-9)
    frame = pl.DataFrame({"x": X, "y": Y, "trust": weights})
    assert found(da.fit(da.compile(line), frame, "y", sample_weight="trust", validation=None)) == pytest.approx(best, rel=1e-9)
    twice = da.fit(da.compile(line), np.repeat(X, 2), np.repeat(Y, 2), validation=None)
    double = da.fit(da.compile(line), X, Y, sample_weight=np.full(200, 2.0), validation=None)
    assert found(double) == pytest.approx(found(twice), rel=1e-9)
    own = da.fit(da.compile(line), X, Y, loss=lambda a, b: (a - b) ** 2, sample_weight=weights, validation=None, steps=300)
    assert found(own) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ([1.0, 2.0], "there are 200 samples, but sample_weight has the shape (2,)"),
        (-np.ones(200), "sample_weight must be finite numbers of at least 0, not all of them 0"),
        ("trust", "sample_weight='trust' names a column, but the inputs have none: give a dict or a data frame"),
    ],
)
def test_weights_of_samples_that_say_nothing_are_refused(weight, text):
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), X, Y, sample_weight=weight)
    assert str(error.value) == text


def test_weights_of_targets_choose_between_them():
    def both(x, level=1.0):
        return {"one": level * x, "other": level * x}

    goals = {"one": 2.0 * X, "other": 4.0 * X}
    for weights, level in (({"one": 1.0, "other": 1.0}, 3.0), ({"one": 1.0, "other": 3.0}, 3.5), ({"one": 1, "other": 0}, 2.0)):
        fit = da.fit(da.compile(both), X, goals, target_weight=weights, validation=None)
        assert found(fit) == pytest.approx([level], rel=1e-9)
    with pytest.raises(da.InputError, match="target_weight must be a dict with the keys one, other"):
        da.fit(da.compile(both), X, goals, target_weight=(1.0, 2.0))


def test_relative_errors_of_targets_near_zero_are_warned_of():
    y = np.where(np.arange(200) == 7, 1e-9, Y)
    with pytest.warns(UserWarning, match="1 targets are near zero, where relative errors are large whatever the answer"):
        da.fit(da.compile(line), X, np.abs(y) + (np.arange(200) != 7), loss="relative", validation=None)


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        ("quantile(1.5)", "the number of 'quantile(1.5)' must lie between 0 and 1"),
        ("huber(x)", "the number of 'huber(x)' must lie between 0 and inf"),
    ],
)
def test_a_number_that_a_loss_cannot_have_is_refused(loss, text):
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), X, Y, loss=loss)
    assert str(error.value) == text


@pytest.mark.parametrize("name", ["squared", "absolute", "relative", "logistic", "huber(0.7)", "quantile(0.3)"])
def test_the_squares_that_stand_for_a_loss_touch_it_and_lie_above(name):
    loss, blur = named(name), 0.1
    errors = torch.linspace(-3, 3, 61, dtype=torch.float64).requires_grad_()
    value = loss.rounded(errors, blur)
    slopes, curvatures = loss.bend(errors.detach(), blur)
    assert torch.allclose(torch.autograd.grad(value.sum(), errors)[0], slopes, rtol=1e-12, atol=1e-12)
    if name != "logistic":  # whose curvature is a mean of Newton's and one that lies above
        for move in (-2.0, -0.1, 0.3, 1.0):
            above = value + slopes * move + curvatures * move * move / 2
            assert bool((loss.rounded(errors + move, blur) <= above + 1e-12).all())
