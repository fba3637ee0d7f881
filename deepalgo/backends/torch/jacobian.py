"""`TorchJacobian`: derivatives for each sample by torch, of the program in which weights are inputs.

Each sample has a copy of the weights, so that a backward pass for each number of the results gives the derivatives of all samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.backends.interface import Host, Parameters, SampleDerivatives
from deepalgo.backends.torch.runtime.errors import join_failed
from deepalgo.backends.torch.runtime.gradient import positions
from deepalgo.lower.weights_to_inputs import weights_to_inputs

#: Results that autograd follows, and for each sample the number of the check that it fails, or 0.
Coded = Callable[[list[Tensor]], tuple[list[Tensor], Tensor]]


class WeightsAsInputs:
    """A `Host` whose program takes some weights of another one as inputs."""

    def __init__(self, host: Host, keys: Sequence[str]) -> None:
        self.program = weights_to_inputs(host.program, keys)
        self.loops, self.max_rounds = host.loops, host.max_rounds
        self.errors = "nan"
        self.failures: Counter[str] = Counter()
        self.mathematics, self.is_patient = host.mathematics, host.is_patient
        self.told = host.told
        self.weights = WeightsLeft(host.weights, tuple(weight.key not in keys for weight in host.program.weights))
        self._host = host

    @property
    def dtype(self) -> torch.dtype:
        """The other's."""
        return self._host.dtype

    @property
    def device(self) -> torch.device:
        """The other's."""
        return self._host.device


@dataclass(frozen=True, slots=True)
class WeightsLeft:
    """Those of some `Parameters` that are not inputs."""

    all: Parameters
    are_left: tuple[bool, ...]

    def tensors(self) -> list[Tensor]:
        """One for each weight of the program."""
        return [tensor for tensor, is_left in zip(self.all.tensors(), self.are_left, strict=True) if is_left]


class TorchJacobian:
    """Goes back once for each number of the results."""

    def __init__(self, coded: Coded) -> None:
        self._coded = coded

    def __call__(self, leaves: Sequence[Tensor], weights: Sequence[Tensor]) -> SampleDerivatives:
        """The derivatives at these weights; those that failed are left out and run no second time."""
        size = len(leaves[0]) if leaves else 1
        points = [weight.detach().expand(size, *weight.shape).clone().requires_grad_() for weight in weights]
        with torch.enable_grad():
            results, codes = self._coded([*(leaf.detach() for leaf in leaves), *points])
        failed = codes != 0
        if not bool(failed.any()):
            return SampleDerivatives([result.detach() for result in results], [_by(result, points) for result in results], failed)
        good = positions(~failed)
        found = self([leaf[good] for leaf in leaves], weights)
        return SampleDerivatives(join_failed(codes, found.results), [_spread(size, good, item) for item in found.derivatives], failed)


def _by(result: Tensor, points: Sequence[Tensor]) -> Tensor:
    """The derivatives of a result by the points of its samples."""
    if result.is_complex():
        return torch.complex(_by(result.real, points), _by(result.imag, points))
    size, count = len(result), sum(point.shape[1:].numel() for point in points)
    if not (result.is_floating_point() and result.requires_grad and points and size):
        dtype = result.dtype if result.is_floating_point() else torch.float64
        return result.new_zeros((*result.shape, count), dtype=dtype)
    columns = []
    for number in result.reshape(size, -1).unbind(1):
        found = torch.autograd.grad(number.sum(), points, retain_graph=True, allow_unused=True, materialize_grads=True)
        columns.append(torch.cat([part.reshape(size, -1) for part in found], 1))
    return torch.stack(columns, 1).reshape(*result.shape, count)


def _spread(size: int, places: Tensor, rows: Tensor) -> Tensor:
    """The rows at their places, and zero at others."""
    return rows.new_zeros((size, *rows.shape[1:])).index_copy(0, places, rows)
