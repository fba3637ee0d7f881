"""Values that are known before the program runs.

>>> three, half = Value(0, Type(Kind.INT)), Value(1, Type(Kind.REAL))
>>> computed(Op(Value(2, Type(Kind.INT)), "add", (three, three)), [3, 3])
6
>>> computed(Op(Value(2, Type(Kind.REAL)), "add", (three, half)), [3, 0.1]) is None  # each precision rounds in its own way
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deepalgo.ir.program import Block, Op, Statement, Value
from deepalgo.ir.walk import walk
from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.table import TABLE

#: The operation that has no operands and is a number.
CONSTANT = "const"
LARGEST = 2**63 - 1


def is_constant(op: Op) -> bool:
    """Whether an operation is a constant: a number, or nested tuples of them."""
    return op.name == CONSTANT


def constants(statements: Block | Iterable[Statement]) -> dict[Value, Attr]:
    """The constants in a block and the blocks inside it, or among statements."""
    found = walk(statements) if isinstance(statements, Block) else statements
    return {op.result: op.attrs[0][1] for op in found if type(op) is Op and op.name == CONSTANT}


def single(statements: Iterable[Statement]) -> dict[Value, Attr]:
    """The constants among statements that are no arrays."""
    return {value: number for value, number in constants(statements).items() if not value.type.shape}


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
