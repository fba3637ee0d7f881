"""Derivatives equal central differences inside of a domain, and are finite at its end."""

import math

import pytest
import torch

from deepalgo.backends.expression import fill, literal
from deepalgo.ir import Kind, Type
from deepalgo.ops.table import TABLE
from tests.ops.test_ops_values import network

inf = math.inf
EVERYWHERE = [-2.3, -0.7, 0.4, 1.7]
POINTS = {
    "sqrt": [0.3, 4.0], "cbrt": EVERYWHERE, "exp": EVERYWHERE, "exp2": EVERYWHERE, "expm1": EVERYWHERE, "log": [0.3, 4.0],
    "log2": [0.3, 4.0], "log10": [0.3, 4.0], "log1p": [-0.5, 2.0], "sin": EVERYWHERE, "cos": EVERYWHERE, "tan": EVERYWHERE,
    "asin": [-0.9, 0.2], "acos": [-0.9, 0.2], "atan": EVERYWHERE, "sinh": EVERYWHERE, "cosh": EVERYWHERE, "tanh": EVERYWHERE,
    "asinh": EVERYWHERE, "acosh": [1.1, 3.0], "atanh": [-0.9, 0.2], "erf": EVERYWHERE, "erfc": EVERYWHERE, "gamma": [-1.5, 0.3, 2.5, 4.0],
    "lgamma": [0.3, 2.5, -1.5], "degrees": EVERYWHERE, "radians": EVERYWHERE, "floor": EVERYWHERE, "ceil": EVERYWHERE,
    "trunc": EVERYWHERE, "rint": EVERYWHERE, "sign": EVERYWHERE, "neg": EVERYWHERE, "abs": EVERYWHERE,
}
PAIRS = {
    name: [(-2.3, 0.7), (1.9, -0.6), (0.4, 1.7), (5.1, 3.0)]
    for name in ("add", "sub", "mul", "div", "floordiv", "mod", "fmod", "remainder", "copysign", "hypot", "atan2", "min", "max",
                 "minimum", "maximum", "fmin", "fmax")
} | {"pow": [(0.4, 1.7), (2.0, -0.5), (5.1, 3.0), (0.3, 0.5)]}


def gradient(name, *args, **attrs):
    leaves = [torch.tensor([float(arg)], dtype=torch.float64, requires_grad=True) for arg in args]
    result = network(name, *[Type(Kind.REAL)] * len(args), **attrs)(*leaves)
    result.sum().backward()
    return [leaf.grad.item() for leaf in leaves]


def difference(name, args, place, step=1e-6):
    def value(shift):
        moved = [arg + shift if number == place else arg for number, arg in enumerate(args)]
        return eval(fill(TABLE[name].python, [literal(arg) for arg in moved]).text, {"math": math})
    return (value(step) - value(-step)) / (2 * step)


@pytest.mark.parametrize("name", POINTS)
def test_derivative_of_one_operand_is_the_central_difference(name):
    for x in POINTS[name]:
        assert gradient(name, x) == [pytest.approx(difference(name, (x,), 0), rel=1e-6, abs=1e-7)]


@pytest.mark.parametrize("name", PAIRS)
def test_derivatives_of_two_operands_are_central_differences(name):
    for pair in PAIRS[name]:
        expected = [difference(name, pair, place) for place in (0, 1)]
        assert gradient(name, *pair) == [pytest.approx(value, rel=1e-6, abs=1e-7) for value in expected]


@pytest.mark.parametrize(("name", "args"), [
    ("sqrt", (0.0,)), ("cbrt", (0.0,)), ("asin", (1.0,)), ("asin", (-1.0,)), ("acos", (1.0,)), ("acos", (-1.0,)), ("acosh", (1.0,)),
    ("log", (0.0,)), ("log2", (0.0,)), ("log10", (0.0,)), ("log1p", (-1.0,)), ("atanh", (1.0,)), ("lgamma", (0.0,)), ("lgamma", (-2.0,)),
    ("hypot", (0.0, 0.0)), ("atan2", (0.0, 0.0)), ("pow", (0.0, 0.5)), ("pow", (0.0, 0.0)), ("pow", (0.0, -1.0)),
])
def test_infinite_derivatives_count_as_zero(name, args):
    assert gradient(name, *args) == [0.0] * len(args)


