"""Arrays of a sample in memory: a room for each number, with a number of each lane in it.

Arrays of few numbers are kept in registers, number by number. Larger ones lie in rooms of the group of samples, and what is done to
them are loops over rooms, or reads and writes at a place that is computed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.text import ALL, LANES, MASK, ROW, SCALARS, VECTORS, Cell, Code, literal
from deepalgo.backends.native.text import number as written
from deepalgo.kinds import Kind

#: How numbers lie in the arrays of the caller, and what LLVM calls them in the names of its functions.
STORED = {Kind.BOOL: "i8", Kind.INT: "i64", Kind.REAL: "double"}
SHORT = {Kind.BOOL: "i8", Kind.INT: "i64", Kind.REAL: "f64"}
#: In memory truth values are whole numbers.
HELD_AS = {Kind.BOOL: Kind.INT, Kind.INT: Kind.INT, Kind.REAL: Kind.REAL}
#: Copies rooms, for some lanes.
COPY_ROWS = f"""define internal void @copy.rows(ptr %to, ptr %from, i64 %count, {MASK} %lanes) nounwind noinline {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %round ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %round, label %end
round:
  %target = getelementptr {ROW}, ptr %to, i64 %i
  %source = getelementptr {ROW}, ptr %from, i64 %i
  %new = load <{LANES} x i64>, ptr %source, align 8
  %old = load <{LANES} x i64>, ptr %target, align 8
  %held = select {MASK} %lanes, <{LANES} x i64> %new, <{LANES} x i64> %old
  store <{LANES} x i64> %held, ptr %target, align 8
  %next = add i64 %i, 1
  br label %head
end:
  ret void
}}"""


@dataclass(frozen=True, slots=True)
class Extent:
    """Numbers that lie in neighbouring rooms; `root` is the first room of those that were taken together."""

    first: int
    count: int
    kind: Kind
    root: int

    def part(self, start: int, count: int) -> Extent:
        """Some of them."""
        return replace(self, first=self.first + start, count=count)


class Rooms:
    """Which rooms are in use, and how many values lie in those that were taken together."""

    def __init__(self) -> None:
        self.most = 0
        self.users: Counter[int] = Counter()
        #: Values that are read no more here, but by other lanes or later rounds: their rooms are not free.
        self.kept: Counter[int] = Counter()
        self._sizes: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}

    def take(self, count: int, kind: Kind) -> Extent:
        """Rooms that no one uses; they are held by the caller."""
        free = self._free.get(count)
        if free:
            first = free.pop()
        else:
            first, self.most = self.most, self.most + count
        self._sizes[first] = count
        self.users[first] = 1
        return Extent(first, count, kind, first)

    def hold(self, extent: Extent) -> None:
        """One more value lies there."""
        self.users[extent.root] += 1

    def release(self, extent: Extent) -> None:
        """One fewer."""
        self.users[extent.root] -= 1
        if not self.users[extent.root] and not self.kept[extent.root]:
            self._free.setdefault(self._sizes[extent.root], []).append(extent.root)

    def in_use(self) -> frozenset[int]:
        """The first rooms of all that are not free."""
        return frozenset(first for first in self._sizes if self.users[first] or self.kept[first])

    def keep(self, extent: Extent) -> None:
        """A value is read no more by the lanes that are here, and its rooms stay."""
        self.users[extent.root] -= 1
        self.kept[extent.root] += 1

    def give_back(self, extent: Extent) -> None:
        """Others read it again."""
        self.users[extent.root] += 1
        self.kept[extent.root] -= 1


class Memory:
    """Writes loops over rooms, and reads and writes of rooms, into a code."""

    def __init__(self, numbers: NumberForms) -> None:
        self.numbers = numbers
        self.rooms = Rooms()
        #: Constants that are looked up by their place, by their text.
        self.tables: dict[str, str] = {}
        self.copies = False

    @property
    def code(self) -> Code:
        """Where instructions go."""
        return self.numbers.code

    def address(self, place: int | str) -> str:
        """A room, by its number or by the name of it."""
        return self.code.emit(f"getelementptr {ROW}, ptr %arrays, i64 {place}")

    def read(self, extent: Extent, place: int | str, wide: bool = True) -> Cell:
        """The number of each lane at a place, or of the first lane."""
        kind = HELD_AS[extent.kind]
        type = VECTORS[kind] if wide else SCALARS[kind]
        found = Cell(self.code.emit(f"load {type}, ptr {self.address(self.room(extent, place))}, align 8"), kind, wide)
        return self.numbers.cast(found, extent.kind)

    def write(self, extent: Extent, place: int | str, cell: Cell, mask: str = ALL) -> None:
        """Put a number of each lane of a mask into a room."""
        kind = HELD_AS[extent.kind]
        cell = self.code.spread(self.numbers.cast(self.numbers.cast(cell, extent.kind), kind))
        where = self.address(self.room(extent, place))
        if mask != ALL:
            old = self.code.emit(f"load {VECTORS[kind]}, ptr {where}, align 8")
            cell = self.code.choose(Cell(mask, Kind.BOOL, True), cell, Cell(old, kind, True))
        self.code.do(f"store {cell.typed}, ptr {where}, align 8")

    def room(self, extent: Extent, place: int | str) -> int | str:
        """The number of a room."""
        if isinstance(place, int):
            return extent.first + place
        return self.code.emit(f"add i64 {place}, {extent.first}") if extent.first else place

    def cells(self, extent: Extent, wide: bool = True) -> tuple[Cell, ...]:
        """All numbers in registers."""
        return tuple(self.read(extent, place, wide) for place in range(extent.count))

    def stored(self, cells: Sequence[Cell], kind: Kind) -> Extent:
        """Numbers in rooms of their own."""
        extent = self.rooms.take(len(cells), kind)
        if len(set(cells)) == 1:
            cell = self.code.spread(self.numbers.cast(cells[0], kind))
            with self.each(extent.count) as place:
                self.write(extent, place, cell)
        elif all(cell.is_const and not cell.wide for cell in cells):
            with self.each(extent.count) as place:
                self.write(extent, place, self.looked_up(cells, place))
        else:
            for number, cell in enumerate(cells):
                self.write(extent, number, cell)
        return extent

    def copied(self, target: Extent, source: Extent, mask: str = ALL) -> None:
        """Copy numbers of some lanes."""
        if target.first != source.first:
            self.copy_rows(self.address(target.first), self.address(source.first), target.count, mask)

    def copy_rows(self, target: str, source: str, count: int, mask: str = ALL) -> None:
        """The same by addresses."""
        self.copies = True
        self.code.do(f"call void @copy.rows(ptr {target}, ptr {source}, i64 {count}, {MASK} {mask})")

    def converted(self, source: Extent, kind: Kind) -> Extent:
        """Numbers in another kind, in rooms of their own."""
        target = self.rooms.take(source.count, kind)
        with self.each(source.count) as place:
            self.write(target, place, self.read(source, place))
        return target

    @contextmanager
    def each(self, count: int) -> Iterator[str]:
        """A loop over so many places; what is written inside is done at each of them."""
        code = self.code
        head, inside, again, end = (code.new_label(word) for word in ("places", "place", "again", "end"))
        before = code.label
        code.jump(head)
        code.begin(head)
        place = code.emit(f"phi i64 [ 0, %{before} ], [ ?, %{again} ]")
        counter = len(code.lines) - 1
        code.jump_if(code.emit(f"icmp slt i64 {place}, {count}"), inside, end)
        code.begin(inside)
        yield place
        code.jump(again)
        code.begin(again)
        step = code.emit(f"add i64 {place}, 1")
        code.jump(head)
        code.lines[counter] = code.lines[counter].replace("?", step, 1)
        code.begin(end)

    # numbers that stand in the text

    def table(self, type: str, items: Sequence[str]) -> str:
        """The name of a table of constants."""
        text = f"internal constant [{len(items)} x {type}] [{', '.join(f'{type} {item}' for item in items)}]"
        return self.tables.setdefault(text, f"@table.{len(self.tables)}")

    def looked_up(self, cells: Sequence[Cell], place: str) -> Cell:
        """One of several constants of a kind, by its place, which is the same for all lanes."""
        kind = HELD_AS[cells[0].kind]
        type = SCALARS[kind]
        where = self.code.emit(f"getelementptr {type}, ptr {self._constants(cells)}, i64 {place}")
        return self.numbers.cast(Cell(self.code.emit(f"load {type}, ptr {where}"), kind), cells[0].kind)

    def _constants(self, cells: Sequence[Cell]) -> str:
        kind = HELD_AS[cells[0].kind]
        texts = [written("true" in cell.text, kind) if cell.kind is Kind.BOOL else cell.text for cell in cells]
        return self.table(SCALARS[kind], texts)

    def gathered(self, cells: Sequence[Cell], places: Cell) -> Cell:
        """One of several constants of a kind for each lane, by its place."""
        kind = HELD_AS[cells[0].kind]
        where = self.code.emit(f"getelementptr {SCALARS[kind]}, ptr {self._constants(cells)}, {places.typed}")
        return self.numbers.cast(self.gather(where, kind), cells[0].kind)

    def mapped(self, places: Sequence[int], place: str) -> str:
        """One of several known whole numbers, by its place."""
        if all(later - before == 1 for before, later in itertools.pairwise(places)):
            return self.code.emit(f"add i64 {place}, {places[0]}") if places[0] else place
        where = self.code.emit(f"getelementptr i64, ptr {self.table('i64', [str(item) for item in places])}, i64 {place}")
        return self.code.emit(f"load i64, ptr {where}")

    # places that data chooses

    def pick(self, extent: Extent, place: Cell, wide: bool = True) -> Cell:
        """The number at a place, which may differ from lane to lane."""
        if not place.wide:
            return self.read(extent, int(place.text) if place.is_const else place.text, wide)
        found = self.gather(self._lane_addresses(extent, place), HELD_AS[extent.kind])
        return self.numbers.cast(found, extent.kind)

    def put(self, extent: Extent, place: Cell, cell: Cell, mask: str) -> None:
        """Write at a place, which may differ from lane to lane, for the lanes of a mask."""
        if not place.wide:
            self.write(extent, int(place.text) if place.is_const else place.text, cell, mask)
            return
        kind = HELD_AS[extent.kind]
        self.scatter(self._lane_addresses(extent, place), self.numbers.cast(self.numbers.cast(cell, extent.kind), kind), mask)

    def _lane_addresses(self, extent: Extent, place: Cell) -> str:
        """Where each lane's number at its place is."""
        ints = VECTORS[Kind.INT]
        lanes = Cell(self.code.emit(f"load {ints}, ptr @lane_numbers"), Kind.INT, True)
        room = self.code.op("add", place, literal(extent.first, Kind.INT))
        scaled = self.code.op("mul", room, Cell(LANES, Kind.INT))
        offset = self.code.op("add", scaled, lanes)
        return self.code.emit(f"getelementptr double, ptr %arrays, {offset.typed}")

    def gather(self, addresses: str, kind: Kind) -> Cell:
        """A number for each lane from an address of its own; truth values are bytes there."""
        stored, align = STORED[kind], 1 if kind is Kind.BOOL else 8
        name, type = f"llvm.masked.gather.v{LANES}{SHORT[kind]}.v{LANES}p0", f"<{LANES} x {stored}>"
        self.numbers.declared[name] = f"declare {type} @{name}(<{LANES} x ptr>, i32 immarg, {MASK}, {type})"
        call = f"call {type} @{name}(<{LANES} x ptr> {addresses}, i32 {align}, {MASK} {ALL}, {type} zeroinitializer)"
        found = self.code.emit(call)
        if kind is Kind.BOOL:
            found = self.code.emit(f"icmp ne {type} {found}, zeroinitializer")
        return Cell(found, kind, True)

    def scatter(self, addresses: str, cell: Cell, mask: str) -> None:
        """Write a number of each lane of a mask to an address of its own."""
        cell = self.code.spread(cell)
        stored, align = STORED[cell.kind], 1 if cell.kind is Kind.BOOL else 8
        name, type = f"llvm.masked.scatter.v{LANES}{SHORT[cell.kind]}.v{LANES}p0", f"<{LANES} x {stored}>"
        self.numbers.declared[name] = f"declare void @{name}({type}, <{LANES} x ptr>, i32 immarg, {MASK})"
        text = self.code.emit(f"zext {cell.typed} to {type}") if cell.kind is Kind.BOOL else cell.text
        self.code.do(f"call void @{name}({type} {text}, <{LANES} x ptr> {addresses}, i32 {align}, {MASK} {mask})")


def spread_places(shape: tuple[int, ...], whole: tuple[int, ...]) -> list[int]:
    """For each place of the whole, the place of the number that stands there when a shape is repeated along the axes that it lacks."""
    count = int(np.prod(shape))
    return [int(place) for place in np.broadcast_to(np.arange(count).reshape(shape), whole).reshape(-1)]


