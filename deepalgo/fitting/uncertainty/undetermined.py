"""`find_undetermined`: weights that no data of this kind can tell apart, what is determined of them, and which of them to hold.

>>> import math
>>> import torch
>>> from deepalgo.compiler import compile
>>> from deepalgo.fitting.data.samples import read
>>> from deepalgo.fitting.judge.objective import Objective
>>> def decay(t):
...     return 5.0 * (2.0 * math.exp(-0.3 * t)) + 1.0
>>> net = compile(decay)
>>> samples = read(net, torch.linspace(0, 9, 20), targets=torch.ones(20))
>>> for item in find_undetermined(Residuals(net, Objective(net), samples, list(net.weights))):
...     print(item)
only c2 * c2_2 is determined: c2 stays as it was written
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from deepalgo.fitting.uncertainty.combinations import combinations, reduced
from deepalgo.fitting.uncertainty.estimates import NO_PART, decompose
from deepalgo.fitting.uncertainty.residuals import Array, Residuals

#: By which factor numbers are moved at each point, up or down, at most: what is undetermined by accident at one is not at others.
FACTORS = (1.05, 1.1, 2.0, 8.0, 8.0)
#: With more numbers nobody reads them. So many samples are enough to see that all is determined, and so many that something is not.
MOST, SAMPLES = 100, (200, 2000)
#: So many numbers of the answers are looked at, at most: each of them may cost an evaluation.
MOST_ANSWERS = 20_000


@dataclass(frozen=True, slots=True)
class Undetermined:
    """Numbers that cannot be told apart.

    `combinations` are what data determine of them, as far as that is simple to say; `count` is how many there are, simple or not. The
    `held` ones need not move, as the others can do all that they could.
    """

    labels: tuple[str, ...]
    combinations: tuple[str, ...]
    count: int
    held: tuple[str, ...]

    def __str__(self) -> str:
        if self.combinations:
            known = f"only {_and(self.combinations)} {_is(len(self.combinations))} determined"
        elif self.count:
            known = f"of {_and(self.labels)} only {self.count} combination{'s' * (self.count > 1)} {_is(self.count)} determined"
        else:
            known = f"nothing is determined of {_and(self.labels)}"
        many = len(self.held) > 1
        return f"{known}: {_and(self.held)} {'stay as they were' if many else 'stays as it was'} written" if self.held else known


def find_undetermined(residuals: Residuals, holdable: Collection[str] | None = None) -> list[Undetermined]:
    """Groups of numbers of which fewer combinations are determined, at the numbers of the network and wherever nearby.

    Numbers that are not `holdable` (all are, if nothing is said) are only held where no other can be.
    """
    if not 1 < len(residuals) <= MOST or residuals.numbers > MOST_ANSWERS:
        return []
    few, many = (residuals.of(min(count, MOST_ANSWERS // max(residuals.numbers, 1))) for count in SAMPLES)
    if not _kept(few):
        return []
    kept = _kept(many) if len(many.samples) > len(few.samples) else _kept(few)
    return _described(residuals.labels, kept, residuals.labels if holdable is None else holdable)


def _kept(residuals: Residuals) -> list[tuple[Array, Array, Array]]:
    """Points with what is undetermined there; none if everything is determined somewhere."""
    found = []
    for number, factor in enumerate(FACTORS):
        point = _moved(residuals.values(), factor, number)
        null = _null(residuals, point)
        if null is not None and not len(null[0]):
            return []
        found += [(point, *null)] if null is not None else []
    least = min((len(relative) for _, relative, _ in found), default=0)
    return [item for item in found if len(item[1]) == least] if len(found) > 1 else []


def _moved(start: Array, factor: float, seed: int) -> Array:
    """The numbers, each moved at random; one that is 0 becomes a number of either sign."""
    powers = np.random.default_rng(seed).uniform(-1, 1, len(start))
    return np.where(start == 0, powers, start * factor**powers)


def _null(residuals: Residuals, point: Array) -> tuple[Array, Array] | None:
    """The undetermined directions at a point, one a row, in units of what each number changes and as they are; None without answers."""
    table = residuals.answers(point)
    sizes = np.linalg.norm(table, axis=0)
    live = sizes > 0
    if live.sum() < 2 or len(table) < live.sum():
        return None
    found = decompose(table[:, live] / sizes[live]).null
    relative, plain = np.zeros((len(found), len(point))), np.zeros((len(found), len(point)))
    relative[:, live], plain[:, live] = found, found / sizes[live]
    return relative, plain


def _described(labels: list[str], kept: list[tuple[Array, Array, Array]], holdable: Collection[str]) -> list[Undetermined]:
    """The groups, with what is determined of each."""
    order = sorted(range(len(labels)), key=lambda number: labels[number] not in holdable)
    rows, pivots = reduced(kept[0][1][:, order])
    groups: list[tuple[set[int], set[int]]] = []  # numbers, and those of them that are held
    for row, pivot in zip(rows, pivots, strict=True):
        numbers, held = {order[place] for place in np.flatnonzero(np.abs(row) > NO_PART)}, {order[pivot]}
        for group in [group for group in groups if group[0] & numbers]:
            groups.remove(group)
            numbers, held = numbers | group[0], held | group[1]
        groups.append((numbers, held))
    values = [dict(zip(labels, point.tolist(), strict=True)) for point, _, _ in kept]
    found = []
    for numbers, held in sorted(groups, key=lambda group: min(group[0])):
        places = sorted(numbers)
        names = tuple(labels[place] for place in places)
        texts = combinations(names, values, [plain[:, places] for _, _, plain in kept])
        found.append(Undetermined(names, tuple(texts), len(names) - len(held), tuple(labels[place] for place in sorted(held))))
    return found


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _and(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
