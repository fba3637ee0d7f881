"""Writes a program as LLVM: one function that takes groups of samples through it, a lane for each sample.

What is the same for all samples is computed as one number. The caller gets the results of each sample, sums over all samples where it asks
for them, and the number of the check that each sample fails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deepalgo.backends.native.array_loops import has_form, is_large
from deepalgo.backends.native.build import fuses
from deepalgo.backends.native.can_fail import can_fail, statement_fails
from deepalgo.backends.native.columns import LARGE
from deepalgo.backends.native.lane_functions import COUNTER, addition, function_of_some, lane_function
from deepalgo.backends.native.mathematics import VECTOR_FORMS, Mathematics, define
from deepalgo.backends.native.memory import COPY_ROWS, SHORT, STORED, Extent
from deepalgo.backends.native.notes import GROUP, LOG, Notes, definitions
from deepalgo.backends.native.regions import CODES, Regions
from deepalgo.backends.native.text import ALL, LANES, MASK, ROW, VECTORS, Cell, Unsupported, at_line, literal
from deepalgo.backends.native.width import FEW
from deepalgo.ir import Block, Check, Kind, Op, Program, Value, While, captured, walk


@dataclass(frozen=True, slots=True)
class Rows:
    """Where the rows of an array are: the first one, and the bytes from one to the next."""

    first: str
    step: str


#: Where the numbers of a value are: a column for each of them, or the rows of an array in memory.
Columns: TypeAlias = list[str] | Rows


@dataclass(slots=True)
class WrittenModule:
    """The text of a module, the checks by their numbers, and what the function asks of its caller."""

    text: str
    checks: list[Check | While]
    saves: bool
    #: Whether a sample can fail; otherwise no numbers of failed checks are written.
    fails: bool
    #: Rooms for arrays, each for a number of every lane.
    rooms: int
    #: Functions outside of the C library, and where they are.
    symbols: dict[str, int]
    #: Functions that are called, how many numbers each takes, and for which of them there are vector forms.
    functions: frozenset[tuple[str, int]]
    called: frozenset[str]
    forms: frozenset[str]
    notes: Notes

    def for_lanes(self, lanes: int) -> str:
        """The text for so many samples side by side."""
        numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
        declared: dict[str, str] = {}
        lines = [f"@lane_numbers = internal constant <{lanes} x i64> <{numbers}>"]
        for name, count in sorted(self.functions):
            if name in self.forms:
                widths = ((f"lanes.{name}", lanes), (f"one.{name}", 1))
                lines += [define(name, count, symbol, width, declared) for symbol, width in widths if symbol in self.called]
            else:
                lines += lane_function(name, count, f"special.{name}" in self.symbols, lanes)
                if f"some.{name}" in self.called:
                    lines += function_of_some(name, count, lanes)
        lines += [*(definitions(lanes) if self.notes.writes else []), *(addition(lanes) if "@add.lanes" in self.text else [])]
        text = "\n".join([*lines, self.text]).replace(LANES, str(lanes))
        return "\n".join([*(line for line in declared.values() if line not in text), text])


def write(program: Program, summed: frozenset[int] = frozenset(), mathematics: Mathematics = "exact",
          notes: Notes | None = None) -> WrittenModule:
    """The program as a module with the function `run`; results at the places in `summed` are added up over all samples."""
    _refuse_complex(program)
    _refuse_unknown(program)
    return ModuleWriter(program, summed, mathematics, notes).module()


def _refuse_complex(program: Program) -> None:
    if any(item.value.type.kind is Kind.COMPLEX for item in program.inputs):
        raise Unsupported("complex numbers")
    for op in walk(program.body):
        if isinstance(op, Op) and op.result.type.kind is Kind.COMPLEX:
            operation = next((user for user in walk(program.body) if isinstance(user, Op) and op.result in user.args), op)
            if operation is op and not op.is_const:
                continue  # it is an operand of a message
            raise Unsupported(f"{operation.name} of complex numbers{at_line(operation.span)}")


def _refuse_unknown(program: Program) -> None:
    """Refuse operations on arrays that have no form before anything is written, as what stands before them may be long."""
    for op in walk(program.body):
        if isinstance(op, Op) and not (op.is_const or op.is_weight or has_form(op)):
            raise Unsupported(f"{op.name} of arrays{at_line(op.span)}")


class ModuleWriter(Regions):
    """The function around the statements of a program."""

    def __init__(self, program: Program, summed: frozenset[int], mathematics: Mathematics = "exact",
                 notes: Notes | None = None) -> None:
        super().__init__(program, notes)
        self.forms = self.numbers.forms = frozenset(VECTOR_FORMS if mathematics == "vector" and fuses() else ())
        self.numbers.multiplies = "pow" in self.forms
        self.program = program
        self.summed = summed
        self.allocated: list[str] = []
        self.tail = self.code.new_label("tail")
        self.fails = can_fail(program.body)
        #: The lanes of a group that have a sample: all but in the last group.
        self.there = ALL
        #: Where a group of samples starts, and where it goes if it has to begin anew; "" if it never has to.
        self.start = self.restart = ""
        #: The line behind which a group of samples begins.
        self.first_of_group = 0

    def module(self) -> WrittenModule:
        """The whole text."""
        self.function()
        if self.notes.writes:
            self.code.lines.insert(self.first_of_group, "  store i64 %group, ptr %group.at")
            self.code.lines.insert(self.first_of_group, f"  %group.at = getelementptr i64, ptr {LOG}, i64 {GROUP}")
        head = ("define i64 @run(i64 %first, i64 %last, ptr noalias %inputs, ptr noalias %weights, ptr noalias %outputs, "
                "ptr noalias %sums, ptr noalias %codes, i64 %count, i64 %rounds, ptr noalias %tape, ptr %limit, ptr %arrays) nounwind {")
        if self.frame.parts:
            self.allocated.append(f"  %frame = alloca {ROW}, i64 {self.frame.most}, align 64")
        body = ["entry:", *self.local_rooms(), *self.allocated, *self.code.lines, "}"]
        tables = [f"{name} = {text}" for text, name in self.memory.tables.items()]
        copies = [COPY_ROWS] if self.memory.copies else []
        lines = [*self.numbers.declared.values(), *tables, *copies, *self.frame.parts, head, *body]
        symbols = {f"special.{name}": address for name, address in self.numbers.special.items()}
        libm, called = frozenset(self.numbers.libm), frozenset(self.numbers.called)
        rooms, forms = self.memory.rooms.most, self.forms
        return WrittenModule("\n".join(lines), self.checks, self.saves, self.fails, rooms, symbols, libm, called, forms, self.notes)

    def slot(self, type: str) -> str:
        """Room in memory, at the start of the function."""
        name = self.code.name()
        self.allocated.append(f"  {name} = alloca {type}, align 64")
        return name

    def function(self) -> None:
        """The loop over groups of samples."""
        code, program = self.code, self.program
        pointers = self.column_pointers("%inputs", [item.value for item in program.inputs])
        results = program.body.results
        kept = [place for place in range(len(results)) if place not in self.summed]
        targets = self.column_pointers("%outputs", [results[place] for place in kept])
        counters = [self.slot(COUNTER) for _ in range(_cell_count([results[place] for place in sorted(self.summed)]))]
        for counter in counters:
            code.do(f"store {COUNTER} zeroinitializer, ptr {counter}")
        if self.fails:
            self.allocated.append(f"  %lost = alloca {CODES}, align 64")
            code.do(f"store {CODES} zeroinitializer, ptr %lost")
        self.read_weights()
        head, group, start, end = (code.new_label(word) for word in ("head", "group", "start", "end"))
        before = code.label
        code.jump(head)
        code.begin(head)
        number, following = "%group", "%following"
        code.lines.append(f"  {number} = phi i64 [ %first, %{before} ], [ {following}, %{self.tail} ]")
        code.jump_if(code.emit(f"icmp slt i64 {number}, %last"), group, end)
        code.begin(group)
        self.first_of_group = len(code.lines)
        offset = code.emit(f"mul i64 {number}, {LANES}")
        self.there = self.lanes_with_a_sample(offset)
        self.read_inputs(pointers, offset)
        code.do(f"store {CODES} zeroinitializer, ptr %failed")
        self.begin_group(start)
        with self.inside(program.body):
            self.store_results([results[place] for place in kept], targets, offset)
            if counters:
                self.add_to_sums([results[place] for place in sorted(self.summed)], counters)
        code.jump(self.tail)
        code.begin(self.tail)
        code.lines.append(f"  {following} = add i64 {number}, 1")
        code.jump(head)
        code.begin(end)
        self.store_sums(counters)
        self.say_how_it_went()

    def begin_group(self, start: str) -> None:
        """Where a group of samples starts, and where it begins anew."""
        code = self.code
        self.start, self.restart = start, code.new_label("restart") if self.saves and self.fails else ""
        begun = code.label
        code.jump(start)
        code.begin(start)
        if self.restart:
            self.mask = "%lanes"
            code.lines.append(f"  %lanes = phi {MASK} [ {ALL}, %{begun} ], [ %fewer, %{self.restart} ]")
        if self.saves:
            code.do("store ptr %tape, ptr %top")

    def store_results(self, results: Sequence[Value], targets: Sequence[Columns], offset: str) -> None:
        """A row of results for each sample of the group, and the check that it fails."""
        code = self.code
        for value, target in zip(results, targets, strict=True):
            self.write_result(value, target, offset)
        if self.fails:
            found = code.emit(f"load {CODES}, ptr %failed")
            self.store_there(CODES, found, code.emit(f"getelementptr i32, ptr %codes, i64 {offset}"), 4)
            before = code.emit(f"load {CODES}, ptr %lost")
            code.do(f"store {CODES} {code.emit(f'or {CODES} {before}, {found}')}, ptr %lost")

    def add_to_sums(self, results: Sequence[Value], counters: Sequence[str]) -> None:
        """Add what the samples of the group have to what those before them had."""
        mask = self.counting_lanes()
        for cell, counter in zip([cell for value in results for cell in self.fitted(value)], counters, strict=True):
            self.add_to(cell, counter, mask)

    def store_sums(self, counters: Sequence[str]) -> None:
        """Hand the sums over."""
        code, name = self.code, f"llvm.vector.reduce.fadd.v{FEW}f64"
        for place, counter in enumerate(counters):
            self.numbers.declared[name] = f"declare double @{name}(double, {COUNTER})"
            total = code.emit(f"call double @{name}(double -0.0, {COUNTER} {code.emit(f'load {COUNTER}, ptr {counter}')})")
            code.do(f"store double {total}, ptr {code.emit(f'getelementptr double, ptr %sums, i64 {place}')}")

    def say_how_it_went(self) -> None:
        """Return whether the stack was full, or whether a sample failed."""
        code = self.code
        if self.fails:
            name = f"llvm.vector.reduce.or.v{LANES}i32"
            self.numbers.declared[name] = f"declare i32 @{name}({CODES})"
            lost = code.emit(f"call i32 @{name}({CODES} {code.emit(f'load {CODES}, ptr %lost')})")
            failed = code.emit(f"icmp ne i32 {lost}, 0")
            code.do(f"ret i64 {code.emit(f'select i1 {failed}, i64 2, i64 0')}")
        else:
            code.do("ret i64 0")
        if self.saves:
            code.begin("overflow")
            code.do("ret i64 1")

    def column_pointers(self, array: str, values: Sequence[Value]) -> list[Columns]:
        """Where the numbers of values are, for the first sample."""
        found: list[Columns] = []
        place = 0
        for value in values:
            count = math.prod(value.type.shape)
            if is_large(value):
                step = self.code.emit(f"getelementptr i64, ptr {array}, i64 {place + 1}")
                found.append(Rows(self.pointer(array, place), self.code.emit(f"load i64, ptr {step}")))
                place += 2
            else:
                found.append([self.pointer(array, number) for number in range(place, place + count)])
                place += count
        return found

    def write_result(self, value: Value, target: Columns, offset: str) -> None:
        """Hand the numbers of a result to the caller."""
        if isinstance(target, list):
            for cell, pointer in zip(self.fitted(value), target, strict=True):
                self.store(cell, pointer, offset)
            return
        extent, kind = self.extent(value, value.type.kind), value.type.kind
        rows, there = self.rows_of(target, offset)
        with self.memory.each(extent.count) as place:
            self.memory.scatter(self.in_rows(rows, place, kind), self.memory.read(extent, place), there)

    def rows_of(self, rows: Rows, offset: str) -> tuple[str, str]:
        """Where the row of each lane begins, and the lanes that have a sample; the last sample stands for those that are missing."""
        code, n = self.code, self.numbers
        count = Cell("%count", Kind.INT)
        last = code.op("sub", count, literal(1, Kind.INT))
        start = code.op("mul", n.apply("min", (self.sample_numbers(offset), last)), Cell(rows.step, Kind.INT))
        return code.emit(f"getelementptr i8, ptr {rows.first}, {start.typed}"), self.there

    def sample_numbers(self, offset: str) -> Cell:
        """The number of the sample of each lane."""
        numbers = Cell(self.code.emit(f"load {VECTORS[Kind.INT]}, ptr @lane_numbers"), Kind.INT, True)
        return self.code.op("add", Cell(offset, Kind.INT), numbers)

    def lanes_with_a_sample(self, offset: str) -> str:
        """The mask of a group."""
        return self.numbers.compare("lt", self.sample_numbers(offset), Cell("%count", Kind.INT)).text

    def in_rows(self, rows: str, place: str, kind: Kind) -> str:
        """Where the numbers at a place of the rows are."""
        return self.code.emit(f"getelementptr {STORED[kind]}, <{LANES} x ptr> {rows}, i64 {place}")

    def pointer(self, array: str, place: int) -> str:
        """One of the pointers that the caller hands over."""
        return self.code.emit(f"load ptr, ptr {self.code.emit(f'getelementptr ptr, ptr {array}, i64 {place}')}")

    def read_weights(self) -> None:
        """Weights are the same for all samples."""
        place = 0
        for weight in self.program.weights:
            cells = []
            for _ in range(math.prod(weight.shape)):
                address = self.code.emit(f"getelementptr double, ptr %weights, i64 {place}")
                cells.append(self.code.spread_early(Cell(self.code.emit(f"load double, ptr {address}"), Kind.REAL)))
                place += 1
            held = tuple(cells)
            self.weights[weight.key] = self.memory.stored(held, Kind.REAL) if len(held) >= LARGE else held

    def read_inputs(self, pointers: Sequence[Columns], offset: str) -> None:
        """The numbers of a group of samples."""
        for item, columns in zip(self.program.inputs, pointers, strict=True):
            kind = item.value.type.kind
            if isinstance(columns, list):
                self.values[item.value] = tuple(self.load(pointer, offset, kind) for pointer in columns)
            else:
                self.values[item.value] = self.read_array(columns, math.prod(item.value.type.shape), kind, offset)

    def read_array(self, array: Rows, count: int, kind: Kind, offset: str) -> Extent:
        """An input in memory."""
        extent = self.memory.rooms.take(count, kind)
        rows, _ = self.rows_of(array, offset)
        with self.memory.each(count) as place:
            self.memory.write(extent, place, self.memory.gather(self.in_rows(rows, place, kind), kind))
        return extent

    def load(self, pointer: str, offset: str, kind: Kind) -> Cell:
        """A number of each sample of the group; the first one stands for those that are missing in the last group."""
        stored = STORED[kind]
        address = self.code.emit(f"getelementptr {stored}, ptr {pointer}, i64 {offset}")
        first = self.code.emit(f"load {stored}, ptr {address}, align {_alignment(kind)}")
        wide = f"<{LANES} x {stored}>"
        start = self.code.emit(f"insertelement {wide} poison, {stored} {first}, i64 0")
        filled = self.code.emit(f"shufflevector {wide} {start}, {wide} poison, <{LANES} x i32> zeroinitializer")
        name = f"llvm.masked.load.v{LANES}{SHORT[kind]}.p0"
        self.numbers.declared[name] = f"declare {wide} @{name}(ptr, i32 immarg, {MASK}, {wide})"
        given = f"ptr {address}, i32 {_alignment(kind)}, {MASK} {self.there}, {wide} {filled}"
        found = self.code.emit(f"call {wide} @{name}({given})")
        if kind is Kind.BOOL:
            found = self.code.emit(f"icmp ne {wide} {found}, zeroinitializer")
        return Cell(found, kind, True)

    def store(self, cell: Cell, pointer: str, offset: str) -> None:
        """Hand a number of each sample to the caller."""
        stored, wide = STORED[cell.kind], self.code.spread(cell)
        address = self.code.emit(f"getelementptr {stored}, ptr {pointer}, i64 {offset}")
        text = wide.text
        if cell.kind is Kind.BOOL:
            text = self.code.emit(f"zext {wide.typed} to <{LANES} x i8>")
        self.store_there(f"<{LANES} x {stored}>", text, address, _alignment(cell.kind))

    def store_there(self, type: str, text: str, address: str, alignment: int) -> None:
        """Store what the lanes have that have a sample."""
        element = type.rpartition(" ")[2].rstrip(">").replace("double", "f64")
        name = f"llvm.masked.store.v{LANES}{element}.p0"
        self.numbers.declared[name] = f"declare void @{name}({type}, ptr, i32 immarg, {MASK})"
        self.code.do(f"call void @{name}({type} {text}, ptr {address}, i32 {alignment}, {MASK} {self.there})")

    def counting_lanes(self) -> Cell:
        """The lanes that hold a sample which did not fail."""
        mask = self.code.both(self.mask, self.there)
        return Cell(self.alive(mask) if self.fails else mask, Kind.BOOL, True)

    def add_to(self, cell: Cell, counter: str, mask: Cell) -> None:
        """Add a number of each of these lanes."""
        cell = self.code.spread(self.numbers.cast(cell, Kind.REAL))
        cell = self.code.choose(mask, cell, literal(0.0, Kind.REAL))
        self.code.do(f"call void @add.lanes(ptr {counter}, {cell.typed})")

    def block(self, block: Block) -> None:
        """The statements of a block; a group with lanes that fail on the way forward begins anew without them, as stacks would differ."""
        if block is not self.program.body or not self.restart:
            super().block(block)
            return
        last = max((place for place, statement in enumerate(block.body) if statement_fails(statement)), default=-1)
        with self.frame.block():
            first, second = block.body[: last + 1], block.body[last + 1 :]
            self.statements(first, [*captured(Block((), second, block.results))])
            self.begin_anew(self.restart, self.start)
            self.statements(second, block.results)

    def begin_anew(self, restart: str, start: str) -> None:
        """Go back to the start of the group if a lane failed, without it."""
        code = self.code
        codes = code.emit(f"load {CODES}, ptr %failed")
        alive = code.emit(f"icmp eq {CODES} {codes}, zeroinitializer")
        code.lines.append(f"  %fewer = and {MASK} %lanes, {alive}")
        lost = code.emit(f"xor {MASK} %lanes, %fewer")
        onward = code.new_label("back")
        code.jump_if(code.any(lost), restart, onward)
        code.begin(restart)
        code.jump(start)
        code.begin(onward)


def _alignment(kind: Kind) -> int:
    return 1 if kind is Kind.BOOL else 8


def _cell_count(values: Sequence[Value]) -> int:
    return sum(math.prod(value.type.shape) for value in values)


