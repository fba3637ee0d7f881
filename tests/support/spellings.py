"""The spellings of a row on a grid of operands, against each other: Python's, NumPy's on numbers and on arrays, torch's.

A spelling has an answer where it raises nothing and gives a number of the kind that the row says; only answers are compared. Whole numbers
are compared where Python has an answer, as what NumPy and torch make of a division by zero is no one's.

>>> Spellings("hypot", (Kind.REAL, Kind.INT), [(3.0, 4)]).differences(1e-12)
[]
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from deepalgo.ir.compute import FAILURES, common_kind, fill, function_space, spelling
from deepalgo.kinds import Attr, Kind, Type
from deepalgo.network import Network
from deepalgo.ops.attributes import PLACE
from deepalgo.ops.by_numpy import DTYPES
from deepalgo.ops.table import TABLE, infer
from tests.support.build import Builder

inf, nan = math.inf, math.nan
REALS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 0.1, 3.0, 12.25, inf, -inf, nan)
GRID: dict[Kind, tuple[Any, ...]] = {
    Kind.BOOL: (False, True),
    Kind.INT: (0, 1, -1, 2, 3, -7, 10, 62),
    Kind.REAL: (*REALS, 1e-9, -1e-300, 1e300, 5e-324),
    Kind.COMPLEX: (1 + 0j, -1 + 0.5j, 0.25 - 2j, -1j, 3j, 0.5 + 1e-3j),
}
#: Beside complex numbers: infinities and the smallest numbers are the business of checks there.
BESIDE_COMPLEX = (0.5, -0.5, 1.0, -2.5, 3.0)
EMPTY: Mapping[str, Attr] = {}


class Spellings:
    """One row on operands of some kinds, a tuple for each sample."""

    def __init__(self, name: str, kinds: Sequence[Kind], rows: Sequence[tuple[Any, ...]], attrs: Mapping[str, Attr] = EMPTY) -> None:
        self.name, self.rows, self.attrs = name, rows, attrs
        self.types = [Type(kind) for kind in kinds]
        self.result = infer(name, self.types, attrs)
        row = TABLE[name]
        common = common_kind(row, self.types)
        self.meets = [kind if common is None or place < row.apart else common for place, kind in enumerate(kinds)]

    def python(self) -> list[Any]:
        """What Python says of each sample, None where it has no answer."""
        kinds = {Kind.BOOL: "bool", Kind.INT: "int", Kind.REAL: "float", Kind.COMPLEX: "complex"}
        operands = [f"{kinds[kind]}(a{place})" for place, kind in enumerate(self.meets)]
        return [self.answer(fill(spelling(TABLE[self.name], self.meets), operands, self.attrs), row) for row in self.rows]

    def numpy(self) -> list[Any]:
        """What NumPy says of each sample."""
        operands = [f"np.{DTYPES[kind].__name__}(a{place})" for place, kind in enumerate(self.meets)]
        return [self.answer(fill(TABLE[self.name].numpy, operands, self.attrs), row) for row in self.rows]

    def arrays(self, places: Sequence[int]) -> list[Any]:
        """What NumPy says of arrays of those samples."""
        columns = self.columns(self.meets, places)
        found = eval_(fill(TABLE[self.name].numpy, [f"a{place}" for place in range(len(columns))], self.attrs), columns)
        return [item.item() for item in np.asarray(found)]

    def torch(self) -> list[Any]:
        """What a network says."""
        b = Builder()
        operands = [b.input("abcdef"[place], type) for place, type in enumerate(self.types)]
        columns = self.columns([type.kind for type in self.types], range(len(self.rows)))
        return Network(b.program(b.op(self.name, *operands, **self.attrs)), backend="torch")(*map(torch.tensor, columns)).tolist()

    def columns(self, kinds: Sequence[Kind], places: Sequence[int]) -> list[Any]:
        """An array for each operand, of these kinds."""
        return [np.array([self.rows[place][number] for place in places], DTYPES[kind]) for number, kind in enumerate(kinds)]

    def answer(self, text: str, row: tuple[Any, ...]) -> Any:
        """A number of the kind that the row says, or None."""
        try:
            found = eval_(text, row)
        except FAILURES:
            return None
        found = found.item() if isinstance(found, (np.generic, np.ndarray)) else found
        kind = {bool: Kind.BOOL, int: Kind.INT, float: Kind.REAL, complex: Kind.COMPLEX}[type(found)]
        return None if kind != self.result.kind or (kind is Kind.INT and not -(2**63) <= found < 2**63) else found

    def differences(self, rtol: float) -> list[tuple[Any, ...]]:
        """Where two spellings give two answers: the operands, and all answers."""
        python, numpy, network = self.python(), self.numpy(), self.torch()
        whole = self.result.kind is Kind.INT
        places = [place for place, item in enumerate(numpy) if item is not None and not (whole and python[place] is None)]
        arrays = dict(zip(places, self.arrays(places), strict=True)) if TABLE[self.name].broadcasts and places else {}
        wrong = []
        for place, row in enumerate(self.rows):
            found = [item for item in (python[place], numpy[place], arrays.get(place)) if item is not None]
            if (python[place] is None and whole) or not found:
                continue
            if not all(alike(item, found[0], rtol) for item in (*found[1:], network[place])):
                wrong.append((self.name, row, python[place], numpy[place], arrays.get(place), network[place]))
        return wrong


def eval_(text: str, operands: Sequence[Any], form: str = "") -> Any:
    """What a spelling says of operands."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return eval(text, function_space(text, form), {f"a{place}": item for place, item in enumerate(operands)})


def cases(name: str, attrs: Mapping[str, Attr] = EMPTY, reals: Sequence[float] = GRID[Kind.REAL]) -> Iterator[Spellings]:
    """Every combination of kinds that the row takes, on single numbers from the grid."""
    for kinds in itertools.product(Kind, repeat=arity(name)):
        try:
            infer(name, [Type(kind) for kind in kinds], attrs)
        except TypeError:
            continue
        if len(kinds) > 2 and len(set(kinds[TABLE[name].apart :])) > 1:
            continue
        grid = GRID | {Kind.REAL: BESIDE_COMPLEX if Kind.COMPLEX in kinds else reals}
        yield Spellings(name, kinds, list(itertools.product(*(grid[kind][:: 2 if len(kinds) > 2 else 1] for kind in kinds))), attrs)


def arity(name: str) -> int:
    """How many operands a row takes; three if it takes any number."""
    row = TABLE[name]
    places = {place for template in (row.torch, row.python, row.numpy) for place in PLACE.findall(template)}
    return 3 if "*" in places else max((int(place) + 1 for place in places if place.isdigit()), default=0)


def alike(got: Any, wanted: Any, rtol: float) -> bool:
    """Whether two answers are the same number, up to a part of the larger of its parts; NaN is NaN."""
    a, b = complex(got), complex(wanted)
    scale = max((abs(part) for part in (b.real, b.imag) if math.isfinite(part)), default=0.0)
    return all(_near(x, y, rtol * scale) for x, y in ((a.real, b.real), (a.imag, b.imag)))


def _near(a: float, b: float, slack: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= max(slack, 1e-322)
