"""Values that are known before the program runs.

>>> three, half = Value(0, Type(Kind.INT)), Value(1, Type(Kind.REAL))
>>> computed(Op(Value(2, Type(Kind.INT)), "add", (three, three)), [3, 3])
6
>>> computed(Op(Value(2, Type(Kind.REAL)), "add", (three, half)), [3, 0.1]) is None  # each precision rounds in its own way
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from deepalgo.ir.compute import compute, fill, function_space, spelling
from deepalgo.ir.program import Block, By, Op, Statement, Value
from deepalgo.ir.walk import walk
from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.table import TABLE

LARGEST = 2**63 - 1


def constants(statements: Block | Iterable[Statement]) -> dict[Value, Attr]:
    """The constants in a block and the blocks inside it, or among statements."""
    found = walk(statements) if isinstance(statements, Block) else statements
    return {op.result: op.attrs[0][1] for op in found if type(op) is Op and op.is_const}


def single(statements: Iterable[Statement]) -> dict[Value, Attr]:
    """The constants among statements that are no arrays."""
    return {value: number for value, number in constants(statements).items() if not value.type.shape}


def can_fold(op: Op) -> bool:
    """Whether there is a rule for the result of an operation on constants."""
    return TABLE[op.name].fold is not None and not op.result.type.shape


def computed(op: Op, numbers: Sequence[Attr]) -> Attr:
    """The result of an operation on constants where every precision agrees, None where that is not so."""
    fold = TABLE[op.name].fold
    if fold is None or not numbers or op.result.type.shape or not all(isinstance(number, (bool, int, float)) for number in numbers):
        return None
    try:
        return of_kind(fold(*numbers), op.result.type)
    except (OverflowError, ValueError, TypeError):
        return None


def of_kind(number: Attr, type: Type) -> Attr:
    """A number in the kind of a type; None if it is not one of them."""
    match type.kind:
        case Kind.BOOL:
            return number if isinstance(number, bool) else None
        case Kind.INT:
            return int(number) if isinstance(number, int) and abs(number) <= LARGEST else None
        case Kind.REAL:
            return float(number) if isinstance(number, (int, float)) else None
        case _:
            return number if isinstance(number, complex) else None


def on_every_call(ops: Iterable[Op], weights: Mapping[str, Any]) -> dict[Value, Any]:
    """The numbers and tables, as nested tuples, that values are on every call, because only constants and weights enter them.

    They are computed as the program computes them, in double precision; where Python raises, nothing is known.
    """
    found: dict[Value, Any] = {}
    for op in ops:
        if op.is_const:
            found[op.result] = op.attrs[0][1]
        elif op.is_weight:
            found[op.result] = weights[str(op.attr("key"))]
        elif op.args and all(arg in found for arg in op.args):
            number = _item(found[op.args[0]], op) if op.name == "index" else _number(op, [found[arg] for arg in op.args])
            if number is not None:
                found[op.result] = number
    return found


def _item(table: Any, op: Op) -> Any:
    for key in op.attr("key"):  # type: ignore[union-attr]  # a tuple
        table = table[key]
    return table


def _number(op: Op, numbers: list[Any]) -> Any:
    """The result on single numbers that Python has a function for."""
    row, types = TABLE[op.name], [arg.type for arg in op.args]
    if op.result.type.shape or any(type.shape for type in types) or row.python.startswith(("np.", "scipy.")):
        return None
    if op.by is By.NUMPY:
        with np.errstate(all="ignore"):
            return compute(op)(*numbers)
    names = [f"a{place}" for place in range(len(numbers))]
    text = fill(spelling(row, [type.kind for type in types]), names, dict(op.attrs))
    try:
        return eval(text, {**function_space(text), **dict(zip(names, numbers, strict=True))})
    except (ArithmeticError, ValueError, TypeError, NameError):
        return None
