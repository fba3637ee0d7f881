"""What the data did not try: arms that no sample took, loops that ended at their bound.

>>> from deepalgo.compiler import compile
>>> def f(x):
...     if x > 5.0:
...         return 2.0 * x
...     return x
>>> [place.never for place in untried(compile(f), [torch.tensor([1.0, 2.0], dtype=torch.float64)])]
['never taken']
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.certificate.places import CHOICES, node_at
from deepalgo.certificate.report import Arms
from deepalgo.ir import While, walk
from deepalgo.network import Network
from deepalgo.runtime.record import Record, Visit, recording
from deepalgo.spans import Span

#: A loop that runs so many times longer than ever before will not end.
LONGER, MORE = 8, 32


@dataclass(frozen=True, slots=True)
class AtBound:
    """A loop that so many samples left only because the source allows no more rounds."""

    span: Span
    samples: int
    bound: int


def untried(net: Network, leaves: list[Tensor]) -> list[Arms]:
    """Branches of the user's with an arm that no sample took, in the order of the file."""
    found = []
    for span, visits in watch(net, leaves).branches.items():
        if span is not None and isinstance(node_at(span), CHOICES):
            arms = Arms(span, _count(visits, True), _count(visits, False))
            found += [arms] if arms.never else []
    return sorted(found, key=lambda arms: (arms.span.file, arms.span.line, arms.span.column))


def at_bound(net: Network, leaves: list[Tensor]) -> list[AtBound]:
    """Loops of the user's whose last round was the last allowed one, for some samples."""
    bounds = {item.span: item.bound for item in walk(net.program.body) if isinstance(item, While) and item.bound is not None}
    trips = watch(net, leaves).trips
    counts = {span: sum(int((visit.did >= bound).sum()) for visit in trips.get(span, ())) for span, bound in bounds.items()}
    return [AtBound(span, count, bounds[span]) for span, count in counts.items() if count and span is not None]


def enough_rounds(net: Network, leaves: list[Tensor]) -> int:
    """A number of rounds that no loop should need while weights change: far more than the longest one of these samples."""
    longest = max((int(visit.did.max()) for visits in watch(net, leaves).trips.values() for visit in visits if len(visit.did)), default=0)
    return min(net.max_rounds, LONGER * longest + MORE)


def watch(net: Network, leaves: list[Tensor]) -> Record:
    """What each sample did."""
    with torch.no_grad(), recording() as record:
        net.execute(list(leaves))
    return record


def _count(visits: list[Visit], taken: bool) -> int:
    return sum(int((visit.did == taken).sum()) for visit in visits)
