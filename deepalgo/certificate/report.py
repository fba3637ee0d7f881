"""`Certificate`: what was compared and found equal, as data and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deepalgo.spans import Span

#: Samples by the place where something happened to them.
Hits: TypeAlias = dict[Span, list[int]]


@dataclass(frozen=True, slots=True)
class Arms:
    """How many samples took the first and the second arm of a branch at least once."""

    span: Span
    then: int
    orelse: int

    @property
    def never(self) -> str:
        """The arm that no sample took."""
        if not self.then and not self.orelse:
            return "never reached"
        return "" if self.then and self.orelse else "never taken" if not self.then else "always taken"


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many samples came to a loop, and the fewest, the median and the most rounds that they ran."""

    span: Span
    samples: int
    least: int
    median: int
    most: int


@dataclass(frozen=True, slots=True)
class Gradients:
    """Derivatives of outputs by inputs: how many agree with central differences of the function, how many could not be compared."""

    compared: int
    skipped: int
    difference: float  # relative, the largest one


@dataclass(frozen=True, slots=True)
class Dead:
    """A weight of which so many `items` have no gradient on any sample, of `size` that it has."""

    key: str
    role: str
    place: str
    items: int
    size: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """The network gives the function's answers on these samples.

    `errors`: samples on which both raise, by exception. `beyond`: samples that the network refuses with an error of its own (a
    complex result, a whole number beyond 64 bits, a loop that does not end). `excused`: samples that differ where last digits
    decide, or on which the function itself changes as much when an input moves by its last digit.
    """

    name: str
    samples: int
    compared: int
    absolute: float
    relative: float
    worst: int | None
    errors: dict[str, int]
    beyond: dict[str, int]
    gradients: Gradients | None
    branches: tuple[Arms, ...]
    loops: tuple[Rounds, ...]
    paths: int
    near_ties: Hits
    excused: dict[int, str]
    endpoints: Hits
    dead: tuple[Dead, ...]

    @property
    def ok(self) -> bool:
        """Whether there was anything to compare: where something differs there is no certificate."""
        return self.compared > 0

    def __str__(self) -> str:
        parts = [self._head(), self._branches(), self._loops(), self._dead()]
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return str(self)

    def _head(self) -> str:
        rows = [
            ("samples", self._samples()),
            ("values", self._values()),
            ("paths", f"{_count(self.paths, 'sample')} take the function's arms and rounds" if self.paths else ""),
            ("gradients", self._gradients()),
            ("near-ties", _places(self.near_ties)),
            ("excused", _reasons(self.excused)),
            ("endpoints", _places(self.endpoints)),
        ]
        verdict = "the network gives the answers of the function" if self.ok else "there was nothing to compare"
        return f"{self.name}: {verdict}\n" + _table([row for row in rows if row[1]], indent="  ")

    def _samples(self) -> str:
        parts = [f"{self.compared} of {self.samples} compared"]
        parts += [f"{count} raise {error} in both" for error, count in self.errors.items()]
        parts += [f"{count} refused: {error}" for error, count in self.beyond.items()]
        return ", ".join(parts)

    def _values(self) -> str:
        if self.worst is None:
            return "all equal" if self.ok else ""
        return f"largest difference {self.relative:.1e} relative, {self.absolute:.1e} absolute (sample {self.worst})"

    def _gradients(self) -> str:
        if self.gradients is None:
            return ""
        total = self.gradients.compared + self.gradients.skipped
        return f"{self.gradients.compared} of {total} derivatives compared, largest difference {self.gradients.difference:.1e} relative"

    def _branches(self) -> str:
        rows = [(arms.span.place, _line(arms.span), str(arms.then), str(arms.orelse), arms.never) for arms in self.branches]
        return _table([("branch", "", "then", "else", ""), *rows]) if rows else ""

    def _loops(self) -> str:
        rows = [(item.span.place, _line(item.span), *map(str, (item.least, item.median, item.most))) for item in self.loops]
        return _table([("loop", "", "least", "median", "most rounds"), *rows]) if rows else ""

    def _dead(self) -> str:
        rows = [(f"{item.key}{_part(item)}", item.role, item.place) for item in self.dead]
        return "weights that move no answer\n" + _table(rows, indent="  ") if rows else ""


def _part(item: Dead) -> str:
    return "" if item.items == item.size else f" ({item.items} of {item.size} items)"


def _line(span: Span, width: int = 48) -> str:
    text = span.lines[0].strip() if span.lines else ""
    return text if len(text) <= width else text[: width - 3] + "..."


def _places(hits: Hits) -> str:
    return ", ".join(f"{_count(len(samples), 'sample')} at {span.place}" for span, samples in hits.items())


def _reasons(excused: dict[int, str]) -> str:
    kinds = sorted(set(excused.values()))
    return ", ".join(f"{_count(list(excused.values()).count(kind), 'sample')}: {kind}" for kind in kinds)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _table(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(indent + _row(row, widths) for row in rows)


def _row(row: Sequence[str], widths: Iterable[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
