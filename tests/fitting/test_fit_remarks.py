"""What the report says beside its figures: no two lines contradict each other, and what a reader should doubt is named."""

import re

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.judge.no_worse import worse_part
from deepalgo.fitting.judge.objective import Objective

X = torch.linspace(0.5, 4, 200, dtype=torch.float64)
STEPS = {"steps": 5, "progress": False}
SHORT = STEPS | {"search": da.SearchOptions(polished=False)}


def line(x):
    return 2.0 * x + 1.0


def power(x, b1=2.0, b2=5.0):
    return b1 * x**b2


def step(x):
    if x > 260.0:
        return 1.5 * x
    return 1.0 * x


def remarks(fit):
    return str(fit).splitlines()


def headline(fit):
    return next(row for row in remarks(fit) if row.startswith("line: "))


def test_no_weight_that_matters_is_said_to_move_no_answer():
    random = np.random.default_rng(0)
    x = np.concatenate([random.uniform(0, 200, 2600), random.uniform(300, 900, 12)])  # most training samples see one arm
    y = np.where(x > 600.0, 1.5 * x, 1.0 * x)
    for seed in range(3):
        fit = da.fit(da.compile(step), x, targets=y, seed=seed, **STEPS)
        mattering = {item.weight.key for item in fit.moved if item.matters}
        silent = {item.key for item in fit.dead if item.moves_no_answer}
        assert not mattering & silent
        for key in mattering:
            assert not re.search(rf"^{key} moves no answer", str(fit), re.MULTILINE)


def test_constants_that_cannot_train_are_named_with_a_way_out():
    x = X - 1.0  # a power of a negative number is real for whole exponents only
    fit = da.fit(da.compile(power), x, targets=2.2 * x**5.0, **STEPS)
    place = r"tests/fitting/test_fit_remarks.py:\d+"
    reason = r"a whole exponent of a base that may be negative\. Where it never is, abs\(base\) \*\* b2 lets it train"
    assert re.search(rf"^not trained: b2 = 5.0 \(exponent, {place}\): {reason}$", str(fit), re.MULTILINE)


def test_the_way_out_of_a_frozen_exponent_leads_out():
    net = da.compile(lambda x, b2=5.0: 2.0 * abs(x) ** b2)
    assert not net.weights.entries[[item.key for item in net.weights.entries].index("b2")].frozen
    assert net(1.5).item() == 2.0 * 1.5**5


def test_a_fit_that_took_no_step_says_so():
    fit = da.fit(da.compile(line), X, targets=2.0 * X + 1.0, **STEPS)
    assert headline(fit) == "line: it has no error that could become smaller, and no step was taken, so the heuristic is kept."
    assert "nothing is better" not in str(fit) and "not kept" not in str(fit)
    still = da.fit(da.compile(line), X, targets=3.0 * X, rates={"coefficient": 0}, **STEPS)
    assert headline(still) == "line: no weight may move, so the heuristic is kept."
    search = da.SearchOptions(rate=1e6, clip=None, polished=False)
    late = da.fit(da.compile(line), X, targets=3.0 * X, seconds=1e-9, steps=5, search=search)
    assert headline(late) == "line: nothing better was found before the time was over, so the heuristic is kept."


def test_targets_that_are_an_input_are_noticed():
    fit = da.fit(da.compile(line), X, targets=X.clone(), **SHORT)
    assert "the targets are the input 'x', number by number: is that the column to be learnt?" in remarks(fit)
    assert fit.warnings and not da.fit(da.compile(line), X, targets=3.0 * X, **SHORT).warnings


def test_a_constant_that_moved_far_makes_the_report_ask_for_units():
    fit = da.fit(da.compile(line), X, targets=2.1 * X + 0.5, **STEPS)
    names = [item.weight.key for item in fit.moved if item.born == 1.0]
    assert f"{names[0]} moved by more than 30 %: are the data in the units of the source?" in remarks(fit)
    near = da.fit(da.compile(line), X, targets=2.1 * X + 0.9, **STEPS)
    assert near.improved and "units of the source" not in str(near)


def noisy(count):
    x = np.linspace(0, 2, count)
    return x, 2.5 * x + 0.6 + np.random.default_rng(1).normal(0, 0.1, count)


def test_what_is_kept_is_fitted_again_on_all_data_if_that_is_asked_for():
    x, y = noisy(200)
    once = da.fit(da.compile(line), x, targets=y, **STEPS)
    fit = da.fit(da.compile(line), x, targets=y, refit=True, **STEPS)
    assert [weight.item() for weight in fit.network.weights.tensors()] == pytest.approx(np.polyfit(x, y, 1), rel=1e-6)
    assert str(fit.held_out) == str(once.held_out)  # the figures are those of the selection
    said = "fitted again on all 200 samples; the figures are those of the weights before, by which it was selected"
    assert said in remarks(fit) and said not in remarks(once)
    assert worse_part(Objective(fit.network), da.compile(line), fit.network, {"all the": fit_data(x, y)}) == ""


def fit_data(x, y):
    from deepalgo.fitting.data.samples import read

    return read(da.compile(line), x, y)


def test_a_refit_that_is_worse_on_a_part_is_not_handed_back(monkeypatch):
    x, y = noisy(200)
    once = da.fit(da.compile(line), x, targets=y, **STEPS)
    monkeypatch.setattr("deepalgo.fitting.competition.worse_part", lambda *given: "the test samples")
    fit = da.fit(da.compile(line), x, targets=y, refit=True, **STEPS)
    assert "not fitted again on all 200 samples, as it is worse than the heuristic on the test samples" in remarks(fit)
    assert all(torch.equal(one, other) for one, other in zip(fit.network.weights.tensors(), once.network.weights.tensors(), strict=True))


def test_a_part_on_which_a_network_is_worse_or_silent_is_found():
    net = da.compile(line, errors="nan")
    objective, samples = Objective(net), fit_data(X[:5], 3.0 * X[:5])
    assert worse_part(objective, net, da.compile(lambda x: 3.0 * x), {"all the": samples}) == ""
    assert worse_part(objective, net, da.compile(lambda x: 1.0 * x), {"all the": samples}) == "all the samples"
    silent = da.compile(lambda x: 3.0 * x + 0.0 * np.sqrt(x - 0.51), errors="nan")
    assert worse_part(objective, net, silent, {"the test": samples}) == "the test samples"


def test_a_guarded_network_is_not_fitted_again():
    def root(s):
        x = 1.0
        for _ in range(2):
            x = x - 0.9 * (x * x - s) / (2 * x)
        return x

    net = da.guard(da.compile(root), by=lambda x, s: abs(x * x - s))
    fit = da.fit(net, X, residual=lambda x, s: x * x - s, refit=True, **STEPS)
    assert fit.improved
    assert "not fitted again on all 200 samples, as a guarded network is not fitted again" in remarks(fit)
