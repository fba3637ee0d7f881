"""What a longer function costs: compiling and verifying grow with its length, not with the square of it."""

import sys
from contextlib import nullcontext

import pytest
import torch

import deepalgo as da
from benchmarks.growth_bench import KINDS, MOST, inputs, kalman, kalman_matrices, load
from deepalgo.backends.torch.builds import builds_of
from deepalgo.backends.torch.runtime.record import recording


def calls(work):
    """How many functions are called meanwhile; unlike time this is the same on every machine."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("record", [False, True], ids=["plain", "record"])
@pytest.mark.parametrize("kind", KINDS)
def test_arms_that_stand_apart_compute_what_they_do_in_place(kind, record, monkeypatch):
    function = load(KINDS[kind](60), f"{kind} 60")
    networks = [da.compile(function), da.compile(function)]
    answers = []
    for network, many in zip(networks, (10_000, -1), strict=True):
        monkeypatch.setattr("deepalgo.backends.torch.write_regions.MANY", many)
        with recording() if record else nullcontext():
            answers.append(network(*inputs()))
    assert torch.equal(*answers)
    grads = [torch.autograd.grad(answer.sum(), list(network.parameters()), allow_unused=True)
             for answer, network in zip(answers, networks, strict=True)]
    assert all(a is b is None or torch.equal(a, b) for a, b in zip(*grads, strict=True))
    texts = [next(iter(builds_of(network.program).built.values())).written.text for network in networks]
    assert "def make_" not in texts[0]
    assert ("def make_" in texts[1]) == (texts[0].count("def ") > 1)


def compile_and_verify(function):
    network = da.compile(function)
    network(*inputs())
    network.verify(*inputs())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_doubling_a_function_at_most_doubles_the_work(kind):
    small, large = (load(KINDS[kind](size), f"{kind} {size}") for size in (160, 320))
    compile_and_verify(load(KINDS[kind](60), f"{kind} 60"))
    assert calls(lambda: compile_and_verify(large)) <= MOST * calls(lambda: compile_and_verify(small))


def verify_filter(function, steps):
    series = [0.1 * step % 1.0 for step in range(steps)]
    samples = [torch.tensor([value, 0.5 * value], dtype=torch.float64) for value in series]
    noise = [torch.tensor(pair, dtype=torch.float64) for pair in ([0.01, 0.1], [0.5, 0.2])]
    return da.compile(function, example=((series, 0.01, 0.5), {})).verify(samples, *noise)


@pytest.mark.slow
@pytest.mark.parametrize("function", [kalman, kalman_matrices])
def test_a_filter_over_many_steps_is_verified(function):
    certificate = verify_filter(function, 30)
    assert certificate.compared == 2
    assert certificate.gradients.compared >= 20
    assert calls(lambda: verify_filter(function, 60)) <= MOST * calls(lambda: verify_filter(function, 30))
