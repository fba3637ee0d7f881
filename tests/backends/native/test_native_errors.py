"""Samples that fail natively raise in the same pass, with the words, the samples and the line that torch code has."""

import pytest
import torch

import deepalgo as da
from deepalgo.backends.torch.backend import TorchBackend
from deepalgo.errors import HeuristicError
from tests.support.cases import CASES
from tests.support.cases import network as compiled


def told_by(net, leaves):
    """The whole text of the error, if there is one."""
    try:
        net.execute([leaf.clone() for leaf in leaves])
    except HeuristicError as error:
        return str(error), error.samples, error.span
    return None


def compare(torch_net, native, leaves, monkeypatch):
    expected = told_by(torch_net, leaves)
    assert expected is not None
    with monkeypatch.context() as patch:
        patch.setattr(TorchBackend, "from_tensors", lambda *args: pytest.fail("torch ran to find the words"))
        assert told_by(native, leaves) == expected
        if any(leaf.is_floating_point() for leaf in leaves):
            assert told_by(native, [leaf.clone().requires_grad_() if leaf.is_floating_point() else leaf for leaf in leaves]) == expected


def failing_cases():
    for case in CASES:
        net = compiled(case.id)
        rows = []
        for row in case.rows(40):
            args, kwargs = case.arrange(*row)
            rows.append(net.signature.flatten(args, kwargs, torch.float64, torch.device("cpu"))[0])
        leaves = [torch.cat(column) for column in zip(*rows, strict=True)]
        if any(error is not None for error in net.outcomes(leaves)[1]):
            yield case, leaves


def test_heuristics_fail_with_the_words_of_torch(monkeypatch):
    found = [*failing_cases()]
    assert len(found) > 5
    for case, leaves in found:
        options = {"mathematics": "exact", **case.compile_options()}
        nets = [da.compile(case.function, backend=backend, **options) for backend in ("torch", "native")]
        compare(*nets, leaves, monkeypatch)


def whole_story(x, y):
    total = 0.0
    for row in range(4):
        rounds = 0
        while total < x:
            total = total + y
            rounds += 1
            if total > 50.0:
                raise OverflowError(f"{total} after {rounds} rounds of {row}, {total > 60.0}")
            if y < 0.0:
                raise ValueError(f"{y!r} leads nowhere: {y:.3f}")
        total = total * 0.5
    return total


@pytest.mark.parametrize(("xs", "ys"), [
    ([10.0, 100.0, 60.0, 5.0, 100.0], [1.0, 7.0, 20.0, -1.0, 7.0]),
    ([10.0, 100.0, 60.0, 5.0, 100.0], [1.0, 7.0, 20.0, 1.0, 7.0]),
    ([1.0] * 20 + [90.0, 70.0, 90.0], [0.3] * 20 + [8.0, 8.0, 8.0]),
    ([55.0, 5.0] * 9, [0.25, 0.0] * 9),
])
def test_the_first_failure_is_that_of_the_earliest_round_with_its_own_numbers(xs, ys, monkeypatch):
    nets = [da.compile(whole_story, backend=backend, max_rounds=300) for backend in ("torch", "native")]
    compare(*nets, [torch.tensor(xs, dtype=torch.float64), torch.tensor(ys, dtype=torch.float64)], monkeypatch)


def told_of_a_list(x, y):
    z, both = complex(x, y), [x, y]
    if x > y:
        raise RuntimeError(f"{z} of {both}")
    if y > 3.0:
        raise KeyError("no more")
    return abs(z)


@pytest.mark.parametrize("ys", [[2.0, 1.0, 4.0, 0.5], [2.0, 5.0, 4.0, 4.0]])
def test_messages_have_complex_numbers_and_lists(ys, monkeypatch):
    nets = [da.compile(told_of_a_list, backend=backend) for backend in ("torch", "native")]
    xs = torch.tensor([1.0, 2.5, 3.5, -1.0], dtype=torch.float64)
    compare(*nets, [xs, torch.tensor(ys, dtype=torch.float64)], monkeypatch)


def long_story(x):
    for _ in range(40):
        x = x + 0.01 * x * x + 0.1
        x = x * 0.99 - 0.003 * x * x * x / (1.0 + x * x)
        if x > 40.0:
            raise ValueError(f"{x} is too large")
    return x


def test_many_samples_of_many_groups_fail_in_long_code(monkeypatch):
    nets = [da.compile(long_story, backend=backend) for backend in ("torch", "native")]
    xs = torch.linspace(-2.0, 38.0, 5000, dtype=torch.float64).flip(0)
    compare(*nets, [xs], monkeypatch)


def test_failures_that_become_nan_are_computed_once(monkeypatch):
    nets = [da.compile(whole_story, backend=backend, max_rounds=300, errors="nan") for backend in ("torch", "native")]
    leaves = [torch.tensor(values, dtype=torch.float64) for values in ([10.0, 100.0, 60.0, 5.0], [1.0, 7.0, 20.0, -1.0])]
    expected = nets[0].execute(leaves)
    calls = []
    forward = da.backends.native.Engine.forward
    monkeypatch.setattr(da.backends.native.Engine, "forward", lambda *args: calls.append(1) or forward(*args))
    monkeypatch.setattr(TorchBackend, "from_tensors", lambda *args: pytest.fail("torch ran"))
    found = nets[1].execute([leaf.requires_grad_() for leaf in leaves])
    assert calls == [1]
    assert torch.equal(found[0].isnan(), expected[0].isnan())
    assert nets[0].failures == nets[1].failures
    found[0].nansum().backward()
    assert leaves[0].grad[1].item() == leaves[0].grad[2].item() == 0.0
