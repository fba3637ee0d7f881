"""Which arms samples take and how many rounds they run, in the network and in the original.

The network's record counts visits by span, the original's watch counts lines. Both are compared wherever they count the same
thing: a branch or a loop that is at times decided without data, or whose result no one needs, is visited less often in the network, and
a `while` that starts with rounds that depend on no data counts less of them.
"""

from __future__ import annotations

import ast
import statistics
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.record import PlaceVisit, Record, recording
from deepalgo.certificate.original import CallOutcome
from deepalgo.certificate.places import CHOICES, LOOPS, arms_of, entered, node_at, rounds_of
from deepalgo.certificate.report import Arms, Hits, LoopRounds
from deepalgo.ir import If, Loop, Program, Statement, Try, While, blocks, walk
from deepalgo.spans import Span

if TYPE_CHECKING:
    from deepalgo.network import Network


#: A sample, a place, and what the function and the network do there.
Difference: TypeAlias = tuple[int, Span, tuple[str, str]]


@dataclass(slots=True)
class Tally:
    """What the samples did at one place: how often they came, and the sum of what they did (arms taken, rounds run)."""

    visits: Counter[int] = field(default_factory=Counter)
    did: Counter[int] = field(default_factory=Counter)

    @staticmethod
    def of(visits: Iterable[PlaceVisit], samples: Sequence[int]) -> Tally:
        """Add up visits; `samples` are the numbers of the samples in the whole batch."""
        places, did = in_a_row(visits)
        often = torch.bincount(places, minlength=len(samples)).tolist()
        total = torch.zeros(len(samples), dtype=torch.int64).index_add(0, places, did).tolist()
        rows = [(sample, count, many) for sample, count, many in zip(samples, often, total, strict=True) if count]
        return Tally(Counter({sample: count for sample, count, _ in rows}), Counter({sample: many for sample, _, many in rows}))

    def some(self) -> set[int]:
        """Samples that did it at least once."""
        return {sample for sample, count in self.did.items() if count}

    def other(self) -> set[int]:
        """Samples that at least once did not."""
        return {sample for sample, count in self.visits.items() if count > self.did[sample]}


class Paths:
    """The record of a network's run on `samples`, by the user's branches and loops."""

    def __init__(self, program: Program, record: Record, samples: Sequence[int]) -> None:
        self.samples = samples
        choices = [item.span for item in walk(program.body) if isinstance(item, If)]
        loops = [item.span for item in walk(program.body) if isinstance(item, (Loop, While))]
        self.branches = {span: Tally.of(record.branches[span], samples) for span in _those(choices, CHOICES)}
        self.loops = {span: Tally.of([*record.trips[span], *record.rounds[span]], samples) for span in _those(loops, LOOPS)}
        self.ties = _hits(record.ties, samples)
        self.endpoints = _hits(record.endpoints, samples)
        self.inside_try = {inner.span for inner in _inside_try(program)}
        self.peeled = set(program.peeled)

    @property
    def near_ties(self) -> set[int]:
        """Samples for which the last digits decide something."""
        return {sample for found in self.ties.values() for sample in found}

    def arms(self, outcomes: Mapping[int, CallOutcome]) -> tuple[Arms, ...]:
        """One row for every branch, in the order of the file; what the network only computes with, by the lines of the function."""
        found = {span: Arms(span, len(tally.some()), len(tally.other())) for span, tally in self.branches.items()}
        for span, node in entered(self._lines(outcomes), (ast.If,)):
            lines = arms_of(node)
            if span not in found and lines.test is not None and lines.first is not None:
                tally = _watched(outcomes, span.file, lines.test, lines.first)
                found[span] = Arms(span, len(tally.some()), len(tally.other()))
        return tuple(found[span] for span in sorted(found, key=_order))

    def rounds(self, outcomes: Mapping[int, CallOutcome]) -> tuple[LoopRounds, ...]:
        """One row for every loop, in the order of the file; what the network has unrolled, by the lines of the function."""
        found = {span: _rounds(span, _whole(span, tally, outcomes)) for span, tally in self.loops.items()}
        for span, node in entered(self._lines(outcomes), LOOPS):
            lines = rounds_of(node)
            if span not in found and lines.test is not None and lines.first is not None:
                found[span] = _rounds(span, _watched(outcomes, span.file, lines.test, lines.first))
        return tuple(found[span] for span in sorted(found, key=_order))

    @staticmethod
    def _lines(outcomes: Mapping[int, CallOutcome]) -> set[tuple[str, int]]:
        return {line for outcome in outcomes.values() for line in outcome.hits}

    def differences(self, outcomes: Mapping[int, CallOutcome]) -> Iterator[Difference]:
        """Samples whose path through the network is not the path of the original: sample, place and what differs."""
        for span, tally in self.branches.items():
            if span not in self.inside_try:
                yield from _other_arms(span, tally, outcomes)
        for span, tally in self.loops.items():
            if span not in self.inside_try:
                yield from _other_rounds(span, tally, outcomes, span in self.peeled)


