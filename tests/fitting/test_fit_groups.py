"""Groups: whole ones are held out, each counts as one, and what they share is not taken for a gain on others."""

import re

import numpy as np
import pytest
import torch

import deepalgo as da
from benchmarks.floor_bench import CASES, Tally, Truth
from deepalgo.fitting.judge.floor import compare

STEPS = {"steps": 3, "progress": False}


def line(x):
    return 2.0 * x + 1.0


def measured(sites, rows, seed, offset=0.5, off=0.0):
    """Rows of several sites, each with an offset of its own."""
    random = np.random.default_rng(seed)
    site = np.repeat(np.arange(sites), rows)
    x = random.uniform(0, 2, len(site))
    return site, x, line(x) + off + random.normal(0, offset, sites)[site] + random.normal(0, 0.1, len(site))


def test_an_offset_of_each_site_is_not_taken_for_a_gain():
    kept = {"rows": 0, "sites": 0}
    for seed in range(4):
        site, x, y = measured(8, 50, seed)
        net = da.compile(line)
        kept["rows"] += da.fit(net, x, targets=y, **STEPS).improved
        kept["sites"] += da.fit(net, x, targets=y, groups=site, **STEPS).improved
    assert kept["rows"] >= 2  # a random split has every site in all its parts
    assert kept["sites"] == 0


def test_a_gain_at_every_site_is_kept_and_trained_on_all_rows():
    site, x, y = measured(8, 30, seed=0, offset=0.1, off=1.5)
    y += 0.7 * x
    fit = da.fit(da.compile(line), x, targets=y, groups=site, **STEPS)
    assert fit.improved and fit.samples == {"training": 240}
    assert [weight.item() for weight in fit.network.weights.tensors()] == pytest.approx(np.polyfit(x, y, 1), rel=1e-5)
    assert re.search(r"^line: tuned constants kept, rms error \S+ -> \S+ on 240 left-out samples: ", str(fit), re.MULTILINE)
    assert str(fit).splitlines()[-1] == "samples: 240 training; each of 8 groups is left out by one of 8 trainings that judge"


def test_the_figures_are_those_of_networks_that_never_saw_the_site():
    site, x, y = measured(5, 20, seed=1, off=1.5)
    y += 0.7 * x
    fit = da.fit(da.compile(line), x, targets=y, groups=site, **STEPS)
    wanted = 0.0
    for left in range(5):
        seen = site != left
        wanted += ((np.polyval(np.polyfit(x[seen], y[seen], 1), x[~seen]) - y[~seen]) ** 2).sum()
    assert fit.held_out["tuned constants"].centre == pytest.approx((wanted / len(x)) ** 0.5, rel=1e-4)


def test_groups_may_be_a_column_that_is_no_argument_or_words():
    site, x, y = measured(8, 15, seed=2, off=1.5)
    words = np.array(list("abcdefgh"))[site]
    by_array = da.fit(da.compile(line), x, targets=y, groups=site, **STEPS)
    by_column = da.fit(da.compile(line), {"x": x, "y": y, "site": words}, targets="y", groups="site", **STEPS)
    assert str(by_array.held_out) == str(by_column.held_out)


def test_with_many_groups_a_part_of_them_is_held_out():
    site, x, y = measured(120, 3, seed=3, off=1.5)
    fit = da.fit(da.compile(line), x, targets=y, groups=site, **STEPS)
    assert fit.samples == {"training": 216, "validation": 72, "test": 72}
    assert str(fit).splitlines()[-1].endswith("; whole groups of 120 are held out")
    middle = da.fit(da.compile(line), x[:90], targets=y[:90], groups=site[:90], **STEPS)
    assert str(middle).splitlines()[-1].endswith("each of 30 groups is left out by one of 5 trainings that judge")


