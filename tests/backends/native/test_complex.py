"""Complex numbers natively: Python's own bits for arithmetic and `cmath`, and torch's gradients."""

import cmath
import itertools
import math
import operator

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.native import compile_kernel
from deepalgo.ir import parse
from deepalgo.lower.complex_functions import FUNCTIONS
from deepalgo.lower.prune import prune
from deepalgo.lower.split_complex import split_complex

EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, math.inf, -math.inf, math.nan, 5e-324, -1e-310, 1e308, -1.7e308, 709.5, 711.0, -745.0, 1e160,
    1e-160, 0.71, 1.73, math.pi / 2,
]
ARITHMETIC = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}


def points(count, seed):
    """Complex numbers of all sizes, with all pairs of extreme parts."""
    rng = np.random.default_rng(seed)
    rows = [rng.standard_normal((2, count)), rng.standard_normal((2, count)) * 10.0 ** rng.integers(-20, 20, (2, count)),
            rng.uniform(-720.0, 720.0, (2, count)), np.array([*itertools.product(EDGES, EDGES)]).T]
    return np.concatenate(rows, axis=1)


def natively(operation, *parts):
    """The parts of an operation's result."""
    names = [f"x{place}" for place in range(len(parts))]
    made = "".join(f"  %z{place} = complex %x{2 * place} %x{2 * place + 1}\n" for place in range(len(parts) // 2))
    values = " ".join(f"%z{place}" for place in range(len(parts) // 2))
    text = f"f({', '.join(f'{name}: real' for name in names)})\n{made}  %w = {operation} {values}\n"
    program = parse(f"{text}  %re = real %w\n  %im = imag %w\n  return %re, %im\n")
    return compile_kernel(prune(split_complex(program))).run(list(parts), np.zeros(0)).results


def assert_same_bits(found, function, *operands):
    """Equal where Python does not raise, NaN and the sign of zero included."""
    for real, imag, *row in zip(*found, *operands, strict=True):
        try:
            expected = function(*row)
        except (ValueError, OverflowError, ZeroDivisionError):
            continue
        for one, other in ((real, expected.real), (imag, expected.imag)):
            same = one == other and math.copysign(1.0, one) == math.copysign(1.0, other)
            assert same or (math.isnan(one) and math.isnan(other)), (row, expected)


def numbers(parts):
    return [complex(x, y) for x, y in parts.T.tolist()]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_have_the_bits_of_cmath(name):
    parts = points(1000, seed=1)
    assert_same_bits(natively(name, *parts), getattr(cmath, name), numbers(parts))


@pytest.mark.parametrize("name", sorted(ARITHMETIC))
def test_arithmetic_has_the_bits_of_python(name):
    first = points(1500, seed=2)
    second = first[:, np.random.default_rng(3).permutation(first.shape[1])]
    assert_same_bits(natively(name, *first, *second), ARITHMETIC[name], numbers(first), numbers(second))


def journey(z, x, k=1.5):
    w = z * k + 1j
    if abs(w) > 2.0:
        w = cmath.sqrt(w) + cmath.exp(1j * x)
    for _ in range(3):
        w = w * w / (w + 2.0) + z.conjugate()
    return w, w.real * w.imag + cmath.log(w).real + cmath.phase(w) + abs(w)


def test_a_network_of_complex_inputs_and_results_runs_natively_with_the_gradients_of_torch():
    rng = np.random.default_rng(0)
    zs, xs = torch.tensor(rng.standard_normal(50) + 1j * rng.standard_normal(50)), torch.tensor(rng.standard_normal(50))
    found = {}
    for backend in ("torch", "native"):
        net = da.compile(journey, example=((1 + 1j, 0.5), {}), backend=backend)
        assert net.backend == backend
        z, x = zs.clone().requires_grad_(), xs.clone().requires_grad_()
        w, y = net(z, x)
        (w.real.sum() + 2.0 * w.imag.sum() + y.sum()).backward()
        found[backend] = w.detach(), y.detach(), z.grad, x.grad, net.weights["k"].grad
    for ours, theirs in zip(found["native"][2:], found["torch"][2:], strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)
    for w, y, z, x in zip(*found["native"][:2], zs.tolist(), xs.tolist(), strict=True):
        assert (complex(w), float(y)) == journey(z, x)


def arrays(z):
    table = np.array([z, z * 2.0, 1j])
    turned = table[::-1] * np.exp(table)
    return (np.sum(turned) / table[0]).real + np.abs(turned[1])


def test_arrays_of_complex_numbers_run_natively():
    zs = np.random.default_rng(1).uniform(0.5, 2.0, (40, 2)) @ np.array([1.0, 1j])
    net = da.compile(arrays, example=((1 + 1j,), {}), backend="native")
    assert net.backend == "native"
    np.testing.assert_allclose(net(torch.tensor(zs)).detach().numpy(), [arrays(z) for z in zs.tolist()], rtol=1e-14)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 8, 12, 30])
@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_fourier_transforms_are_those_of_numpy_and_have_the_gradients_of_torch(name, size):
    def spectrum(x):
        return getattr(np.fft, name)(x, axis=0)

    def power(x):
        return np.abs(spectrum(x) * 1.5) ** 2

    rng = np.random.default_rng(size)
    xs = torch.tensor(rng.normal(size=(9, size, 2)), requires_grad=True)
    given = da.compile(spectrum, example=((xs[0].detach().numpy(),), {}), backend="native")
    assert given.backend == "native"
    expected = np.stack([spectrum(x) for x in xs.detach().numpy()])
    np.testing.assert_allclose(given(xs).detach().numpy(), expected, rtol=0.0, atol=2e-15 * np.abs(expected).max())
    found = []
    for backend in ("native", "torch"):
        net = da.compile(power, example=((xs[0].detach().numpy(),), {}), backend=backend)
        assert net.backend == backend
        found.append(torch.autograd.grad((net(xs) * torch.arange(1.0, size + 1.0)[:, None]).sum(), xs)[0])
    torch.testing.assert_close(found[0], found[1], rtol=1e-12, atol=1e-13 * float(found[1].abs().max()))
