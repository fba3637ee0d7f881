"""`torch.func` transforms networks with branches, and with loops of a known bound; what it cannot get right is refused."""

import math

import pytest
import torch
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

import deepalgo as da
from deepalgo.errors import HeuristicError, InputError


def drag(re):
    if re < 1.0:
        return 24.0 / re
    if re < 260.0:
        return 24.0 / re * (1.0 + 0.1935 * re**0.6305)
    return math.sqrt(re) + 10.0 ** (1.6435 - 1.1242 * math.log10(re) + 0.1558 * math.log10(re) ** 2)


def root(a):
    x = a
    for _ in range(5):
        if abs(x * x - a) < 1e-12:
            break
        x = 0.5 * (x + a / x)
    return x


def long_root(a):
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def saturating(x):
    return 1.0 / (1.0 + math.exp(-x)) + min(math.exp(2.0 * x), 5.0)


X = torch.tensor([0.3, 30.0, 400.0], dtype=torch.float64)
NETWORKS = {
    "branches": lambda **options: da.compile(drag, **options),
    "a bounded loop": lambda **options: da.compile(root, **options),
    "a settled loop": lambda **options: da.compile(long_root, loops="settle", max_rounds=13, **options),
}
EACH = pytest.mark.parametrize("net", [make(backend=backend) for make in NETWORKS.values() for backend in ("torch", "native")],
                               ids=[f"{name} on {backend}" for name in NETWORKS for backend in ("torch", "native")])


def slopes(net):
    """First and second derivatives by autograd, a sample at a time."""
    first = [torch.autograd.functional.jacobian(net, x) for x in X]
    second = [torch.autograd.functional.hessian(net, x) for x in X]
    return torch.stack(first), torch.stack(second)


def close(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-12)


@EACH
def test_each_transformation_has_the_derivatives_of_autograd(net):
    first, second = slopes(net)
    close(vmap(net)(X), net(X))
    for transformed in (grad, jacrev, jacfwd):
        close(vmap(transformed(net))(X), first)
    for transformed in (jacrev, jacfwd):
        close(transformed(net)(X), torch.diag(first))
    close(jvp(net, (X,), (torch.ones_like(X),))[1], first)
    close(vjp(net, X)[1](torch.ones_like(X))[0], first)
    for transformed in (hessian(net), jacrev(jacrev(net)), jacrev(jacfwd(net))):
        close(vmap(transformed)(X), second)


@EACH
def test_weights_are_transformed_as_inputs_are(net):
    weights = {name: value.detach() for name, value in net.named_parameters()}

    def answers(values):
        return functional_call(net, values, (X,))

    backwards, forwards = jacrev(answers)(weights), jacfwd(answers)(weights)
    leaves = [value.clone().requires_grad_() for value in weights.values()]
    plain = torch.autograd.functional.jacobian(lambda *values: answers(dict(zip(weights, values, strict=True))), tuple(leaves))
    for (name, back), wanted in zip(backwards.items(), plain, strict=True):
        close(back, wanted)
        close(forwards[name], wanted)


def test_gradients_of_single_samples_are_taken_at_once():
    net = da.compile(drag)
    weights = {name: value.detach() for name, value in net.named_parameters()}
    each = vmap(grad(lambda values, x: functional_call(net, values, (x,))), in_dims=(None, 0))(weights, X)
    for place, x in enumerate(X):
        net.zero_grad()
        net(x).backward()
        for name, value in net.named_parameters():
            close(each[name][place], value.grad if value.grad is not None else torch.zeros_like(value))


@pytest.mark.parametrize("x", [-800.0, 800.0])
def test_infinite_slopes_that_nobody_asks_for_are_zero(x):
    net, x = da.compile(saturating, errors="nan"), torch.tensor(x, dtype=torch.float64)
    if x < 0:  # exp(-x) overflows, and Python raises
        net = da.compile(lambda x: min(math.exp(min(-x, 700.0)), 5.0))
    for transformed in (grad, jacfwd):
        assert transformed(net)(x).item() == 0.0


def test_a_loop_without_a_bound_is_refused_with_the_way_out():
    net = da.compile(long_root)
    for transformed in (vmap(net), grad(lambda x: net(x).sum()), jacfwd(net)):
        with pytest.raises(InputError) as refusal:
            transformed(X)
        assert "has a loop that ends by data (test_torch_func.py:" in str(refusal.value).replace("tests/backends/torch/", "")
        assert "for torch.func, compile it with loops='settle', and with max_rounds=" in str(refusal.value)


def test_forward_over_forward_is_refused():
    net = da.compile(drag)
    with pytest.raises(InputError, match="take one of them by torch.func.jacrev or grad, as torch.func.hessian does"):
        jacfwd(jacfwd(net))(X[0])


def logarithm(x):
    return 2.0 * math.log(x)


BAD = torch.tensor([1.0, -1.0], dtype=torch.float64)


def test_samples_that_fail_raise_or_are_nan():
    net, quiet = da.compile(logarithm), da.compile(logarithm, errors="nan")
    for transformed in (vmap(net), vmap(grad(net)), jacfwd(net), jacrev(net)):
        with pytest.raises(HeuristicError, match="math domain error"):
            transformed(BAD)
    weights = {name: torch.stack([value.detach()] * 2) for name, value in net.named_parameters()}
    with pytest.raises(HeuristicError) as caught:
        vmap(lambda values: functional_call(net, values, (BAD,)))(weights)
    assert caught.value.samples == (1,)
    assert vmap(quiet)(BAD).isnan().tolist() == [False, True]
    assert vmap(grad(quiet))(BAD).tolist() == [2.0, 0.0]
