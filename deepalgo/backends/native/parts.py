"""Split long blocks into functions of their own, which hand their values over in memory.

LLVM takes longer than in proportion to the length of a function. A part gets a pointer to the frame of the group, finds there what was
computed before it, and leaves there what is used after it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from deepalgo.backends.native.array_loops import is_large, is_loop
from deepalgo.backends.native.arrays import ARRAYS, Cells
from deepalgo.backends.native.text import LANES, ROW, VECTORS, Cell, Code
from deepalgo.ir import Block, Kind, Op, Statement, Value, blocks, captured
from deepalgo.ir.walk import defined

#: About as many instructions are one function; a longer block is split.
LONGEST = 1500
#: So long is an operation that becomes a loop.
IN_A_LOOP = 40
#: The first rooms hold the numbers of failed checks, the end of the stack, and the lanes that take part.
FAILED, TOP, LANES_ROOM, FIRST_ROOMS = 0, 1, 2, 3
#: What every part is given: the frame, the numbers of rounds that a loop may run for, the end of the stack, and the rooms of arrays.
ARGUMENTS = "ptr %frame, i64 %rounds, ptr %limit, ptr %arrays"


@dataclass(slots=True)
class PartFrame:
    """Rooms for a number of each lane, and the text of the parts."""

    size: int = FIRST_ROOMS
    most: int = FIRST_ROOMS
    #: Where the numbers of a value begin, and which of them differ from lane to lane.
    held: dict[Value, tuple[int, tuple[bool, ...]]] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)

    def room(self, count: int) -> int:
        """The first of so many rooms."""
        self.size += count
        self.most = max(self.most, self.size)
        return self.size - count

    def store(self, code: Code, value: Value, cells: Cells) -> None:
        """Put a value into the frame, unless it is there."""
        if value not in self.held:
            self.held[value] = self.room(len(cells)), tuple(cell.wide for cell in cells)
            for place, cell in enumerate(cells, self.held[value][0]):
                put(code, cell, address(code, place))

    def load(self, code: Code, value: Value) -> Cells:
        """Take a value from the frame."""
        first, wide = self.held[value]
        kind = min(value.type.kind, Kind.REAL)
        return tuple(get(code, address(code, place), kind, is_wide) for place, is_wide in enumerate(wide, first))

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """What is put there inside of a block is gone behind it."""
        count, size = len(self.held), self.size
        yield
        while len(self.held) > count:
            self.held.popitem()
        self.size = size


def address(code: Code, place: int) -> str:
    """A room of the frame."""
    return code.emit(f"getelementptr {ROW}, ptr %frame, i64 {place}")


def put(code: Code, cell: Cell, where: str) -> None:
    """Store a number, or one of each lane; truth values are bytes in memory."""
    text, type = cell.text, cell.type
    if cell.kind is Kind.BOOL:
        type = f"<{LANES} x i8>" if cell.wide else "i8"
        text = code.emit(f"zext {cell.typed} to {type}")
    code.do(f"store {type} {text}, ptr {where}, align 8")


def get(code: Code, where: str, kind: Kind, wide: bool = True) -> Cell:
    """Load a number, or one of each lane."""
    if kind is Kind.BOOL:
        type = f"<{LANES} x i8>" if wide else "i8"
        held = code.emit(f"load {type}, ptr {where}, align 8")
        return Cell(code.emit(f"icmp ne {type} {held}, {'zeroinitializer' if wide else '0'}"), kind, wide)
    type = VECTORS[kind] if wide else Cell("", kind).type
    return Cell(code.emit(f"load {type}, ptr {where}, align 8"), kind, wide)


class Splitter:
    """Finds pieces of blocks; knows the lengths of statements."""

    def __init__(self) -> None:
        self.lengths: dict[int, int] = {}

    def length(self, statement: Statement) -> int:
        """About how many instructions a statement becomes."""
        if id(statement) not in self.lengths:
            self.lengths[id(statement)] = self._length(statement)
        return self.lengths[id(statement)]

    def _length(self, statement: Statement) -> int:
        if isinstance(statement, Op):
            count = math.prod(statement.result.type.shape)
            if (is_large(statement.result) or any(map(is_large, statement.args))) and is_loop(statement):
                return IN_A_LOOP
            if statement.name in ARRAYS:
                count *= 1 + max((math.prod(arg.type.shape) for arg in statement.args), default=0)
            return 0 if statement.is_const or statement.is_weight else 2 * count
        return 10 + sum(self.length(item) for block in blocks(statement) for item in block.body)

    def is_long(self, statements: Sequence[Statement]) -> bool:
        """Whether statements are too many for one function."""
        return sum(map(self.length, statements)) > LONGEST

    def pieces(self, statements: Sequence[Statement]) -> Iterator[tuple[Statement, ...]]:
        """The statements in pieces of some length each."""
        piece: list[Statement] = []
        total = 0
        for statement in statements:
            size = self.length(statement)
            if piece and total + size > LONGEST // 2:
                yield tuple(piece)
                piece, total = [], 0
            piece.append(statement)
            total += size
        if piece:
            yield tuple(piece)

    def plan(self, statements: Sequence[Statement], results: Sequence[Value]) -> list[Piece]:
        """The pieces of a block with what each takes and leaves."""
        found: list[Piece] = []
        read = set(results)
        for statements_of_piece in reversed([*self.pieces(statements)]):
            made = [value for statement in statements_of_piece for value in defined(statement)]
            taken = captured(Block((), statements_of_piece, ()))
            found.append(Piece(statements_of_piece, taken, tuple(value for value in made if value in read)))
            read = read.difference(made).union(taken)
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some statements of a block, what they read from before them, and what of them is read after them."""

    statements: tuple[Statement, ...]
    taken: tuple[Value, ...]
    left: tuple[Value, ...]
