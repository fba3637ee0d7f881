"""Text of LLVM, line by line: instructions, blocks, and the types of numbers.

>>> code = Code()
>>> code.emit("fadd double 1.0, 2.0")
'%v1'
>>> code.lines
['  %v1 = fadd double 1.0, 2.0']
>>> print(number(0.5, Kind.REAL))
0x3FE0000000000000
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from deepalgo.kinds import Kind
from deepalgo.spans import Span

#: Stands in the text for the number of lanes, which is known when the text is compiled: the same text serves one sample and many.
LANES = "$"
#: What LLVM calls a number of each kind.
SCALARS = {Kind.BOOL: "i1", Kind.INT: "i64", Kind.REAL: "double"}
VECTORS = {kind: f"<{LANES} x {name}>" for kind, name in SCALARS.items()}
MASK = VECTORS[Kind.BOOL]
#: A room in memory holds a number of each lane.
ROW = VECTORS[Kind.REAL]
ALL = "splat (i1 true)"
#: Functions that only compute, of which LLVM may leave calls out, merge them, and take them out of loops.
PURE = "nounwind willreturn speculatable memory(none)"


class Unsupported(Exception):
    """What native code cannot do, with the operation as the reason."""


def at_line(span: Span | None) -> str:
    """The end of a reason: where the operation stands that is meant."""
    return f", line {span.line}" if span is not None else ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a value: an operand of LLVM, one for all samples or a vector with one for each."""

    text: str
    kind: Kind
    wide: bool = False

    @property
    def type(self) -> str:
        """The type in LLVM."""
        return VECTORS[self.kind] if self.wide else SCALARS[self.kind]

    @property
    def typed(self) -> str:
        """The operand behind its type."""
        return f"{self.type} {self.text}"

    @property
    def is_const(self) -> bool:
        """Whether the number stands in the text."""
        return not self.text.startswith("%")


def number(value: bool | float, kind: Kind) -> str:
    """A number as LLVM reads it, with all its bits."""
    if kind is Kind.REAL:
        return f"0x{struct.unpack('>Q', struct.pack('>d', float(value)))[0]:016X}"
    return str(int(value)) if kind is Kind.INT else "true" if value else "false"


def literal(value: bool | float, kind: Kind) -> Cell:
    """A number that is known."""
    return Cell(number(value, kind), kind)


def real_of(cell: Cell) -> float:
    """The number that a literal stands for.

    >>> real_of(literal(-2.5, Kind.REAL)), real_of(literal(3, Kind.INT))
    (-2.5, 3.0)
    """
    found: tuple[float] = struct.unpack(">d", bytes.fromhex(cell.text[2:])) if cell.kind is Kind.REAL else (float(cell.text),)
    return found[0]


class Code:
    """The body of one function: `lines`, and names that no other line has."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.label = "entry"
        #: Numbers from the start of the function, as vectors.
        self.spreads: dict[str, Cell] = {}

    def name(self) -> str:
        """A name for a value."""
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> str:
        """Append an instruction and return the name of its result."""
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def do(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {text}")

    def new_label(self, word: str) -> str:
        """A name for a block that begins later."""
        self.count += 1
        return f"{word}.{self.count}"

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        """Go to a block."""
        self.do(f"br label %{label}")

    def jump_if(self, condition: str, then: str, orelse: str) -> None:
        """Go to one of two blocks."""
        self.do(f"br i1 {condition}, label %{then}, label %{orelse}")

    # numbers

    def spread(self, cell: Cell) -> Cell:
        """The number as a vector."""
        if cell.wide:
            return cell
        if cell.text in self.spreads:
            return self.spreads[cell.text]
        if cell.is_const:
            return Cell(f"splat ({cell.type} {cell.text})", cell.kind, True)
        wide = VECTORS[cell.kind]
        first = self.emit(f"insertelement {wide} poison, {cell.typed}, i64 0")
        return Cell(self.emit(f"shufflevector {wide} {first}, {wide} poison, <{LANES} x i32> zeroinitializer"), cell.kind, True)

    def spread_early(self, cell: Cell) -> Cell:
        """The number itself, which stands at the start of the function: it is made a vector here, once for all that follows."""
        if not cell.wide:
            self.spreads[cell.text] = self.spread(cell)
        return cell

    def level(self, cells: Sequence[Cell]) -> list[Cell]:
        """The numbers as vectors if one of them is one."""
        return [self.spread(cell) for cell in cells] if any(cell.wide for cell in cells) else list(cells)

    def op(self, name: str, *cells: Cell, kind: Kind | None = None) -> Cell:
        """An instruction with operands of one type."""
        level = self.level(cells)
        texts = ", ".join(cell.text for cell in level)
        return Cell(self.emit(f"{name} {level[0].type} {texts}"), level[0].kind if kind is None else kind, level[0].wide)

    def choose(self, condition: Cell, then: Cell, orelse: Cell) -> Cell:
        """One of two numbers."""
        if then == orelse:
            return then
        if condition.is_const:
            return then if "true" in condition.text else orelse
        if condition.wide:
            then, orelse = self.spread(then), self.spread(orelse)
        else:
            then, orelse = self.level((then, orelse))
        return Cell(self.emit(f"select {condition.typed}, {then.typed}, {orelse.typed}"), then.kind, then.wide)

    def intrinsic(self, name: str, *cells: Cell, declared: dict[str, str]) -> Cell:
        """A call of a function of LLVM's own, which knows vectors."""
        level = self.level(cells)
        first = level[0]
        suffix = {Kind.REAL: "f64", Kind.INT: "i64"}[first.kind]
        full = f"llvm.{name}.{f'v{LANES}' if first.wide else ''}{suffix}"
        declared[full] = f"declare {first.type} @{full}({', '.join([first.type] * len(level))})"
        return Cell(self.emit(f"call {first.type} @{full}({', '.join(cell.typed for cell in level)})"), first.kind, first.wide)

    def any(self, mask: str) -> str:
        """Whether a lane of a mask is set."""
        bits = self.emit(f"bitcast {MASK} {mask} to i{LANES}")
        return self.emit(f"icmp ne i{LANES} {bits}, 0")

    def both(self, first: str, second: str) -> str:
        """The lanes that are set in two masks."""
        if ALL in (first, second):
            return second if first == ALL else first
        return self.emit(f"and {MASK} {first}, {second}")

    def without(self, first: str, second: str) -> str:
        """The lanes of the first mask that are not set in the second."""
        opposite = self.emit(f"xor {MASK} {second}, {ALL}")
        return self.both(first, opposite)
