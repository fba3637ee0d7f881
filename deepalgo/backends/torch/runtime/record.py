"""`Record`: what each sample did in a call, by the user's line.

>>> record = Record()
>>> record.branches[None].append(PlaceVisit(torch.tensor([0, 2]), torch.tensor([True, False])))
>>> record.branches[None][0].samples.tolist()
[0, 2]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import torch
from torch import Tensor

from deepalgo.spans import Span


@dataclass(frozen=True, slots=True, eq=False)
class PlaceVisit:
    """One pass by a place: the samples that came, by their number in the batch, and what each of them did there."""

    samples: Tensor
    did: Tensor


def _table() -> defaultdict[Span | None, list[PlaceVisit]]:
    return defaultdict(list)


@dataclass(slots=True, eq=False)
class Record:
    """Visits by place, in the order of execution; a place inside of a loop is visited once a round.

    `branches`: whether the first arm was taken. `trips`: rounds of a `while`. `rounds`: rounds of a counted loop. `ties`: whether
    the last digits decide a comparison or a rounding. `endpoints`: whether an infinite derivative was replaced by 0.
    """

    branches: defaultdict[Span | None, list[PlaceVisit]] = field(default_factory=_table)
    trips: defaultdict[Span | None, list[PlaceVisit]] = field(default_factory=_table)
    rounds: defaultdict[Span | None, list[PlaceVisit]] = field(default_factory=_table)
    ties: defaultdict[Span | None, list[PlaceVisit]] = field(default_factory=_table)
    endpoints: defaultdict[Span | None, list[PlaceVisit]] = field(default_factory=_table)

    def table(self, name: str) -> defaultdict[Span | None, list[PlaceVisit]]:
        """One of the tables by its name."""
        found: defaultdict[Span | None, list[PlaceVisit]] = getattr(self, name)
        return found


_current: ContextVar[Record | None] = ContextVar("record", default=None)


@contextmanager
def recording() -> Iterator[Record]:
    """Collect what samples do in the calls of networks inside of the `with`."""
    record = Record()
    token = _current.set(record)
    try:
        yield record
    finally:
        _current.reset(token)


def current_record() -> Record | None:
    """The record that is being written, if any."""
    return _current.get()


def is_near(a: Tensor, b: Tensor) -> Tensor:
    """Whether two numbers agree to within four units of the last digit.

    >>> is_near(torch.tensor([1.0, 1.0, 0.0]).double(), torch.tensor([1.0 + 2**-50, 1.0 + 2**-49, 1e-300], dtype=torch.float64))
    tensor([ True, False, False])

    Nothing that is finite is near to infinity.

    >>> is_near(torch.tensor([1.0, torch.inf]).double(), torch.tensor([torch.inf, torch.inf], dtype=torch.float64))
    tensor([False, False])
    """
    size = torch.maximum(torch.abs(a), torch.abs(b))
    return (torch.abs(a - b) <= 4 * torch.finfo(size.dtype).eps * size) & torch.isfinite(size)
