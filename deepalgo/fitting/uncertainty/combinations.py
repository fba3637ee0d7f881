"""`combinations`: in words, what is determined of numbers that cannot be told apart.

Along an undetermined direction some numbers move and no answer does. What stays the same along it is what data determine: a product or a
ratio if exponents say so at several points, a sum or a difference if factors do.

>>> points = [{"K": 2.0, "c": 3.0}, {"K": 2.5, "c": 2.0}]
>>> along = [np.array([[2.0, -3.0]]), np.array([[2.5, -2.0]])]  # K grows by the part by which c falls
>>> combinations(["K", "c"], points, along)
['K * c']
>>> combinations(["a", "b"], [{"a": 2.0, "b": 3.0}, {"a": 2.5, "b": 2.0}], [np.array([[1.0, 1.0]])] * 2)
['a - b']
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from deepalgo.fitting.uncertainty.residuals import Array

#: How well a coefficient has to be the same at all points, and the same as a simple fraction.
SAME = 1e-6
#: The largest denominator of a power.
LARGEST = 6
#: Parts of a direction that are large enough to divide by, and those that are rounding.
CLEAR, SMALL = 1e-4, 1e-8
#: With more numbers, logarithms and numbers themselves are not mixed.
MOST_MIXED = 4


def combinations(labels: Sequence[str], points: Sequence[Mapping[str, float]], null: Sequence[Array]) -> list[str]:
    """What is determined of the labelled numbers, one text each; [] if there is no simple one.

    `null` has at every point the directions, one a row, in which these numbers move together without a change. `points` hold other
    numbers, too: a coefficient can be one of them.
    """
    for logs in _choices(labels, points):
        tables = [_conserved(labels, point, directions, logs) for point, directions in zip(points, null, strict=True)]
        if len({table.shape for table in tables}) == 1 and (texts := _texts(labels, logs, np.stack(tables), points)):
            return texts
    return []


def _choices(labels: Sequence[str], points: Sequence[Mapping[str, float]]) -> Iterator[tuple[bool, ...]]:
    """Of which numbers to take logarithms: of all, of none, of some."""
    able = [all(point[label] != 0 for point in points) for label in labels]
    every = [(True,) * len(labels), (False,) * len(labels)]
    mixed = itertools.product((True, False), repeat=len(labels)) if len(labels) <= MOST_MIXED else ()
    for logs in [*every, *(choice for choice in mixed if choice not in every)]:
        if all(can for can, log in zip(able, logs, strict=True) if log):
            yield logs


def _conserved(labels: Sequence[str], point: Mapping[str, float], directions: Array, logs: Sequence[bool]) -> Array:
    """Coefficients, in reduced rows, of what does not change along the directions."""
    scale = np.array([point[label] if log else 1.0 for label, log in zip(labels, logs, strict=True)])
    _, strengths, rows = np.linalg.svd(directions / scale)
    rank = int((strengths > 1e-9 * strengths[0]).sum())
    return reduced(rows[rank:])[0]


def reduced(rows: Array) -> tuple[Array, list[int]]:
    """The reduced row echelon form, and the columns of its pivots: the first ones that are clearly not rounding."""
    rows, pivots = rows.copy(), list[int]()
    for column in range(rows.shape[1]):
        done = len(pivots)
        if done == len(rows):
            break
        best = done + int(np.abs(rows[done:, column]).argmax())
        if abs(rows[best, column]) < CLEAR:
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        others = np.arange(len(rows)) != done
        rows[others] -= np.outer(rows[others, column], rows[done])
        pivots.append(column)
    rows[np.abs(rows) < SMALL] = 0.0
    return rows[: len(pivots)], pivots


def _texts(labels: Sequence[str], logs: Sequence[bool], tables: Array, points: Sequence[Mapping[str, float]]) -> list[str]:
    """A text for each row of the tables `(points, rows, numbers)`; [] if one has none."""
    others = {name: [point[name] for point in points] for name in points[0] if name not in labels}
    found = []
    for row in np.moveaxis(tables, 1, 0):
        unit = np.flatnonzero((row != 0).all(0))
        tried = ([_coefficient(column, others, is_power=any(logs)) for column in (row / row[:, [one]]).T] for one in unit)
        powers = next((texts for texts in tried if None not in texts), None)
        if powers is None:
            return []
        texts = [text or "0" for text in powers]
        found.append(_product(labels, logs, texts) if any(logs) else _sum(labels, texts))
    return found


def _coefficient(values: Array, others: Mapping[str, Sequence[float]], is_power: bool) -> str | None:
    """A coefficient as a number or as the name of another number, "-" before it where it is negative; None if it is neither."""
    if np.ptp(values) <= SAME * np.abs(values).max():
        near = Fraction(float(values[0])).limit_denominator(LARGEST)
        if abs(float(near) - values[0]) <= SAME * max(1.0, abs(values[0])):
            return str(near) if near.denominator == 1 else f"{float(near):.4g}"
        return None if is_power else f"{values[0]:.4g}"
    for name, numbers in others.items():
        for sign, text in ((1, name), (-1, f"-{name}")):
            if np.allclose(values, sign * np.array(numbers), rtol=SAME, atol=0):
                return text
    return None


def _product(labels: Sequence[str], logs: Sequence[bool], powers: Sequence[str]) -> str:
    """Powers and exponentials, those below the line behind those above."""
    order = sorted(range(len(labels)), key=lambda number: not logs[number])
    above, below = list[str](), list[str]()
    first = next(power for number in order if (power := powers[number]) != "0")
    turned = first.startswith("-") and math.isfinite(_number(first))
    for number in order:
        power = powers[number]
        if power == "0":
            continue
        negative = power.startswith("-") != turned
        size = power.lstrip("-")
        base = labels[number] if logs[number] else f"exp({_times(size, labels[number])})"
        text = base if size == "1" or not logs[number] else f"{base}**{size}"
        (below if negative else above).append(text)
    return " / ".join([" * ".join(above) or "1", *below])


def _sum(labels: Sequence[str], factors: Sequence[str]) -> str:
    """A sum with signs between its terms, a positive one first if there is one."""
    pairs = zip(labels, factors, strict=True)
    terms = [(factor.startswith("-"), _times(factor.lstrip("-"), label)) for label, factor in pairs if factor != "0"]
    terms.sort(key=lambda term: term[0])
    text = ("-" if terms[0][0] else "") + terms[0][1]
    return text + "".join(f" {'-' if negative else '+'} {term}" for negative, term in terms[1:])


def _times(factor: str, label: str) -> str:
    return label if factor == "1" else f"{factor} * {label}"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
