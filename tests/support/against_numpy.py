"""Hold one row against its NumPy spelling, sample by sample, with every operand batched or the same for all samples.

>>> check_values("add", [np.array([1.0, 2.0]), np.array([3.0, 4.0])])
>>> check_gradients("mul", [np.array([1.0, 2.0]), np.array([3.0, 4.0])])
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import torch

from deepalgo.backends.expression import Fragment, fill
from deepalgo.ir import Kind
from deepalgo.network import Network
from deepalgo.ops.by_numpy import type_of
from deepalgo.ops.indexing import PUT, subscript
from deepalgo.ops.table import TABLE
from tests.support.build import Builder

try:
    import scipy.special
except ImportError:
    scipy = None

SPACE = {"np": np, "math": math, "scipy": scipy}
exec(PUT, SPACE)


def numpy_row(name, args, attrs):
    """What the row's NumPy spelling says of one sample."""
    words = {**attrs, **({"subscript": subscript(attrs["key"])} if "key" in attrs else {})}
    text = fill(TABLE[name].numpy, [Fragment(f"a[{place}]") for place in range(len(args))], words).text
    with np.errstate(all="ignore"):
        return np.asarray(eval(text, SPACE, {"a": args}))


def build(name, batches, varies, attrs, *, learns=False):
    """A network of one row whose operands vary, or are constants (weights if they learn) with the value of the first sample."""
    b = Builder()
    args = []
    for place, (batch, vary) in enumerate(zip(batches, varies, strict=True)):
        type = type_of(batch[0])
        if vary:
            args.append(b.input("abcdef"[place], type))
        elif learns and type.kind == Kind.REAL:
            args.append(b.weight(f"w{place}", _tuples(batch[0]), type.shape))
        else:
            args.append(b.const(_tuples(batch[0])))
    return Network(b.program(b.op(name, *args, **attrs)))


def check_values(name, batches, oracle=None, rtol=1e-12, atol=0.0, **attrs):
    """All combinations of batched and uniform operands, and the type that the row promised."""
    batches = [np.asarray(batch) for batch in batches]
    for varies in _variations(batches):
        net = build(name, batches, varies, attrs)
        with torch.no_grad():
            ours = net(*(torch.as_tensor(batch) for batch, vary in zip(batches, varies) if vary))
        ours = ours if any(varies) else ours[None]
        promised = net.program.body.results[0].type
        for number, result in enumerate(ours.numpy()):
            sample = [batch[number if vary else 0] for batch, vary in zip(batches, varies)]
            expected = numpy_row(name, sample, attrs) if oracle is None else np.asarray(oracle(*sample))
            assert type_of(result) == promised == type_of(expected), (name, varies, type_of(result), promised, type_of(expected))
            np.testing.assert_allclose(result, expected, rtol, atol, err_msg=f"{name} {varies} {attrs} {sample}")


def _variations(batches):
    """Every choice of operands that vary; empty arrays always do, as nested tuples cannot hold their shape."""
    return itertools.product(*([True, False] if batch.size else [True] for batch in batches))


def check_gradients(name, batches, oracle=None, rtol=1e-6, atol=1e-8, step=1e-6, **attrs):
    """Derivatives by every real operand, batched or a weight, are central differences of the NumPy spelling."""
    batches = [np.asarray(batch) for batch in batches]
    value = oracle if oracle is not None else lambda *sample: numpy_row(name, sample, attrs)
    for varies in _variations(batches):
        net = build(name, batches, varies, attrs, learns=True)
        inputs = [torch.tensor(batch, requires_grad=batch.dtype == float) for batch, vary in zip(batches, varies) if vary]
        result = net(*inputs)
        push = np.cos(np.arange(result.numel())).reshape(result.shape)
        (result * torch.as_tensor(push)).sum().backward()
        push = push if any(varies) else push[None]
        grads = _gradients(net, inputs, batches, varies)
        for place, grad in grads.items():
            expected = _differences(value, batches, varies, place, push, step)
            np.testing.assert_allclose(grad, expected, rtol, atol, err_msg=f"{name} {varies} operand {place} {attrs}")


def _gradients(net, inputs, batches, varies):
    """The gradient of every real operand by its place."""
    grads, given = {}, iter(inputs)
    for place, (batch, vary) in enumerate(zip(batches, varies)):
        leaf = next(given) if vary else None
        if batch.dtype != float:
            continue
        leaf = net.weights[f"w{place}"] if leaf is None else leaf
        grads[place] = np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy()
    return grads


def _differences(value, batches, varies, place, push, step):
    shape = batches[place].shape if varies[place] else batches[place].shape[1:]
    total = np.zeros(shape)
    for number, weight in enumerate(push):
        sample = [np.array(batch[number if vary else 0]) for batch, vary in zip(batches, varies)]
        for index in np.ndindex(sample[place].shape):
            ends = []
            for sign in (1, -1):
                moved = [array.copy() for array in sample]
                moved[place][index] += sign * step
                ends.append(value(*moved))
            slope = np.sum((ends[0] - ends[1]) * weight) / (2 * step)
            total[(number, *index) if varies[place] else index] += slope
    return total


def _tuples(array):
    return tuple(map(_tuples, array)) if np.ndim(array) else np.asarray(array).item()
