"""Where a mean lies, or a ratio of two, by what its samples say: the bootstrap, or Student's distribution where they are few.

Samples of one group (a site, a patient, a stretch of time) are alike, so a group counts as one: means are those of all samples, but
their spread is that of the groups.

>>> losses, sites = torch.tensor([1.0, 1.1, 3.0, 3.1, 2.0, 2.1]), torch.tensor([0, 0, 1, 1, 2, 2])
>>> [round(end, 2) for end in mean_interval(losses, sites)]
[-0.43, 4.53]
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.fitting.judge.distributions import student_quantile

DRAWS = 2000
LEVEL = 0.95
#: Samples that are drawn one by one.
MOST = 1000
#: Of fewer independent units the bootstrap would see too little of their spread.
FEW = 20
#: A ratio is looked for so far from its estimate, as a factor, at so many places.
FARTHEST, PLACES = 1e4, 400


def count_units(size: int, groups: Tensor | None) -> int:
    """How many independent units so many samples are."""
    return size if groups is None else len(torch.unique(groups))


def mean_interval(values: Tensor, groups: Tensor | None = None, seed: int = 0) -> tuple[float, float]:
    """The interval at 95 % of the mean."""
    sums, counts = _by_unit(values[None], groups)
    if len(counts) < FEW:
        low, high = few_interval(_centred(sums, counts))
        return low.item(), high.item()
    return _middle(resampled(sums, counts, seed)[0])


def ratio_interval(above: Tensor, below: Tensor, groups: Tensor | None = None) -> tuple[float, float]:
    """The interval at 95 % of the ratio of two means of numbers that are not negative, over the same samples."""
    if torch.equal(above, below):
        return 1.0, 1.0
    sums, counts = _by_unit(torch.stack([above, below]), groups)
    if len(counts) < FEW:
        return _few_ratio(_centred(sums, counts))
    means = resampled(sums, counts)
    ratios = means[0] / means[1]
    ratios = ratios[ratios.isfinite()].clamp(min=0)
    return _middle(ratios) if len(ratios) else (torch.nan, torch.nan)


def resampled(sums: Tensor, counts: Tensor, seed: int = 0) -> Tensor:
    """Means of every row over the same units drawn with replacement, `(rows, DRAWS)`.

    Of very many units, several are drawn together, which are spread as much.
    """
    sums, counts = _fewer(sums), _fewer(counts[None])[0]
    size = len(counts)
    generator = torch.Generator().manual_seed(seed)
    draws = []
    for _ in range(DRAWS // 100):
        chosen = torch.randint(size, (100, size), generator=generator)
        draws.append(sums[:, chosen].mean(2) / counts[chosen].mean(1))
    return torch.cat(draws, 1)


def few_interval(rows: Tensor) -> tuple[Tensor, Tensor]:
    """The intervals at 95 % of the means of few numbers each: Student's, and Hall's, which sees that they are skewed; what both span.

    P. Hall, On the removal of skewness by transformation, J. R. Statist. Soc. B 54 (1992).

    >>> low, high = few_interval(torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.1, 6.0]]))
    >>> [[round(item, 2) for item in end.tolist()] for end in (low, high)]
    [[0.45, -3.07], [4.55, 11.86]]
    """
    size, means = rows.shape[1], rows.mean(1)
    if size < 2:
        return torch.full_like(means, -torch.inf), torch.full_like(means, torch.inf)
    spread = rows.std(1)
    error, far = spread / size**0.5, student_quantile((1 + LEVEL) / 2, size - 1)
    third = ((rows - means[:, None]) ** 3).mean(1) * size**2 / max((size - 1) * (size - 2), 1)
    skew = torch.where(spread > 0, third / spread**3, 0.0) / size**0.5
    ends = torch.stack([error * _hall_inverse(far, skew), error * _hall_inverse(-far, skew), error * far, -error * far])
    ends = torch.where(error == 0, 0.0, ends)
    return means - ends.max(0).values, means - ends.min(0).values


def _hall_inverse(wanted: float, skew: Tensor) -> Tensor:
    """The number whose transform, `((1 + s x / 3) ** 3 - 1) / s + s / 6`, is the wanted one."""
    inner = 1 + skew * (wanted - skew / 6)
    found = 3 / skew * (inner.sign() * inner.abs() ** (1 / 3) - 1)
    return torch.where(skew.abs() > 1e-6, found, wanted)


def _few_ratio(rows: Tensor) -> tuple[float, float]:
    """The ratios r for which the mean of the one less r times the other may be zero (Fieller)."""
    found = (rows[0].mean() / rows[1].mean()).item()
    if not 0 < found < torch.inf:
        return (0.0, 0.0) if found == 0 else (torch.nan, torch.nan)
    return _first_refused(rows, found, 1 / FARTHEST, 0.0), _first_refused(rows, found, FARTHEST, torch.inf)


def _first_refused(rows: Tensor, found: float, factor: float, beyond: float) -> float:
    """Away from an estimate, the first ratio that the numbers speak against; `beyond` if there is none up to that factor of it."""
    near, far = 0.0, 1.0  # powers of the factor
    for _ in range(2):
        powers = torch.linspace(near, far, PLACES, dtype=rows.dtype)
        ratios = found * factor**powers
        low, high = few_interval(rows[0] - ratios[:, None] * rows[1])
        refused = torch.nonzero((low > 0) | (high < 0)).squeeze(1)
        if not len(refused):
            return beyond
        place = max(int(refused[0]), 1)
        near, far = powers[place - 1].item(), powers[place].item()
    return float(found * factor**far)


def _by_unit(rows: Tensor, groups: Tensor | None) -> tuple[Tensor, Tensor]:
    """The sum of each unit in every row, and how many samples each has."""
    if groups is None:
        return rows, rows.new_ones(rows.shape[1])
    names, places = torch.unique(groups, return_inverse=True)
    sums = rows.new_zeros(len(rows), len(names)).index_add(1, places, rows)
    return sums, rows.new_zeros(len(names)).index_add(0, places, rows.new_ones(rows.shape[1]))


def _centred(sums: Tensor, counts: Tensor) -> Tensor:
    """One number for each unit, whose mean is that of all samples and whose spread is the one by which that is off."""
    means = sums.sum(1, keepdim=True) / counts.sum()
    return means + (sums - means * counts) / counts.mean()


def _middle(values: Tensor) -> tuple[float, float]:
    tail = (1 - LEVEL) / 2
    low, high = torch.quantile(values, torch.tensor([tail, 1 - tail], dtype=values.dtype)).tolist()
    return low, high


def _fewer(rows: Tensor) -> Tensor:
    size = rows.shape[1] // MOST
    return rows if size < 2 else rows[:, : MOST * size].reshape(len(rows), size, MOST).mean(1)
