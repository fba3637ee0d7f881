"""Native networks stay usable whatever happens around them: interrupts, exceptions, forks, threads, transforms of torch, and no LLVM."""

import gc
import math
import os
import resource
import signal
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import deepalgo as da
from deepalgo.backends.native import Unsupported, build, engine
from deepalgo.backends.native.engine import engine_of
from deepalgo.ir import parse

XS = torch.linspace(-2.0, 3.0, 41, dtype=torch.float64)


def curve(x, scale=2.0, rate=0.5):
    y = math.sin(x) * scale
    while y > 0.2:
        y = y * rate - 0.01
    return y if y > 0.0 else y * y * 0.3


def wave(x, scale=2.0):
    y = math.sin(x) * scale
    return y if y > 0.5 else y * y * 0.3


def turning(x, most, angle=0.3):
    rounds = 0
    while rounds < most:
        x = x * 0.9999 + math.sin(angle)
        rounds += 1
    return x


def answers(net):
    """Results and gradients, as bits."""
    xs = XS.clone().requires_grad_()
    net.zero_grad()
    found = net(xs)
    found.sum().backward()
    grads = [weight.grad for weight in net.parameters() if weight.grad is not None]
    return [item.detach().numpy().tobytes() for item in (found, xs.grad, *grads)]


@pytest.fixture(scope="module")
def long_net():
    net = da.compile(turning, backend="native", max_rounds=30_000_000)
    assert net(torch.tensor([0.5], dtype=torch.float64), 10.0).shape == (1,)
    return net


def test_an_interrupt_during_a_long_call_raises_and_leaves_the_network_usable(long_net):
    def interrupt(*_):
        raise KeyboardInterrupt

    xs = torch.linspace(0.0, 1.0, 9, dtype=torch.float64)
    expected = long_net(xs, 2000.0)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt):
            long_net(xs, 2e7)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert torch.equal(long_net(xs, 2000.0), expected)


@pytest.mark.parametrize("broken", [KeyboardInterrupt, MemoryError])
def test_what_happens_while_code_is_compiled_leaves_the_network_usable(broken, monkeypatch):
    net = da.compile(curve, backend="native")
    with monkeypatch.context() as patch:
        patch.setattr(engine, "Kernel", lambda *args: (_ for _ in ()).throw(broken))
        with pytest.raises(broken):
            net(XS)
    assert net.backend == "native"
    assert answers(net) == answers(da.compile(curve, backend="native"))


def test_python_runs_while_native_code_does(long_net):
    xs, done, turns = torch.linspace(0.0, 1.0, 17, dtype=torch.float64), [], 0

    def work():
        done.append(long_net(xs, 2e7))

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert len(done) == 1
    assert turns > 5


def test_two_threads_call_one_network_with_gradients_while_it_is_compiled():
    expected = answers(da.compile(curve, backend="native"))
    net, found, barrier = da.compile(curve, backend="native"), [], threading.Barrier(2)

    def work():
        barrier.wait()
        for _ in range(10):
            xs = XS.clone().requires_grad_()
            result = net(xs)
            weights = torch.autograd.grad(result.sum(), [xs, *net.parameters()])
            found.append([item.detach().numpy().tobytes() for item in (result, *weights)])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of a benchmark's JAX, which no test needs
