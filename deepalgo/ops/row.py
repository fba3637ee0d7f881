"""`Row`: all that the library knows about one operation, and the rules by which result types follow from operand types.

>>> infer = elementwise(least=Kind.INT)
>>> print(infer((Type(Kind.BOOL), Type(Kind.REAL, (3,))), {}))
real[3]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.bounds import Bounds
from deepalgo.ops.ranges import ANY, Range
from deepalgo.ops.slope import Numerical, Slope

Infer: TypeAlias = Callable[[Sequence[Type], Mapping[str, Attr]], Type]
Fold: TypeAlias = Callable[..., Attr]


class Hazard(Enum):
    """Whether a value or a derivative can be inf or NaN.

    NONE: only the value, where an operand is or a sum leaves the range of floats; the derivatives are finite whatever the operands are.
    SPREADS: where an operand is inf or NaN, or so large or so small that products leave the range of floats.
    ARISES: at ordinary operands, too: at an end of the domain, beyond it, or because the function grows fast.
    """

    NONE = "none"
    SPREADS = "spreads"
    ARISES = "arises"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One operation: what is true of it, and its spelling in each language.

    Spellings are templates: `{0}`, `{1}`, ... are the operands, `{*}` all of them, `{digits}` the attribute `digits`. In the
    torch spelling `ops` is `deepalgo.ops.forms`, or `torch_form`, and operands are tensors with a leading batch axis, or numbers. Facts
    without a default are asked of every row, because a wrong one would show only as a wrong answer.
    """

    name: str = field(kw_only=False)
    #: The type of the result.
    types: Infer
    python: str
    numpy: str
    torch: str
    hazard: Hazard
    #: Torch gives Python's and NumPy's result bit for bit: rounded correctly by all of them, or only moved.
    exact: bool
    #: In additions of as many numbers as the result holds; `python -m benchmarks.op_cost` measures it.
    cost: float
    #: The derivative by every operand; `FLAT` where it is 0 wherever there is one.
    slope: Slope | Numerical
    #: The hazard of complex operands, where it is another one.
    complex_hazard: Hazard | None = None
    #: The operand whose zero is the only ordinary place of the hazard: a divisor.
    pole: int | None = None
    #: Linear in each of its two operands: where one is a finite constant, the derivative by the other is, too.
    bilinear: bool = False
    #: Of a choice between two numbers: the comparison of the second with the first that takes the second, and nothing else does.
    second_if: str = ""
    #: The same as `exact`, of complex operands.
    exact_complex: bool = False
    #: Torch spelling of the number, next to the first operand, at which the result jumps; "" where a last digit cannot change it.
    step: str = ""
    #: What Python raises by itself where the operation is not defined, or NumPy for arrays: names of exception classes.
    raises: tuple[str, ...] = ()
    #: Of single real numbers: where that is a ValueError, in the language of slopes.
    fails: str = ""
    #: Operands are brought to one kind, at least this one; None leaves them as they are.
    common: Kind | None = None
    #: So many leading operands keep their kind all the same (the condition of `select`).
    apart: int = 0
    #: Shapes of operands broadcast against each other, so a backend has to line up their axes.
    broadcasts: bool = True
    #: Torch spelling of "the derivative here is infinite, and defined as finite", or "" where that cannot be.
    endpoint: str = ""
    #: The module that has the function of the NumPy spelling, which returns several results: `f({0})[1]`. It needs NumPy alone.
    numpy_form: str = ""
    #: The module that has the function `ops.name` of the torch spelling, where that is not `ops.forms`.
    torch_form: str = ""
    #: Torch spelling for careful derivatives where an operation works neither number by number nor sample by sample.
    careful: str = ""
    #: Torch spelling for complex numbers, or "" if it is the same: torch's own lose infinities and the sign of zero.
    complex: str = ""
    #: The functions of Python, NumPy and others that are this operation, by their dotted names.
    means: tuple[str, ...] = ()
    #: How formulas write it: a style of `drawing.formula` and its signs; "" for a function with its operands in brackets.
    drawn: str = ""
    #: The operation with a smooth minimum in the place of the minimum: the same operands and a softness, with its width as attribute `key`.
    softened: str = ""
    #: Every number of the result is one of an operand, and attributes, conditions and whole numbers alone decide which.
    moves: bool = False
    #: The result, if it is an array, may share its numbers with an operand, so that who changes one in place changes the other.
    views: bool = False
    #: The result is one of the operands behind `apart`, with what it is besides a number: Python's or NumPy's.
    chooses: bool = False
    #: The item of the first operand at a place: at the whole numbers of `key`, or at the whole number that is the second operand.
    item: bool = False
    #: A part of the first operand: at `key`, or at the whole numbers that are the second operand.
    takes: bool = False
    #: The first operand with other numbers at some places: those of the last operand.
    replaces: bool = False
    #: The operation of two numbers that it repeats along an axis, beginning with the first ones.
    repeats: str = ""
    #: Of a search among numbers: how the one that is found stands to the others (`ops.ranges.BELOW`, ...).
    extreme: int = 0
    #: Python spelling of the result as a whole number, where the operation rounds to one.
    rounding: str = ""
    #: The numbers that a real result can be, whatever the operands are.
    range: Range = ANY
    #: The range of a real or whole result by those of the operands.
    bounds: Bounds | None = None
    #: Of a comparison: the ways in which its operands can stand to each other where it is true (`ops.ranges.BELOW`, ...).
    order: int = 0
    #: Of a question about a number: the sorts of number (`ops.ranges.NAN`, ...) for which the answer is yes, and those for which it is no.
    sorts: tuple[int, int] = (0, 0)
    #: The result for plain numbers where every precision agrees; None, OverflowError or ValueError where it does not.
    fold: Fold | None = None

    def spelling(self, kind: Kind) -> str:
        """The torch spelling for a result of this kind."""
        return self.complex if self.complex and kind is Kind.COMPLEX else self.torch

    @property
    def rearranges(self) -> bool:
        """Whether it moves numbers by its attributes alone: no operand is a condition or a place."""
        return self.moves and isinstance(self.slope, Slope) and None not in self.slope.by

    def hazard_of(self, operands: Iterable[Type]) -> Hazard:
        """The hazard for operands of these types."""
        if self.complex_hazard is None or not any(operand.kind is Kind.COMPLEX for operand in operands):
            return self.hazard
        return self.complex_hazard

    def is_risky(self, operands: Iterable[Type]) -> bool:
        """Whether a derivative can be inf or NaN: then a sample with an adjoint of 0 must not be asked for it."""
        return self.hazard_of(operands) is not Hazard.NONE


