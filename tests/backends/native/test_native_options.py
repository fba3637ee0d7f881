"""Settled loops, softened guards, transformations, attempts and complex numbers run natively, with the answers that torch gives."""

import cmath
import math

import numpy as np
import pytest
import torch

import deepalgo as da


def tariff(use):
    if use > 100.0:
        return 0.2 * use + 5.0
    return 0.3 * use if use > 40.0 else 0.5 * use


def settling(x, rate=0.7):
    rounds = 0
    while x > 0.1:
        x = x * rate
        rounds += 1
    return x + rounds


def attempts(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        y = -x * 0.5
    total = 0.0
    for number in range(3):
        try:
            total += math.log(y - number)
            total += 1.0 / (total - 0.5)
        except ValueError:
            total -= 1.0
            break
        finally:
            total += 0.25
    return total


def rotated(x, y):
    z = complex(x, y)
    w = z * z + cmath.exp(z) / (1.0 + abs(z))
    return w, abs(z**2.5) + cmath.sqrt(w).imag + cmath.phase(z)


def newton(a, x=1.0, w=0.5):
    rounds = 0
    while abs(x * x - a) > 1e-6 and rounds < 30:
        step = (x * x - a) / (2.0 * x)
        x = x - step * w
        rounds += 1
    return x


def residual(x, a):
    return abs(x * x - a)


def annealed(net):
    da.anneal(net, 0.2)
    return net


FEW = {"loops": "settle", "max_rounds": 12}
USES = torch.linspace(0.3, 180.0, 61, dtype=torch.float64)

MADE = {
    "settle": (lambda backend: da.compile(settling, backend=backend, loops="settle"), [USES / 6.0]),
    "settle, too few rounds": (lambda backend: da.compile(settling, backend=backend, errors="nan", **FEW), [USES / 6.0]),
    "soften": (lambda backend: da.soften(da.compile(tariff, backend=backend), USES), [USES]),
    "soften, blended": (lambda backend: da.soften(da.compile(tariff, backend=backend), USES, softness=0.5), [USES]),
    "anneal": (lambda backend: annealed(da.soften(da.compile(tariff, backend=backend), USES, softness=1.0)), [USES]),
    "guard": (lambda backend: da.guard(da.correct(da.compile(newton, backend=backend), "step"), by=residual), [USES / 6.0]),
    "choose": (lambda backend: da.choose(da.compile(newton, backend=backend), "x", steps=(0.5, 1.0, 1.5), by=residual), [USES / 6.0]),
    "remember": (lambda backend: da.remember(da.compile(newton, backend=backend), "x", signal="x"), [USES / 6.0]),
    "untie": (lambda backend: da.untie(da.compile(newton, backend=backend), "x"), [USES / 6.0]),
    "widen": (lambda backend: da.widen(da.compile(newton, backend=backend), "step", da.Kronecker(2)), [USES / 6.0]),
    "attempts": (lambda backend: da.compile(attempts, backend=backend), [USES / 6.0 - 2.0]),
    "complex": (lambda backend: da.compile(rotated, backend=backend), [USES / 60.0 - 1.0, torch.cos(USES)]),
}


def shaken(net):
    """With weights that are a little beside those of the function."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in net.parameters():
            weight.add_(0.01 * torch.randn(weight.shape, generator=generator, dtype=weight.dtype))
    return net


def run(net, inputs):
    """Results, and gradients by inputs and weights."""
    tensors = [tensor.clone().requires_grad_() for tensor in inputs]
    results = torch.utils._pytree.tree_leaves(net(*tensors))
    inexact = [torch.view_as_real(item) if item.is_complex() else item for item in results if item.is_complex() or item.is_floating_point()]
    total = sum((item * torch.linspace(0.5, 1.5, item.numel()).reshape(item.shape)).nansum() for item in inexact)
    grads = torch.autograd.grad(total, [*tensors, *net.parameters()], allow_unused=True, materialize_grads=True)
    return [item.detach() for item in inexact], grads


@pytest.mark.filterwarnings("ignore:the candidates for")
@pytest.mark.parametrize(("make", "inputs"), MADE.values(), ids=MADE)
def test_options_and_transformations_run_natively_with_the_answers_and_gradients_of_torch(make, inputs):
    torch_net, native = (shaken(make(backend)) for backend in ("torch", "native"))
    assert (torch_net.backend, native.backend) == ("torch", "native")
    (expected, slopes), (found, ours) = run(torch_net, inputs), run(native, inputs)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-13)
    for one, other in zip(slopes, ours, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-11 * max(1.0, float(one.abs().max())))
    assert torch_net.failures == native.failures
    assert any(bool(item.any()) for item in slopes)
