"""One batch size is as good as another for `torch.compile`."""

import math

import numpy as np
import pytest
import torch
from torch._dynamo.utils import counters

import deepalgo as da


def speed(p, drag):
    total = 0.0
    for i in range(3):
        total = total + p[i] * p[i]
    return math.sqrt(total) / drag if total > 1.0 else total


def batch(size):
    generator = torch.Generator().manual_seed(size)
    return torch.rand((size, 3), dtype=torch.float64, generator=generator), torch.rand(size, dtype=torch.float64, generator=generator) + 0.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's own tracer does it
@pytest.mark.parametrize(("dynamic", "most"), [(True, 2), (None, 3)])
def test_sizes_from_one_to_ten_thousand_share_a_few_graphs(dynamic, most):
    net = da.compile(speed, example=((np.ones(3), 1.0), {}))
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(net, dynamic=dynamic, fullgraph=True, backend="aot_eager")
    for size in (5, 1, 2, 3, 64, 1000, 9999, 10_000):
        columns = batch(size)
        found = compiled(*columns)
        torch.testing.assert_close(found, net(*columns), rtol=1e-12, atol=0.0)
    found.sum().backward()
    assert 1 <= counters["stats"]["unique_graphs"] <= most
    assert not counters["graph_break"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_a_float32_model_is_compiled_as_a_whole():
    torch._dynamo.reset()
    model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Flatten(0), da.compile(lambda x: 2.0 * x if x > 0.0 else math.exp(x)))
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    rows = torch.rand(5, 2)
    assert compiled(rows).dtype == torch.float32
    torch.testing.assert_close(compiled(rows), model(rows))
