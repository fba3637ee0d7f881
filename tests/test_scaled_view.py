"""A scaled view has parameters of size one, gives the network's answers, and moves the network."""

import copy
import io
import math
import pickle

import pytest
import torch

import deepalgo as da
from deepalgo.errors import InputError

TABLE = [[1.0, 0.1, 0.0], [-2.0, 1e-7, 0.3]]


def heuristic(x):
    level = da.weight(2040.0, "slope") * x + da.weight(1e-6, "shift")
    if level > da.weight(3.7, "limit"):
        level = level - 0.3 * math.sin(x)
    return level + 0.0


def with_a_table(values):
    return sum(values[0] * row[0] + values[1] * row[1] + values[2] * row[2] for row in TABLE)


X = torch.linspace(-1, 1, 23, dtype=torch.float64)


def loss(module):
    return (module(X) - 2100 * X).square().mean()


def train(module, parameters, steps=5):
    optimiser = torch.optim.Adam(parameters, lr=0.01)
    for _ in range(steps):
        optimiser.zero_grad()
        loss(module).backward()
        optimiser.step()


def weights(net):
    return [weight.tolist() for weight in net.weights.tensors()]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_every_parameter_has_size_one_and_no_answer_changes(dtype):
    net = da.compile(heuristic).to(dtype)
    before, answers = weights(net), net(X)
    view = da.scaled(net)
    assert {abs(parameter.item()) for parameter in view.parameters()} == {1.0, 0.0}  # 0.0 has no size of its own
    assert torch.equal(view(X), answers) and weights(net) == before
    assert view(0.5).item() == net(0.5).item()


def test_numbers_of_a_table_have_sizes_of_their_own_and_keep_every_bit():
    net = da.compile(with_a_table, example=(([0.1, 0.2, 0.3],), {}))
    before = weights(net)
    view = da.scaled(net)
    (table,) = view.parameters()
    assert table.abs().max() <= 2 and table[table != 0].abs().min() > 0.2
    with torch.no_grad():
        table.add_(0.0)  # which is written to, and so the network follows
    assert weights(view.network) == before


def test_weights_that_are_not_finite_stay_what_they_are():
    def least(x):
        best = da.weight(math.inf, "best")
        return min(best, 2.0 * x)

    net = da.compile(least)
    assert da.scaled(net)(3.0).item() == 6.0
    assert net.weights["best"].item() == math.inf


def test_the_gradient_is_that_of_the_weight_times_its_size():
    net = da.compile(heuristic)
    view = da.scaled(net)
    loss(view).backward()
    assert all(weight.grad is None for weight in net.parameters())
    loss(net).backward()
    for key in view.weights:
        size = abs(net.weights[key].item()) or 1.0
        mine, its = (0.0 if weight.grad is None else weight.grad.item() for weight in (view.weights[key], net.weights[key]))
        assert mine == pytest.approx(its * size, rel=1e-12)
    assert view.weights["slope"].grad.item() != 0


def test_training_the_view_moves_the_network_at_once():
    net = da.compile(heuristic)
    view = da.scaled(net)
    before = loss(net).item()
    train(view, view.parameters())
    assert loss(net).item() < before
    assert torch.equal(net(X), view(X))
    with torch.no_grad():
        view.weights["slope"].mul_(2)
    assert view.network is net and net.weights["slope"] == view.sizes["slope"] * view.weights["slope"]


def test_the_view_follows_weights_that_are_loaded_into_the_network():
    net, other = da.compile(heuristic), da.compile(heuristic)
    view = da.scaled(net)
    train(other, other.parameter_groups(0.01))
    net.load_state_dict(other.state_dict())
    assert torch.allclose(view(X), other(X), rtol=1e-14)
    assert torch.equal(view(X), net(X))


def test_other_parameters_stand_in_for_one_call():
    net = da.compile(heuristic)
    view = da.scaled(net)
    before = weights(net)
    twice = {name: 2 * parameter.detach() for name, parameter in view.named_parameters()}
    assert not torch.equal(torch.func.functional_call(view, twice, (X,)), view(X))
    assert weights(net) == before


@pytest.mark.parametrize("again", [copy.deepcopy, lambda view: pickle.loads(pickle.dumps(view)), lambda view: _torch_saved(view)])
def test_copies_go_on_by_themselves(again):
    net = da.compile(heuristic)
    view = da.scaled(net)
    train(view, view.parameters())
    view.weights["shift"].requires_grad_(False)
    twin = again(view.eval())
    assert twin.network is not net and weights(twin.network) == weights(net)
    assert [item.requires_grad for item in twin.parameters()] == [item.requires_grad for item in view.parameters()]
    assert twin.state_dict().keys() == view.state_dict().keys() and not twin.training
    assert torch.equal(twin(X), view(X))
    before = weights(net)
    train(twin, twin.parameters())
    assert weights(net) == before != weights(twin.network)


def _torch_saved(view):
    file = io.BytesIO()
    torch.save(view, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def test_a_state_brings_its_sizes_along():
    net, other = da.compile(heuristic), da.compile(heuristic)
    train(da.scaled(net), da.scaled(net).parameters())
    view = da.scaled(net)  # whose sizes are those of trained weights
    train(view, view.parameters())
    fresh = da.scaled(other)
    torch.nn.Sequential(fresh).load_state_dict({f"0.{name}": item for name, item in view.state_dict().items()})
    assert weights(other) == weights(net)


def test_the_precision_of_the_view_is_that_of_its_network():
    net = da.compile(heuristic)
    view = da.scaled(net).float()
    assert net.dtype is torch.float32 and view(X).dtype is net(X).dtype
    assert torch.equal(view(X), net(X))


def test_frozen_weights_are_no_parameters_and_still_ones_stay_still():
    def powers(x, factor=3.0, power=2.0, shift=0.5):
        return factor * x**power + shift

    net = da.compile(powers)
    net.weights["factor"].requires_grad_(False)
    view = da.scaled(net)
    assert [weight.key for weight in net.weights.entries if weight.frozen] == ["power"]
    assert [(name, item.requires_grad) for name, item in view.named_parameters()] == [("weights.factor", False), ("weights.shift", True)]


def test_second_derivatives_pass_through_the_view():
    view = da.scaled(da.compile(heuristic, backend="torch"))
    (first,) = torch.autograd.grad(loss(view), view.weights["slope"], create_graph=True)
    (second,) = torch.autograd.grad(first, view.weights["slope"])
    assert second.item() == pytest.approx(2 * 2040.0**2 * X.square().mean().item(), rel=1e-9)


def test_only_a_network_has_a_view():
    with pytest.raises(InputError) as caught:
        da.scaled(heuristic)
    assert str(caught.value) == "scaled takes a network, as in da.scaled(da.compile(function)), not function"
