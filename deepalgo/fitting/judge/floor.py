"""The floor: a change is taken only if it is better than what was there, beyond the noise of the validation samples.

>>> before = torch.tensor([1.0, 1.2, 0.9, 1.1, 1.0, 0.8, 1.3, 1.0])
>>> compare(before, 0.5 * before).better
True
>>> compare(before, before + 0.01 * torch.tensor([1.0, -1, 1, -1, 1, -1, 1, -1.2])).better
False

Samples of one group count as one, as what they share is no gain for other groups:

>>> compare(before, 0.5 * before, groups=torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])).reason
'2 validation groups are too few to tell a gain from chance: 3 are needed'
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.fitting.data.split import FEWEST
from deepalgo.fitting.judge.interval import count_units, mean_interval

#: With fewer groups an interval says nothing.
FEWEST_GROUPS = 3


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """The mean loss before and after, and the interval in which the mean gain lies.

    Of samples that training has seen, any gain is taken: what it is worth on others, they cannot tell.
    """

    before: float
    after: float
    low: float
    high: float
    samples: int
    lost: int = 0  # samples that were answered before and are not any more
    is_seen: bool = False
    groups: int | None = None  # that the samples belong to, if they do

    @property
    def better(self) -> bool:
        """Whether the change is better beyond noise."""
        gains = self.lost == 0 and self.after < self.before
        return gains and (self.is_seen or (not self._too_few and self.low > 0))

    @property
    def reason(self) -> str:
        """Why the change is not taken, or ''."""
        if self.better:
            return ""
        if self.lost:
            return f"{self.lost} samples that had an answer get none"
        if self.is_seen:
            return "it is not better on the training samples"
        if self._too_few:
            return f"{self._too_few} too few to tell a gain from chance: {FEWEST if self.groups is None else FEWEST_GROUPS} are needed"
        if not self.after < self.before:
            return "it is not better on validation"
        return "the gain on validation is within noise"

    @property
    def _too_few(self) -> str:
        """What there is too little of, with its verb, or ''."""
        number, noun, needed = (self.samples, "sample", FEWEST) if self.groups is None else (self.groups, "group", FEWEST_GROUPS)
        if number >= needed:
            return ""
        return f"{number} validation {noun} is" if number == 1 else f"{number} validation {noun}s are"


def compare(before: Tensor, after: Tensor, is_seen: bool = False, seed: int = 0, groups: Tensor | None = None) -> PairedComparison:
    """Compare losses of the same samples; those that had no finite loss before are left out."""
    known = before.isfinite()
    before, after = before[known], after[known]
    groups = None if groups is None else groups[known]
    units = None if groups is None else count_units(len(before), groups)
    lost = int((~after.isfinite()).sum())
    if lost or len(before) == 0:
        return PairedComparison(mean(before), torch.inf, -torch.inf, -torch.inf, len(before), lost, is_seen, units)
    low, high = mean_interval(before - after, groups, seed)
    return PairedComparison(mean(before), mean(after), low, high, len(before), 0, is_seen, units)


def mean(losses: Tensor) -> float:
    """The mean, infinite where there is nothing to be averaged."""
    return losses.mean().item() if len(losses) else torch.inf