@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_process_goes_on_with_what_was_compiled(threads):
    net, before = da.compile(curve, backend="native"), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        expected = answers(net)
        many = torch.linspace(-2.0, 3.0, 5000, dtype=torch.float64)
        with torch.no_grad():
            net(many)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of other tests
            child = os.fork()
        if child == 0:
            try:
                same = answers(net) == expected and net.with_errors("nan")(many).shape == (5000,)
                os._exit(0 if same else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert answers(net) == expected
    finally:
        torch.set_num_threads(before)


def test_summed_gradients_of_weights_have_the_same_bits_for_any_number_of_threads():
    net, before, found = da.compile(curve, backend="native"), torch.get_num_threads(), []
    xs = torch.linspace(-2.0, 3.0, 9001, dtype=torch.float64)
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            grads = torch.autograd.grad(net(xs).sum(), list(net.parameters()))
            found.append([grad.numpy().tobytes() for grad in grads])
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


TEXT = """
f{}(x: real)
  weight w = {}
  %w = weight w
  %z = mul %x %w
  %y = sin %z
  return %y
"""


@pytest.mark.slow
def test_code_goes_with_the_last_network_and_memory_does_not_grow():
    inputs, row = [np.linspace(0.0, 1.0, 9)], np.array([1.5])
    machines, sizes = [], []
    for number in range(200):
        program = parse(TEXT.format(number, number + 0.5))
        made = engine_of(program)
        made.forward(inputs, row)
        machines.append(weakref.ref(made._kernel("forward").machine))
        del made, program
        if number in (100, 199):
            gc.collect()
            sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert [machine() for machine in machines] == [None] * 200
    scale = 1 if sys.platform == "darwin" else 1024
    assert (sizes[1] - sizes[0]) * scale < 8 << 20


def test_two_networks_share_the_code_of_a_program_and_the_last_takes_it_along():
    net = da.compile(curve, backend="native")
    twin = net.with_errors("nan")
    answers(net)
    code = weakref.ref(engine_of(net.program, net.max_rounds, "vector", True)._kernel("back").machine)
    del net
    gc.collect()
    assert code() is not None
    answers(twin)
    del twin
    gc.collect()
    assert code() is None


def test_a_compilation_that_fails_leaves_the_network_to_torch_with_the_reason(monkeypatch):
    monkeypatch.setattr(build, "_parsed", lambda llvm, text: (_ for _ in ()).throw(Unsupported("LLVM does not read the code: today")))
    net = da.compile(curve, backend="native")
    assert net.backend == "torch (LLVM does not read the code: today)"
    assert answers(net) == answers(da.compile(curve, backend="torch"))
    assert net.verify(XS[:5]).computed == "torch (LLVM does not read the code: today)"


def moved(net):
    return {key: weight.detach() * 1.5 for key, weight in net.named_parameters()}


def functional(net):
    return lambda given: torch.func.functional_call(net, given, (XS,))


def double_backward(net):
    xs = XS.clone().requires_grad_()
    grads = torch.autograd.grad(net(xs).sum(), [xs, net.weights["scale"]], create_graph=True)
    return torch.autograd.grad(sum((grad**2).sum() for grad in grads), xs)[0]


def compiled(net):
    xs = XS.clone().requires_grad_()
    result = torch.compile(net, backend="aot_eager")(xs)
    result.sum().backward()
    return torch.stack([result.detach(), xs.grad])


TRANSFORMS = {
    "grad": lambda net: torch.func.grad(lambda xs: net(xs).sum())(XS),
    "jacrev": lambda net: torch.func.jacrev(net)(XS),
    "functional_call": lambda net: functional(net)(moved(net)),
    "grad of functional_call": lambda net: torch.func.grad(lambda given: functional(net)(given).sum())(moved(net)),
    "jacrev of functional_call": lambda net: torch.func.jacrev(functional(net))(moved(net)),
    "double backward": double_backward,
    "hessian": lambda net: torch.autograd.functional.hessian(lambda xs: net(xs).sum(), XS),
    "make_fx": lambda net: make_fx(net)(XS)(XS + 1e-9).detach(),
    "torch.compile": compiled,
    "torch.export": lambda net: torch.export.export(net, (XS,)).module()(XS.flip(0)).detach(),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_transforms_of_torch_get_what_a_torch_network_gives_them(transform):
    one, other = (transform(da.compile(wave, backend=backend)) for backend in ("torch", "native"))
    pairs = [*zip(*(torch.utils._pytree.tree_leaves(found) for found in (one, other)), strict=True)]
    for first, second in pairs:
        torch.testing.assert_close(first, second, rtol=1e-12, atol=1e-14)
    assert any(first.count_nonzero() > 10 or (first != 0).all() for first, _ in pairs)


@pytest.mark.parametrize("transform", [
    lambda net: torch.func.vmap(torch.func.grad(net))(XS),
    lambda net: torch.func.jvp(net, (XS,), (torch.ones_like(XS),))[1],
    lambda net: torch.autograd.grad(net(XS), net.weights["scale"], torch.eye(len(XS)).double(), is_grads_batched=True),
], ids=["vmap of grad", "jvp", "batched gradients"])
def test_transforms_that_torch_cannot_do_are_no_silent_zero(transform):
    found = []
    for backend in ("torch", "native"):
        try:
            found.append(torch.utils._pytree.tree_leaves(transform(da.compile(wave, backend=backend))))
        except (RuntimeError, NotImplementedError) as error:
            found.append(error)
    if isinstance(found[0], Exception):
        assert isinstance(found[1], Exception)
    else:
        for first, second in zip(*found, strict=True):
            torch.testing.assert_close(first, second, rtol=1e-12, atol=1e-14)


def test_weights_that_change_between_both_ways_raise():
    net = da.compile(curve, backend="native")
    result = net(XS)
    with torch.no_grad():
        net.weights["scale"].mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_infinite_samples_are_added_up_without_a_warning():
    net = da.compile(lambda x, slope=2.0: x * slope, backend="native")
    xs = torch.cat([torch.full((5000,), each, dtype=torch.float64) for each in (math.inf, -math.inf, 1.0)]).requires_grad_()
    net(xs).sum().backward()
    assert xs.grad.tolist() == [2.0] * 15_000
    assert math.isnan(net.weights["slope"].grad.item())
