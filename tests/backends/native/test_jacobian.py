"""Derivatives for each sample by weights: natively and by torch, for every kind of result, sample and program."""

import cmath
import math

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.native import engine_of
from deepalgo.network import Network
from tests.support.cases import CASES, network


def batch_of(case, net):
    """The rows of a case as a batch for each input of the network."""
    calls = [case.arrange(*row) for row in case.rows()]
    rows = [net.signature.flatten(args, kwargs, torch.float64, torch.device("cpu"))[0] for args, kwargs in calls]
    return [torch.cat(column) for column in zip(*rows)]


def trainable(net):
    """The weights of a network, by their keys."""
    return {weight.key: net.weights[weight.key].detach() for weight in net.program.weights if not weight.frozen}


def derivatives(net, leaves, by=None):
    by = trainable(net) if by is None else by
    return net.jacobian([*by])(leaves, [*by.values()])


def both(function, leaves, **options):
    """What a network says natively and on torch."""
    nets = [da.compile(function, backend=backend, **options) for backend in ("native", "torch")]
    assert nets[0].backend == "native"
    return [derivatives(net, leaves) for net in nets]


def assert_same(native, other, rtol=1e-9):
    """The same results, failures, and derivatives to within rounding of the largest, or of contributions of size 1 that cancel."""
    assert native.failed.tolist() == other.failed.tolist()
    for one, two in zip(native.results, other.results, strict=True):
        assert one.dtype == two.dtype
        assert torch.allclose(one, two, rtol=1e-12, equal_nan=True)
    for one, two in zip(native.derivatives, other.derivatives, strict=True):
        assert one.shape == two.shape
        scale = max(two.abs().max().item(), 1.0) if two.numel() else 0.0
        assert torch.allclose(one, two, rtol=rtol, atol=1e-12 * scale, equal_nan=True)


