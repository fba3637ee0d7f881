"""Groups for optimisers move every weight by the same part of itself, whichever optimiser of torch takes them."""

import inspect
import math

import pytest
import torch

import deepalgo as da
from deepalgo.errors import InputError

RATE = 0.01
#: What takes only sparse gradients, only matrices, or only one group.
OTHERS = {torch.optim.SparseAdam, torch.optim.Muon, torch.optim.LBFGS}
ALL = [item for item in vars(torch.optim).values()
              if inspect.isclass(item) and issubclass(item, torch.optim.Optimizer) and item is not torch.optim.Optimizer]
OPTIMISERS = [item for item in ALL if item not in OTHERS]
#: Optimisers whose first step is their rate, whatever the gradient.
BY_RATE = [torch.optim.Adam, torch.optim.AdamW, torch.optim.Adamax, torch.optim.NAdam, torch.optim.RMSprop, torch.optim.Adagrad,
           torch.optim.Rprop]


def heuristic(x):
    level = da.weight(2040.0, "slope") * x + da.weight(1e-6, "shift") * math.cos(x)
    if level > da.weight(3.7, "limit"):
        level = level - 0.3 * math.sin(x)
    return level


X = torch.linspace(-1, 1, 23, dtype=torch.float64)


def step(module, optimiser):
    def loss():
        optimiser.zero_grad()
        value = (1e6 * (module(X) - 2100 * X - 0.01 * torch.cos(X))).square().mean()
        value.backward()
        return value

    before = [weight.item() for weight in module.parameters()]
    optimiser.step(loss)
    return {name: abs(weight.item() / old - 1) for (name, weight), old in zip(module.named_parameters(), before, strict=True)}


@pytest.mark.parametrize("optimiser", OPTIMISERS, ids=lambda item: item.__name__)
def test_every_optimiser_takes_the_groups_as_they_are(optimiser):
    net = da.compile(heuristic)
    made = optimiser(net.parameter_groups(RATE))
    schedule = torch.optim.lr_scheduler.StepLR(made, 1)
    step(net, made)
    schedule.step()
    state = made.state_dict()
    optimiser(net.parameter_groups(RATE)).load_state_dict(state)
    assert all(weight.isfinite() for weight in net.parameters())


@pytest.mark.parametrize("optimiser", BY_RATE, ids=lambda item: item.__name__)
def test_the_first_step_moves_each_weight_by_the_rate(optimiser):
    net = da.compile(heuristic)
    moved = step(net, optimiser(net.parameter_groups(RATE)))
    assert moved.pop("weights.limit") == 0
    most = 15 * RATE if optimiser is torch.optim.RMSprop else 1.5 * RATE  # its first step is ten rates
    assert all(0.5 * RATE < part < most for part in moved.values()), moved


@pytest.mark.parametrize("optimiser", [*OPTIMISERS, torch.optim.LBFGS], ids=lambda item: item.__name__)
def test_every_optimiser_takes_the_parameters_of_a_scaled_view(optimiser):
    net = da.compile(heuristic)
    view = da.scaled(net)
    made = optimiser(view.parameters(), lr=1e-15 if optimiser in (torch.optim.SGD, torch.optim.ASGD, torch.optim.RAdam) else RATE)
    moved = step(view, made)
    assert any(moved.values())
    assert all(weight.isfinite() for weight in net.parameters())
    assert torch.equal(net(X), view(X))


def test_plain_adam_destroys_what_groups_improve():
    moved = {}
    for kind in ("plain", "groups", "scaled"):
        net = da.compile(heuristic)
        module = da.scaled(net) if kind == "scaled" else net
        optimiser = torch.optim.Adam(module.parameter_groups(RATE) if kind == "groups" else module.parameters(), lr=RATE)
        for _ in range(3):
            step(module, optimiser)
        moved[kind] = abs(net.weights["slope"].item() / 2040 - 1), abs(net.weights["shift"].item() / 1e-6 - 1)
    assert moved["plain"][1] > 1000
    assert all(part < 4 * RATE for kind in ("groups", "scaled") for part in moved[kind])


def test_groups_are_by_role_and_step():
    def line(x, a=0.5, b=-0.5, limit=0.5, c=2.0):
        return a * x + b if x > limit else c * x

    groups = da.compile(line).parameter_groups(0.1, {"threshold": 0.01, "c": 0})
    assert [(group["role"], group["names"], group["lr"]) for group in groups] == [
        ("coefficient", ["a", "b"], pytest.approx(0.05)), ("threshold", ["limit"], pytest.approx(0.0005))]


def test_weights_that_stay_are_in_no_group():
    net = da.compile(heuristic)
    net.weights["slope"].requires_grad_(False)
    assert "slope" not in [name for group in net.parameter_groups(RATE) for name in group["names"]]


def test_a_row_of_constants_steps_by_its_smallest_and_a_matrix_by_its_typical_one():
    row, matrix = [2040.0, 1e-6, 0.0], [[4.0, 1.0], [0.0, -4.0]]

    def rows(x):
        return row[0] * x + row[1] + row[2] * x * x + matrix[0][0] * x + matrix[0][1] + matrix[1][0] + matrix[1][1]

    net = da.compile(rows)
    rates = {name: group["lr"] for group in net.parameter_groups(1.0) for name in group["names"]}
    assert rates["row"] == pytest.approx(1e-6) and 1.0 < rates["matrix"] < 4.0


@pytest.mark.parametrize(("rate", "rates", "message"), [
    (0.0, None, "the rate is the part of its own size by which a weight moves in a step, such as 0.01, not 0.0"),
    (math.nan, None, "the rate is the part of its own size by which a weight moves in a step, such as 0.01, not nan"),
    ("fast", None, "the rate is the part of its own size by which a weight moves in a step, such as 0.01, not 'fast'"),
    (0.1, {"treshold": 0}, "rates names 'treshold', which is no weight and no role; the roles are"),
    (0.1, {"threshold": -1}, "the rate of 'threshold' must be a factor of at least 0, not -1"),
])
def test_a_rate_that_is_none_is_refused(rate, rates, message):
    with pytest.raises(InputError) as caught:
        da.compile(heuristic).parameter_groups(rate, rates)
    assert str(caught.value).startswith(message)
