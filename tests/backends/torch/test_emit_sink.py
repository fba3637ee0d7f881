"""What a choice drops leaves no trace in a gradient, wherever it was computed."""

import pytest
import torch

from deepalgo.ir import Kind, Type
from deepalgo.network import Network
from tests.backends.torch.test_emit_control import check_program, networks
from tests.support.build import Builder

XS = [-2.0, 0.0, 0.4, 1.0, 3.0]


def dropped_logarithm(b, x, w):
    y = b.op("mul", b.op("log", x), w)
    return b.op("select", b.op("gt", x, 0.2), y, b.op("mul", x, 0.5))


def test_a_choice_between_values():
    b = Builder()
    check_program(b.program(dropped_logarithm(b, b.input("x"), b.weight("w", 1.5))), XS)


def test_a_value_that_only_one_arm_uses():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 1.5)
    y = b.op("div", w, b.op("sqrt", x))
    z, = b.when(b.op("gt", x, 0.2), lambda: b.op("mul", y, y), lambda: x)
    check_program(b.program(z), XS)


def test_a_value_that_two_choices_drop():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 1.5)
    y = b.op("div", w, x)
    first = b.op("select", b.op("gt", x, 0.2), b.op("mul", y, 2.0), 0.0)
    second = b.op("select", b.op("gt", x, 0.7), b.op("mul", y, 3.0), 1.0)
    check_program(b.program(b.op("add", first, second)), XS)


def test_a_value_that_nested_arms_drop():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 1.5)
    y = b.op("log", x)
    inner = lambda: b.when(b.op("gt", x, 0.7), lambda: b.op("mul", y, w), lambda: b.op("mul", w, x))
    z, = b.when(b.op("gt", x, -1.0), inner, lambda: b.op("neg", x))
    check_program(b.program(z), XS)


def test_a_value_computed_outside_of_a_loop():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 1.5)
    y = b.op("log", x)
    total, = b.loop(3, [x], lambda i, t: b.when(b.op("gt", x, 0.2), lambda: b.op("add", t, b.op("mul", y, w)), lambda: b.op("mul", t, w)))
    check_program(b.program(total), XS)


def test_a_value_that_both_arms_use_is_computed_once():
    b = Builder()
    x, w = b.input("x"), b.weight("w", 1.5)
    y = b.op("exp", x)
    z, = b.when(b.op("gt", x, 0.2), lambda: b.op("mul", y, w), lambda: b.op("add", y, w))
    net = Network(b.program(z))
    assert net.code.count("exp") == 1
    check_program(net.program, XS)


def test_an_operation_that_raises_stays_where_it_is():
    b = Builder()
    x = b.input("x")
    b.check(b.op("gt", x, 0.0), line=7)
    y = b.op("log", x, line=7)
    z, = b.when(b.op("gt", x, 1.5), lambda: b.op("mul", y, 2.0), lambda: x)
    assert "ops.log(x)" in Network(b.program(z)).code


@pytest.mark.parametrize("way", range(4))
def test_a_choice_by_element(way):
    b = Builder()
    v, w = b.input("v", Type(Kind.REAL, (3,))), b.weight("w", 1.5)
    y = b.op("mul", b.op("log", v), b.op("div", w, b.op("sum", v, axis=None)))
    net = networks(b.program(b.op("select", b.op("gt", v, 0.2), y, 0.25)))[way]
    x = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.5, -1.0], [0.1, 0.2, 4.0]], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    safe = torch.where(x > 0.2, x, 1.0)
    expected = torch.where(x > 0.2, torch.log(safe) * weight / x.sum(1, keepdim=True), 0.25)
    by_hand = torch.autograd.grad(expected.sum(), (x, weight))
    net(x).sum().backward()
    assert torch.allclose(x.grad, by_hand[0], rtol=1e-14)
    assert torch.allclose(net.weights["w"].grad, by_hand[1], rtol=1e-14)
