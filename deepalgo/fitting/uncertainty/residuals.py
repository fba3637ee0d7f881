"""`Residuals`: the numbers whose squares a fit makes small, and their derivatives by weights, as arrays.

>>> from deepalgo.compiler import compile
>>> from deepalgo.fitting.data.samples import read
>>> from deepalgo.fitting.judge.objective import Objective
>>> def line(x):
...     return 2.0 * x + 1.0
>>> net = compile(line)
>>> residuals = Residuals(net, Objective(net), read(net, [1.0, 2.0, 3.0], targets=[3.5, 5.0, 7.0]), list(net.weights))
>>> roots, jacobian = residuals.at(residuals.values())
>>> roots.tolist(), jacobian.tolist()
([-0.5, 0.0, 0.0], [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepalgo.backends.interface import Jacobian
from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.search.space import Space
from deepalgo.ir.rebuild import rebuild
from deepalgo.network import Network

Array: TypeAlias = NDArray[np.float64]


class Residuals:
    """The residuals of a network on samples as a function of some of its weights, whose numbers stand in a row.

    `ties` has a row for each number of these weights; its columns are the first ones, which the numbers follow that are no columns.
    """

    def __init__(self, net: Network, objective: Objective, samples: Samples, keys: Sequence[str], ties: Array | None = None) -> None:
        self.net, self.objective, self.samples, self.keys, self.ties = net, objective, samples, list(keys), ties
        self.shapes = [tuple(net.weights[key].shape) for key in keys]
        self.sizes = [math.prod(shape) for shape in self.shapes]

    @staticmethod
    def of_space(space: Space, net: Network, objective: Objective, samples: Samples) -> Residuals:
        """Those of a network whose weights move as in a space; weights that are tied to others follow them."""
        numbers = sum(net.weights[key].numel() for key in space.keys)
        if numbers == len(space):
            return Residuals(net, objective, samples, space.keys)
        slopes = _array(space.chain(torch.zeros(len(space), dtype=net.dtype), torch.eye(numbers, dtype=net.dtype)))
        return Residuals(net, objective, samples, space.keys, slopes / slopes[: len(space)].diagonal())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_derivatives"}  # which is compiled code

    def __len__(self) -> int:
        return sum(self.sizes) if self.ties is None else self.ties.shape[1]

    @functools.cached_property
    def _derivatives(self) -> Jacobian:
        return self.net.jacobian(self.keys)

    @property
    def numbers(self) -> int:
        """How many numbers the network answers with for each sample."""
        return sum(math.prod(value.type.shape) for value in self.net.program.body.results[: self.objective.count])

    @property
    def labels(self) -> list[str]:
        """What each number is called: the name of its weight, with a place in it."""
        return [
            key + "".join(f"[{place}]" for place in places)
            for key, shape in zip(self.keys, self.shapes, strict=True)
            for places in itertools.product(*map(range, shape))
        ][: len(self)]

    def of(self, count: int) -> Residuals:
        """The same of so many of the samples at most, spread over all of them."""
        if count >= len(self.samples):
            return self
        some = torch.linspace(0, len(self.samples) - 1, count).round().long()
        return Residuals(self.net, self.objective, self.samples.pick(some), self.keys, self.ties)

    def values(self) -> Array:
        """The numbers that the network has."""
        parts = [self.net.weights[key].detach().cpu().double().reshape(-1).numpy() for key in self.keys]
        return np.concatenate([*parts, np.zeros(0)])[: len(self)]

    def tensors(self, values: Array) -> list[Tensor]:
        """Numbers in a row as weights."""
        parts = np.split(values if self.ties is None else self.ties @ values, np.cumsum(self.sizes)[:-1])
        like = self.net.weights.anchor
        return [torch.tensor(part.reshape(shape)).to(like) for part, shape in zip(parts, self.shapes, strict=True)]

    def at(self, values: Array) -> tuple[Array, Array]:
        """The residuals `(samples * numbers,)` and their derivatives `(samples * numbers, weights)`; NaN where a sample has no answer."""
        found = self._derivatives(self.samples.leaves, self.tensors(values))
        results = [result.detach().requires_grad_(result.is_floating_point() or result.is_complex()) for result in found.results]
        output = rebuild(self.objective.output, results[: self.objective.count])
        roots = self.objective.squares(self.net, output, self.samples)
        columns = [_chained(roots[:, number], results, found.derivatives) for number in range(roots.shape[1])]
        jacobian = _array(torch.stack(columns, 1).reshape(roots.numel(), -1))
        return _array(roots).reshape(-1), jacobian if self.ties is None else jacobian @ self.ties

    def answers(self, values: Array) -> Array:
        """The derivatives of all real and complex results by the weights, whatever the loss; samples without an answer are left out."""
        found = self._derivatives(self.samples.leaves, self.tensors(values))
        rows = []
        for part in found.derivatives[: self.objective.count]:
            flat = part.reshape(-1, part.shape[-1])
            rows += [flat.real, flat.imag] if part.is_complex() else [flat]
        whole = _array(torch.cat(rows)) if rows else np.zeros((0, sum(self.sizes)))
        whole = whole if self.ties is None else whole @ self.ties
        return whole[np.isfinite(whole).all(1)]

    def owners(self, rows: int) -> NDArray[np.int64]:
        """Which sample each of so many residuals belongs to; of one series, which time."""
        if self.samples.times is not None:
            return np.arange(rows) % self.samples.size
        return np.repeat(np.arange(len(self.samples)), rows // max(len(self.samples), 1))


def usable(roots: Array, jacobian: Array) -> NDArray[np.bool_]:
    """Which residuals are numbers, with derivatives that are numbers."""
    return np.isfinite(roots) & np.isfinite(jacobian).all(1)


def _chained(root: Tensor, results: Sequence[Tensor], derivatives: Sequence[Tensor]) -> Tensor:
    """The derivatives of one number of each sample, which depends on the results, from theirs."""
    total = torch.zeros((len(root), derivatives[0].shape[-1]), dtype=root.dtype, device=root.device)
    if not root.requires_grad:
        return total
    places = [place for place, result in enumerate(results) if result.requires_grad]
    slopes = torch.autograd.grad(root.sum(), [results[place] for place in places], retain_graph=True, allow_unused=True)
    for place, slope in zip(places, slopes, strict=True):
        if slope is not None:
            moved = (slope.conj()[..., None] * derivatives[place]).real
            total = total + (moved.flatten(1, -2).sum(1) if slope.dim() > 1 else moved)
    return total


def _array(tensor: Tensor) -> Array:
    found: Array = tensor.detach().cpu().double().numpy()
    return found
