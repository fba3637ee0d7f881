"""Moves that are worth no more than noise are put back, all together; useful moves stay, however small."""

import math

import pytest
import torch

import deepalgo as da

T = torch.linspace(0, 10, 200, dtype=torch.float64)


def decay(t, top=2.0, rate=0.5, base=0.7, drift=0.02):
    return top * math.exp(-rate * t) + base + drift * t


def measured(seed, noise=0.05, top=2.0, rate=0.5, base=0.7, drift=0.02):
    random = torch.Generator().manual_seed(seed)
    return top * torch.exp(-rate * T) + base + drift * T + noise * torch.randn(len(T), generator=random, dtype=torch.float64)


def moved(targets, **options):
    fit = da.fit(da.compile(decay), T, targets=targets, steps=30, **options)
    return {item.weight.key for item in fit.moved}, fit


@pytest.mark.parametrize("changed", [{"rate": 0.6}, {"base": 0.8}, {"top": 2.5, "drift": 0.03}], ids=str)
def test_only_the_constants_that_are_others_move(changed):
    """The estimates of all four are correlated, so that without this every one of them moves."""
    keys, fit = moved(measured(1, **changed))
    assert keys == set(changed)
    for key, value in changed.items():
        item = fit.estimates[key]
        assert item.low < value < item.high


def test_without_it_all_would_move():
    _, fit = moved(measured(1, rate=0.6), validation=None)
    assert len(fit.moved) == 4


def test_the_others_are_fitted_again():
    keys, fit = moved(measured(1, rate=0.6))
    rate = fit.network.weights["rate"].item()
    losses = []
    for factor in (0.999, 1.0, 1.001):
        with torch.no_grad():
            fit.network.weights["rate"].copy_(factor * rate)
        losses.append((fit.evidence.residuals.at(fit.evidence.residuals.values())[0] ** 2).sum())
    assert keys == {"rate"} and losses[1] < min(losses[0], losses[2])


def test_of_data_without_noise_every_digit_is_useful():
    keys, fit = moved(measured(0, noise=0.0, base=0.7000001))
    assert keys == {"base"} and fit.network.weights["base"].item() == pytest.approx(0.7000001, rel=1e-10)


def test_a_set_is_judged_by_what_all_of_it_is_worth():
    """Either of two correlated moves alone is worth nothing beside the other; both together are."""

    def line(x, a=1.0, b=1.0):
        return a * x + b * (x + math.sin(40 * x) / 100)

    x = torch.linspace(0, 1, 200, dtype=torch.float64)
    alone = 0
    for seed in range(6):
        noise = 0.05 * torch.randn(200, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        fit = da.fit(da.compile(line), x, targets=2.3 * x + torch.sin(40 * x) / 100 + noise, steps=10)
        assert sum(fit.network.weights[key].item() for key in "ab") == pytest.approx(2.3, abs=0.05)
        alone += len(fit.moved) == 1
    assert alone >= 5  # noise makes a move in one of twenty


def test_a_threshold_without_a_derivative_stays_where_it_is_needed():
    def tariff(x, limit=1.0):
        return 3.0 * x if x > limit else 1.0 * x

    x = torch.linspace(0, 3, 400, dtype=torch.float64)
    fit = da.fit(da.compile(tariff), x, targets=torch.where(x > 1.3, 3.0 * x, x), steps=20)
    assert [item.weight.key for item in fit.moved] == ["limit"]
    assert fit.network.weights["limit"].item() == pytest.approx(1.3, abs=0.05)
