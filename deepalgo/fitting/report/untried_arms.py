"""What the data did not try: arms that no sample took, loops that ended at their bound.

>>> import torch
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

from torch import Tensor

from deepalgo.backends.torch.runtime.record import PlaceVisit
from deepalgo.certificate.places import CHOICES, node_at
from deepalgo.certificate.report import Arms
from deepalgo.fitting.data.watch import watch
from deepalgo.ir import Check, Loop, Op, While, walk
from deepalgo.network import Network
from deepalgo.spans import Span


@dataclass(frozen=True, slots=True)
class AtBound:
    """A loop that so many samples left only because the source allows no more rounds."""

    span: Span
    samples: int
    bound: int


def untried(net: Network, leaves: list[Tensor]) -> list[Arms]:
    """Branches of the user's with an arm that no sample took, in the order of the file."""
    found: list[Arms] = []
    if not any(not isinstance(item, (Op, Check, Loop)) or (isinstance(item, Op) and item.is_choice) for item in walk(net.program.body)):
        return found
    for span, visits in watch(net, leaves).branches.items():
        if span is not None and isinstance(node_at(span), CHOICES):
            arms = Arms(span, _count(visits, True), _count(visits, False))
            found += [arms] if arms.never else []
    return sorted(found, key=lambda arms: (arms.span.file, arms.span.line, arms.span.column))


def at_bound(net: Network, leaves: list[Tensor]) -> list[AtBound]:
    """Loops of the user's whose last round was the last allowed one, for some samples."""
    bounds = {item.span: item.bound for item in walk(net.program.body) if isinstance(item, While) and item.bound is not None}
    if not bounds:
        return []
    trips = watch(net, leaves).trips
    counts = {span: sum(int((visit.did >= bound).sum()) for visit in trips.get(span, ())) for span, bound in bounds.items()}
    return [AtBound(span, count, bounds[span]) for span, count in counts.items() if count and span is not None]


def _count(visits: list[PlaceVisit], taken: bool) -> int:
    return sum(int((visit.did == taken).sum()) for visit in visits)
