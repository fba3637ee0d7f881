"""A model of any precision around a network works: it computes in float64, and hands back what torch would make of its inputs."""

import copy
import math
import pickle

import numpy as np
import pytest
import torch

import deepalgo as da


def wave(x, y):
    return {"sum": math.sin(x) + 0.1 * y if x > 0.0 else y, "positive": x > 0.0}


def network(**options):
    return da.compile(wave, **options)


X, Y = torch.linspace(-2.0, 3.0, 7, dtype=torch.float64), torch.linspace(0.0, 1.0, 7, dtype=torch.float64)
BACKENDS = pytest.mark.parametrize("backend", ["torch", "native"])


@BACKENDS
def test_a_float32_model_around_a_network_needs_no_word(backend):
    net = da.compile(lambda x: 2.0 * math.tanh(x) if x > 0.0 else x, backend=backend)
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 1), torch.nn.Flatten(0), net, torch.nn.Unflatten(0, (-1, 1)), torch.nn.Linear(1, 3)
    )
    loss = model(torch.rand(5, 2)).square().mean()
    loss.backward()
    assert loss.dtype == torch.float32
    assert all(item.grad is not None and item.grad.isfinite().all() for place in (0, 4) for item in model[place].parameters())
    assert [item.dtype for item in model[2].parameters()] == [torch.float64] * len(list(model[2].parameters()))


@BACKENDS
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_it_computes_in_float64_and_hands_back_what_came_in(dtype, backend):
    net, x, y = network(backend=backend), X.to(dtype), Y.to(dtype)
    found, exact = net(x, y), net(x.double(), y.double())
    assert found["sum"].dtype == dtype
    assert torch.equal(found["sum"], exact["sum"].to(dtype))
    assert found["positive"].dtype == torch.bool


def dtype_of(*args, **kwargs):
    return network()(*args, **kwargs)["sum"].dtype


def test_the_precision_is_torch_s_promotion_of_the_tensors():
    single, double = X.float(), Y
    assert dtype_of(single, double) == (single + double).dtype == torch.float64
    assert dtype_of(single, Y[0]) == (single + Y[0]).dtype == torch.float32  # a number decides only where there is no batch
    assert dtype_of(single, 2.0) == (single + 2.0).dtype == torch.float32
    assert dtype_of(single[0], y=double[0]) == torch.float64
    assert dtype_of(single.half(), single.bfloat16()) == torch.float32
    assert dtype_of(single, [torch.tensor(1.0)] * 7) == torch.float32


def test_plain_numbers_numpy_and_whole_tensors_give_float64():
    for x in (1.5, 2, np.float32(1.5), X.numpy(), X.float().numpy(), torch.arange(3), [1.0, 2.0]):
        assert dtype_of(x, 1.0) == torch.float64


def test_to_a_precision_decides_for_good():
    net = network()
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        chosen = copy.deepcopy(net).to(dtype)
        for twin in (chosen, copy.copy(chosen), copy.deepcopy(chosen), pickle.loads(pickle.dumps(chosen)), chosen.with_errors("nan")):
            for x in (X, X.float(), 2.0):
                assert twin(x, 1.0)["sum"].dtype == dtype
    assert copy.deepcopy(net).to("cpu")(X.float(), 1.0)["sum"].dtype == torch.float32
    model = torch.nn.Sequential(copy.deepcopy(net)).double()
    assert model[0](X.float(), 1.0)["sum"].dtype == torch.float64


def test_sixteen_bits_are_kept_and_not_computed_with():
    net = network().to(torch.bfloat16)
    assert net.dtype == torch.float32
    assert {item.dtype for item in net.parameters()} == {torch.bfloat16}
    found = net(X, Y)["sum"]
    assert torch.equal(found, network().to(torch.bfloat16).to(torch.float32)(X, Y)["sum"].to(torch.bfloat16))
    found.sum().backward()
    assert {item.grad.dtype for item in net.parameters() if item.grad is not None} == {torch.bfloat16}


def test_complex_results_follow():
    net = da.compile(lambda x: complex(x, 1.0) * 2.0)
    assert net(X.float()).dtype == torch.complex64
    assert net(X).dtype == torch.complex128


def test_grown_networks_keep_what_was_decided():
    for net, found in ((network(), torch.float32), (network().double(), torch.float64)):
        grown = da.widen(da.compile(scaled, example=((np.ones(2),), {})).placed_as(net), "p", da.Dense())
        assert grown(X[:6].reshape(3, 2).float()).dtype == found


def scaled(p):
    return (0.5 * p).sum()
