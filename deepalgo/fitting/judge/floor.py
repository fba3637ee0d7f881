"""The floor: a change is taken only if it is better than what was there, beyond the noise of the validation samples.

>>> before = torch.tensor([1.0, 1.2, 0.9, 1.1, 1.0, 0.8, 1.3, 1.0])
>>> compare(before, 0.5 * before).better
True
>>> compare(before, before + 0.01 * torch.tensor([1.0, -1, 1, -1, 1, -1, 1, -1.2])).better
False
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.fitting.data.split import FEWEST

DRAWS = 2000
LEVEL = 0.95
#: Samples that are drawn one by one.
MOST = 1000


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

    @property
    def better(self) -> bool:
        """Whether the change is better beyond noise."""
        gains = self.lost == 0 and self.after < self.before
        return gains and (self.is_seen or (self.samples >= FEWEST and self.low > 0))

    @property
    def reason(self) -> str:
        """Why the change is not taken, or ''."""
        if self.better:
            return ""
        if self.lost:
            return f"{self.lost} samples that had an answer get none"
        if self.is_seen:
            return "it is not better on the training samples"
        if self.samples < FEWEST:
            return f"{self.samples} validation samples are too few to tell a gain from chance: {FEWEST} are needed"
        if not self.after < self.before:
            return "it is not better on validation"
        return "the gain on validation is within noise"


def compare(before: Tensor, after: Tensor, is_seen: bool = False, seed: int = 0) -> PairedComparison:
    """Compare losses of the same samples; those that had no finite loss before are left out."""
    known = before.isfinite()
    before, after = before[known], after[known]
    lost = int((~after.isfinite()).sum())
    if lost or len(before) == 0:
        return PairedComparison(mean(before), torch.inf, -torch.inf, -torch.inf, len(before), lost, is_seen)
    low, high = interval(before - after, seed)
    return PairedComparison(mean(before), mean(after), low, high, len(before), 0, is_seen)


def mean(losses: Tensor) -> float:
    """The mean, infinite where there is nothing to be averaged."""
    return losses.mean().item() if len(losses) else torch.inf


def interval(values: Tensor, seed: int = 0) -> tuple[float, float]:
    """Where the mean lies, by the bootstrap: the middle 95 % of the means of samples drawn from these with replacement."""
    means = resampled(values[None], seed)[0]
    tail = (1 - LEVEL) / 2
    low, high = torch.quantile(means, torch.tensor([tail, 1 - tail], dtype=means.dtype)).tolist()
    return low, high


def resampled(rows: Tensor, seed: int = 0) -> Tensor:
    """Means of every row over the same samples drawn with replacement, `(rows, DRAWS)`.

    Of very many samples, means of a few are drawn instead of single ones, which are spread as much.
    """
    rows = _fewer(rows)
    size = rows.shape[1]
    generator = torch.Generator().manual_seed(seed)
    draws = []
    for _ in range(DRAWS // 100):
        chosen = torch.randint(size, (100, size), generator=generator)
        draws.append(rows[:, chosen].mean(2))
    return torch.cat(draws, 1)


def _fewer(rows: Tensor) -> Tensor:
    size = rows.shape[1] // MOST
    return rows if size < 2 else rows[:, : MOST * size].reshape(len(rows), size, MOST).mean(1)
