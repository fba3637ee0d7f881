"""What data cannot tell apart is found, said in words, and not moved."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.data.samples import read
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.uncertainty.residuals import Residuals
from deepalgo.fitting.uncertainty.undetermined import find_undetermined

T = torch.linspace(0, 30, 60, dtype=torch.float64)
K = 10.0


def vapour(t):
    return K * 6.112 * math.exp(17.67 * t / (t + 243.5))


def total(t, a=2.0, b=3.0, c=1.5):
    return (a + b * t) + c


def scaled_exponential(t, a=3.0, b=0.2, c=-0.7):
    return a * math.exp(b + c * t)


def power(t, a=2.0, b=3.0, c=0.7):
    return a * (b * (t + 1)) ** c


def ratio(t, a=2.0, b=4.0, c=5.0):
    return a * t / (b + c * t)


def shifted(t, a=2.0, b=3.0, c=4.0):
    return a * (t - b) + c


def late(t, a=2.0, b=-0.3, c=1.5):
    return a * math.exp(b * (t - c))


def three(t, a=2.0, b=3.0, c=4.0):
    return a * b * c * t + 1.0


def pairs(t, a=2.0, b=3.0, c=4.0, d=5.0):
    return a * b * t + c / d * math.exp(-0.3 * t)


def polynomial(t, a=2.0, b=3.0, c=0.5):
    return (a + b * c) * t


def table(t, scale=4.0):
    w = [1.0, 2.0, 3.0]
    return scale * (w[0] + w[1] * t + w[2] * t * t)


def saturation(t, top=5.0, half=3.0):
    return top * t / (half + t)


def found(function, holdable=None):
    net = da.compile(function)
    keys = [weight.key for weight in net.program.weights]
    return find_undetermined(Residuals(net, Objective(net), read(net, T, torch.ones(60)), keys), holdable)


@pytest.mark.parametrize(
    ("function", "texts"),
    [
        (vapour, ["only K * c{} is determined: K stays as it was written"]),
        (total, ["only a + c is determined: a stays as it was written"]),
        (scaled_exponential, ["only a * exp(b) is determined: a stays as it was written"]),
        (power, ["only a * b**c is determined: a stays as it was written"]),
        (ratio, ["only a / c and b / c are determined: a stays as it was written"]),
        (shifted, ["only c - a * b is determined: b stays as it was written"]),
        (late, ["only a / exp(b * c) is determined: a stays as it was written"]),
        (three, ["only a * b * c is determined: a and b stay as they were written"]),
        (pairs, ["only a * b is determined: a stays as it was written", "only c / d is determined: c stays as it was written"]),
        (polynomial, ["of a, b and c only 1 combination is determined: a and b stay as they were written"]),
        (saturation, []),
    ],
)
def test_what_is_determined_is_said_in_words(function, texts):
    line = function.__code__.co_firstlineno + 1
    assert [str(item) for item in found(function)] == [text.format(line) for text in texts]


def test_numbers_that_can_be_held_are_held_before_those_of_a_table():
    (item,) = found(table)
    assert item.held == ("scale",) and set(item.labels) == {"w[0]", "w[1]", "w[2]", "scale"}
    assert [item.held for item in found(table, {"w[1]"})] == [("w[1]",)]


def test_a_start_at_which_a_weight_has_no_influence_is_no_undetermined_weight():
    def growth(t, size=0.0, rate=0.5):
        return size * math.exp(rate * t)

    assert found(growth) == []


def test_weights_that_few_samples_tell_apart_are_determined():
    net = da.compile(jump)
    x = torch.cat([torch.linspace(0, 1, 4000, dtype=torch.float64), torch.tensor([5.0, 6.0], dtype=torch.float64)])
    assert find_undetermined(Residuals(net, Objective(net), read(net, x, torch.ones(4002)), ["a", "b"])) == []


def jump(x, a=2.0, b=3.0):
    return a * b * x if x < 4.0 else a * x


def measured(seed):
    random = torch.Generator().manual_seed(seed)
    return 62.3 * torch.exp(17.27 * T / (T + 237.3)) + 0.05 * torch.randn(len(T), generator=random, dtype=torch.float64)


def test_a_fit_moves_as_few_of_them_as_it_can_and_every_seed_writes_the_same_diff():
    fits = [da.fit(da.compile(vapour), T, targets=measured(0), validation=None, steps=20 + 5 * seed, seed=seed) for seed in range(3)]
    diffs = [str(da.diff(fit.network)) for fit in fits]
    assert len(set(diffs)) == 1 and "6.112" in diffs[0]
    for fit in fits:
        assert fit.network.weights["K"].item() == K
        line = vapour.__code__.co_firstlineno + 1
        assert f"only K * c{line} is determined: K stays as it was written" in str(fit).splitlines()
        assert np.isfinite(fit.estimates.errors).all() and "K" not in fit.estimates.labels


def test_the_sum_of_squares_is_that_of_all_weights():
    fit = da.fit(da.compile(vapour), T, targets=measured(1), validation=None, steps=20)
    rates = {f"c{vapour.__code__.co_firstlineno + 1}": 0}
    free = da.fit(da.compile(vapour), T, targets=measured(1), validation=None, steps=20, rates=rates)
    assert fit.held.validation.mean().item() == pytest.approx(free.held.validation.mean().item(), rel=1e-9)
    assert free.network.weights["K"].item() != K


def test_a_direction_that_only_these_samples_leave_open_has_no_standard_error():
    def plane(x, y, a=1.0, b=2.0, c=3.0):
        return a * x + b * y + c

    x = torch.linspace(0, 1, 40, dtype=torch.float64)
    fit = da.fit(da.compile(plane), (x, 2 * x), targets=3.0 * x + 2.5 + 0.01 * torch.sin(50 * x), validation=None, steps=20)
    assert "only a + 2 * b is determined: a stays as it was written" in str(fit).splitlines()
    assert fit.network.weights["a"].item() == 1.0