def in_a_row(visits: Iterable[PlaceVisit]) -> tuple[Tensor, Tensor]:
    """Who came, and what they did as whole numbers, one visit behind the other."""
    came = [(visit.samples.cpu(), visit.did.to("cpu", torch.int64)) for visit in visits]
    places, did = zip(*came, strict=True) if came else ((), ())
    none = torch.zeros(0, dtype=torch.int64)
    return torch.cat([none, *places]), torch.cat([none, *did])


def all_paths(network: Network, leaves: Sequence[Tensor]) -> list[Hashable | None]:
    """The whole path of every sample through the network, None for those that fail on it."""
    _, failures = network.outcomes(list(leaves))
    good = [place for place, failure in enumerate(failures) if failure is None]
    steps: dict[int, list[Hashable]] = {place: [] for place in good}
    with torch.no_grad(), recording() as record:
        if good:
            network.execute([leaf[good] for leaf in leaves])
    for table in (record.branches, record.trips, record.rounds):
        for span, visits in table.items():
            places, did = in_a_row(visits)
            often = torch.bincount(places, minlength=len(good)).tolist()
            of_samples = torch.split_with_sizes(did[torch.argsort(places, stable=True)], often)
            for place, some in zip(good, of_samples, strict=True):
                if len(some):
                    steps[place].append((span, some.numpy().tobytes()))
    return [tuple(steps[place]) if place in steps else None for place in range(len(failures))]


def _other_arms(span: Span, tally: Tally, outcomes: Mapping[int, CallOutcome]) -> Iterator[Difference]:
    lines = arms_of(node_at(span))
    if lines.test is None or lines.first is None:
        return
    for sample, visits in tally.visits.items():
        hits = outcomes[sample].hits
        if hits[span.file, lines.test] == visits and hits[span.file, lines.first] != tally.did[sample]:
            yield sample, span, (f"this arm {_count(hits[span.file, lines.first], 'time')}", _count(tally.did[sample], "time"))


def _other_rounds(span: Span, tally: Tally, outcomes: Mapping[int, CallOutcome], peeled: bool) -> Iterator[Difference]:
    lines = rounds_of(node_at(span))
    if lines.test is None or lines.first is None or lines.last is None:
        return
    for sample, visits in tally.visits.items():
        ran, did = outcomes[sample].hits[span.file, lines.first], tally.did[sample]
        is_whole = not peeled and outcomes[sample].entries(span.file, lines.test, lines.last) == visits
        if did > ran or (is_whole and did < ran):
            yield sample, span, (_count(ran, "round"), _count(did, "round"))


def _whole(span: Span, tally: Tally, outcomes: Mapping[int, CallOutcome]) -> Tally:
    """A loop with those of its rounds that the network does not record, as they depend on no data."""
    first = rounds_of(node_at(span)).first
    if first is None:
        return tally
    did = {sample: max(tally.did[sample], outcomes[sample].hits[span.file, first]) for sample in tally.visits}
    return Tally(tally.visits, Counter(did))


def _watched(outcomes: Mapping[int, CallOutcome], file: str, test: int, first: int) -> Tally:
    """How often the original came to a line, and to the line that it guards."""
    came = {sample: outcome.hits[file, test] for sample, outcome in outcomes.items() if outcome.hits[file, test]}
    return Tally(Counter(came), Counter({sample: outcomes[sample].hits[file, first] for sample in came}))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _those(spans: Iterable[Span | None], kinds: tuple[type, ...]) -> list[Span]:
    """The spans of branches or loops that the user wrote; others are the front end's own."""
    return [span for span in dict.fromkeys(spans) if span is not None and isinstance(node_at(span), kinds)]


def _inside_try(program: Program) -> Iterator[Statement]:
    """What a `try` guards runs twice in the network: once to find the error, once for its value."""
    for statement in walk(program.body):
        if isinstance(statement, Try):
            for block in blocks(statement):
                yield from walk(block)


def _rounds(span: Span, tally: Tally) -> LoopRounds:
    counts = sorted(tally.did[sample] for sample in tally.visits)
    if not counts:
        return LoopRounds(span, 0, 0, 0, 0)
    return LoopRounds(span, len(counts), counts[0], int(statistics.median_low(counts)), counts[-1])


def _hits(table: Mapping[Span | None, list[PlaceVisit]], samples: Sequence[int]) -> Hits:
    found: defaultdict[Span, list[int]] = defaultdict(list)
    for span, visits in table.items():
        some = sorted(Tally.of(visits, samples).some())
        if span is not None and some:
            found[span] = some
    return dict(found)


def _order(span: Span) -> tuple[str, int, int]:
    return span.file, span.line, span.column
