"""Training: every kind of data and objective, weights of every size, optimisers, seeds."""

import itertools
import math
import time
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import torch

import deepalgo as da


def cooling(t, start=80.0):
    return 20.0 + (start - 20.0) * math.exp(-0.1 * t)


def line(x):
    return 2.0 * x + 1.0


def root(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.7 * (x * x - s) / (2 * x)
    return x


def squares(output, s):
    return output * output - s


X = torch.linspace(-2, 3, 200, dtype=torch.float64)
QUICK = {"steps": 60}
ROUGH = da.SearchOptions(polished=False)


def cubes(output, target):
    return (output - target).abs() ** 3


def weights(fit):
    return [weight.item() for weight in fit.network.weights.tensors()]


@pytest.mark.parametrize(
    "inputs",
    [X, X.numpy(), X.tolist(), (X,), {"x": X}, {"x": X.numpy()}],
    ids=["tensor", "array", "list", "positional", "by name", "by name, array"],
)
def test_inputs_come_in_every_form(inputs):
    fit = da.fit(da.compile(line), inputs, targets=3.0 * X - 0.5, **QUICK)
    assert weights(fit) == pytest.approx([3.0, -0.5], rel=1e-6)


def test_a_data_frame_gives_its_columns():
    frame = pl.DataFrame({"x": X.numpy(), "y": 3.0 * X.numpy() - 0.5})
    assert weights(da.fit(da.compile(line), frame, targets="y", **QUICK)) == pytest.approx([3.0, -0.5], rel=1e-6)


def test_a_data_set_gives_pairs():
    pairs = torch.utils.data.TensorDataset(X, 3.0 * X - 0.5)
    assert weights(da.fit(da.compile(line), pairs, **QUICK)) == pytest.approx([3.0, -0.5], rel=1e-6)


def test_a_function_draws_fresh_samples():
    def draw(count):
        x = np.random.uniform(-1, 2, count)  # noqa: NPY002
        return x, 3.0 * x - 0.5

    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert weights(da.fit(da.compile(line), draw, **QUICK)) == pytest.approx([3.0, -0.5], rel=1e-6)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_a_function_that_draws_may_take_a_generator():
    def draw(count, generator):
        return torch.rand(count, generator=generator, dtype=torch.float64)

    assert weights(da.fit(da.compile(line), draw, targets=lambda x: 3.0 * x - 0.5, **QUICK)) == pytest.approx([3.0, -0.5], rel=1e-6)


def test_targets_may_be_a_column_or_a_reference_for_plain_numbers():
    fit = da.fit(da.compile(line), {"x": X, "y": 3.0 * X - 0.5}, targets="y", **QUICK)
    assert weights(fit) == pytest.approx([3.0, -0.5], rel=1e-6)
    fit = da.fit(da.compile(line), X, targets=lambda x: 3.0 * x - 0.5 if x > 5 else math.fsum([3.0 * x, -0.5]), **QUICK)
    assert weights(fit) == pytest.approx([3.0, -0.5], rel=1e-6)


def test_a_residual_needs_no_targets():
    s = torch.linspace(0.5, 8, 300, dtype=torch.float64)
    fit = da.fit(da.compile(root), s, residual=squares, steps=200)
    before, after = (contender.test.mean().item() for contender in fit.contenders)
    assert after < 0.2 * before


def test_the_output_may_be_the_cost_itself():
    def cost(x):
        return (x * 1.5 - 2.0 * x) ** 2

    fit = da.fit(da.compile(cost), X, loss=lambda output, x: output, train="*", **QUICK)
    assert fit.contenders[-1].test.mean() < 1e-4 * fit.contenders[0].test.mean()


@pytest.mark.parametrize(
    "loss",
    ["squared", "absolute", torch.nn.MSELoss(), torch.nn.functional.smooth_l1_loss, lambda a, b: ((a - b) ** 2).mean()],
    ids=["squared", "absolute", "module", "functional", "one number"],
)
def test_losses_of_every_kind_lead_to_the_same_weights(loss):
    fit = da.fit(da.compile(line), X, targets=3.0 * X - 0.5, loss=loss, steps=400)
    assert weights(fit) == pytest.approx([3.0, -0.5], rel=2e-2)


@pytest.mark.parametrize("optimiser", ["adam", "lbfgs", torch.optim.SGD, torch.optim.RMSprop], ids=str)
def test_any_optimiser_of_torch_trains(optimiser):
    search = da.SearchOptions(optimiser=optimiser, rate=0.05, polished=False)
    fit = da.fit(da.compile(line), X, targets=3.0 * X - 0.5, steps=100, search=search)
    assert fit.contenders[-1].test.mean() < 0.3 * fit.contenders[0].test.mean()


def test_constants_of_very_different_size_both_move():
    def law(x):
        return 2040.0 * x + 1e-6 / x

    x = torch.logspace(-6, -3, 400, dtype=torch.float64)
    fit = da.fit(da.compile(law), x, targets=2300.0 * x + 1.3e-6 / x, loss="relative", search=ROUGH)
    assert weights(fit) == pytest.approx([2300.0, 1.3e-6], rel=1e-2)


def test_a_weight_that_starts_at_zero_moves():
    def bent(x):
        return 2000.0 * x + 0.0 * x * x

    fit = da.fit(da.compile(bent), X, targets=1900.0 * X + 300.0 * X * X, search=ROUGH, steps=400)
    assert weights(fit) == pytest.approx([1900.0, 300.0], rel=2e-2)


def test_rates_by_role_and_name_leave_weights_alone():
    net = da.compile(cooling)
    key = next(weight.key for weight in net.weights.entries if weight.value == 20.0)
    t = torch.linspace(0, 30, 200, dtype=torch.float64)
    fit = da.fit(net, t, targets=22.0 + 50.0 * torch.exp(-0.2 * t), rates={key: 0}, **QUICK)
    assert fit.network.weights[key].item() == 20.0
    assert fit.improved
    fit = da.fit(net, t, targets=22.0 + 50.0 * torch.exp(-0.2 * t), rates={"coefficient": 0}, **QUICK)
    assert all(item.weight.role != "coefficient" for item in fit.moved)
    with pytest.raises(da.InputError, match="rates names 'gain', which is no weight and no role; the roles are coefficient"):
        da.fit(net, t, targets=t, rates={"gain": 1.0})


def test_several_seeds_are_as_good_as_the_best_of_them():
    s = torch.linspace(0.5, 8, 300, dtype=torch.float64)
    one = da.fit(da.compile(root), s, residual=squares, steps=60, search=ROUGH)
    four = da.fit(da.compile(root), s, residual=squares, steps=60, search=da.SearchOptions(polished=False, seeds=4))
    assert four.contenders[-1].validation.mean() <= one.contenders[-1].validation.mean()


def test_the_given_network_is_left_as_it_was():
    net = da.compile(line)
    fit = da.fit(net, X, targets=3.0 * X - 0.5, **QUICK)
    assert [weight.item() for weight in net.weights.tensors()] == [2.0, 1.0]
    assert net.errors == fit.network.errors == "raise"


def test_structures_go_in_and_come_out():
    def polar(point):
        return {"radius": 0.9 * math.hypot(point["x"], point["y"]), "height": 1.1 * point["y"]}

    net = da.compile(polar, example=(({"x": 1.0, "y": 2.0},), {}))
    random = torch.Generator().manual_seed(0)
    x, y = torch.rand(2, 200, generator=random, dtype=torch.float64) + 0.5
    fit = da.fit(net, {"x": x, "y": y}, targets={"radius": torch.hypot(x, y), "height": y}, **QUICK)
    assert weights(fit) == pytest.approx([1.0, 1.0])


def test_validation_and_test_samples_may_be_given():
    held, unseen = torch.linspace(3, 4, 30, dtype=torch.float64), torch.linspace(4, 5, 40, dtype=torch.float64)
    true = lambda x: 3.0 * x - 0.5
    fit = da.fit(da.compile(line), X, targets=true(X), validation=(held, true(held)), test=(unseen, true(unseen)), **QUICK)
    assert [len(fit.contenders[0].validation), len(fit.contenders[0].test)] == [30, 40]
    fit = da.fit(da.compile(line), X, targets=true, validation=held, test=unseen, **QUICK)
    assert [len(fit.contenders[0].validation), len(fit.contenders[0].test)] == [30, 40]


def test_single_precision_trains_too():
    fit = da.fit(da.compile(line).float(), X, targets=3.0 * X - 0.5, **QUICK)
    assert fit.network.dtype == torch.float32
    assert weights(fit) == pytest.approx([3.0, -0.5], rel=1e-4)


def test_weights_whose_move_is_of_no_use_are_put_back():
    def law(x):
        return 2.0 * x + 1e-9 * x * x

    fit = da.fit(da.compile(law), X, targets=3.0 * X + 0.01 * torch.sin(30 * X), steps=100)
    assert weights(fit)[1] == 1e-9
    assert [item.weight.value for item in fit.moved] == [2.0]


def test_a_loop_that_would_not_end_is_not_waited_for():
    def grow(x):
        z = 1.0
        while z < x + 2.0:
            z = z * 1.2
        return z

    fit = da.fit(da.compile(grow), X, targets=X * X, steps=30, search=da.SearchOptions(rate=1.0, seeds=2))
    assert fit.held.validation.mean() <= fit.contenders[0].validation.mean()
    assert fit.network.max_rounds == da.compile(grow).max_rounds


@pytest.mark.parametrize("start", [0.0, -1.0], ids=["all samples answered", "some samples not answered"])
def test_a_threshold_without_a_gradient_is_found_by_trying(start):
    def tariff(x):
        if x < 0:
            raise ValueError("no amount")
        if x > 1.6:
            return 3.0 * x - 2.0
        return 1.0 * x

    x = torch.linspace(start, 3, 400, dtype=torch.float64)
    fit = da.fit(da.compile(tariff), x, targets=torch.where(x > 1.2, 3.0 * x - 2.0, x), steps=20)
    assert fit.held_out["tuned constants"].centre < 0.05 * fit.held_out["heuristic"].centre
    threshold = next(weight for weight in fit.network.weights.entries if weight.role == "threshold")
    assert fit.network.weights[threshold.key].item() == pytest.approx(1.2, abs=0.02)


def test_seconds_limit_steps_and_polishing_together(monkeypatch):
    clock = itertools.count()  # every look at it takes a second
    monkeypatch.setattr("deepalgo.fitting.search.problem.time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    fit = da.fit(da.compile(line), X, targets=torch.sin(3 * X), loss=cubes, steps=10**6, seconds=100)
    assert fit.improved
    assert 60 < fit.contenders[-1].training["progress"].step <= 70
    assert next(clock) < 110
    with pytest.raises(da.InputError, match="seconds must be above 0, not 0"):
        da.fit(da.compile(line), X, targets=X, seconds=0)


def test_test_samples_are_looked_at_once_when_training_is_over():
    unseen = torch.linspace(4, 5, 40, dtype=torch.float64)
    seen = []

    def loss(output, target):
        seen.append(bool((target > 100).any()))
        return (output - target) ** 2

    fit = da.fit(da.compile(line), X, targets=3.0 * X - 0.5, test=(unseen, unseen + 1000), loss=loss, **QUICK)
    assert seen.count(True) == len(fit.contenders) == 2
    assert True not in seen[: 2 * QUICK["steps"]]


def test_a_run_that_does_not_get_better_ends_early():
    search = da.SearchOptions(rate=0.05, polished=False)
    fit = da.fit(da.compile(line), X, targets=2.1 * X + 0.9 + 0.5 * torch.sin(17 * X), steps=400, search=search)
    assert fit.contenders[-1].training["ended"] == ["no gain"]
    assert 200 < fit.contenders[-1].training["progress"].step < 400
    assert "1 of 1 runs ended early: no gain" in str(fit)


def test_a_run_that_diverges_is_stopped_and_the_best_weights_are_kept():
    search = da.SearchOptions(optimiser=torch.optim.SGD, rate=1e3, clip=None, polished=False)
    fit = da.fit(da.compile(line), X, targets=3.0 * X - 0.5, steps=400, search=search)
    assert fit.contenders[-1].training["ended"] == ["diverged"]
    assert fit.contenders[-1].training["progress"].step < 400
    assert fit.held.validation.mean() <= fit.contenders[0].validation.mean()


def test_seconds_limit_the_whole_call_with_its_report():
    def slow(x):
        total = 0.0
        for k in range(400):
            total += 0.5 * math.sin(0.1 * x + 0.01 * k) * math.exp(-0.001 * k * x)
        return total

    net = da.compile(slow, backend="native")
    x = torch.linspace(0, 3, 2000, dtype=torch.float64)
    da.fit(net, x, targets=torch.sin(x), steps=1, seconds=0.5)  # compiles
    for loss in ("squared", cubes):
        begun = time.monotonic()
        fit = da.fit(net, x, targets=50.0 * torch.sin(x), loss=loss, steps=10**6, seconds=2.0)
        str(fit)
        assert time.monotonic() - begun < 1.1 * 2.0 + 1.0


def test_progress_says_what_is_being_done(capfd):
    da.fit(da.compile(line), X, targets=torch.sin(X), progress=True)
    shown = capfd.readouterr().err
    assert "tuned constants: least squares" in shown or "report" in shown
