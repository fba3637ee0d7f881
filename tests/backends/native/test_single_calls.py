"""Calls of a native network for one sample: the answers of a batch of one, with the weights of the moment."""

import copy
import threading
import timeit

import pytest
import torch

import deepalgo as da


def damped(x, rate=0.7, target=0.1):
    rounds = 0
    while x > target:
        x = x * rate
        rounds += 1
    if x < -50.0:
        raise ValueError(f"{x} is too small")
    return {"level": x**1.5 if x > 0.05 else x, "rounds": rounds, "low": x < 0.05}


def line(x, table=(3.0, 4.0)):
    slope, start = table
    return slope * x + start


def often(net, *args):
    """The answer once the code for one lane is there."""
    with torch.no_grad():
        return [net(*args) for _ in range(5)][-1]


@pytest.fixture
def net():
    return da.compile(damped, backend="native")


def test_single_answers_are_those_of_a_batch(net):
    xs = torch.linspace(-3.0, 40.0, 30, dtype=torch.float64)
    batch = net(xs)
    for k, x in enumerate(xs.tolist()):
        found = often(net, x)
        for name, column in batch.items():
            assert found[name].dtype == column.dtype
            assert found[name].shape == ()
            assert torch.equal(found[name], column[k].detach())


def test_numbers_of_every_kind_are_taken_for_floats():
    net = da.compile(line, backend="native")
    assert often(net, 2).item() == often(net, 2.0).item() == often(net, torch.tensor(2.0, dtype=torch.float64)).item() == 10.0
    assert often(net, torch.tensor([2.0, 3.0], dtype=torch.float64)).tolist() == [10.0, 13.0]
    with pytest.raises(da.InputError, match="must be numbers"):
        often(net, "2")


def test_weights_are_those_of_the_moment_however_they_changed():
    net = da.compile(line, backend="native")
    assert often(net, 2.0).item() == 10.0
    (weight,) = net.parameters()
    with torch.no_grad():
        weight.mul_(2.0)
    assert often(net, 2.0).item() == 20.0
    weight.data[1] = 0.0
    assert often(net, 2.0).item() == 12.0
    weight.data = torch.tensor([1.0, 1.0], dtype=torch.float64)
    assert often(net, 2.0).item() == 3.0
    weight.data = torch.tensor([5.0, 0.0, 6.0], dtype=torch.float64)[::2]
    assert often(net, 2.0).item() == 16.0
    weight.data[0] = 1.0
    assert often(net, 2.0).item() == 8.0
    twin = copy.deepcopy(net)
    weight.data.zero_()
    assert often(twin, 2.0).item() == 8.0


def test_samples_that_fail_raise_or_are_counted(net):
    assert often(net, 1.0)["rounds"].item() == 7
    with pytest.raises(da.HeuristicError, match="too small"):
        often(net, -60.0)
    counting = da.compile(damped, backend="native", errors="nan")
    assert often(counting, -60.0)["level"].isnan()
    assert counting.failures.total() == 5


def test_gradients_are_wanted_or_not(net):
    line_net = da.compile(line, backend="native")
    assert often(line_net, 2.0).grad_fn is None
    assert line_net(2.0).requires_grad
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    line_net.requires_grad_(False)
    line_net(x).backward()
    assert x.grad.item() == 3.0
    assert line_net(2.0).item() == 10.0


def test_other_precisions_and_transforms_go_other_ways():
    net = da.compile(line, backend="native")
    often(net, 2.0)
    assert often(net.float(), 2.0).dtype == torch.float32
    assert often(net.double(), 2.0).dtype == torch.float64
    with torch.no_grad():
        assert torch.func.vmap(net)(torch.tensor([1.0, 2.0], dtype=torch.float64)).tolist() == [7.0, 10.0]


def test_two_threads_call_one_network(net):
    expected = {x: often(net, x)["rounds"].item() for x in (0.5, 5.0, 50.0)}
    wrong = []

    def call(x):
        with torch.no_grad():
            wrong.extend(x for _ in range(300) if net(x)["rounds"].item() != expected[x])

    threads = [threading.Thread(target=call, args=(x,)) for x in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def sixty_rounds(x):
    y = 1.0
    for _ in range(60):
        y = y - 0.5 * (y * y - x) / (2 * y)
    return y


def seconds(call):
    """The least time of one call."""
    call()
    return min(timeit.repeat(call, number=50, repeat=20)) / 50


def test_one_sample_is_far_from_a_thousand_times_python():  # how near it is to Python, benchmarks.native_bench says
    net = da.compile(sixty_rounds, backend="native")
    often(net, 2.0)
    function = da.function(net)
    python = seconds(lambda: sixty_rounds(2.0))
    with torch.no_grad():
        assert seconds(lambda: net(2.0)) < 100 * python
    assert seconds(lambda: function(2.0)) < 10 * python
