"""`Slope`: the derivative of an operation, as formulas in operations of the table.

A formula is text in a small language, which `ops.formula` reads: `+ - * / **`, comparisons, `and`, `or`, rows called as functions with
attributes as keywords. `x`, `y` and `z` are the operands, the row's own name is its result, and `g` the adjoint that arrives at it.

>>> hypot = Slope("x / hypot", "y / hypot", at={"hypot == 0": 0.0})
>>> hypot.of(1), hypot.at
('y / hypot', (('hypot == 0', (0.0, 0.0)),))
>>> FLAT.of(7)
'0'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Numerical:
    """A derivative without a formula: the torch function that has it all the same, and what it computes."""

    form: str
    what: str


#: The derivative by one operand; None where the operand is no quantity: a condition or a place.
Part: TypeAlias = str | Numerical | None
#: What holds instead of a formula: a number, or the torch function that has it; None where the formula holds.
End: TypeAlias = float | str | None


@dataclass(frozen=True, slots=True, init=False)
class Slope:
    """The derivative by each operand of an operation that works number by number.

    `...` at the end: the last formula holds for all further operands, and `place` in it is the place of the operand. `at` says what
    holds where a condition does, for all operands or for each. A complex operand gets the conjugate of the formula, as holomorphic
    functions want it; `plane` is the adjoint of the first operand where it is complex and the function is not holomorphic.
    """

    by: tuple[Part, ...]
    rest: bool
    at: tuple[tuple[str, tuple[End, ...]], ...]
    plane: str

    def __init__(self, *by: Part | EllipsisType, at: Mapping[str, End | tuple[End, ...]] | None = None, plane: str = "") -> None:
        parts = tuple(part for part in by if not isinstance(part, EllipsisType))
        ends = {text: end if isinstance(end, tuple) else (end,) * max(1, len(parts)) for text, end in (at or {}).items()}
        for name, value in (("by", parts), ("rest", len(parts) < len(by)), ("at", tuple(ends.items())), ("plane", plane)):
            object.__setattr__(self, name, value)

    def of(self, place: int) -> Part:
        """The derivative by the operand at a place."""
        return self.by[-1] if self.rest and place >= len(self.by) else self.by[place]

    def ends(self, place: int) -> tuple[tuple[str, End], ...]:
        """What holds instead, for the operand at a place, and where."""
        return tuple((text, ends[min(place, len(ends) - 1)]) for text, ends in self.at)


class Adjoint(Slope):
    """The same where numbers do not stand for themselves: each formula is the adjoint of an operand, made of `g`."""

    __slots__ = ()


#: The derivative of steps, comparisons and places: 0 wherever there is one.
FLAT = Slope("0", ...)
