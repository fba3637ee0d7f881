"""Choices give what torch gives, bit for bit, forward and backward."""

import math

import pytest
import torch

import deepalgo as da
from deepalgo.ops.forms.choice import where

#: Numbers in a batch.
COUNT = 4101
SPECIAL = torch.tensor([0.0, -0.0, 1.5, torch.inf, -torch.inf, torch.nan, 5e-324, -1e300], dtype=torch.float64)


def batch(dtype=torch.float64):
    generator = torch.Generator().manual_seed(1)
    condition = torch.rand(COUNT, generator=generator) > 0.5
    a, b = (SPECIAL[torch.randint(8, (COUNT,), generator=generator)].to(dtype) for _ in range(2))
    return condition, a, b


def same(ours, theirs):
    bits = {torch.float64: torch.int64, torch.float32: torch.int32}[theirs.dtype]
    return ours.dtype == theirs.dtype and torch.equal(ours.view(bits), theirs.view(bits))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_values_are_those_of_torch(dtype):
    condition, a, b = batch(dtype)
    for first, second in ((a, b), (a, 7.0), (-0.0, b), (a, b[0]), (a[0], b[1])):
        assert same(where(condition, first, second), torch.where(condition, first, second))


def test_integers_and_truth_values_are_chosen_too():
    condition, a, b = batch()
    for first, second in ((a > 0, b > 0), (condition.long(), 3), (a > 0, False)):
        assert torch.equal(where(condition, first, second), torch.where(condition, first, second))


@pytest.mark.parametrize("operands", [("a", "b"), ("a", 2.0), (2.0, "b"), ("a", "w"), ("w", "v")])
def test_gradients_are_those_of_torch(operands):
    condition, a, b = batch()
    g = torch.linspace(-1, 1, len(a), dtype=torch.float64)
    results = []
    for choose in (where, torch.where):
        leaves = {name: value.clone().requires_grad_() for name, value in (("a", a), ("b", b), ("w", a[2]), ("v", b[3]))}
        choose(condition, *(leaves.get(item, item) for item in operands)).backward(g)
        results.append([leaves[item].grad for item in operands if item in leaves])
    assert all(torch.allclose(ours, theirs, rtol=1e-14) for ours, theirs in zip(*results))


def test_arrays_are_chosen_by_sample_and_by_element():
    condition, a, b = batch()
    table = a.nan_to_num(0)[:, None] + torch.arange(3)
    assert same(where(condition[:, None], table, b[:, None]), torch.where(condition[:, None], table, b[:, None]))
    assert same(where(table > 0, table, 0.0), torch.where(table > 0, table, 0.0))


def test_second_derivatives_pass():
    condition, _, _ = batch()
    x = torch.ones(len(condition), dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(where(condition, x**3, x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert torch.equal(second, torch.where(condition, 6.0, 0.0).double())


def test_a_value_that_two_branches_take_in_gets_the_gradient_of_both():
    def f(x, a):
        y = a * x if x > 0.0 else x
        while abs(y) > 4.0:
            y = y / 2 if x > 0.0 else y / 3
        return y + (math.exp(a * x) + x**3.1 + math.sin(x) if x > 0.0 else math.cos(x) * math.exp(x) + math.tanh(x))

    x = torch.linspace(-9, 3, 4105, dtype=torch.float64, requires_grad=True)
    net = da.compile(f, example=((1.0, 1.2), {}))
    (many,) = torch.autograd.grad(net(x, 1.2).sum(), x)
    (few,) = torch.autograd.grad(torch.cat([net(part, 1.2) for part in x.split(1000)]).sum(), x)
    assert torch.allclose(many, few, rtol=1e-13)
