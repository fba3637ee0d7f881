"""Divide data: into parts that are held out, or, where they are few, into folds each of which is left out once.

What is divided are units: samples, or whole groups of them, or times, of which the later ones are held out.

>>> sites = torch.tensor([0, 0, 1, 1, 2, 2])
>>> [held.tolist() for _, held in divide(Units(6, groups=sites), Shares(0.2, 0.2, by_folds=True), seed=0).folds]
[[4, 5], [0, 1], [2, 3]]
>>> [part.tolist() for part in divide(Units(10, in_time=True), Shares(0.2, 0.2), seed=0).parts]
[[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.data.split import sizes

#: Of fewer units a fifth would be too few to select by.
FEW_UNITS = 100
#: With fewer groups each is a fold of its own; else there are so many folds.
FEW_GROUPS, FOLDS = 20, 5
#: Later times are compared by so many stretches, as neighbours in time are alike.
STRETCHES = 10
#: Fewer units cannot be folds.
FEWEST_UNITS = 3


@dataclass(frozen=True, slots=True)
class Units:
    """So many samples, the group of each if they have any, and whether they stand in the order of their time."""

    size: int
    groups: Tensor | None = None
    in_time: bool = False

    @property
    def count(self) -> int:
        """How many units they are."""
        return self.size if self.groups is None else len(torch.unique(self.groups))

    @property
    def noun(self) -> str:
        """What a unit is called."""
        return "time" if self.in_time else "sample" if self.groups is None else "group"

    def samples(self, numbers: Tensor) -> Tensor:
        """The samples of some units."""
        if self.groups is None:
            return numbers
        places = torch.unique(self.groups, return_inverse=True)[1]
        return torch.nonzero(torch.isin(places, numbers)).squeeze(1)


@dataclass(frozen=True, slots=True)
class Shares:
    """Parts of the data to be held out; `by_folds` if few data may be divided into folds, with no test part unless `tested` asks for it."""

    validation: float
    test: float
    by_folds: bool = False
    tested: bool = False


@dataclass(frozen=True, slots=True)
class Partition:
    """The numbers of the samples of training, validation and test; for each fold those to train on and those that are left out."""

    parts: tuple[Tensor, Tensor, Tensor]
    folds: tuple[tuple[Tensor, Tensor], ...] = ()


def divide(units: Units, shares: Shares, seed: int) -> Partition:
    """Parts of these shares, or folds where units are few."""
    test = shares.test if shares.tested or not shares.by_folds else 0.0
    held = sizes(units.count, 0.0, test, units.noun)[1] if test else 0
    if not shares.by_folds or units.count - held >= FEW_UNITS:
        rest, *chosen = _in_parts(units, *sizes(units.count, shares.validation, shares.test, units.noun), seed)
        return Partition((units.samples(rest), *map(units.samples, chosen)))  # type: ignore[arg-type]  # three of them
    rest, _, tested = _in_parts(units, 0, held, seed)
    folds = tuple((units.samples(one), units.samples(other)) for one, other in _folds(units, rest))
    return Partition((units.samples(rest), torch.zeros(0, dtype=torch.long), units.samples(tested)), folds)


def _in_parts(units: Units, validation: int, test: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Units for training, validation and test: at random, or those of later times at the end."""
    held = validation + test
    if units.in_time:
        order = torch.arange(units.count)
        return order[: len(order) - held], order[len(order) - held : len(order) - test], order[len(order) - test :]
    order = torch.randperm(units.count, generator=torch.Generator().manual_seed(seed))
    return order[held:], order[:validation], order[validation:held]


def _folds(units: Units, rest: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Units to train on, and units that are left out; of times those that come later than all that is trained on."""
    size = len(rest)
    if size < FEWEST_UNITS + units.in_time:
        raise InputError(f"{size} {units.noun}{'' if size == 1 else 's'} cannot be split into folds: validation=None fits all of them")
    number = size if units.groups is not None and size < FEW_GROUPS else min(FOLDS, size)
    if not units.in_time:
        return [(rest[torch.arange(size) % number != fold], rest[fold::number]) for fold in range(number)]
    number = min(number, size // 2)
    width = size // (2 * number)
    ends = [size - width * later for later in range(number)][::-1]
    return [(rest[: end - width], rest[end - width : end]) for end in ends]


def stretches(part: Samples, number: int = STRETCHES) -> Samples:
    """Samples in the order of time, as groups of neighbours."""
    size = part.size
    return replace(part, groups=torch.arange(size) * min(number, size) // max(size, 1))
