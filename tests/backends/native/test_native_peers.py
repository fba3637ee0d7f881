"""What the speed of native code is compared with gives the same answers and gradients as it does."""

import importlib.util

import numpy as np
import pytest
import torch

from benchmarks import native_contenders as contenders
from benchmarks.corpus import load_corpus
from benchmarks.native_jobs import FORMULAS, LOOPS, formulas

needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")
needs_casadi = pytest.mark.skipif(importlib.util.find_spec("casadi") is None, reason="CasADi is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages that are compared with
COUNT = 40
SHORT = [job for job in LOOPS if job.name != "dtw"]


def of_network(job, columns):
    """Answers, and gradients by weights and inputs."""
    net = job.network("native")
    inputs = [torch.tensor(column, requires_grad=True) for column in columns]
    answer = net(*inputs)
    contenders.total_of(answer).backward()
    answers = [item.detach().numpy() for item in (answer if isinstance(answer, tuple) else (answer,))]
    slopes = [torch.zeros_like(item) if item.grad is None else item.grad for item in (*net.weights.tensors(), *inputs)]
    return net, answers, [slope.numpy() for slope in slopes]


def compare(found, wanted, rtol):
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=rtol, atol=rtol * max(1e-9, np.abs(theirs).max(initial=0.0)))


def check_jax(job):
    import jax

    columns = job.draw(COUNT)
    net, answers, slopes = of_network(job, columns)
    contender = contenders.in_jax(job, columns, net.weights.tensors(), COUNT)
    compare(jax.tree.leaves(contender.forward()[0]), answers, 1e-9)
    (_, values), (by_weights, *by_inputs) = contender.gradient()[0]
    compare(jax.tree.leaves(values), answers, 1e-9)
    compare([*by_weights, *by_inputs], slopes, 1e-7)


@needs_jax
@pytest.mark.parametrize("job", SHORT, ids=lambda job: job.name)
def test_loops_in_jax_repeat_native_code_and_its_gradient(job):
    check_jax(job)


@needs_jax
@pytest.mark.slow
def test_time_warping_in_jax_repeats_the_network_and_its_gradient():
    check_jax(LOOPS[-1])


@needs_jax
@pytest.mark.corpus
@pytest.mark.parametrize("place", range(len(FORMULAS)), ids=FORMULAS)
def test_formulas_in_jax_repeat_native_code_and_its_gradient(place):
    check_jax(formulas(load_corpus())[place])


@needs_jax
def test_the_comparison_sees_a_wrong_peer(monkeypatch):
    from benchmarks import native_peers

    wrong = native_peers.Peer(lambda w, a: a**0.5 + 1e-6, lambda w, a: a**0.5 + 1e-6)
    monkeypatch.setitem(native_peers.PEERS, "newton", wrong)
    with pytest.raises(AssertionError):
        check_jax(next(job for job in LOOPS if job.name == "newton"))


@needs_casadi
@pytest.mark.parametrize("job", [job for job in LOOPS if job.name in ("pid", "lotka_volterra")], ids=lambda job: job.name)
def test_loops_in_casadi_repeat_native_code_and_its_gradient(job):
    columns = job.draw(COUNT)
    net, answers, slopes = of_network(job, columns)
    contender = contenders.in_casadi(job, columns, net.weights.tensors())
    compare([np.asarray(contender.forward()).ravel()], answers, 1e-9)
    found, by_input, by_weights = map(np.asarray, contender.gradient())
    compare([found.ravel(), by_input.ravel()], [*answers, slopes[-1]], 1e-7)
    compare(by_weights.sum(axis=1), slopes[:-1], 1e-7)


@pytest.mark.parametrize("job", [job for job in SHORT if job.name != "kalman"], ids=lambda job: job.name)
def test_loops_in_numba_and_in_python_repeat_native_code(job):
    columns = job.draw(COUNT)
    net, answers, _ = of_network(job, columns)
    compare(contenders.in_numba(job, columns, net).forward().T, answers, 1e-12)
    compare(np.array(contenders.python(job, columns).forward()).reshape(-1, len(answers)).T, [item[: job.alone] for item in answers], 1e-12)
