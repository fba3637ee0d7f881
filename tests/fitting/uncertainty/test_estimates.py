"""Standard errors, intervals and correlations are those of nonlinear regression, and cover the truth as often as they say."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from benchmarks.nist_uncertainty import PROBLEMS, digits, errors_at_the_optimum
from deepalgo.fitting.judge.distributions import student_quantile
from deepalgo.fitting.uncertainty.estimates import decompose, estimate
from deepalgo.fitting.uncertainty.refine import refine

X = torch.linspace(0, 10, 60, dtype=torch.float64)


def decay(t):
    return 2.0 * math.exp(-0.5 * t) + 0.7


def measured(seed=0, noise=0.05):
    random = torch.Generator().manual_seed(seed)
    return 2.5 * torch.exp(-0.6 * X) + 0.8 + noise * torch.randn(len(X), generator=random, dtype=torch.float64)


def fitted(**options):
    return da.fit(da.compile(decay), X, targets=measured(), validation=None, steps=30, **options)


def test_the_estimates_of_a_straight_line_are_those_of_the_textbook():
    x, y = np.arange(8.0), np.array([1.1, 2.9, 5.2, 6.8, 9.1, 11.2, 12.8, 15.1])
    design = np.stack([x, np.ones(8)], 1)
    best = np.linalg.lstsq(design, y, rcond=None)[0]
    found = estimate(["slope", "start"], best, design @ best - y, design)
    noise = math.sqrt(((design @ best - y) ** 2).sum() / 6)
    spread = ((x - x.mean()) ** 2).sum()
    assert found.noise == pytest.approx(noise, rel=1e-12) and found.freedom == 6 and found.is_settled
    assert found["slope"].error == pytest.approx(noise / math.sqrt(spread), rel=1e-12)
    assert found["start"].error == pytest.approx(noise * math.sqrt(1 / 8 + x.mean() ** 2 / spread), rel=1e-12)
    assert found["slope"].high - best[0] == pytest.approx(student_quantile(0.975, 6) * noise / math.sqrt(spread), rel=1e-9)
    assert found.correlations[0, 1] == pytest.approx(-x.mean() / math.sqrt((x**2).mean()), rel=1e-12)


def test_a_fit_reports_them():
    fit = fitted()
    found = fit.estimates
    assert found.labels == list(fit.network.weights) and found.freedom == 57
    for item, truth in zip(found, (2.5, -0.6, 0.8), strict=True):
        assert item.low < truth < item.high and 0 < item.error < 0.05
    row = next(line for line in str(fit).splitlines() if line.startswith(found.labels[1]) and ".." in line)
    assert f"{found.errors[1]:.4g}" in row and f"{found.lows[1]:.6g} .. {found.highs[1]:.6g}" in row
    assert "by 60 training samples" in str(fit)


def test_intervals_do_not_depend_on_where_training_stopped_within_noise():
    fit = fitted()
    evidence, best = fit.evidence, fit.evidence.values
    aside = best + np.array([0.3, -0.2, 0.1]) * fit.estimates.errors
    moved = estimate(evidence.residuals.labels, aside, *evidence.residuals.at(aside))
    assert moved.is_settled
    assert moved.lows == pytest.approx(fit.estimates.lows, abs=0.1 * fit.estimates.errors.min())


def test_a_point_beyond_noise_from_the_optimum_says_so():
    fit = fitted()
    evidence = fit.evidence
    far = evidence.values * 1.3
    moved = estimate(evidence.residuals.labels, far, *evidence.residuals.at(far))
    assert not moved.is_settled
    assert (moved.lows < far).all() and (far < moved.highs).all()


def test_what_has_no_derivative_and_what_is_undetermined_is_told_apart():
    x = np.linspace(1, 2, 9)
    jacobian = np.stack([x, 2 * x, np.ones(9), np.zeros(9)], 1)
    found = estimate(list("abcd"), np.ones(4), np.sin(9 * x), jacobian)
    assert np.isinf(found.errors[:2]).all() and np.isfinite(found.errors[2]) and np.isnan(found.errors[3])
    assert found.freedom == 7
    assert np.isnan(found.correlations[0, 1]) and found.correlations[2, 2] == pytest.approx(1)


def test_without_more_residuals_than_weights_there_are_no_errors():
    found = estimate(["a", "b"], np.ones(2), np.array([0.1, -0.2]), np.array([[1.0, 1.0], [1.0, 2.0]]))
    assert np.isnan(found.errors).all() and found.freedom == 0 and not found.is_settled


def test_an_ill_conditioned_problem_keeps_its_digits():
    x = np.linspace(1000, 1001, 40)
    powers = np.stack([np.ones(40), x, x**2], 1)
    centred = np.stack([np.ones(40), x - 1000.5, (x - 1000.5) ** 2], 1)
    direct = decompose(powers / np.linalg.norm(powers, axis=0)).inverse[2] / np.linalg.norm(powers[:, 2])
    wanted = decompose(centred / np.linalg.norm(centred, axis=0)).inverse[2] / np.linalg.norm(centred[:, 2])
    assert np.linalg.norm(direct) == pytest.approx(np.linalg.norm(wanted), rel=1e-4)
    squared = math.sqrt(abs(np.linalg.inv(powers.T @ powers)[2, 2]))
    assert squared != pytest.approx(np.linalg.norm(wanted), rel=1e-4)


@pytest.mark.parametrize("name", PROBLEMS)
def test_standard_errors_are_those_that_nist_certifies(name):
    found = errors_at_the_optimum(name)
    assert digits(found, PROBLEMS[name]["certified_sd"]) > (4 if name != "Lanczos1" else 2)  # of which NIST prints too few digits


def test_held_numbers_do_not_move_and_the_others_go_to_the_optimum():
    design = np.random.default_rng(0).normal(size=(30, 3))
    y = design @ np.array([1.0, -2.0, 0.5])
    found = refine(lambda p: (design @ p - y, design), np.array([0.0, 0.0, 0.3]), np.array([True, True, False]))
    wanted = np.linalg.lstsq(design[:, :2], y - 0.3 * design[:, 2], rcond=None)[0]
    assert found.values[2] == 0.3 and found.values[:2] == pytest.approx(wanted, rel=1e-9)


def test_samples_without_an_answer_take_no_part():
    def jumpy(p):
        return np.array([p[0] - 1, np.nan, p[0] - 3]), np.array([[1.0], [np.nan], [1.0]])

    found = refine(jumpy, np.array([0.0]), np.array([True]))
    assert found.values == pytest.approx([2.0]) and found.squares == pytest.approx(2.0)
