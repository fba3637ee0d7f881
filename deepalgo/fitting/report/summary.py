"""`Summary`: the losses of many samples in a few numbers, and against those of the heuristic.

>>> before, after = torch.tensor([1.0, 4.0, 9.0, 16.0]), torch.tensor([1.0, 1.0, 4.0, 25.0])
>>> summary = summarise(before, after, is_squares=True)
>>> summary.better, summary.equal, summary.worse
(0.5, 0.25, 0.25)
>>> round(summary.centre, 3), summary.mean, summary.median
(2.784, 2.25, 1.5)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from deepalgo.fitting.judge.interval import mean_interval, ratio_interval

#: Losses that differ by less than this part are called equal.
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Summary:
    """Errors in the units of the output where the loss is a square, losses otherwise.

    `centre` is the rms error or the mean loss, `low` and `high` its 95 % interval, `tail` the 99th percentile; `share` is the loss as a
    part of the heuristic's, with its interval; `better`, `equal` and `worse` are parts of the samples. `lost` samples had an answer
    and have none.
    """

    samples: int
    lost: int
    centre: float
    low: float
    high: float
    mean: float
    median: float
    tail: float
    better: float
    equal: float
    worse: float
    share: tuple[float, float, float]


def summarise(before: Tensor, after: Tensor, is_squares: bool, groups: Tensor | None = None) -> Summary:
    """Compare the losses of the heuristic and of another network on the same samples, as far as both have an answer.

    Samples of one group count as one where an interval is told.
    """
    lost = int((before.isfinite() & ~after.isfinite()).sum())
    both = before.isfinite() & after.isfinite()
    before, after = before[both], after[both]
    groups = None if groups is None else groups[both]
    size = max(len(before), 1)
    same = (before - after).abs() <= EQUAL * torch.maximum(before.abs(), after.abs())

    def unit(loss: float) -> float:
        return max(loss, 0.0) ** 0.5 if is_squares else loss

    low, high = map(unit, mean_interval(after, groups)) if len(after) else (torch.nan, torch.nan)
    errors = after.clamp(min=0).sqrt() if is_squares else after
    middle, tail = _quantiles(errors, 0.5, 0.99)
    return Summary(
        len(before), lost, unit(after.mean().item()), low, high, errors.mean().item(), middle, tail,
        ((after < before) & ~same).sum().item() / size, same.sum().item() / size, ((after > before) & ~same).sum().item() / size,
        _share(before, after, is_squares, groups),
    )  # fmt: skip


def of_whole(summary: Summary, samples: int) -> Summary:
    """The summary of a loss that is one number for so many samples: what is told of single ones says nothing."""
    no = torch.nan
    return replace(summary, samples=samples, mean=no, median=no, tail=no, better=no, equal=no, worse=no)


def _share(before: Tensor, after: Tensor, is_squares: bool, groups: Tensor | None) -> tuple[float, float, float]:
    """What is left of the heuristic's error, and the interval in which this lies."""
    if len(before) == 0 or not before.mean() > 0 or after.mean() < 0:  # of losses below zero a part says nothing
        return torch.nan, torch.nan, torch.nan
    found = torch.tensor([(after.mean() / before.mean()).item(), *ratio_interval(after, before, groups)])
    whole, low, high = (found.sqrt() if is_squares else found).tolist()
    return whole, low, high


def _quantiles(values: Tensor, *parts: float) -> list[float]:
    if len(values) == 0:
        return [torch.nan] * len(parts)
    ordered = values.sort().values
    places = [part * (len(ordered) - 1) for part in parts]
    return [torch.lerp(ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)], place % 1).item() for place in places]
