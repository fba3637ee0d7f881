"""What native code notes in a log while it runs: which way lanes go, and what messages of errors need.

An entry of the log is three whole numbers: the site with the group of lanes that is there, the lanes that are meant, and a number or, if
each lane has a truth value, all of them. In front of the entries stand how many there may be, how many there are, the group, and the round
of each loop around.

>>> notes = Notes(records=False, tells=True)
>>> notes.site(SiteOf("rounds", None)), notes.site(SiteOf("trips", None)), notes.sites[1].table
(0, 1, 'trips')
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from deepalgo.backends.native.text import LANES, VECTORS, Cell, Code
from deepalgo.ir import Check, Statement, Value, While
from deepalgo.kinds import Kind

#: The log is where a program that goes back has the end of its stack.
LOG = "%limit"
#: What stands in front of the entries: how many there may be, how many there are, the group of lanes; and then the rounds.
ROOM, COUNT, GROUP, ROUNDS = 0, 1, 2, 3
#: Loops in one another whose rounds are noted.
DEEPEST = 13
#: Words of the head, and of an entry.
HEAD, ENTRY = ROUNDS + DEEPEST, 3


@dataclass(frozen=True, slots=True)
class SiteOf:
    """A place that is noted: a table of the record, and the statement; of failures the number of the check, and what of it is noted."""

    table: str
    statement: Statement | None
    check: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What is noted when a check fails: the rounds of the loops around, from the outermost on, and the operands of its message.

    `loops` and `place` are numbers of these loops and of the check in the order of the program.
    """

    loops: tuple[int, ...]
    place: int
    operands: tuple[Value, ...]


@dataclass(slots=True)
class Notes:
    """What a module notes: everything that a record holds if it `records`, and what messages of errors need if it `tells`."""

    records: bool = False
    tells: bool = False
    sites: list[SiteOf] = field(default_factory=list)
    #: By the numbers of checks.
    told: dict[int, Told] = field(default_factory=dict)
    #: Numbers of the loops around, from the outermost on, and how many loops and checks there were.
    around: list[int] = field(default_factory=list)
    count: int = 0
    #: Comparisons that the last digits may decide.
    ties: frozenset[Value] = frozenset()

    @property
    def writes(self) -> bool:
        """Whether there is a log."""
        return self.records or bool(self.sites)

    @property
    def most_told(self) -> int:
        """How many entries a sample that fails has at most."""
        return max((len(told.loops) + sum(size_of(value) for value in told.operands) for told in self.told.values()), default=0)

    def site(self, site: SiteOf) -> int:
        """The number of a place."""
        self.sites.append(site)
        return len(self.sites) - 1

    def number(self) -> int:
        """The next number in the order of the program."""
        self.count += 1
        return self.count

    def failure(self, number: int, check: Check | While, place: int) -> Told:
        """Note where a check stands; a loop runs too long behind all of its rounds."""
        around = tuple(self.around[:DEEPEST])
        told = Told(around, place, check.operands) if isinstance(check, Check) else Told((*around, place), 0, ())
        self.told[number] = told
        return told


def size_of(value: Value) -> int:
    """How many numbers an operand of a message is noted as; a complex one has two parts."""
    return math.prod(value.type.shape) * (2 if value.type.kind is Kind.COMPLEX else 1)


def note(code: Code, site: int, mask: str, value: str) -> None:
    """Note a number, or a truth value of each lane, for the lanes of a mask."""
    code.do(f"call void @note(ptr {LOG}, i64 {site}, i64 {mask}, i64 {value})")


def note_numbers(code: Code, site: int, mask: str, cell: Cell) -> None:
    """Note the number of each of these lanes."""
    wide = code.spread(cell)
    whole = VECTORS[Kind.INT]
    match cell.kind:
        case Kind.REAL:
            text = code.emit(f"bitcast {wide.typed} to {whole}")
        case Kind.BOOL:
            text = code.emit(f"zext {wide.typed} to {whole}")
        case _:
            text = wide.text
    code.do(f"call void @note_numbers(ptr {LOG}, i64 {site}, i64 {mask}, {whole} {text})")


def lanes_of(code: Code, mask: str, type: str) -> str:
    """A mask as a whole number with a bit for each lane."""
    bits = code.emit(f"bitcast {type} {mask} to i{LANES}")
    return code.emit(f"zext i{LANES} {bits} to i64")


def header(code: Code, place: int) -> str:
    """Where a word in front of the entries is."""
    return code.emit(f"getelementptr i64, ptr {LOG}, i64 {place}")


def definitions(lanes: int) -> list[str]:
    """The functions that append to the log; entries for which there is no room are counted."""
    numbers = []
    for lane in range(lanes):
        numbers += [f"  %m{lane} = and i64 %mask, {1 << lane}", f"  %v{lane} = extractelement <{lanes} x i64> %numbers, i64 {lane}",
                    f"  call void @note(ptr %log, i64 %site, i64 %m{lane}, i64 %v{lane})"]
    return [
        "define internal void @note(ptr %log, i64 %site, i64 %mask, i64 %value) nounwind noinline {",
        "  %none = icmp eq i64 %mask, 0", "  br i1 %none, label %end, label %some",
        "some:", f"  %at = getelementptr i64, ptr %log, i64 {COUNT}", "  %count = load i64, ptr %at", "  %more = add i64 %count, 1",
        "  store i64 %more, ptr %at", "  %most = load i64, ptr %log", "  %fits = icmp slt i64 %count, %most",
        "  br i1 %fits, label %room, label %end",
        "room:", f"  %there = getelementptr i64, ptr %log, i64 {GROUP}", "  %group = load i64, ptr %there",
        "  %high = shl i64 %group, 32", "  %who = or i64 %high, %site", f"  %before = mul i64 %count, {ENTRY}",
        f"  %place = add i64 %before, {HEAD}", "  %first = getelementptr i64, ptr %log, i64 %place", "  store i64 %who, ptr %first",
        "  %second = getelementptr i64, ptr %first, i64 1", "  store i64 %mask, ptr %second",
        "  %third = getelementptr i64, ptr %first, i64 2", "  store i64 %value, ptr %third", "  br label %end",
        "end:", "  ret void", "}",
        f"define internal void @note_numbers(ptr %log, i64 %site, i64 %mask, <{lanes} x i64> %numbers) nounwind noinline cold {{",
        *numbers, "  ret void", "}",
    ]
