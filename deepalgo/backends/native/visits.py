"""The notes of native code as visits of a `Record`: a visit is one pass by a place of all samples that come by as often.

>>> from deepalgo.ir import Block, If, Value
>>> from deepalgo.kinds import Kind, Type
>>> branch = If((), Value(0, Type(Kind.BOOL)), Block((), (), ()), Block((), (), ()))
>>> notes, record = Notes(records=True), Record()
>>> number = notes.site(SiteOf("branches", branch))
>>> add_visits(record, notes, np.array([0, 0, 1]), np.array([[0, 0b111, 0b001], [0, 0b101, 0b100]]))
>>> [(visit.samples.tolist(), visit.did.tolist()) for visit in record.branches[None]]
[([0, 1], [True, False]), ([0], [False])]
"""

from __future__ import annotations

import numpy as np
import torch

from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.notes import Notes, SiteOf
from deepalgo.backends.native.width import FEW
from deepalgo.backends.torch.runtime.record import PlaceVisit, Record
from deepalgo.spans import Span

#: The tables whose entries have a number for all lanes; the others have a truth value of each.
NUMBERS = frozenset({"trips", "rounds"})
LANES = np.arange(FEW)


def add_visits(record: Record, notes: Notes, codes: Array, entries: Array) -> None:
    """Add what was noted to the tables of a record; samples that failed do not appear."""
    if not len(entries):
        return
    places: dict[tuple[str, Span | None], int] = {}
    place_of_site = np.array([places.setdefault(_place(site), len(places)) for site in notes.sites], np.int64)
    good = np.zeros(-(-len(codes) // FEW) * FEW, bool)
    good[: len(codes)] = codes == 0
    at = place_of_site[entries[:, 0] & 0xFFFFFFFF]
    for (table, span), place in places.items():
        found = _visits(entries[at == place], good, table in NUMBERS)
        if found:
            record.table(table)[span] += found


def _place(site: SiteOf) -> tuple[str, Span | None]:
    return site.table, None if site.statement is None else site.statement.span


def _visits(entries: Array, good: Array, are_numbers: bool) -> list[PlaceVisit]:
    """The visits of one place. Entries of a group follow one another; the first of each group are one visit, then the second, and so on."""
    groups, lanes, values = entries[:, 0] >> 32, entries[:, 1], entries[:, 2]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    which = np.arange(len(groups)) - np.repeat(begins, np.diff(begins, append=len(groups)))
    order = np.argsort(which, kind="stable")
    samples = groups[order, None] * FEW + LANES
    here = (lanes[order, None] >> LANES & 1).astype(bool) & good[samples]
    did = np.broadcast_to(values[order, None], samples.shape) if are_numbers else (values[order, None] >> LANES & 1).astype(bool)
    numbers = np.broadcast_to(which[order, None], samples.shape)[here]
    ends = np.flatnonzero(np.diff(numbers)) + 1
    parts = zip(np.split(samples[here], ends), np.split(did[here], ends), strict=True)
    return [PlaceVisit(torch.from_numpy(some), torch.from_numpy(what)) for some, what in parts if len(some)]