def elementwise(least: Kind = Kind.BOOL, most: Kind = Kind.COMPLEX, result: Kind | None = None) -> Infer:
    """Operands meet in their common kind, at least `least`; the result has that kind, or `result`."""

    def infer(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
        kind = common_kind(args, least)
        if kind > most:
            raise TypeError(f"not defined for {kind.name.lower()} operands")
        return Type(kind if result is None else result, broadcast(args))

    return infer


def cast(kind: Kind) -> Infer:
    """The operand's shape with another kind."""
    return lambda args, attrs: Type(kind, args[0].shape)


def check_single(args: Sequence[Type]) -> None:
    """Raise TypeError for an operand that is an array."""
    for arg in args:
        if arg.shape:
            raise TypeError(f"not defined for arrays of shape {arg.shape}")


def common_kind(args: Sequence[Type], least: Kind = Kind.BOOL) -> Kind:
    """The kind that all operands can be promoted to."""
    return max([least, *(arg.kind for arg in args)])


def broadcast(args: Sequence[Type]) -> tuple[int, ...]:
    """The shape in which per-sample shapes meet, as NumPy does it.

    >>> broadcast([Type(Kind.REAL, (2, 1)), Type(Kind.REAL, (3,))])
    (2, 3)
    """
    rank = max((len(arg.shape) for arg in args), default=0)
    padded = [(1,) * (rank - len(arg.shape)) + arg.shape for arg in args]
    return tuple(_meet(sizes, args) for sizes in zip(*padded, strict=True))


def _meet(sizes: tuple[int, ...], args: Sequence[Type]) -> int:
    size = next((size for size in sizes if size != 1), 1)
    if any(other not in (1, size) for other in sizes):
        shapes = " ".join(str(arg.shape).replace(" ", "") for arg in args)
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}")
    return size


def of_whole(function: Callable[..., Attr]) -> Fold:
    """A function that is folded for whole numbers only, as floats are rounded by their precision."""
    return lambda *numbers: function(*numbers) if all(isinstance(number, int) and abs(number) < 2**53 for number in numbers) else None
