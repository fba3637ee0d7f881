"""Statements as LLVM: which lanes take part in them, and what they leave.

Arms are skipped where no lane takes them, and loops end when no lane is left. A lane that fails a check is left out of all that follows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import assert_never

from deepalgo.backends.native.array_loops import Held, in_memory, is_large, known
from deepalgo.backends.native.array_regions import ArraysMeet, CarriedArrays
from deepalgo.backends.native.arrays import ARRAYS, Cells, constant, elementwise, moved, only_moves
from deepalgo.backends.native.can_fail import can_fail
from deepalgo.backends.native.linear_algebra import LINEAR
from deepalgo.backends.native.memory import Extent
from deepalgo.backends.native.noted_steps import NotedSteps
from deepalgo.backends.native.notes import Notes
from deepalgo.backends.native.parts import ARGUMENTS, FAILED, LANES_ROOM, TOP, PartFrame, Piece, Splitter, address, get, put
from deepalgo.backends.native.text import ALL, LANES, MASK, Cell, Code, Unsupported, at_line, literal
from deepalgo.ir import Block, Check, If, Kind, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Value, While, walk

#: The numbers of the checks that lanes failed, 0 for none.
CODES = f"<{LANES} x i32>"


class Regions(NotedSteps):
    """Writes statements into `code`; `values` are the numbers of each value, `mask` the lanes that take part here.

    `%failed` is where the numbers of failed checks are kept, `%top` where the end of the group's stack is.
    """

    def __init__(self, program: Program, notes: Notes | None = None) -> None:
        super().__init__(program, notes)
        self.weights: dict[str, Held] = {}
        self.checks: list[Check | While] = []
        self.frame, self.splitter = PartFrame(), Splitter()
        self.saves = any(isinstance(statement, Save) for statement in walk(program.body))

    @contextlib.contextmanager
    def inside(self, block: Block, mortal: Sequence[Value] = ()) -> Iterator[None]:
        """Write a block; its arrays are left with this context."""
        with self.scope(block, mortal):
            self.block(block)
            yield

    def block(self, block: Block) -> None:
        """The statements of a block."""
        self.statements(block.body, block.results)

    def statements(self, statements: Sequence[Statement], results: Sequence[Value]) -> None:
        """Statements of a block, in parts if they are many; behind them `results` are read."""
        if not self.splitter.is_long(statements):
            for statement in statements:
                self.statement(statement)
            return
        computed = [item for item in statements if not (isinstance(item, Op) and (item.is_const or item.is_weight))]
        for item in statements:
            if isinstance(item, Op) and (item.is_const or item.is_weight):
                self.statement(item)
        with self.frame.block():
            for piece in self.splitter.plan(computed, results):
                self.part(piece)
            for value in results:
                if value not in self.values:
                    self.values[value] = self.frame.load(self.code, value)

    def part(self, piece: Piece) -> None:
        """A piece of a block as a function of its own, and its call."""
        outer = self.code, self.values, self.mask
        here = {value: self.values[value] for value in piece.taken if value in self.values}
        for value, held in here.items():
            if not (isinstance(held, Extent) or known(held)):
                self.frame.store(self.code, value, held)
        if self.mask != ALL:
            put(self.code, Cell(self.mask, Kind.BOOL, True), address(self.code, LANES_ROOM))
        self.hand_over()
        self.code = self.numbers.code = Code()
        at_hand = {value: held for value, held in here.items() if isinstance(held, Extent) or known(held)}
        self.values = {value: at_hand[value] if value in at_hand else self.taken(value) for value in piece.taken}
        if self.mask != ALL:
            self.mask = get(self.code, address(self.code, LANES_ROOM), Kind.BOOL).text
        self.take_over()
        for statement in piece.statements:
            self.statement(statement)
        at_hand = {}
        for value in piece.left:
            held = self.values[value]
            if isinstance(held, Extent) or known(held):
                at_hand[value] = held
            else:
                self.frame.store(self.code, value, held)
        inside = self.mask
        if inside != ALL:
            put(self.code, Cell(inside, Kind.BOOL, True), address(self.code, LANES_ROOM))
        self.hand_over()
        self.code.do("ret i64 0")
        name = self.close_part()
        self.code, self.values, self.mask = outer
        self.numbers.code = self.code
        self.values.update(at_hand)
        self.call_part(name)
        if inside != ALL:
            self.mask = get(self.code, address(self.code, LANES_ROOM), Kind.BOOL).text

    def taken(self, value: Value) -> Cells:
        """What a part finds in the frame, at its start."""
        return tuple(map(self.code.spread_early, self.frame.load(self.code, value)))

    def close_part(self) -> str:
        """Keep the text of a part; returns its name."""
        name = f"@part.{len(self.frame.parts)}"
        if self.saves:
            self.code.begin("overflow")
            self.code.do("ret i64 1")
        lines = [f"define internal i64 {name}({ARGUMENTS}) nounwind noinline {{", "entry:", *self.local_rooms(), *self.code.lines, "}"]
        self.frame.parts.append("\n".join(lines))
        return name

    def call_part(self, name: str) -> None:
        """Call a part; where the stack is full, everyone returns."""
        found = self.code.emit(f"call i64 {name}({ARGUMENTS})")
        if self.saves:
            onward = self.code.new_label("called")
            self.code.jump_if(self.code.emit(f"icmp eq i64 {found}, 0"), onward, "overflow")
            self.code.begin(onward)
        self.take_over()

    def local_rooms(self) -> list[str]:
        """What every function begins with: rooms of its own for what changes all the time."""
        return [f"  %failed = alloca {CODES}, align 64", "  %top = alloca ptr, align 64"]

    def hand_over(self) -> None:
        """Put the numbers of failed checks and the end of the stack into the frame."""
        for room, place, type in (("%failed", FAILED, CODES), ("%top", TOP, "ptr")):
            self.code.do(f"store {type} {self.code.emit(f'load {type}, ptr {room}')}, ptr {address(self.code, place)}, align 8")

    def take_over(self) -> None:
        """Take them from there."""
        for room, place, type in (("%failed", FAILED, CODES), ("%top", TOP, "ptr")):
            self.code.do(f"store {type} {self.code.emit(f'load {type}, ptr {address(self.code, place)}, align 8')}, ptr {room}")

    def statement(self, statement: Statement) -> None:
        """One statement."""
        match statement:
            case Op():
                self.note_doubts(statement)  # before a result takes the place of an operand
                self.bind(statement.result, self.op(statement))
            case Check():
                self.check(statement)
            case If():
                self.branch(statement)
            case Loop():
                self.loop(statement)
            case While():
                self.repeat(statement)
            case Rewind():
                self.rewind(statement)
            case Save():
                self.save(statement)
            case Restore():
                self.restore(statement)
            case Try():
                raise AssertionError("`try_to_if` leaves no Try")
            case _:
                assert_never(statement)
        self.end(statement)

    def op(self, op: Op) -> Held:
        """The numbers of an operation's result."""
        if op.is_const:
            return tuple(constant(op.attr("value"), op.result.type.kind))
        if op.is_weight:
            held = self.weights[str(op.attr("key"))]
            if isinstance(held, Extent):  # which the next group of samples reads, too
                self.memory.rooms.hold(held)
            return held
        if op.result.type.kind is Kind.COMPLEX:  # of the parts, for a message
            return tuple(cell for arg in op.args for cell in self.fitted(arg))
        try:
            if (is_large(op.result) or any(map(is_large, op.args))) and (found := in_memory(self.memory, self.request(op))) is not None:
                return found
            operands = [self.cells(arg) for arg in op.args]
            form = ARRAYS.get(op.name) or LINEAR.get(op.name)
            if form is not None:
                cells = form(self.numbers, op, operands)
            elif only_moves(op.name):
                cells = moved(op, operands)
            else:
                cells = elementwise(self.numbers, op, operands)
        except Unsupported as reason:
            raise Unsupported(f"{reason}{at_line(op.span)}") from None
        return tuple(self.numbers.cast(cell, op.result.type.kind) for cell in cells)

    def check(self, check: Check) -> None:
        """Lanes that fail are noted and take no part in what follows."""
        self.checks.append(check)
        ok = self.code.spread(self.cell(check.ok)).text
        failing = self.code.without(self.mask, ok)
        self.fail(failing, len(self.checks))
        self.note_failure(check, failing, len(self.checks), self.notes.number())
        self.mask = self.code.both(self.mask, ok)

    def fail(self, lanes: str, number: int) -> None:
        """Note a failure of lanes that did not fail before."""
        code = self.code
        held = code.emit(f"load {CODES}, ptr %failed")
        fresh = code.emit(f"icmp eq {CODES} {held}, zeroinitializer")
        now = code.both(lanes, fresh)
        made = code.emit(f"select {MASK} {now}, {CODES} splat (i32 {number}), {CODES} {held}")
        code.do(f"store {CODES} {made}, ptr %failed")

    def alive(self, mask: str) -> str:
        """The lanes of a mask that did not fail."""
        held = self.code.emit(f"load {CODES}, ptr %failed")
        return self.code.both(mask, self.code.emit(f"icmp eq {CODES} {held}, zeroinitializer"))

    def branch(self, branch: If) -> None:
        """Arms, each for the lanes that take it."""
        condition = self.cell(branch.condition)
        self.note_branch(branch, condition)
        if not condition.wide:
            self.branch_of_all(branch, condition)
            return
        mask, meeting = self.mask, ArraysMeet(self, branch)
        masks = self.code.both(mask, condition.text), self.code.without(mask, condition.text)
        arms = [*zip((branch.then, branch.orelse), masks, strict=True)]
        # On the way back lanes take from the stack in the opposite order.
        order = (1, 0) if any(isinstance(item, Restore) for arm in (branch.then, branch.orelse) for item in walk(arm)) else (0, 1)
        made = {place: self.arm(arms[place][0], branch, arms[place][1], meeting) for place in order}
        for place, result in enumerate(branch.results):
            if not is_large(result):
                pairs = zip(made[0][place], made[1][place], strict=True)
                self.values[result] = tuple(self.code.choose(condition, one, other) for one, other in pairs)
        meeting.done()
        self.mask = self.alive(mask) if can_fail(branch.then) or can_fail(branch.orelse) else mask

    def arm(self, arm: Block, branch: If, lanes: str, meeting: ArraysMeet) -> list[Cells]:
        """The results of an arm, which is skipped where no lane takes it."""
        if not arm.body:
            meeting.leave(arm, lanes)
            return [() if is_large(result) else self.fitted(value, result.type)
                    for value, result in zip(arm.results, branch.results, strict=True)]
        code = self.code
        inside, after, before = code.new_label("arm"), code.new_label("after"), code.label
        code.jump_if(code.any(lanes), inside, after)
        code.begin(inside)
        self.mask = lanes
        with self.inside(arm, self.lifetimes.ending(branch)):
            made = [() if is_large(result) else tuple(map(code.spread, self.fitted(value, result.type)))
                    for value, result in zip(arm.results, branch.results, strict=True)]
            meeting.leave(arm, lanes)
        left = code.label
        code.jump(after)
        code.begin(after)
        return [tuple(self.meet(cell, left, before) for cell in cells) for cells in made]

    def meet(self, cell: Cell, left: str, before: str) -> Cell:
        """A number that an arm made, or nothing where the arm was skipped."""
        return Cell(self.code.emit(f"phi {cell.type} [ {cell.text}, %{left} ], [ zeroinitializer, %{before} ]"), cell.kind, True)

    def branch_of_all(self, branch: If, condition: Cell) -> None:
        """A branch that all samples take in the same way."""
        code, mask, meeting = self.code, self.mask, ArraysMeet(self, branch)
        labels = [code.new_label("then"), code.new_label("else")]
        after = code.new_label("after")
        code.jump_if(condition.text, *labels)
        ends: list[tuple[str, list[Cells]]] = []
        for label, arm in zip(labels, (branch.then, branch.orelse), strict=True):
            code.begin(label)
            self.mask = mask
            with self.inside(arm, self.lifetimes.ending(branch)):
                made = [() if is_large(result) else self.fitted(value, result.type)
                        for value, result in zip(arm.results, branch.results, strict=True)]
                made = [tuple(map(code.spread, cells)) if self.is_wide(result) else cells
                        for cells, result in zip(made, branch.results, strict=True)]
                meeting.leave(arm, mask)
            ends.append((code.label, made))
            code.jump(after)
        code.begin(after)
        for place, result in enumerate(branch.results):
            if is_large(result):
                continue
            self.values[result] = tuple(
                Cell(code.emit(f"phi {one.type} [ {one.text}, %{ends[0][0]} ], [ {other.text}, %{ends[1][0]} ]"), one.kind, one.wide)
                for one, other in zip(ends[0][1][place], ends[1][1][place], strict=True)
            )
        meeting.done()
        self.mask = self.alive(mask) if can_fail(branch.then) or can_fail(branch.orelse) else mask

    def carried(self, values: Sequence[Value], params: Sequence[Value]) -> list[Cells]:
        """What a loop starts with or goes on with, as its parameters are; of arrays in memory nothing."""
        return [() if is_large(param) else tuple(map(self.code.spread, self.fitted(value, param.type))) if self.is_wide(param)
                else self.fitted(value, param.type) for value, param in zip(values, params, strict=True)]

    def phis(self, init: Sequence[Cells], before: str, again: str) -> tuple[list[Cells], list[tuple[int, Cell]]]:
        """Parameters of a loop; each has a line that is completed when the round is written."""
        made, lines = [], []
        for cells in init:
            row = []
            for cell in cells:
                name = self.code.emit(f"phi {cell.type} [ {cell.text}, %{before} ], [ ?, %{again} ]")
                lines.append((len(self.code.lines) - 1, cell))
                row.append(Cell(name, cell.kind, cell.wide))
            made.append(tuple(row))
        return made, lines

    def complete(self, lines: Sequence[tuple[int, Cell]], following: Sequence[Cell]) -> None:
        """Say what parameters are in the next round."""
        for (line, _), cell in zip(lines, following, strict=True):
            self.code.lines[line] = self.code.lines[line].replace("?", cell.text, 1)

    def loop(self, loop: Loop) -> None:
        """The same number of rounds for all samples."""
        index, *params = loop.body.params
        self.note_count(loop)
        self.rounds(loop, index, params, str(loop.count), None)

    def rewind(self, loop: Rewind) -> None:
        """Rounds from the last to the first; a lane takes part in those that it took on the way forward."""
        index, *params = loop.body.params
        counts = self.cell(loop.count)
        if counts.wide:
            most = self.largest(self.code.choose(Cell(self.mask, Kind.BOOL, True), counts, literal(0, Kind.INT)))
            self.rounds(loop, index, params, most, counts)
        else:
            self.rounds(loop, index, params, counts.text, None, back=True)

    def largest(self, cell: Cell) -> str:
        """The largest number of the lanes."""
        name = f"llvm.vector.reduce.smax.v{LANES}i64"
        self.numbers.declared[name] = f"declare i64 @{name}({cell.type})"
        return self.code.emit(f"call i64 @{name}({cell.typed})")

    def rounds(
        self, loop: Loop | Rewind, index: Value, params: Sequence[Value], count: str, counts: Cell | None, back: bool = False
    ) -> None:
        """Counted rounds, up, or down if `back` or if each lane has a count of its own."""
        code, mask, body = self.code, self.mask, loop.body
        back = back or counts is not None
        first = self.carried(loop.init, params)
        arrays = CarriedArrays(self, loop, params)
        if counts is not None:  # lanes that are done keep what they have, also of what is the same in all rounds
            first = [tuple(map(code.spread, cells)) for cells in first]
        head, inside, again, end = (code.new_label(word) for word in ("loop", "round", "again", "end"))
        before = code.label
        code.jump(head)
        code.begin(head)
        number = code.emit(f"phi i64 [ {count if back else 0}, %{before} ], [ ?, %{again} ]")
        counter = len(code.lines) - 1
        made, lines = self.phis(first, before, again)
        code.jump_if(code.emit(f"icmp {'sgt' if back else 'slt'} i64 {number}, {0 if back else count}"), inside, end)
        code.begin(inside)
        place = code.emit(f"sub i64 {number}, 1") if back else number
        self.values[index] = (Cell(place, Kind.INT),)
        self.values.update(zip(params, made, strict=True))
        arrays.bind(params)
        self.mask = mask
        fails = can_fail(body)
        if fails:
            self.mask = self.alive(mask)
            self.note_round(number)
        if counts is not None:
            taking = self.numbers.compare("lt", Cell(place, Kind.INT), counts).text
            self.mask = code.both(self.mask, taking)
        lanes = self.mask
        with self.noted_rounds(), self.inside(body, params):
            following = [cell for cells in self.carried(body.results, params) for cell in cells]
            arrays.go_on(body.results, lanes)
        if counts is not None:
            taken = Cell(lanes, Kind.BOOL, True)
            held = [cell for cells in made for cell in cells]
            following = [code.choose(taken, cell, old) for cell, old in zip(following, held, strict=True)]
        code.jump(again)
        code.begin(again)
        step = place if back else code.emit(f"add i64 {number}, 1")
        code.jump(head)
        code.lines[counter] = code.lines[counter].replace("?", step, 1)
        self.complete(lines, following)
        code.begin(end)
        self.values.update(zip(loop.results, made, strict=True))
        arrays.leave(loop.results)
        self.mask = self.alive(mask) if fails else mask

    def repeat(self, loop: While) -> None:
        """Rounds until no lane is left; lanes that are done keep what they have."""
        code, mask = self.code, self.mask
        self.checks.append(loop)
        number_of_check, place = len(self.checks), self.notes.number()
        first = [tuple(map(code.spread, cells)) for cells in self.carried(loop.init, loop.body.params)]
        arrays = CarriedArrays(self, loop, loop.body.params)
        head, inside, again, end = (code.new_label(word) for word in ("while", "round", "again", "end"))
        start = code.spread(Cell(mask, Kind.BOOL, True)).text
        before = code.label
        code.jump(head)
        code.begin(head)
        number = code.emit(f"phi i64 [ 0, %{before} ], [ ?, %{again} ]")
        counter = len(code.lines) - 1
        lanes = code.emit(f"phi {MASK} [ {start}, %{before} ], [ ?, %{again} ]")
        going = len(code.lines) - 1
        made, lines = self.phis(first, before, again)
        self.values.update(zip(loop.test.params, made, strict=True))
        arrays.bind(loop.test.params)
        self.mask = lanes
        if can_fail(loop.test) or can_fail(loop.body):
            self.note_round(number)
        with self.noted_rounds(place), self.inside(loop.test):
            holds = code.spread(self.cell(loop.test.results[0])).text
        taking = code.both(self.mask, holds)
        limit = "%rounds" if loop.bound is None else str(loop.bound)
        is_over = code.emit(f"icmp sge i64 {number}, {limit}")
        everyone = code.spread(Cell(is_over, Kind.BOOL)).text
        if loop.bound is None:
            endless = code.both(taking, everyone)
            self.fail(endless, number_of_check)
            self.note_failure(loop, endless, number_of_check, place)
        taking = code.without(taking, everyone)
        self.note_trips(loop, number, code.without(lanes, taking))
        code.jump_if(code.any(taking), inside, end)
        code.begin(inside)
        self.values.update(zip(loop.body.params, made, strict=True))
        arrays.bind(loop.body.params)
        self.mask = taking
        with self.noted_rounds(place), self.inside(loop.body, loop.body.params):
            new = [tuple(map(code.spread, cells)) for cells in self.carried(loop.body.results, loop.body.params)]
            arrays.go_on(loop.body.results, taking)
        taken = Cell(taking, Kind.BOOL, True)
        following = [code.choose(taken, cell, old) for cells, olds in zip(new, made, strict=True)
                     for cell, old in zip(cells, olds, strict=True)]
        onward = code.both(taking, self.mask)
        code.jump(again)
        code.begin(again)
        step = code.emit(f"add i64 {number}, 1")
        code.jump(head)
        code.lines[counter] = code.lines[counter].replace("?", step, 1)
        code.lines[going] = code.lines[going].replace("?", onward, 1)
        self.complete(lines, following)
        code.begin(end)
        self.values.update(zip(loop.results, made, strict=True))
        arrays.leave(loop.results)
        self.mask = self.alive(mask)
