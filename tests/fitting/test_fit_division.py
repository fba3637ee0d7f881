"""How data are divided: few into folds, later times at the end, one series by its times."""

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.fitting.data.divide import Shares, Units, divide

STEPS = {"steps": 3, "progress": False}
ADAM = da.SearchOptions(polished=False)
AUTO = Shares(0.2, 0.2, by_folds=True)


def line(x):
    return 2.0 * x + 1.0


def walk(start, pull=0.1, goal=3.0):
    """Twenty-four times of something that is pulled to a goal."""
    out = np.zeros(24)
    for i in range(24):
        out[i] = start
        start = start + pull * (goal - start)
    return out


X = np.linspace(-1, 2, 40)
NOISE = np.random.default_rng(3).normal(0, 0.3, 40)


@pytest.mark.parametrize("size", [3, 7, 30, 99])
def test_each_sample_is_left_out_once(size):
    found = divide(Units(size), AUTO, seed=1)
    assert torch.equal(torch.cat([held for _, held in found.folds]).sort().values, torch.arange(size))
    assert all(len(rest) + len(held) == size and not set(rest.tolist()) & set(held.tolist()) for rest, held in found.folds)


def test_whole_groups_are_left_out():
    groups = torch.randint(12, (300,), generator=torch.Generator().manual_seed(0))
    for units, shares in ((Units(300, groups), AUTO), (Units(300, groups), Shares(0.25, 0.25))):
        found = divide(units, shares, seed=2)
        for one, other in found.folds or [found.parts[:2], found.parts[1:]]:
            assert len(other) and not set(groups[one].tolist()) & set(groups[other].tolist())


@pytest.mark.parametrize("size", [4, 11, 99, 250])
def test_what_is_held_out_of_times_comes_later(size):
    found = divide(Units(size, in_time=True), AUTO, seed=3)
    pairs = found.folds or ((found.parts[0], found.parts[1]), (found.parts[1], found.parts[2]))
    assert all(one.max() < other.min() for one, other in pairs)
    assert max(int(other.max()) for _, other in pairs) == size - 1


def test_a_test_part_that_is_asked_for_is_no_part_of_a_fold():
    found = divide(Units(50), Shares(0.2, 0.2, by_folds=True, tested=True), seed=4)
    assert len(found.parts[2]) == 10 and sum(len(held) for _, held in found.folds) == 40
    assert not set(found.parts[2].tolist()) & {number for pair in found.folds for part in pair for number in part.tolist()}


def test_few_samples_are_all_trained_on_and_all_judge():
    y = 2.7 * X + 0.4 + NOISE
    fit = da.fit(da.compile(line), X, targets=y, **STEPS)
    assert [weight.item() for weight in fit.network.weights.tensors()] == pytest.approx(np.polyfit(X, y, 1), rel=1e-5)
    assert fit.held_out["tuned constants"].samples == 40
    assert str(fit).splitlines()[-1] == "samples: 40 training; each is left out by one of 5 trainings that judge"
    split = da.fit(da.compile(line), X, targets=y, validation=0.2, **STEPS)
    assert split.samples == {"training": 24, "validation": 8, "test": 8}


def test_fifteen_samples_are_enough():
    fit = da.fit(da.compile(line), X[:15], targets=3.5 * X[:15] + 0.2 + 0.1 * NOISE[:15], **STEPS)
    assert fit.improved


def test_a_test_part_of_few_samples_is_reported_on():
    fit = da.fit(da.compile(line), X, targets=2.7 * X + 0.4 + NOISE, test=0.25, **STEPS)
    assert fit.samples == {"training": 30, "test": 10} and " on 10 held-out samples" in str(fit)


def test_with_folds_no_answer_may_be_lost_on_the_data():
    x = np.linspace(1, 2, 30)

    def root(x):
        return np.sqrt(x - 0.9) * 3.0

    fit = da.fit(da.compile(root), x, targets=np.sqrt(np.maximum(x - 1.05, 0)) * 3, steps=30, search=ADAM)
    assert bool(fit.held.validation.isfinite().all()) and bool(fit.network(x).isfinite().all())


def times(column):
    """Inputs in disorder with a column of times, and targets that follow another line in the later half."""
    order = np.random.default_rng(5).permutation(200)
    t = np.linspace(0, 1, 200)[order]
    x = np.random.default_rng(6).uniform(-1, 1, 200)
    return {"x": x, column: t}, np.where(t < 0.6, 3.0, 2.0) * x + 1.0


