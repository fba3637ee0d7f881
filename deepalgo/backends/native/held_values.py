"""`HeldValues`: where the numbers of values are, in registers or in memory, and which arrays may be written over."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence

from deepalgo.backends.native.array_loops import Held, Request, is_large, known
from deepalgo.backends.native.arrays import Cells
from deepalgo.backends.native.lifetimes import Lifetimes
from deepalgo.backends.native.memory import Extent, Memory
from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.parts import get, put
from deepalgo.backends.native.text import ROW, Cell, Code
from deepalgo.ir import Block, Op, Program, Restore, Save, Statement, Type, Value
from deepalgo.ir.facts.varies import Level, find_levels
from deepalgo.kinds import Kind


class HeldValues:
    """The values of a program while its statements are written into `code`, for the lanes of `mask`."""

    def __init__(self, program: Program) -> None:
        self.code = Code()
        self.numbers = NumberForms(self.code)
        self.memory = Memory(self.numbers)
        self.levels = find_levels(program, by_lanes=True)
        self.values: dict[Value, Held] = {}
        self.lifetimes = Lifetimes(program)
        #: Of the block that is being written: the values that lie in memory, other rooms in use, and rooms from outside that were given up.
        self.locals: dict[Value, Extent] = {}
        self.loose: list[Extent] = []
        self.spent: list[Extent] = []
        #: Values whose rooms a loop has taken over.
        self.handed_on: set[Value] = set()

    @property
    def mask(self) -> str:
        """The lanes that take part in what is written here."""
        return self.numbers.mask

    @mask.setter
    def mask(self, lanes: str) -> None:
        self.numbers.mask = lanes

    @contextlib.contextmanager
    def scope(self, block: Block, mortal: Sequence[Value] = ()) -> Iterator[None]:
        """The arrays of a block are left with it. Those of `mortal`, which are from outside, may be written over in it."""
        outer = self.locals, self.loose, self.spent
        self.locals, self.loose, self.spent = {}, [], []
        self.lifetimes.enter(block, mortal)
        yield
        for extent in self.spent:
            self.memory.rooms.give_back(extent)
        for extent in (*self.locals.values(), *self.loose):
            self.memory.rooms.release(extent)
        self.locals, self.loose, self.spent = outer

    def bind(self, value: Value, held: Held) -> None:
        """Say where the numbers of a value are; one that lies in memory is left with the block."""
        if is_large(value) and not known(held):
            if not isinstance(held, Extent):
                held = self.memory.stored(held, value.type.kind)
            self.locals[value] = held
        self.values[value] = held

    def end(self, statement: Statement) -> None:
        """Free the rooms of what is read for the last time; what is from outside of the block may still be read by other lanes."""
        for value in self.lifetimes.ending(statement):
            held = self.values[value]
            if value in self.handed_on:
                self.handed_on.discard(value)
            elif not isinstance(held, Extent):
                continue
            elif value in self.locals:
                self.memory.rooms.release(self.locals.pop(value))
            else:
                self.memory.rooms.keep(held)
                self.spent.append(held)

    def cells(self, value: Value) -> Cells:
        """The numbers of a value in registers."""
        held = self.values[value]
        return self.memory.cells(held, self.is_wide(value)) if isinstance(held, Extent) else held

    def cell(self, value: Value) -> Cell:
        """The only number of a value."""
        return self.cells(value)[0]

    def request(self, op: Op) -> Request:
        """An operation for memory; it may write over its first operand if nothing else lies there and nobody reads that any more."""
        operands = [self.values[arg] for arg in op.args]
        first = operands[0] if operands else ()
        spent = (isinstance(first, Extent) and op.args[0] in self.lifetimes.ending(op) and op.args.count(op.args[0]) == 1
                 and self.memory.rooms.users[first.root] == 1)
        return Request(op, operands, spent, self.mask, self.is_wide(op.result))

    def extent(self, value: Value, kind: Kind) -> Extent:
        """The numbers of a large value in memory, in a kind."""
        held = self.values[value]
        if isinstance(held, Extent) and held.kind is kind:
            return held
        made = self.memory.stored(held, kind) if not isinstance(held, Extent) else self.memory.converted(held, kind)
        self.loose.append(made)
        return made

    def fitted(self, value: Value, type: Type | None = None) -> Cells:
        """The numbers of a value in the kind of a type."""
        kind = (value.type if type is None else type).kind
        return tuple(self.numbers.cast(cell, kind) for cell in self.cells(value))

    def is_wide(self, value: Value) -> bool:
        """Whether a value differs from sample to sample."""
        return self.levels[value] is Level.BATCHED

    def save(self, save: Save) -> None:
        """Put the numbers of all lanes on the stack of the group."""
        code = self.code
        count = sum(math.prod(value.type.shape) for value in save.values)
        top = code.emit("load ptr, ptr %top")
        following = code.emit(f"getelementptr {ROW}, ptr {top}, i64 {count}")
        room = code.new_label("room")
        code.jump_if(code.emit(f"icmp ule ptr {following}, %limit"), room, "overflow")
        code.begin(room)
        place = 0
        for value in save.values:
            held = self.values[value]
            if is_large(value):
                extent = held if isinstance(held, Extent) else self.memory.stored(held, value.type.kind)
                self.memory.copy_rows(self.row(top, place), self.memory.address(extent.first), extent.count)
                place += extent.count
                if extent is not held:
                    self.memory.rooms.release(extent)
                continue
            for cell in self.cells(value):
                put(code, code.spread(cell), self.row(top, place))
                place += 1
        code.do(f"store ptr {following}, ptr %top")

    def row(self, top: str, place: int) -> str:
        """A room behind the end of the stack."""
        return self.code.emit(f"getelementptr {ROW}, ptr {top}, i64 {place}")

    def restore(self, restore: Restore) -> None:
        """Take back what was put on the stack last."""
        code = self.code
        sizes = [math.prod(value.type.shape) for value in restore.results]
        top = code.emit(f"getelementptr {ROW}, ptr {code.emit('load ptr, ptr %top')}, i64 {-sum(sizes)}")
        code.do(f"store ptr {top}, ptr %top")
        place = 0
        for value, size in zip(restore.results, sizes, strict=True):
            if is_large(value):
                extent = self.memory.rooms.take(size, value.type.kind)
                self.memory.copy_rows(self.memory.address(extent.first), self.row(top, place), size)
                self.bind(value, extent)
            else:
                self.values[value] = tuple(get(code, self.row(top, number), value.type.kind) for number in range(place, place + size))
            place += size