def test_own_samples_bring_their_groups():
    site, x, y = measured(10, 30, seed=4)
    training, rest = site < 6, site >= 6
    parts = {"validation": (x[rest], y[rest], site[rest]), "test": (x[rest], y[rest], site[rest])}
    fit = da.fit(da.compile(line), x[training], targets=y[training], groups=site[training], **parts, **STEPS)
    assert fit.contenders[-1].comparison.groups == 4
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), x[training], targets=y[training], groups=site[training], validation=(x[rest], y[rest]), **STEPS)
    assert str(error.value) == "samples for validation or test must be (inputs, targets, groups), as groups are given for each sample"


def test_a_gain_of_two_groups_proves_nothing():
    losses = {name: np.repeat(values, 10) for name, values in {"before": [1.0, 2.0], "after": [0.1, 0.1]}.items()}
    before, after, groups = (torch.as_tensor(column) for column in (losses["before"], losses["after"], np.repeat([0, 1], 10)))
    assert compare(before, after).better
    assert compare(before, after, groups=groups).reason == "2 validation groups are too few to tell a gain from chance: 3 are needed"


def test_groups_that_say_nothing_are_refused():
    site, x, y = measured(8, 5, seed=5)
    cases = {
        "there are 40 samples, but 39 items of groups=": {"inputs": x, "groups": site[:-1]},
        "groups='site' names no column; the inputs have none: give a dict or a data frame": {"inputs": x, "groups": "site"},
        "groups='site' names no column; there are x": {"inputs": {"x": x}, "groups": "site"},
        "groups= must be one item for each sample, or the name of a column, not an array of shape (8, 5)": {
            "inputs": x, "groups": site.reshape(8, 5),
        },
        "groups= says nothing of sample 0: it is NaN": {"inputs": x, "groups": np.where(site == 0, np.nan, site)},
        "groups= holds out whole groups and split= later times: give one of them, or validation= and test= as samples of your own": {
            "inputs": x, "groups": site, "split": "time",
        },
        "2 groups cannot be split into folds: validation=None fits all of them": {"inputs": x, "groups": site < 4},
    }  # fmt: skip
    for text, arguments in cases.items():
        with pytest.raises(da.InputError) as error:
            da.fit(da.compile(line), targets=y, **arguments)
        assert str(error.value) == text
    with pytest.raises(da.InputError) as error:
        da.fit(da.compile(line), lambda count: np.ones(count), targets=line, groups=site)
    assert str(error.value) == "samples that a function draws have no groups and no times: give data, or leave out groups= and split="


def test_a_network_that_has_grown_is_judged_by_the_same_folds():
    site, x, y = measured(4, 15, seed=6, offset=0.1, off=1.5)
    search = da.SearchOptions(polished=False)
    fit = da.fit(da.correct(da.compile(half), "y", hidden=1), x, targets=y, groups=site, steps=3, search=search)
    assert [contender.name for contender in fit.contenders] == ["heuristic", "tuned constants", "tensorized"]
    assert all(len(contender.validation) == 60 for contender in fit.contenders)


def half(x):
    y = 0.5 * x
    return y


def test_the_benchmark_counts_what_is_worse_and_what_is_covered():
    case = CASES["off by three"]
    net = da.compile(case.formula)
    truth = Truth(net, case)
    assert truth.share(net) == 1.0
    site, x, y = case.data(8, seed=0)
    fit = da.fit(net, x, targets=y, groups=site, **STEPS)
    tally = Tally()
    for share in (truth.share(fit.network), 1.2):
        tally.add(fit, share)
    assert (tally.repeats, tally.kept, tally.worse, tally.covered) == (2, 2, 1, 1) and not tally.holds


@pytest.mark.slow
def test_what_is_kept_is_seldom_worse_at_new_sites_and_the_interval_holds_the_truth():
    for name in ("right, offsets", "off by three"):
        case, found = CASES[name], Tally()
        net = da.compile(case.formula)
        truth = Truth(net, case)
        for seed in range(40):
            site, x, y = case.data(case.sites, seed)
            fit = da.fit(net, x, targets=y, groups=site, **STEPS)
            found.add(fit, truth.share(fit.network) if fit.improved else 1.0)
        assert found.holds, name