def test_later_times_are_held_out():
    inputs, targets = times("time")
    fit = da.fit(da.compile(line), inputs, targets=targets, split="time", **STEPS)
    assert not fit.improved  # what holds for the earlier times is wrong for the later ones
    assert fit.samples == {"training": 120, "validation": 40, "test": 40}
    assert str(fit).splitlines()[-1].endswith("; later times are held out")
    assert fit.held_out["heuristic"].centre == 0.0
    assert fit.contenders[-1].comparison.groups == 10  # neighbours in time count as one


@pytest.mark.parametrize("split", ["column", "array", "order"])
def test_times_are_a_column_or_numbers_or_the_order_of_the_samples(split):
    inputs, targets = times("time")
    wanted = da.fit(da.compile(line), inputs, targets=targets, split="time", **STEPS)
    inputs, targets = times("when")
    if split == "column":
        found = da.fit(da.compile(line), inputs, targets=targets, split="when", **STEPS)
    elif split == "array":
        found = da.fit(da.compile(line), inputs["x"], targets=targets, split=inputs["when"], **STEPS)
    else:
        order = np.argsort(inputs["when"])
        found = da.fit(da.compile(line), inputs["x"][order], targets=targets[order], split="time", **STEPS)
    assert str(found.held_out) == str(wanted.held_out)


def test_few_times_are_judged_by_what_follows_them():
    fit = da.fit(da.compile(line), X, targets=2.7 * X + 0.4 + 0.1 * NOISE, split="time", **STEPS)
    assert str(fit).splitlines()[-1] == "samples: 40 training; 5 trainings, each judged on the times that follow it"
    assert fit.held_out["heuristic"].samples == 20


def test_a_split_that_is_none_is_refused():
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), {"x": X}, targets=NOISE, split="site")
    wanted = "split='site' names no column; there are x, and split= takes 'random', 'time', the name of a column or times"
    assert str(error.value) == wanted
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), X, targets=NOISE, split=X[1:])
    assert str(error.value) == "there are 40 samples, but 39 items of split="


def series(seed=0, **options):
    """One series of `walk` with other constants."""
    wanted = walk(9.0, 0.2, 2.0) + np.random.default_rng(seed).normal(0, 0.02, 24)
    net = da.compile(walk, example=((9.0,), {}))
    return da.fit(net, options.pop("inputs", 9.0), targets=options.pop("targets", wanted), **STEPS, **options)


def test_the_times_of_one_series_are_its_samples():
    fit = series()
    assert fit.improved
    assert str(fit).splitlines()[-1] == "samples: 24 training; 5 trainings, each judged on the times that follow it"
    assert fit.network.weights["pull"].item() == pytest.approx(0.2, rel=0.02)
    assert len(fit.held.validation) == 10
    batch = series(inputs=np.array([9.0]), targets=(walk(9.0, 0.2, 2.0) + np.random.default_rng(0).normal(0, 0.02, 24))[None])
    assert str(batch.held_out) == str(fit.held_out)


def test_a_series_can_be_fitted_as_a_whole_or_split_by_a_share():
    assert str(series(validation=None)).splitlines()[-1] == "samples: 24 training"
    parts = series(validation=0.25, test=0.25)
    assert str(parts).splitlines()[-1] == "samples: 12 training, 6 validation, 6 test; later times are held out"


def test_times_without_a_number_can_be_left_out():
    holed = walk(9.0, 0.2, 2.0)
    holed[[3, 7]] = np.nan
    with pytest.raises(da.InputError) as error:
        series(targets=holed)
    wanted = "there is NaN or infinity in the targets. Times 3, 7 (2 of 24). Correct them, or leave them out with missing='drop'."
    assert str(error.value) == wanted
    fit = series(targets=holed, missing="drop", validation=None)
    assert fit.dropped == 2 and fit.samples == {"training": 22}
    assert fit.network.weights["goal"].item() == pytest.approx(2.0)


def test_the_loss_of_a_series_is_that_of_its_times():
    wanted = walk(9.0, 0.2, 2.0)
    fit = series(targets=wanted, validation=0.25, test=0.25, loss="absolute", search=ADAM)
    before = np.abs(walk(9.0) - wanted)
    assert fit.contenders[0].validation.tolist() == pytest.approx(before[12:18])
    assert fit.contenders[0].test.tolist() == pytest.approx(before[18:])
    own = series(targets=wanted, validation=0.25, test=0.25, loss=lambda output, target: (output - target).abs(), search=ADAM)
    assert own.contenders[0].test.tolist() == fit.contenders[0].test.tolist()


def test_samples_of_one_number_are_no_series():
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), 1.0, targets=2.0)
    assert str(error.value) == "the inputs are a single sample: give every input a first axis that counts samples"
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), np.array([1.0]), targets=np.array([2.0]))
    assert str(error.value) == "1 sample cannot be split into folds: validation=None fits all of them"
