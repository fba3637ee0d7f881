"""Networks on native code: the same calls, answers, gradients and errors as on torch, and torch where native code does not do."""

import copy
import math
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.errors import HeuristicError
from deepalgo.fitting.judge.contenders import heuristic_of
from tests.support.cases import CASES


def damped(x, rate=0.7, target=0.1):
    rounds = 0
    while x > target:
        x = x * rate
        rounds += 1
    if x < -50.0:
        raise ValueError(f"{x} is too small")
    return x + rounds, rounds


def growing(x):
    return math.gamma(x)


XS = torch.linspace(-2.0, 30.0, 37, dtype=torch.float64)


def both(function, **options):
    return da.compile(function, **options), da.compile(function, backend="native", **options)


def test_a_network_says_what_it_runs_on_and_why(monkeypatch):
    assert [net.backend for net in both(damped)] == ["torch", "native"]
    assert da.compile(growing, backend="native").backend == f"torch (gamma of real numbers, line {growing.__code__.co_firstlineno + 1})"
    assert da.compile(damped, backend="native", loops="settle").backend == "torch (only float64 on a CPU with loops='run' is native)"
    assert da.compile(damped, backend="native").float().backend == "torch (only float64 on a CPU with loops='run' is native)"
    monkeypatch.setenv("DEEPALGO_BACKEND", "native")
    assert da.compile(damped).backend == "native"
    assert da.compile(damped, backend="torch").backend == "torch"
    with pytest.raises(ValueError, match="backend must be 'torch' or 'native', not 'cuda'"):
        da.compile(damped, backend="cuda")


def settling(target, rate=0.5):
    y, last = 0.0, target
    for _ in range(100):
        y = y + rate * (target - y) + 0.3 * last
        last = 0.9 * last
    return y


def counting_down(level, rate=0.7):
    rest = level
    while rest > 0.1:
        rest = rest * rate - 0.01 * level
    return rest


@pytest.mark.parametrize(("function", "x"), [(settling, 1.3), (counting_down, 5.0)])
def test_a_value_that_a_loop_starts_from_and_reads_has_the_gradient_of_both(function, x):
    wanted = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
    for net in both(function):
        xs = torch.full((3,), x, dtype=torch.float64, requires_grad=True)
        net(xs).sum().backward()
        assert xs.grad.tolist() == pytest.approx([wanted] * 3, rel=1e-8)


def test_answers_and_gradients_are_those_of_torch():
    nets = both(damped)
    found = []
    for net in nets:
        xs = XS.clone().requires_grad_()
        answer, rounds = net(xs)
        (answer * torch.arange(len(xs))).sum().backward()
        found.append((answer.tolist(), rounds.tolist(), xs.grad.tolist(), [weight.grad for weight in net.parameters()]))
    assert found[0][:3] == found[1][:3]
    for one, other in zip(found[0][3], found[1][3], strict=True):
        assert (one is None and not other) or torch.allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.id)
def test_heuristics_are_called_in_the_same_way_with_the_same_answers(case):
    nets = both(case.function, errors="nan", **case.compile_options())
    for row in case.rows(4):
        args, kwargs = case.arrange(*row)
        answers = [torch.utils._pytree.tree_leaves(net(*args, **kwargs)) for net in nets]
        for one, other in zip(*answers, strict=True):
            assert torch.equal(torch.as_tensor(one), torch.as_tensor(other)) or torch.allclose(
                torch.as_tensor(one), torch.as_tensor(other), rtol=1e-14, equal_nan=True)
    assert nets[0].failures == nets[1].failures


def test_failing_samples_raise_with_the_same_words():
    told = []
    for net in both(damped):
        with pytest.raises(HeuristicError) as caught:
            net(torch.tensor([1.0, -60.0, 2.0, -70.0], dtype=torch.float64))
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_failing_samples_become_nan_and_are_counted_and_have_no_gradient():
    for net in both(damped, errors="nan"):
        xs = torch.tensor([1.0, -60.0, 2.0], dtype=torch.float64, requires_grad=True)
        answer, _ = net(xs)
        assert answer.isnan().tolist() == [False, True, False]
        answer.nansum().backward()
        assert xs.grad.isfinite().all()
        assert xs.grad[1] == 0.0
        assert net.failures.total() == 1


def test_derivatives_of_derivatives_are_torchs():
    for net in both(damped):
        xs = XS[5:9].clone().requires_grad_()
        first, = torch.autograd.grad((net(xs)[0] ** 2).sum(), xs, create_graph=True)
        second, = torch.autograd.grad(first.sum(), xs)
        assert torch.allclose(second, 2.0 * (first.detach() / (2.0 * net(xs)[0].detach())) ** 2)


def test_transforms_run_on_torch():
    torch_net, native = both(lambda x, scale=2.0: math.sin(x) * scale)
    xs = XS[:5]
    slopes = [torch.func.grad(lambda x, net=net: net(x).sum())(xs) for net in (torch_net, native)]
    assert torch.equal(*slopes)


def test_weights_that_change_between_both_ways_are_noticed():
    net = da.compile(damped, backend="native")
    answer, _ = net(XS.clone().requires_grad_())
    with torch.no_grad():
        next(net.parameters()).add_(0.1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        answer.sum().backward()


def test_a_fit_gives_the_same_weights_and_report():
    xs = np.linspace(0.2, 3.0, 64)
    fits = [da.fit(net, xs, 1.3 * np.sin(xs), steps=40, seed=0, progress=False) for net in both(lambda x, scale=1.0: math.sin(x) * scale)]
    first, second = ([weight.item() for weight in found.network.parameters()] for found in fits)
    assert first == pytest.approx(second, rel=1e-9)


def test_networks_that_are_compared_in_a_fit_stay_native():
    assert heuristic_of(da.compile(damped, backend="native")).backend == "native"


def test_copies_and_threads_run_natively():
    net = copy.deepcopy(da.compile(damped, backend="native"))
    assert net.backend == "native"
    expected = net(XS)[0].tolist()
    found = [None] * 4

    def work(place):
        found[place] = [net(XS)[0].tolist() for _ in range(20)]

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[expected] * 20] * 4


def test_without_llvm_the_network_runs_on_torch_and_says_why():
    script = (
        "import sys; sys.modules['llvmlite'] = None; sys.modules['llvmlite.binding'] = None\n"
        "import deepalgo as da\n"
        "from tests.backends.native.test_native_network import damped, XS\n"
        "net = da.compile(damped, backend='native'); net(XS); print(net.backend)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "torch (LLVM is missing here: " in done.stdout, done.stderr
