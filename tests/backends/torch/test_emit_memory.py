"""Long loops train in bounded memory, with the gradient of a loop that keeps everything."""

import math

import pytest
import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import deepalgo as da
from deepalgo.backends.torch.runtime import segments


def relax(x, target):
    for _ in range(200):
        x = x + 0.01 * (math.sin(target) - 0.5 * x)
    return x


def halve(x, target):
    rounds = 0
    while x > 1e-3 * target:
        x = x * (1.0 - 0.05 * math.exp(-0.1 * x))
        rounds = rounds + 1
    return x + 0.001 * rounds


def search(x, target):
    best = x
    for _ in range(150):
        if best * best > target:
            best = best - 0.01 * best
        else:
            best = best + 0.0001 * target
        if best > 5.0:
            break
    return best


LOOPS = [relax, halve, search]


def inputs(count):
    generator = torch.Generator().manual_seed(1)
    x, target = torch.rand(2, count, generator=generator, dtype=torch.float64)
    return (1.0 + x).requires_grad_(), (0.5 + target).requires_grad_()


def train(function, count):
    """The loss and all gradients."""
    network, leaves = da.compile(function), inputs(count)
    loss = network(*leaves).square().sum()
    return loss, torch.autograd.grad(loss, [*leaves, *network.parameters()], allow_unused=True, materialize_grads=True)


class Peak(TorchDispatchMode):
    """Follows which storages are alive, forward and backward, and the most bytes that they held together."""

    def __init__(self):
        super().__init__()
        self.live = {}
        self.bytes = self.calls = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                self.live[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
        self.calls += 1
        if self.calls % 50 == 0:
            self.live = {key: item for key, item in self.live.items() if not item[0].expired()}
            self.bytes = max(self.bytes, sum(size for _, size in self.live.values()))
        return result


def peak(function, count=200):
    with Peak() as found:
        train(function, count)
    return found.bytes


@pytest.mark.parametrize("function", LOOPS)
def test_segments_change_no_digit_of_the_gradient(function, monkeypatch):
    loss, gradients = train(function, 20)
    monkeypatch.setattr(segments, "SHORT", 10**9)
    whole_loss, whole_gradients = train(function, 20)
    assert torch.equal(loss, whole_loss)
    for ours, whole in zip(gradients, whole_gradients, strict=True):
        assert torch.equal(ours, whole)
    assert any(gradient.abs().sum() > 0 for gradient in gradients)


def relaxing(rounds):
    def heuristic(x, target):
        for _ in range(rounds):
            x = x + 0.01 * (math.sin(target) - 0.5 * x * x)
        return x

    return heuristic


def running(rounds):
    def heuristic(x, target):
        number = 0.0
        while number < rounds + target:
            x = x + 0.01 * (math.sin(target) - 0.5 * x * x)
            number = number + 1.0
        return x

    return heuristic


@pytest.mark.parametrize("loop", [relaxing, running])
def test_memory_grows_like_the_root_of_the_rounds(loop, monkeypatch):
    assert peak(loop(400)) < 2 * peak(loop(100))
    monkeypatch.setattr(segments, "SHORT", 10**9)
    assert peak(loop(200)) > 1.8 * peak(loop(100))


@pytest.mark.slow
def test_a_thousand_rounds_over_ten_thousand_samples_train_in_bounded_memory():
    assert peak(relaxing(1000), 10_000) < 2 * peak(relaxing(200), 10_000)
