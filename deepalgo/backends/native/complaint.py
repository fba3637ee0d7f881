"""The error of a batch: of all checks that samples fail the one that comes first, with the operands of its message.

Samples are computed in groups, so that one may have run through many rounds when another fails in its first. What comes first is said
by the order of the program: by the rounds of the loops around a check, and then by the place of the check.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.notes import DEEPEST, Notes, Told, size_of
from deepalgo.errors import HeuristicError
from deepalgo.ir import Failure, Value
from deepalgo.kinds import Kind


def complain(failures: Sequence[Failure], notes: Notes, codes: Array, entries: Array, width: int) -> NoReturn:
    """Raise for the samples that meet the first of the failures; the groups of the entries have so many lanes."""
    failed = np.flatnonzero(codes)
    noted = _noted(notes, codes, entries, width)
    moments = {int(sample): _moment(notes.told[int(codes[sample])], noted.get(int(sample), {})) for sample in failed}
    first = min(moments.values())
    samples = [sample for sample, moment in moments.items() if moment == first]
    number = int(codes[samples[0]])
    failure = failures[number - 1]
    operands = _operands(notes.told[number].operands, noted.get(samples[0], {}))
    raise HeuristicError(failure.error, failure.message.format(*operands), span=failure.span, samples=samples, size=len(codes))


def _noted(notes: Notes, codes: Array, entries: Array, width: int) -> dict[int, dict[int, int]]:
    """For each sample that has notes on its failure: the numbers by their places."""
    found: dict[int, dict[int, int]] = {}
    for who, lanes, value in entries.tolist():
        site = notes.sites[who & 0xFFFFFFFF]
        for lane in range(width):
            sample = (who >> 32) * width + lane
            if lanes >> lane & 1 and sample < len(codes) and codes[sample] == site.check:
                found.setdefault(sample, {})[site.place] = value
    return found


def _moment(told: Told, noted: dict[int, int]) -> tuple[float, ...]:
    """When a check is come to: each loop with its round, and then the check."""
    rounds = [noted.get(depth, math.inf) for depth in range(len(told.loops))]
    return (*(number for pair in zip(told.loops, rounds, strict=True) for number in pair), told.place)


def _operands(operands: Sequence[Value], noted: dict[int, int]) -> Iterator[Any]:
    """The operands of a message as Python has them."""
    place = DEEPEST
    for value in operands:
        kind, count = value.type.kind, size_of(value)
        numbers = [_number(noted[number], kind) for number in range(place, place + count)]
        place += count
        if kind is Kind.COMPLEX:
            numbers = [*map(complex, numbers[: count // 2], numbers[count // 2 :])]
        yield np.array(numbers).reshape(value.type.shape).tolist() if value.type.shape else numbers[0]


def _number(bits: int, kind: Kind) -> Any:
    if kind >= Kind.REAL:
        return struct.unpack("<d", struct.pack("<q", bits))[0]
    return bool(bits) if kind is Kind.BOOL else bits