COLUMN = [torch.linspace(0.3, 4.0, 21, dtype=torch.float64)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_native_derivatives_of_samples_are_those_of_torch_and_add_up_to_the_gradient(case):
    net = network(case.id)
    leaves, by = batch_of(case, net), trainable(net)
    native, other = Network(net.program, net.signature, backend="native", errors="nan", max_rounds=net.max_rounds), net
    engine, weights = engine_of(net.program, net.max_rounds, "vector", True), np.zeros(0)
    if net.program.weights:
        weights = np.concatenate([tensor.detach().numpy().reshape(-1) for tensor in net.weights.tensors()])
    if native.backend != "native":
        pytest.skip(native.backend)
    found = derivatives(native, leaves, by)
    assert_same(found, derivatives(other, leaves, by))
    sent = [np.ones(tuple(result.shape)) for result in found.results if result.is_floating_point()]
    sums = engine.gradient([leaf.numpy() for leaf in leaves], weights, sent).weights
    keys = [weight.key for weight in net.program.weights]
    wanted = [np.ravel(sums[keys.index(key)]) for key in by]
    whole = sum(item.flatten(0, -2).sum(0).numpy() for item in found.derivatives)
    wanted = np.concatenate(wanted) if wanted else np.zeros(0)
    np.testing.assert_allclose(whole, wanted, rtol=1e-9, atol=1e-10 * np.abs(wanted).max(initial=0.0))


def saturating(x, most=2.4, rate=0.55):
    y = most * (1.0 - math.exp(-rate * x))
    return y if y < 1.5 else 1.5 + 0.25 * math.sqrt(y - 1.0)


def cooling(x, rate=0.7, target=0.1):
    level, rounds = x, 0
    while level > target:
        level = level - rate * (level - 0.02 * x) * 0.3
        rounds += 1
    return level, rounds, level > 0.05


def shaped(x, table=((1.0, 2.0, 0.5), (0.3, 0.1, 4.0))):
    table = np.array(table)
    return table @ np.array([x, x * x, 1.0]), table[0] * x


@pytest.mark.parametrize("function", [saturating, cooling, shaped])
@pytest.mark.parametrize("backend", ["native", "torch"])
def test_they_are_those_of_differences(function, backend):
    net = da.compile(function, backend=backend, mathematics="exact")
    by = trainable(net)
    found = derivatives(net, COLUMN, by)
    place = 0
    for key, weight in by.items():
        for number in range(weight.numel()):
            moved = []
            for sign in (1.0, -1.0):
                step = torch.zeros_like(weight).reshape(-1)
                step[number] = sign * 1e-6
                moved.append(derivatives(net, COLUMN, {**by, key: weight + step.reshape(weight.shape)}).results)
            for up, down, whole in zip(*moved, found.derivatives, strict=True):
                if up.is_floating_point():
                    torch.testing.assert_close(whole[..., place], (up - down) / 2e-6, rtol=1e-6, atol=1e-8)
                else:
                    assert not whole.any()
            place += 1


def turned(x, angle=0.3, size=2.0):
    return size * cmath.exp(1j * angle * x), x * x


def test_complex_results_have_complex_derivatives():
    native, other = both(turned, COLUMN)
    assert_same(native, other)
    x, (answer, square) = COLUMN[0], native.derivatives
    torch.testing.assert_close(answer, torch.stack([1j * x * native.results[0], native.results[0] / 2.0], 1))
    assert square.shape == (21, 2)
    assert not square.any()


def halved(x, limit=1.0):
    return math.log(x - limit)


def test_samples_that_fail_are_marked_and_disturb_no_other():
    native, other = both(halved, COLUMN)
    assert_same(native, other)
    assert native.failed.tolist() == (COLUMN[0] <= 1.0).tolist()
    assert native.results[0][native.failed].isnan().all()
    assert not native.derivatives[0][native.failed].any()


def branching(x, limit=2.0, power=0.5):
    return x**power if x < limit else (x - limit) ** power * limit


def test_an_arm_that_was_not_taken_leaves_no_nan():
    native, other = both(branching, [torch.tensor([0.0, 1.0, 2.0, 3.0], dtype=torch.float64)])
    assert_same(native, other)
    assert native.derivatives[0][[1, 3]].isfinite().all()


@pytest.mark.parametrize("size", [0, 1, 7, 8, 5000])
def test_any_number_of_samples(size):
    native, other = both(cooling, [torch.linspace(0.5, 9.0, size, dtype=torch.float64)])
    assert native.derivatives[0].shape == (size, len(trainable(da.compile(cooling))))
    assert_same(native, other)


def test_only_the_weights_that_are_asked_for_in_their_order():
    net = da.compile(saturating, backend="native")
    by = trainable(net)
    whole = derivatives(net, COLUMN, by).derivatives[0]
    last, first = [*by][-1], [*by][0]
    found = net.jacobian([last, first])(COLUMN, [by[last], by[first]])
    torch.testing.assert_close(found.derivatives[0], whole[:, [-1, 0]], rtol=1e-14, atol=0.0)
    assert net.jacobian([])(COLUMN, []).derivatives[0].shape == (21, 0)


def test_other_weights_are_those_that_the_network_has_at_the_moment():
    net = da.compile(saturating, backend="native")
    most, *rest = trainable(net)
    value = trainable(net)[most]
    before = net.jacobian([most])(COLUMN, [value]).results[0]
    with torch.no_grad():
        net.weights[rest[-1]].mul_(1.1)
    after = net.jacobian([most])(COLUMN, [value]).results[0]
    assert not torch.equal(before, after)
    torch.testing.assert_close(after, net(COLUMN[0]).detach(), rtol=1e-14, atol=0.0)


def test_torch_computes_what_native_code_does_not():
    def spread(x, scale=2.0):
        return np.linalg.eigvalsh(np.array([[x, 1.0], [1.0, scale * x]]))

    net = da.compile(spread, backend="native")
    assert net.backend.startswith("torch (eigvalsh")
    found = derivatives(net, COLUMN)
    steps = [derivatives(net, COLUMN, {key: value + sign * 1e-6 for key, value in trainable(net).items()}).results[0] for sign in (1, -1)]
    torch.testing.assert_close(found.derivatives[0].sum(-1), (steps[0] - steps[1]) / 2e-6, rtol=1e-6, atol=1e-8)
    single = da.compile(saturating, backend="native").float()
    assert derivatives(single, [COLUMN[0].float()]).derivatives[0].dtype == torch.float32


def test_the_code_of_a_program_is_compiled_once():
    net = da.compile(saturating, backend="native")
    keys = tuple(trainable(net))
    derivatives(net, COLUMN)
    engine = engine_of(net.program, net.max_rounds, "vector", True, keys)
    assert [*engine._kernels] == ["back"]
    kernel = engine._kernels["back"]
    derivatives(net.with_errors("nan"), COLUMN)
    assert engine_of(net.program, net.max_rounds, "vector", True, keys)._kernels == {"back": kernel}


def longest(x, rate=1e-4):
    y = x
    while y > 0.5 * x:
        y = y - rate * math.sin(y)
    return y


def test_long_loops_are_gone_back_through_in_segments(monkeypatch):
    from deepalgo.backends.native import engine

    wanted = derivatives(da.compile(longest, backend="native", max_rounds=100_000), COLUMN)
    monkeypatch.setattr(engine, "SHORT_STACK", engine.LARGEST_STACK)
    net = da.compile(longest, backend="native", max_rounds=100_000)
    found = derivatives(net, COLUMN)
    assert torch.equal(wanted.derivatives[0], found.derivatives[0])
