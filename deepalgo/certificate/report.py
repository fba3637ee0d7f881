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
class LoopRounds:
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
class ByWeights:
    """Derivatives of outputs by weights, compared as those by inputs; `unseen` tells of which weights none was compared, and why."""

    compared: int
    skipped: int
    difference: float  # relative, the largest one
    unseen: dict[str, str]


@dataclass(frozen=True, slots=True)
class Dead:
    """A weight of which so many `items` have no gradient on any sample, of `size` that it has.

    Whether it was `tried` to move them, and the move that changed an answer, as a part of their size.
    """

    key: str
    role: str
    place: str
    items: int
    size: int
    tried: bool = False
    change: float | None = None

    @property
    def moves_no_answer(self) -> bool:
        """Whether it was moved to both sides, and no answer changed."""
        return self.tried and self.change is None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The network gives the function's answers on these samples.

    `errors`: samples on which both raise, by exception. `beyond`: samples that the network refuses with an error of its own (a
    complex result, a whole number beyond 64 bits, a loop that does not end). `excused`: samples that differ where last digits
    decide, or on which the function itself changes as much when an input moves by its last digit. `computed`: what computed the
    network's numbers, and with which mathematics.
    """

    name: str
    computed: str
    samples: int
    compared: int
    absolute: float
    relative: float
    worst: int | None
    errors: dict[str, int]
    beyond: dict[str, int]
    gradients: Gradients | None
    by_weights: ByWeights | None
    branches: tuple[Arms, ...]
    loops: tuple[LoopRounds, ...]
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
        parts = [self._head(), self._branches(), self._loops(), self._dead(), self._idle()]
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return str(self)

    def _head(self) -> str:
        rows = [
            ("samples", self._samples()),
            ("computed", f"by {self.computed}"),
            ("values", self._values()),
            ("paths", f"{_count(self.paths, 'sample')} take the function's arms and rounds" if self.paths else ""),
            ("gradients", _derivatives(self.gradients, "inputs")),
            ("", _derivatives(self.by_weights, "weights")),
            ("not seen", self._unseen()),
            ("near-ties", _places(self.near_ties)),
            ("excused", _reasons(self.excused)),
            ("endpoints", _places(self.endpoints)),
        ]
        verdict = "the network gives the answers of the function" if self.ok else "there was nothing to compare"
        return f"{self.name}: {verdict}{self._warning()}\n" + _table([row for row in rows if row[1]], indent="  ")

    def _warning(self) -> str:
        """What a reader must not miss: derivatives of which none could be compared."""
        parts = [_ratio(item, by) for item, by in ((self.gradients, "inputs"), (self.by_weights, "weights")) if item and _is_blind(item)]
        return f"; warning: {' and '.join(parts)} compared" if parts else ""

    def _unseen(self) -> str:
        """The weights without a comparison, by reason."""
        found: dict[str, list[str]] = {}
        for key, reason in (self.by_weights.unseen if self.by_weights else {}).items():
            found.setdefault(reason, []).append(key)
        return "; ".join(f"{_some(keys)}: {reason}" for reason, keys in found.items())

    def _samples(self) -> str:
        parts = [f"{self.compared} of {self.samples} compared"]
        parts += [f"{count} raise {error} in both" for error, count in self.errors.items()]
        parts += [f"{count} refused: {error}" for error, count in self.beyond.items()]
        return ", ".join(parts)

    def _values(self) -> str:
        if self.worst is None:
            return "all equal" if self.ok else ""
        return f"largest difference {self.relative:.1e} relative, {self.absolute:.1e} absolute (sample {self.worst})"

    def _branches(self) -> str:
        rows = [(arms.span.place, _line(arms.span), str(arms.then), str(arms.orelse), arms.never) for arms in self.branches]
        return _table([("branch", "", "then", "else", ""), *rows]) if rows else ""

    def _loops(self) -> str:
        rows = [(item.span.place, _line(item.span), *map(str, (item.least, item.median, item.most))) for item in self.loops]
        return _table([("loop", "", "least", "median", "most rounds"), *rows]) if rows else ""

    def _dead(self) -> str:
        rows = [(f"{item.key}{_part(item)}", item.role, item.place) for item in self.dead if item.moves_no_answer]
        return "weights that move no answer\n" + _table(rows, indent="  ") if rows else ""

    def _idle(self) -> str:
        rows = [(f"{item.key}{_part(item)}", item.role, item.place, _step(item)) for item in self.dead if not item.moves_no_answer]
        return "weights with no gradient here\n" + _table(rows, indent="  ") if rows else ""


def _derivatives(item: Gradients | ByWeights | None, by: str) -> str:
    if item is None or not item.compared + item.skipped:
        return ""
    return f"{_ratio(item, by)} compared, largest difference {item.difference:.1e} relative"


def _ratio(item: Gradients | ByWeights, by: str) -> str:
    return f"{item.compared} of {_count(item.compared + item.skipped, 'derivative')} by {by}"


def _is_blind(item: Gradients | ByWeights) -> bool:
    return not item.compared and item.skipped > 0


def _some(keys: Sequence[str], most: int = 6) -> str:
    return ", ".join(keys) if len(keys) <= most else f"{', '.join(keys[:most])} and {len(keys) - most} more"


def _step(item: Dead) -> str:
    """Which move of a weight without a gradient changes an answer."""
    return "" if item.change is None else f"answers change when it moves by {100 * item.change:.3g} %"


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
