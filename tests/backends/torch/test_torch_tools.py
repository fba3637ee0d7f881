"""What torch does to modules works on networks, or is refused in a sentence that says what does."""

import copy
import math
import warnings

import numpy as np
import pytest
import torch
from torch.nn.utils import parametrize, prune

import deepalgo as da
from deepalgo.errors import InputError


def stepped(x):
    return 2.0 * x if x > 1.0 else math.exp(x)


X = torch.tensor([0.5, 2.0], dtype=torch.float64)
FACTOR = next(weight.key for weight in da.compile(stepped).program.weights if weight.value == 2.0)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("wrap", [lambda net: net, torch.nn.Sequential], ids=["alone", "in a model"])
def test_tracers_are_refused_with_what_works(wrap):
    model = wrap(da.compile(stepped))
    with pytest.raises(InputError, match=r"keeps the branches that one batch takes .* Use torch\.export\.export"):
        torch.jit.trace(model, X)
    with pytest.raises(InputError, match=r"torch\.jit\.script reads the text of a module.* Use torch\.export\.export"):
        torch.jit.script(model)
    with pytest.raises(InputError, match=r"torch\.fx\.symbolic_trace sees no numbers.* Use torch\.export\.export"):
        torch.fx.symbolic_trace(model)


class Size(torch.nn.Module):
    def forward(self, weight):
        return weight.abs()

    def right_inverse(self, weight):
        return weight


def test_weights_may_be_parametrized_but_not_saved():
    net = da.compile(stepped)
    parametrize.register_parametrization(net.weights, FACTOR, Size())
    with torch.no_grad():
        net.weights.parametrizations[FACTOR].original.mul_(-1.0)
    assert torch.equal(net(X), da.compile(stepped)(X))
    assert torch.equal(copy.deepcopy(net)(X), net(X))
    net(X).sum().backward()
    assert net.weights.parametrizations[FACTOR].original.grad.item() == -2.0
    with pytest.raises(InputError, match="weights with parametrizations cannot be saved"):
        net.content()


def test_weights_may_be_pruned():
    net = da.compile(stepped)
    prune.custom_from_mask(net.weights, FACTOR, torch.tensor(0.0))
    assert net(X).tolist() == [math.exp(0.5), 0.0]


def test_hooks_are_called():
    net, seen = da.compile(stepped), []
    net.register_forward_pre_hook(lambda module, args: (args[0] + 1.0,))
    net.register_forward_hook(lambda module, args, result: seen.append(result) or 10.0 * result)
    net.register_full_backward_hook(lambda module, back, out: seen.append(out))
    x = X.clone().requires_grad_()
    result = net(x)
    result.sum().backward()
    assert torch.equal(result, 10.0 * seen[0])
    assert seen[0].tolist() == [3.0, 6.0]
    assert torch.equal(seen[1][0], torch.ones(2, dtype=torch.float64))


@pytest.mark.parametrize("options", [{}, {"errors": "nan"}])
def test_shapes_can_be_asked_on_the_meta_device(options):
    def twice(x, p):
        return p * math.log(x) if x > 1.0 else p, x

    net = da.compile(twice, example=((1.5, np.ones(3)), {}), **options).to("meta")
    rows, column = net(torch.empty(5, device="meta"), torch.empty(5, 3, device="meta"))
    assert (rows.shape, column.shape, rows.device.type) == ((5, 3), (5,), "meta")


def test_tensors_without_numbers_are_refused():
    net = da.compile(stepped)
    with pytest.raises(InputError, match=r"'x' is on the meta device, which holds no numbers: move the network there, too"):
        net(torch.empty(2, device="meta"))
    with pytest.raises(InputError, match=r"'x' is a sparse_coo tensor: give x.to_dense\(\)"):
        net(X.to_sparse())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch is about to drop them
        quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    with pytest.raises(InputError, match=r"give x.dequantize\(\)"):
        net(quantized)
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode() as mode, pytest.raises(InputError, match="is a FakeTensor, which holds no numbers"):
        net(mode.from_tensor(X))


@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors:UserWarning")
def test_masked_tensors_are_refused():
    masked = torch.masked.masked_tensor(X, torch.tensor([True, False]))
    with pytest.raises(InputError, match="is a MaskedTensor: leave out the samples that are masked"):
        da.compile(stepped)(masked)
