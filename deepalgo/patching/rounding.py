"""How many digits each trained number needs: the fewest that keep it, or the answers on given data, within a tolerance."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.patching.numbers import ALL, digits_within, rounded

if TYPE_CHECKING:
    from deepalgo.network import Network

#: For a weight that keeps the number that stands in the source.
KEEP = 0
Array = NDArray[np.float64]


def exact_digits(values: Mapping[str, Array], dtype: torch.dtype) -> dict[str, int]:
    """The digits that say each weight exactly, in the precision of the network."""
    return {key: max(_exact(number, dtype) for number in value.ravel().tolist()) for key, value in values.items()}


def _exact(number: float, dtype: torch.dtype) -> int:
    wanted = torch.tensor(number, dtype=dtype)
    return next(count for count in range(1, ALL + 1) if count == ALL or torch.tensor(rounded(number, count), dtype=dtype) == wanted)


def relative_digits(values: Mapping[str, Array], olds: Mapping[str, Array], tolerance: float) -> dict[str, int]:
    """The digits that keep each number within a relative tolerance; a number that moved no further stays as it was."""
    still = {key for key, value in values.items() if np.all(np.isfinite(value) & (np.abs(olds[key] - value) <= tolerance * np.abs(value)))}
    return {key: KEEP if key in still else max(digits_within(number, tolerance) for number in value.ravel().tolist())
            for key, value in values.items()}


def digits_for_answers(
    network: Network, inputs: Sequence[Any], values: Mapping[str, Array], olds: Mapping[str, Array], tolerance: float
) -> dict[str, int]:
    """The fewest digits with which the answers on `inputs` stay within the tolerance: first for all weights alike, then one by one."""
    trial = Trial(network, inputs, values, olds, tolerance)
    common = next(count for count in range(1, ALL + 1) if count == ALL or trial.passes(dict.fromkeys(values, count)))
    digits = dict.fromkeys(values, common)
    for key in values:
        fewer = (count for count in range(KEEP, common) if trial.passes(digits | {key: count}))
        digits[key] = next(fewer, common)
    return digits


class Trial:
    """Compares the answers of rounded weights with those of the trained ones.

    An answer may change by `tolerance` times its own size, or times its root mean square over the data where that is larger.
    """

    def __init__(
        self, network: Network, inputs: Sequence[Any], values: Mapping[str, Array], olds: Mapping[str, Array], tolerance: float
    ) -> None:
        self.twin = copy.deepcopy(network)
        self.leaves, _ = self.twin.signature.flatten(inputs, {}, network.dtype, network.device)
        self.values = values
        self.olds = olds
        self.tolerance = tolerance
        self.answers, self.errors = self.twin.outcomes(self.leaves)
        self.fine = torch.tensor([error is None for error in self.errors])
        if not bool(self.fine.any()):
            raise InputError("the heuristic fails on all of the data: there are no answers to keep")

    def passes(self, digits: Mapping[str, int]) -> bool:
        """Whether the answers stay within the tolerance."""
        with torch.no_grad():
            for key, count in digits.items():
                self.twin.weights[key].copy_(torch.from_numpy(round_all(self.values[key], self.olds[key], count)))
        answers, errors = self.twin.outcomes(self.leaves)
        return errors == self.errors and all(self._near(new[self.fine], old[self.fine])
                                             for new, old in zip(answers, self.answers, strict=True))

    def _near(self, new: Tensor, old: Tensor) -> bool:
        if not old.is_floating_point() and not old.is_complex():
            return torch.equal(new, old)
        finite = torch.isfinite(old)
        size = torch.where(finite, old.abs(), 0.0)
        typical = size.square().mean(0, keepdim=True).sqrt()
        near = (new - old).abs() <= self.tolerance * torch.maximum(size, typical)
        return bool(torch.where(finite, near, (new == old) | new.isnan() & old.isnan()).all())


def round_all(values: Array, olds: Array, digits: int) -> Array:
    """The numbers of a weight with so many digits, or those that stood there before."""
    if digits == KEEP:
        return olds
    return np.array([rounded(float(number), digits) for number in values.ravel()]).reshape(values.shape)
