"""The floor: nothing that `fit` hands back is worse than the heuristic on what it was selected by."""

import sys

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.commands.target import load_function
from deepalgo.fitting.data.split import FEWEST
from deepalgo.fitting.judge.floor import compare
from tests.support.random_heuristics import write_heuristic

#: Data that say nothing are refused before training.
REASONS = ("all targets are the same", "cannot be split", "no floor to stand on")


def hostile(number, folder):
    """A random heuristic, and a case in which training has every reason to go wrong."""
    random = np.random.default_rng(number)
    path = folder / f"heuristic_{number}.py"
    path.write_text(write_heuristic(random))
    heuristic = load_function(f"{path}:heuristic")
    size = int(random.choice([4, 9, 30, 200]))
    x, y = random.uniform(-2, 2, (2, size))
    net = da.compile(heuristic)
    with torch.no_grad():
        own = da.compile(heuristic, errors="nan")(x, y).numpy()
    targets = {
        0: own,  # already optimal
        1: np.where(np.isnan(own), 0.0, own) * random.normal(1, 0.3) + random.normal(),
        2: random.standard_cauchy(size),  # noise with no mean
        3: random.normal(0, 1e12, size),
    }[int(random.choice(4, p=[0.2, 0.4, 0.2, 0.2]))]
    if random.random() < 0.3:
        targets = np.where(random.random(size) < 0.2, np.nan, targets)
    options = {
        "rate": float(random.choice([1e-3, 0.1, 10.0, 1e6])),
        "optimiser": str(random.choice(["adam", "lbfgs", "sgd"])),
        "batch_size": int(random.choice([1, 7, 1000])),
        "seeds": int(random.choice([1, 1, 3])),
        "clip": None if random.random() < 0.5 else 10.0,
        "polished": bool(random.random() < 0.5),
    }
    loss = str(random.choice(["squared", "absolute"]))
    search = da.SearchOptions(**options | ({"optimiser": torch.optim.SGD} if options["optimiser"] == "sgd" else {}))
    return net, (x, y), targets, {"search": search, "loss": loss, "steps": 12, "seed": number, "missing": "drop"}


@pytest.mark.slow
def test_no_hostile_setting_leads_a_random_heuristic_below_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    improved, refused = 0, []
    for number in range(100):
        net, inputs, targets, options = hostile(number, tmp_path)
        try:
            fit = da.fit(net, inputs, targets=targets, **options)
        except da.InputError as error:
            refused.append(str(error))
            continue
        heuristic, held = fit.contenders[0].validation, fit.held.validation
        known = heuristic.isfinite()
        assert held[known].isfinite().all(), number
        assert held[known].mean() <= heuristic[known].mean(), number
        improved += fit.improved
    assert all(any(reason in text for reason in REASONS) for text in refused), refused
    assert len(refused) < 20 and improved > 10


def test_an_optimal_heuristic_is_left_alone():
    x = torch.linspace(0, 1, 100, dtype=torch.float64)
    fit = da.fit(da.compile(lambda x: 2.0 * x), x, targets=2.0 * x)
    assert not fit.improved
    assert fit.network(3.0).item() == 6.0


def test_noise_is_not_taken_for_a_gain():
    random = np.random.default_rng(0)
    kept = 0
    for _ in range(20):
        x = random.uniform(0, 1, 60)
        kept += da.fit(da.compile(lambda x: 2.0 * x), x, targets=2.0 * x + random.normal(0, 1, 60), steps=20).improved
    assert kept <= 3


def test_a_sample_that_loses_its_answer_is_no_gain():
    before = torch.ones(20)
    after = torch.full((20,), 0.1)
    assert compare(before, after).better
    after[3] = torch.nan
    assert not compare(before, after).better
    assert compare(before, after).reason == "1 samples that had an answer get none"


def test_few_samples_prove_nothing():
    before = torch.linspace(1, 2, FEWEST - 1)
    assert compare(before, 0.1 * before).reason == "5 validation samples are too few to tell a gain from chance: 6 are needed"


def test_a_sample_without_an_answer_before_takes_no_part():
    before, after = torch.ones(20), torch.full((20,), 0.1)
    before[0] = torch.nan
    assert compare(before, after).better
    assert compare(before, after).samples == 19


def test_steps_without_a_number_are_skipped_and_counted():
    def touchy(x):
        return np.log(0.5 * x) / np.float64(1.0)

    x = np.linspace(1, 2, 50)
    net = da.compile(touchy, example=((np.float64(1.0),), {}))
    search = da.SearchOptions(rate=1e9, clip=None, polished=False, optimiser=torch.optim.SGD)
    fit = da.fit(net, x, targets=np.log(0.4 * x), steps=100, search=search)
    assert fit.contenders[-1].training["progress"].skipped > 0
    assert fit.held.validation.mean() <= fit.contenders[0].validation.mean()


def test_many_samples_are_compared_as_few_are():
    random = torch.Generator().manual_seed(0)
    before = torch.rand(40_000, generator=random, dtype=torch.float64)
    after = before - 0.01 + 0.1 * torch.randn(40_000, generator=random, dtype=torch.float64)
    found = compare(before, after)
    gain, error = (before - after).mean().item(), (before - after).std().item() / 200
    assert (found.low, found.high) == pytest.approx((gain - 1.96 * error, gain + 1.96 * error), abs=0.2 * error)
