"""`NotedSteps`: what statements note while they run, of which arms lanes take, and of checks that fail."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from deepalgo.backends.native.doubts import anywhere, endpoint, tie
from deepalgo.backends.native.held_values import HeldValues
from deepalgo.backends.native.notes import DEEPEST, ROUNDS, Notes, SiteOf, header, lanes_of, note, note_numbers
from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.text import MASK, Cell
from deepalgo.ir import Check, If, Kind, Loop, Op, Program, Statement, While
from deepalgo.ops.table import TABLE


class NotedSteps(HeldValues):
    """Writes notes, where the module has a log for them."""

    def __init__(self, program: Program, notes: Notes | None = None) -> None:
        super().__init__(program)
        self.notes = Notes() if notes is None else notes

    def note(self, table: str, statement: Statement, value: str, lanes: str | None = None) -> None:
        """Note a number, or the truth values of the lanes, for those that are here."""
        mask = lanes_of(self.code, self.mask if lanes is None else lanes, MASK)
        note(self.code, self.notes.site(SiteOf(table, statement)), mask, value)

    def truths(self, cell: Cell) -> str:
        """A truth value, or one of each lane, as the bits of a whole number."""
        return lanes_of(self.code, cell.text, MASK) if cell.wide else self.code.emit(f"sext i1 {cell.text} to i64")

    def note_branch(self, branch: If, condition: Cell) -> None:
        """Which lanes take the first arm."""
        if self.notes.records:
            self.note("branches", branch, self.truths(condition))

    def note_count(self, loop: Loop) -> None:
        """The rounds of a counted loop."""
        if self.notes.records:
            self.note("rounds", loop, str(loop.count))

    def note_trips(self, loop: While, number: str, leaving: str) -> None:
        """The rounds that lanes ran which leave a loop."""
        if self.notes.records:
            self.note("trips", loop, number, leaving)

    def note_doubts(self, op: Op) -> None:
        """Where last digits decide a comparison, and where an infinite derivative is replaced."""
        if not self.notes.records or op.is_const or op.is_weight:
            return
        if op.result in self.notes.ties:
            self._note_doubt("ties", op, tie)
        if TABLE[op.name].endpoint and op.result.type.kind is Kind.REAL:
            self._note_doubt("endpoints", op, endpoint)

    def _note_doubt(self, table: str, op: Op, doubt: Callable[[NumberForms, Op, Sequence[Cell]], Cell]) -> None:
        self.note(table, op, self.truths(anywhere(self.memory, op, [self.values[arg] for arg in op.args], doubt)))

    # what fails

    @contextlib.contextmanager
    def noted_rounds(self, place: int | None = None) -> Iterator[None]:
        """What is written inside is inside of a loop, whose number in the order of the program is `place`."""
        self.notes.around.append(self.notes.number() if place is None else place)
        yield
        self.notes.around.pop()

    def note_round(self, number: str) -> None:
        """Keep the number of a round for the checks in it."""
        if self.notes.tells and (depth := len(self.notes.around)) < DEEPEST:
            self.code.do(f"store i64 {number}, ptr {header(self.code, ROUNDS + depth)}")

    def note_failure(self, check: Check | While, failing: str, number: int, place: int) -> None:
        """Note for lanes that fail the rounds they are in, and the operands of the message, unless neither is needed."""
        told = self.notes.failure(number, check, place)
        if not self.notes.tells or not (self.notes.around or told.operands):
            return
        code = self.code
        inside, onward = code.new_label("tell"), code.new_label("told")
        code.jump_if(code.any(failing), inside, onward)
        code.begin(inside)
        lanes = lanes_of(code, failing, MASK)
        for depth in range(min(len(self.notes.around), DEEPEST)):
            round_number = code.emit(f"load i64, ptr {header(code, ROUNDS + depth)}")
            note(code, self.notes.site(SiteOf("failures", check, number, depth)), lanes, round_number)
        for place_of_operand, cell in enumerate((cell for value in told.operands for cell in self.cells(value)), DEEPEST):
            note_numbers(code, self.notes.site(SiteOf("failures", check, number, place_of_operand)), lanes, cell)
        code.jump(onward)
        code.begin(onward)
