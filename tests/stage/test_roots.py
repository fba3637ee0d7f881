"""SciPy's searches for a root: the same answers and errors, and the derivative of the equation instead of that of the steps."""

import math

import numpy as np
import pytest
import torch
from scipy import optimize

import deepalgo as da


def by_halves(x, k=3.0):
    return optimize.bisect(lambda t: t**3 - x * k, 0.0, 10.0)


def by_brent(x, k=3.0):
    return optimize.brentq(lambda t, q: t**3 - q * k + math.sin(t), -1.0, 10.0, args=(x,))


def friction(reynolds, rough=1e-3):
    """Colebrook's equation."""

    def residual(f):
        return 1 / math.sqrt(f) + 2 * math.log10(rough / 3.7 + 2.51 / (reynolds * math.sqrt(f)))

    return optimize.brentq(residual, 1e-4, 1.0)


def steep(x, k=3.0):
    """A curve on which inverse interpolation fails now and then."""
    return optimize.brentq(lambda t: math.tanh(20 * (t - x / 10)) + (t - x / 10) ** 3 / k, -5.0, 5.0)


def coarse(x, k=3.0):
    return optimize.bisect(lambda t: np.exp(t) - x * k, -3, 5, xtol=1e-3, rtol=1e-6)


FUNCTIONS = {
    by_halves: lambda x: x ** (1 / 3) * 3 ** (1 / 3),
    by_brent: None,
    steep: lambda x: x / 10,
    coarse: lambda x: math.log(3 * x),
}
XS = np.linspace(0.15, 7.0, 60)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda item: item.__name__)
def test_roots_are_those_of_scipy(function):
    network = da.compile(function, example=((1.0,), {}))
    assert network(torch.tensor(XS)).tolist() == pytest.approx([function(x) for x in XS], rel=4e-16, abs=1e-300)


def test_roots_of_a_curve_with_poles_are_those_of_scipy():
    network = da.compile(friction, example=((1e4,), {}))
    for reynolds in (3e3, 1e5, 4.4e6):
        assert network(reynolds).item() == pytest.approx(friction(reynolds), rel=4e-16)


@pytest.mark.parametrize("function", [item for item, exact in FUNCTIONS.items() if exact], ids=lambda item: item.__name__)
def test_the_derivative_is_that_of_the_equation(function):
    network = da.compile(function, example=((1.0,), {}))
    x = torch.tensor(XS, requires_grad=True)
    (found,) = torch.autograd.grad(network(x).sum(), x)
    exact = FUNCTIONS[function]
    expected = [(exact(x + 1e-5) - exact(x - 1e-5)) / 2e-5 for x in XS]
    assert found.tolist() == pytest.approx(expected, rel=2e-3 if function is coarse else 1e-7)


def test_weights_have_the_derivative_of_the_equation():
    network = da.compile(by_halves, example=((1.0,), {}))
    network(2.0).sum().backward()
    assert network.weights["k"].grad.item() == pytest.approx(6 ** (1 / 3) / 9, rel=1e-7)


@pytest.mark.parametrize("search", ["bisect", "brentq"])
def test_errors_are_those_of_scipy(search):
    method = getattr(optimize, search)

    def find(x):
        return method(lambda t: t**3 - x if t < 50 else math.nan, 0.0, 2.0 if x < 100 else 60.0, maxiter=4 if 1 < x < 2 else 90)

    network = da.compile(find, example=((1.0,), {}))
    for x in (9.0, 1.5, 101.0):
        with pytest.raises((ValueError, RuntimeError)) as expected:
            find(x)
        with pytest.raises(da.HeuristicError) as raised:
            network(x)
        assert f"the heuristic raises {type(expected.value).__name__}: {expected.value}" in str(raised.value)


def test_ends_of_the_interval_that_are_roots_are_found():
    def ends(x):
        return optimize.brentq(lambda t: t - x, 0.0, 1.0) + optimize.bisect(lambda t: t - x, 0.0, 1.0)

    network = da.compile(ends, example=((0.5,), {}))
    assert network(torch.tensor([0.0, 1.0, 0.25], dtype=torch.float64)).tolist() == [0.0, 2.0, 0.5]


def test_the_source_finds_the_same_roots():
    names = {}
    exec(da.source(da.compile(by_brent, example=((1.0,), {}))), names)
    assert [names["by_brent"](x) for x in XS[:8]] == [by_brent(x) for x in XS[:8]]


def test_verify_compares_answers_and_not_slopes_of_steps():
    certificate = da.compile(coarse, example=((1.0,), {})).verify(XS[:8])
    assert certificate.compared == 8
    assert certificate.gradients is None


def test_a_function_that_counts_its_calls_is_refused():
    def counted(x):
        calls = []

        def f(t):
            calls.append(t)
            return t - x

        return optimize.bisect(f, 0.0, 1.0) + len(calls)

    with pytest.raises(da.CompileError):
        da.compile(counted, example=((0.5,), {}))


def test_more_than_the_root_is_refused_by_name():
    def found(x):
        return optimize.brentq(lambda t: t - x, 0.0, 1.0, full_output=True)[0]

    with pytest.raises(da.CompileError) as refused:
        da.compile(found, example=((0.5,), {}))
    assert refused.value.reason == "`scipy.optimize._zeros_py.brentq` has no rule for this way of calling it"


@pytest.mark.parametrize("search", ["minimize_scalar", "minimize", "fminbound", "brent", "golden", "fmin"])
def test_minima_are_refused_at_the_users_line(search):
    method = getattr(optimize, search)

    def least(x):
        return method(lambda t: (t - x) ** 2, 0.0, 1.0)

    with pytest.raises(da.CompileError) as refused:
        da.compile(least, example=((0.5,), {}))
    assert refused.value.reason == (
        f"`scipy.optimize.{search}` compares values that differ in their last digits only: half of the digits of its answer are chance"
    )
    assert refused.value.span.file.endswith("test_roots.py")
