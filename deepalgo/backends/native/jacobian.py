"""`NativeJacobian`: results and, for each sample, their derivatives by weights that are the same for all samples.

One call of native code gives a number of each sample with its derivatives by all these weights, which is what a method of Gauss and
Newton asks for.

>>> from deepalgo.ir import parse
>>> from deepalgo.network import Network
>>> net = Network(parse('''
... line(x: real)
...   weight slope = 3.0
...   weight start = 1.0
...   %slope = weight slope
...   %start = weight start
...   %y = mul %x %slope
...   %z = add %y %start
...   return %z
... '''), backend="native")
>>> found = net.jacobian(["slope", "start"])([torch.tensor([1.0, 2.0]).double()], [torch.tensor(5.0).double(), torch.tensor(0.5).double()])
>>> found.results[0].tolist(), found.derivatives[0].tolist()
([5.5, 10.5], [[1.0, 1.0], [2.0, 1.0]])
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from deepalgo.backends.interface import Host, Jacobian, SampleDerivatives
from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.engine import engine_of
from deepalgo.backends.native.text import Unsupported
from deepalgo.backends.torch.runtime.errors import join_failed
from deepalgo.backends.torch.runtime.gradient import pick, positions
from deepalgo.kinds import Kind, Type
from deepalgo.ops.by_numpy import DTYPES
from deepalgo.ops.forms.operands import may_look

#: Directions of few samples share a call, up to so many rows.
LANES = 512


class NativeJacobian:
    """Goes back in native code once for each number of the results; what it cannot do is done `otherwise`."""

    def __init__(self, host: Host, keys: Sequence[str], otherwise: Callable[[], Jacobian]) -> None:
        self._host, self._keys, self._otherwise = host, tuple(keys), otherwise
        weights = host.program.weights
        self._places = [next(place for place, weight in enumerate(weights) if weight.key == key) for key in self._keys]
        self._types = [value.type for value in host.program.body.results]
        self._reals = [type for type in self._types if type.kind >= Kind.REAL]

    def __call__(self, leaves: Sequence[Tensor], weights: Sequence[Tensor]) -> SampleDerivatives:
        """The derivatives at these weights."""
        host = self._host
        if not may_look() or host.dtype is not torch.float64 or host.device.type != "cpu":
            return self._otherwise()(leaves, weights)
        try:
            return self._native(leaves, weights)
        except Unsupported:
            return self._otherwise()(leaves, weights)

    def _native(self, leaves: Sequence[Tensor], weights: Sequence[Tensor]) -> SampleDerivatives:
        host = self._host
        engine = engine_of(host.program, host.max_rounds, host.mathematics, host.is_patient, self._keys)
        inputs = [_array(leaf) for leaf in leaves]
        size = len(inputs[0]) if inputs else 1
        row = self._row(weights)
        columns = []
        for directions in _stacks(self._directions(size), max(1, LANES // max(size, 1))):
            adjoints = [np.concatenate(parts) for parts in zip(*directions, strict=True)]
            outcome, found = engine.rows(_repeated(inputs, len(directions)), row, adjoints)
            columns += np.split(_columns(found, size * len(directions)), len(directions))
        results = [torch.from_numpy(array[:size]) for array in outcome.results]
        codes = torch.from_numpy(outcome.codes[:size])
        failed = codes != 0
        if bool(failed.any()):
            results = join_failed(codes, pick(positions(~failed), results))
        return SampleDerivatives(results, self._by_result(columns, size), failed)

    def _row(self, weights: Sequence[Tensor]) -> Array:
        """All weights of the program in a row."""
        tensors = [*self._host.weights.tensors()]
        for place, weight in zip(self._places, weights, strict=True):
            tensors[place] = weight
        return np.concatenate([_array(tensor).reshape(-1) for tensor in tensors]) if tensors else np.zeros(0)

    def _directions(self, size: int) -> Iterator[list[Array]]:
        """For each number of the real results the adjoints that pick it out; without such results the one call that gives the others."""
        if self._reals == [Type(Kind.REAL)] or not self._reals:
            yield [np.ones(size) for _ in self._reals]
            return
        for place, type in enumerate(self._reals):
            for number in range(math.prod(type.shape)):
                for part in (1.0, 1j) if type.kind is Kind.COMPLEX else (1.0,):
                    adjoints: list[Array] = [np.zeros((size, math.prod(each.shape)), DTYPES[each.kind]) for each in self._reals]
                    adjoints[place][:, number] = part
                    yield [array.reshape(size, *each.shape) for array, each in zip(adjoints, self._reals, strict=True)]

    def _by_result(self, columns: Sequence[Array], size: int) -> list[Tensor]:
        """The derivatives of each result, from those of each number."""
        waiting, found = iter(columns), list[Tensor]()
        count = columns[0].shape[1]
        for type in self._types:
            whole = np.zeros((size, math.prod(type.shape), count), DTYPES[max(type.kind, Kind.REAL)])
            for number in range(whole.shape[1] if type.kind >= Kind.REAL else 0):
                whole[:, number] = next(waiting)
                if type.kind is Kind.COMPLEX:
                    whole[:, number] += 1j * next(waiting)
            found.append(torch.from_numpy(whole.reshape(size, *type.shape, count)))
        return found


def _stacks(directions: Iterator[list[Array]], most: int) -> Iterator[list[list[Array]]]:
    """So many directions at a time, which one call takes as samples of their own."""
    while some := list(itertools.islice(directions, most)):
        yield some


def _repeated(inputs: list[Array], times: int) -> list[Array]:
    return inputs if times == 1 else [np.concatenate([array] * times) for array in inputs]


def _array(tensor: Tensor) -> Array:
    found: Array = tensor.detach().resolve_conj().resolve_neg().numpy()
    return found


def _columns(arrays: Sequence[Array], size: int) -> Array:
    """A column for each number of each array."""
    columns = [array.reshape(size, math.prod(array.shape[1:])) for array in arrays]
    return np.concatenate(columns, axis=1) if columns else np.zeros((size, 0))
