"""`validation=None`: all data are for training, and the report says that its figures are those of training samples."""

import numpy as np
import pytest
import torch

import deepalgo as da


def line(x):
    return 2.0 * x + 1.0


X = np.linspace(-1, 2, 9)
NOISE = np.random.default_rng(3).normal(0, 0.3, 9)
Y = 2.7 * X + 0.4 + NOISE


def first_line(fit):
    """The first line after the table of weights."""
    return str(fit).split("\n\n")[1].splitlines()[0]


def test_all_data_are_fitted_as_least_squares_does():
    fit = da.fit(da.compile(line), X, targets=Y, validation=None)
    weights = [weight.item() for weight in fit.network.weights.tensors()]
    assert weights == pytest.approx(np.polyfit(X, Y, 1), rel=1e-6)


def test_figures_of_training_samples_are_called_that():
    fit = da.fit(da.compile(line), X, targets=Y, validation=None, steps=20)
    assert "on 9 training samples" in first_line(fit)
    assert "held-out" not in str(fit) and "validation" not in str(fit)
    assert str(fit).splitlines()[-1] == "samples: 9 training"
    assert fit.held.test.mean() < fit.contenders[0].test.mean()


def test_the_floor_on_all_data_is_the_training_loss():
    exact = da.fit(da.compile(line), X, targets=2.0 * X + 1.0, validation=None, steps=20)
    assert first_line(exact) == "line: nothing is better than the heuristic on the training samples, so the heuristic is kept."
    assert not exact.improved and exact.network(3.0).item() == 7.0
    little = da.fit(da.compile(line), X, targets=2.0 * X + 1.0 + 1e-3 * NOISE, validation=None, steps=20)
    assert little.improved  # within noise, but nothing here could tell that


def test_training_samples_given_for_test_are_not_called_held_out():
    net = da.compile(line)
    fit = da.fit(net, X, targets=Y, validation=(X, Y), test=(X[::-1].copy(), Y[::-1].copy()), steps=20)
    assert "held-out" not in str(fit) and "on 9 training samples" in first_line(fit)
    some = da.fit(net, X, targets=Y, validation=None, test=(np.append(X[:4], 7.0), np.append(Y[:4], 20.0)), steps=20)
    assert str(some).splitlines()[-1] == "samples: 9 training, 5 test (4 of the latter are training samples, too)"


def test_a_test_share_is_held_out_where_nothing_is_for_validation():
    fit = da.fit(da.compile(line), np.linspace(-1, 2, 50), targets=np.linspace(0, 9, 50), validation=None, test=0.2, steps=20)
    assert fit.samples == {"training": 40, "test": 10} and "on 10 held-out samples" in first_line(fit)


def test_without_a_test_part_figures_are_those_of_the_selection():
    fit = da.fit(da.compile(line), np.linspace(-1, 2, 50), targets=np.linspace(0, 9, 50), validation=0.2, test=None, steps=20)
    assert fit.samples == {"training": 40, "validation": 10} and "on 10 validation samples" in first_line(fit)


def test_drawn_samples_are_drawn_once_where_nothing_is_held_out():
    def draw(count, generator):
        return torch.rand(count, generator=generator, dtype=torch.float64)

    fit = da.fit(da.compile(line), draw, targets=lambda x: 3.0 * x, validation=None, steps=20)
    assert fit.samples == {"training": 4000}