@pytest.mark.parametrize("exponent", [0.5, -1.0, -0.5, 1 / 3])
def test_a_fixed_exponent_has_a_finite_derivative_at_zero(exponent):
    b_gradient = _static_power(0.0, exponent)
    assert b_gradient == 0.0


@pytest.mark.parametrize(
    ("base", "exponent", "expected"), [(-2.0, 3, 12.0), (-2.0, 2.0, -4.0), (0.0, 1.0, 1.0), (0.0, 2, 0.0), (-2.0, -1, -0.25)]
)
def test_a_fixed_exponent_takes_negative_bases(base, exponent, expected):
    assert _static_power(base, exponent) == pytest.approx(expected, rel=1e-14)


def _static_power(base, exponent):
    from deepalgo.network import Network
    from tests.support.build import Builder

    b = Builder()
    net = Network(b.program(b.op("pow", b.input("x"), exponent)))
    x = torch.tensor([base], dtype=torch.float64, requires_grad=True)
    net(x).sum().backward()
    return x.grad.item()


def test_a_negative_base_with_a_whole_exponent_has_a_derivative_by_the_base_only():
    assert gradient("pow", -2.0, 3.0) == [pytest.approx(12.0), 0.0]
    assert gradient("pow", 0.0, 1.0) == [pytest.approx(1.0), 0.0]
    assert gradient("pow", 0.0, 2.0) == [0.0, 0.0]


@pytest.mark.parametrize("name", ["sqrt", "cbrt", "log", "asin", "acosh", "atanh", "log1p", "gamma"])
def test_second_derivatives_exist_and_stay_finite_at_the_endpoint(name):
    inside = POINTS[name][-1]
    end = {"asin": 1.0, "acosh": 1.0, "atanh": 1.0, "log1p": -1.0, "gamma": 2.0}.get(name, 0.0)
    x = torch.tensor([inside, end], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(network(name, Type(Kind.REAL))(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    expected = (gradient(name, inside + 1e-6)[0] - gradient(name, inside - 1e-6)[0]) / 2e-6
    assert second[0].item() == pytest.approx(expected, rel=1e-5)
    assert torch.isfinite(second).all()


@pytest.mark.parametrize("name", ["hypot", "atan2", "pow"])
def test_second_derivatives_of_two_operands(name):
    args = [torch.tensor([1.3], dtype=torch.float64, requires_grad=True), torch.tensor([0.7], dtype=torch.float64, requires_grad=True)]
    assert torch.autograd.gradgradcheck(network(name, Type(Kind.REAL), Type(Kind.REAL)), args)


def test_the_angle_of_a_tiny_or_huge_point_has_its_true_derivative():
    assert gradient("atan2", 1e-200, 1e-200) == [pytest.approx(5e199), pytest.approx(-5e199)]
    assert gradient("atan2", 1e200, 1e200) == [pytest.approx(5e-201), pytest.approx(-5e-201)]


def test_rounding_has_no_derivative():
    assert gradient("round_digits", 1.234, digits=1) == [0.0]


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.endpoint])
def test_endpoints_are_where_the_derivative_is_set_to_zero(name):
    """The predicate that a record counts is true exactly where the emitted form replaces an infinite derivative."""
    from deepalgo.ops import forms

    count = 2 if "{1}" in TABLE[name].endpoint else 1
    text = TABLE[name].endpoint.replace("{0}", "x").replace("{1}", "y")
    def at(x, y):
        x, y = torch.tensor([x], dtype=torch.float64), torch.tensor([y], dtype=torch.float64)
        return eval(text, {"torch": torch, "ops": forms, "x": x, "y": y}).item()
    end = {"asin": 1.0, "acos": -1.0, "acosh": 1.0, "atanh": 1.0, "log1p": -1.0, "erfinv": 1.0, "ellipk": 1.0, "ellipe": 1.0}.get(name, 0.0)
    assert at(end, 0.5 if name == "pow" else 0.0)
    assert gradient(name, *[end, 0.5 if name == "pow" else 0.0][:count])[0] == 0.0
    assert not at(0.3 if name != "acosh" else 1.5, 0.2)
