import pytest
import torch

from deepalgo.network import Network
from tests.build import Builder

torch.set_num_threads(1)


def damped_newton():
    b = Builder()
    a, w = b.input("a"), b.weight("w", 0.5)
    residual = lambda x: b.op("sub", b.op("mul", x, x), a)
    (x,) = b.loop_while(
        [b.op("add", b.op("mul", a, 0.0), 2.0, name="x")],
        lambda x: b.op("gt", b.op("abs", residual(x)), 0.5),
        lambda x: b.op("sub", x, b.op("div", b.op("mul", w, residual(x)), b.op("mul", x, 2.0))),
    )
    return b.program(x, "newton")


def test_gradient_of_a_while_is_the_gradient_of_the_rounds_it_ran():
    net = Network(damped_newton())
    net(2.0).backward()
    assert net.weights["w"].grad.item() == pytest.approx(-0.504263, abs=1e-6)
    print(net.code)
