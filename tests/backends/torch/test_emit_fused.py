"""What `torch.compile` gets: dear operations once for all arms, truth values as numbers, the same answers and gradients."""

import math
import re

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.backends.targets import Plan
from deepalgo.backends.torch.share_across_arms import share_across_arms
from deepalgo.ir import Block, Input, Kind, Leaf, Op, Program, Type, Value


def fused(function, **options):
    """A network that runs, without `torch.compile`, what it would be given."""
    network = da.compile(function, loops="settle", **options)
    network.plan = lambda: Plan(network.errors, True, rounds=network.max_rounds, fused=True)
    return network


def answers(network, *columns):
    inputs = [column.clone().requires_grad_() for column in columns]
    found = network(*inputs)
    return found, *torch.autograd.grad(found.sum(), [*inputs, *network.weights.parameters()], allow_unused=True)


def agree(function, *columns, **options):
    plain, made = da.compile(function, **options), fused(function, **options)
    for expected, found in zip(answers(plain, *columns), answers(made, *columns), strict=True):
        assert (expected is None) == (found is None)
        if expected is not None:
            torch.testing.assert_close(found, expected, rtol=1e-12, atol=0.0, equal_nan=True)
    return made


def drag(re):
    if re < 1.0:
        return 24.0 / re
    if re < 20.0:
        return 24.0 / re * (1.0 + 0.1315 * re ** (0.82 - 0.05 * math.log10(re)))
    if re < 260.0:
        return 24.0 / re * (1.0 + 0.1935 * re**0.6305)
    if re < 1500.0:
        return 10.0 ** (1.6435 - 1.1242 * math.log10(re) + 0.1558 * math.log10(re) ** 2)
    return 10.0 ** (-2.4571 + 2.5558 * math.log10(re) - 0.9295 * math.log10(re) ** 2)


RE = torch.tensor([0.3, 0.9, 1.0, 7.0, 19.9, 20.0, 100.0, 260.0, 900.0, 1500.0, 8000.0], dtype=torch.float64)


def test_a_power_of_several_arms_is_taken_once():
    code = agree(drag, RE).code
    assert len(re.findall(r"ops\.pow\((?!.*, 2\.0\))", code)) == 1
    assert code.count("ops.log10(") == 1


def test_truth_values_are_chosen_as_numbers():
    code = agree(drag, RE).code
    assert not re.search(r" [&|] ", code)


def test_an_arm_that_is_not_taken_sends_no_nan_through_a_shared_operation():
    def parted(x, y):
        if x != 0.0:
            return 2.0 / x / math.sqrt(y + 1.0)
        return x + math.sqrt(y)

    x = torch.tensor([0.0, 0.5, 0.0], dtype=torch.float64)
    y = torch.tensor([4.0, 2.0, 9.0], dtype=torch.float64)
    assert agree(parted, x, y).code.count("ops.sqrt(") == 1


def test_truth_values_of_arrays_and_their_difference_stay_what_they_are():
    def odd(x, y, p):
        apart = (x < 0.5) ^ (y < 0.5)
        inside = (p > 0.0) & (p < x)
        return (2.0 * x if apart and not inside.all() else y) + p[inside].sum() + (x != y) * y

    x, y = torch.tensor([0.2, 0.8, 0.4], dtype=torch.float64), torch.tensor([0.7, 0.1, 0.3], dtype=torch.float64)
    p = torch.tensor([[0.1, -0.2], [0.3, 0.9], [0.2, 0.3]], dtype=torch.float64)
    agree(odd, x, y, p, example=((0.2, 0.7, np.array([0.1, -0.2])), {}))


def test_operations_that_wait_for_each_other_stay_apart():
    def crossed(x):
        if x < 1.0:
            return math.tan(math.atan(x) * 0.5)
        return math.atan(math.tan(1.0 / x) * 0.5)

    code = agree(crossed, torch.tensor([0.2, 0.8, 1.5, 3.0], dtype=torch.float64)).code
    assert code.count("torch.tan(") + code.count("torch.atan(") == 3


def test_arms_in_arms_exclude_each_other_by_the_condition_that_parts_them():
    def nested(x, y):
        if x < 0.0:
            if y < 0.0:
                return math.tan(x * y)
            return math.tan(x - y)
        if y < x:
            z = math.tan(y)
            return z * x
        return 1.0

    x = torch.tensor([-1.0, -0.5, 0.3, 0.7], dtype=torch.float64)
    code = agree(nested, x, torch.tensor([-0.2, 0.4, 0.1, 0.9], dtype=torch.float64)).code
    assert code.count("torch.tan(") == 1


def test_operations_that_some_samples_need_both_of_are_not_united():
    def twice(x, y):
        first = math.tan(x) if x < 1.0 else 0.0
        second = math.tan(y) if y < 1.0 else 0.0
        return first + second

    x = torch.tensor([0.2, 0.5, 1.5, 2.0], dtype=torch.float64)
    code = agree(twice, x, torch.tensor([0.3, 1.7, 0.1, 3.0], dtype=torch.float64)).code
    assert code.count("torch.tan(") == 2


def test_a_zero_and_its_negative_are_two_operands():
    real = Type(Kind.REAL)
    c, x, zero, minus, p, q, z = (Value(i, Type(Kind.BOOL) if i == 0 else real, n) for i, n in enumerate("cxompqz"))
    numbers = Op(zero, "const", (), (("value", 0.0),)), Op(minus, "const", (), (("value", -0.0),))
    body = Block((), (*numbers, Op(p, "atan2", (zero, x)), Op(q, "atan2", (minus, x)), Op(z, "select", (c, p, q))), (z,))
    program = Program("f", (Input("c", c), Input("x", x)), (), body, Leaf(0))
    assert "= select %c %o %m" in str(share_across_arms(program, {p: {c: True}, q: {c: False}}))


def newton(a):
    x, rounds = a, 0
    while abs(x * x - a) > 1e-9 and not (rounds > 30 or x == 0.0):
        x = 0.5 * (x + a / x)
        rounds += 1
    if x < 0.0 or rounds > 29:
        raise ValueError("no root")
    return math.sqrt(x)


def test_loops_carry_truth_values_as_numbers():
    agree(newton, torch.tensor([0.3, 2.0, 9.0, 1e4], dtype=torch.float64), max_rounds=40)


@pytest.mark.parametrize("bad", [-4.0, -0.25])
def test_a_sample_that_fails_in_a_loop_is_told(bad):
    column = torch.tensor([2.0, bad, 9.0], dtype=torch.float64)
    with pytest.raises(da.HeuristicError) as plain:
        da.compile(newton)(column)
    with pytest.raises(da.HeuristicError) as found:
        fused(newton, max_rounds=40)(column)
    assert (found.value.error, found.value.samples) == (plain.value.error, plain.value.samples)


def test_failed_samples_are_nan_and_spoil_no_gradient():
    column = torch.tensor([0.5, -1.0, 0.0, 2.0], dtype=torch.float64)

    def risky(x):
        return 2.0 * math.log(x) if x < 1.0 else 3.0 * math.log(x + 1.0)

    agree(risky, column, errors="nan")
