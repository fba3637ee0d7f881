"""The range of an operation's result, and what a truth says about the ranges of the operands.

>>> from deepalgo.ir import Type, Value
>>> x = Value(0, Type(Kind.REAL), "x")
>>> print(image(Op(Value(1, Type(Kind.REAL)), "mul", (x, x)), {}))
[0, inf] or nan
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from deepalgo.ir.program import By, Op, Value
from deepalgo.kinds import Attr, Kind
from deepalgo.ops.ranges import (
    ALL_OUTCOMES,
    ALL_SORTS,
    ANY,
    LARGE,
    NAN,
    OF_KIND,
    UNORDERED,
    WHOLE,
    Range,
    compared,
    exactly,
    joined,
    mirrored,
    outcomes,
    sorted_as,
)
from deepalgo.ops.table import TABLE

Ranges = Mapping[Value, Range]


def range_of(value: Value, ranges: Ranges) -> Range:
    """What is known about a value, by its kind at least."""
    return ranges.get(value) or OF_KIND[value.type.kind]


def image(op: Op, ranges: Ranges) -> Range:
    """The range of an operation's result."""
    kind = op.result.type.kind
    if kind is Kind.BOOL or kind is Kind.COMPLEX:
        return OF_KIND[kind]
    if op.is_const:
        return of_constant(op.attrs[0][1])
    row, args = TABLE[op.name], op.args
    if row.bounds is None:
        return row.range if kind is Kind.REAL else row.range.meet(WHOLE)
    same = len(args) == 2 and args[0] == args[1]
    if not same and not any(arg in ranges for arg in args):
        return image_of_kinds(op.name, tuple([arg.type.kind for arg in args]), kind, op.by)
    return _limited(op.name, [range_of(arg, ranges) for arg in args], same, tuple([arg.type.kind for arg in args]), kind, op.by)


@cache
def image_of_kinds(name: str, kinds: tuple[Kind, ...], kind: Kind, by: By) -> Range:
    """The range where nothing is known of the operands."""
    return _limited(name, [OF_KIND[arg] for arg in kinds], False, kinds, kind, by)


def _limited(name: str, args: list[Range], same: bool, kinds: tuple[Kind, ...], kind: Kind, by: By) -> Range:
    row = TABLE[name]
    assert row.bounds is not None
    found = row.range if Kind.COMPLEX in kinds else row.bounds(args, same)
    found = found if row.range is ANY else found.meet(row.range)
    if kind is not Kind.INT:
        return found
    # NumPy's whole numbers begin again at the other end of 64 bits; for Python's there is a check.
    wraps = by is By.NUMPY and row.common is Kind.INT and not found.is_bounded
    return WHOLE if wraps or not found.whole else found.meet(WHOLE)


def of_constant(value: Attr) -> Range:
    """The range of a constant, or of the numbers of an array."""
    items = list(_items(value))
    if not items or not all(isinstance(item, (bool, int, float)) for item in items):
        return ANY
    return joined(_of_number(item) for item in items)  # type: ignore[arg-type]  # numbers


def _of_number(number: float) -> Range:
    """One number; of whole ones that a float cannot hold only the sign."""
    if isinstance(number, float) or abs(number) < 2**53:
        return exactly(float(number))
    return Range(LARGE, nan=False) if number > 0 else Range(high=-LARGE, nan=False)


def _items(value: Attr) -> Iterable[Attr]:
    if isinstance(value, tuple):
        for item in value:
            yield from _items(item)
    else:
        yield value


def answer(op: Op, ranges: Ranges) -> bool | None:
    """The truth of a comparison, or of a question about a number, by the ranges of the operands."""
    row, args = TABLE[op.name], op.args
    if any(arg.type.kind is Kind.COMPLEX for arg in args):
        return None
    if row.order:
        possible, yes = outcomes(range_of(args[0], ranges), range_of(args[1], ranges), args[0] == args[1]), row.order
        no = ALL_OUTCOMES & ~yes
    elif row.sorts != (0, 0):
        possible, (yes, no) = range_of(args[0], ranges).sorts, row.sorts
    else:
        return None
    return None if not possible else True if not possible & ~yes else False if not possible & ~no else None


def learned(op: Op, truth: bool, ranges: Ranges) -> Iterator[tuple[Value, Range]]:
    """The operands of a comparison or a question of which its truth says something, with their ranges."""
    row, args = TABLE[op.name], op.args
    if any(arg.type.kind is Kind.COMPLEX for arg in args):
        return
    if row.order:
        order = row.order if truth else ALL_OUTCOMES & ~row.order
        a, b = (range_of(arg, ranges) for arg in args)
        if args[0] == args[1]:
            yield args[0], sorted_as(a, ALL_SORTS if order & UNORDERED else ALL_SORTS & ~NAN)
            return
        yield args[0], compared(a, b, order)
        yield args[1], compared(b, a, mirrored(order))
    elif row.sorts != (0, 0):
        yield args[0], sorted_as(range_of(args[0], ranges), ALL_SORTS & ~row.sorts[1 if truth else 0])


def of_rounds(count: int) -> Range:
    """The index of a round."""
    return exactly(0.0).join(exactly(float(max(count - 1, 0)))).meet(WHOLE)
