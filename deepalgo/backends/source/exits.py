"""Give loops their exits back: a flag that ends a loop becomes a `break`, or a `return` where the function ends with the loop.

The front end keeps `break` and `return` inside of a loop as flags, because the rounds of other samples go on. For one sample at a
time the flag is a detour. A `Leave` stands in the program as a check whose operands are what its block reads.

>>> from deepalgo.backends.source.function import FunctionParameters, write_function
>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %out, %going = while (%y, %goes) from (%x, True)
...     %large = gt %y 1.0
...     %both = and %goes %large
...     test %both
...   do (%y, %goes)
...     %half = mul %y 0.5
...     %near = lt %half 3.0
...     %z = if %near
...       yield %half
...     else
...       %less = sub %half 0.1
...       yield %less
...     %far = not %near
...     next %z, %far
...   return %out
... ''')
>>> print(write_function(program, {}, FunctionParameters(("x",))))
def f(x):
    out = x
    while True:
        large = out > 1.0
        if not large:
            break
        half = out * 0.5
        near = half < 3.0
        if near:
            return half
        less = half - 0.1
        out = less
    return out
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count

from deepalgo.backends.source.duplicate_tails import settled
from deepalgo.backends.source.simplify import Simplify
from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Program, Statement, Value, While, blocks, captured, defined, used, walk
from deepalgo.ir.facts.constants import single
from deepalgo.ir.facts.truths import is_negation
from deepalgo.ir.rewriter import BOOL, Fresh, Rewriter
from deepalgo.lower.prune import prune_block
from deepalgo.ops.ranges import BELOW
from deepalgo.ops.table import TABLE

#: The length that stands for the number of samples; no one sees it.
MANY = 7
#: How errors begin that stand for exits, and that no check of the user has.
MARK = "Leave"


@dataclass(frozen=True, slots=True)
class Leave:
    """Samples that come here run the block and leave: the function with its results, or the loop that defines `targets`.

    The block's params are the operands of the check that stands for it.
    """

    block: Block
    targets: tuple[Value, ...] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """`if condition:` run the block and leave, in the place of a marked check. `targets` as in `Leave`."""

    condition: Value
    block: Block
    targets: tuple[Value, ...] | None


def inner_blocks(statement: Statement | Stop) -> tuple[Block, ...]:
    """The blocks that a statement owns, exits included."""
    return (statement.block,) if isinstance(statement, Stop) else blocks(statement)


def read_by(statement: Statement | Stop) -> tuple[Value, ...]:
    """What a statement reads itself."""
    return (statement.condition,) if isinstance(statement, Stop) else used(statement)


def made_by(statement: Statement | Stop) -> tuple[Value, ...]:
    """What a statement defines where it stands."""
    return () if isinstance(statement, Stop) else defined(statement)


def captured_by(block: Block) -> tuple[Value, ...]:
    """What a block reads from the blocks around it, exits included."""
    free: dict[Value, None] = {}
    _note_captured(block, set(), free)
    return tuple(free)


def _note_captured(block: Block, bound: set[Value], free: dict[Value, None]) -> None:
    bound = bound | set(block.params)
    for statement in block.body:
        free.update((value, None) for value in read_by(statement) if value not in bound)
        for inner in inner_blocks(statement):
            _note_captured(inner, bound, free)
        bound.update(made_by(statement))
    free.update((value, None) for value in block.results if value not in bound)


@dataclass(frozen=True, slots=True)
class WithExits(Program):
    """A program with exits: the `Leave` that each marked check stands for, by the name of its error."""

    exits: tuple[tuple[str, Leave], ...] = ()


def restore_returns(program: Program) -> Program:
    """The program whose last loop returns from inside, where that saves a flag or is all that follows."""
    exits = Exits(program)
    returning = exits.with_returns(program)
    return program if returning is program else exits.added(returning)


def restore_breaks(program: Program) -> Program:
    """The program whose loops end by exits in the place of flags."""
    exits = Exits(program)
    return exits.added(Breaks(program, exits).program(program))


def body_with_exits(program: Program, batched: bool = False) -> Block:
    """The body as it is written: with a `Stop` in the place of every marked check, and numbers where columns are `batched`.

    That is more than a program can hold.
    """
    leaves = dict(program.exits) if isinstance(program, WithExits) else {}
    return Unmark(Fresh(1_000_000_000), leaves, batched).block(program.body)


class Exits:
    """Collects what marked checks stand for, beside those that the program has."""

    def __init__(self, program: Program) -> None:
        self.leaves: dict[str, Leave] = dict(program.exits) if isinstance(program, WithExits) else {}
        self.taken = {check.error for check in walk(program.body) if isinstance(check, Check)}

    def added(self, program: Program) -> Program:
        """The program with all exits that were collected."""
        if not self.leaves:
            return program
        held = {item.name: getattr(program, item.name) for item in fields(Program)}
        return WithExits(**held, exits=tuple(self.leaves.items()))

    def mark(self, fresh: Fresh, condition: Value, block: Block, targets: tuple[Value, ...] | None) -> tuple[Statement, ...]:
        """Statements that stand for leaving if the condition holds."""
        key = next(name for number in count() if (name := f"{MARK}{number}") not in self.taken)
        self.taken.add(key)
        reads = captured(block)
        self.leaves[key] = Leave(replace(block, params=reads), targets)
        stays = _negation(fresh, condition)
        return stays, Check(stays.result, key, "", reads)

    def with_returns(self, program: Program) -> Program:
        """The program whose last loop returns from inside, as far as that saves a flag or is all that follows."""
        body = program.body
        places = [place for place, statement in enumerate(body.body) if isinstance(statement, While)]
        if not places:
            return program
        loop = body.body[places[-1]]
        assert isinstance(loop, While)
        after = body.body[places[-1] + 1 :]
        fresh = Fresh.of(program)
        known = single(body.body[: places[-1]])
        while (found := find_exit(fresh, loop, known)) is not None:
            ending = _ending(fresh, found.leaving, loop, after, body.results, known)
            if not _is_worth_it(loop, after, ending):
                return program
            marks = self.mark(fresh, found.condition, ending, None)
            loop = replace(loop, body=replace(found.staying, body=(*found.before, *marks, *found.staying.body)))
            program = replace(program, body=Block((), (*body.body[: places[-1]], loop, *after), body.results))
        return program


@dataclass(frozen=True, slots=True)
class LoopExit:
    """A condition at which a round ends the loop: what comes before it, and the rest of the body for either case."""

    condition: Value
    before: tuple[Statement, ...]
    leaving: Block
    staying: Block
    flag: int


def find_exit(fresh: Fresh, loop: While, known: Mapping[Value, Attr]) -> LoopExit | None:
    """The first exit that a flag of the loop stands for."""
    for place, (first, param) in enumerate(zip(loop.init, loop.test.params, strict=True)):
        if known.get(first) is not True or param.type != BOOL or not ends_by(fresh, loop.test, param):
            continue
        condition = _cause(loop.body, loop.body.results[place])
        if condition is None:
            continue
        found, truth, position = condition
        before, rest = loop.body.body[: position + 1], loop.body.body[position + 1 :]
        if not truth:
            negation = _negation(fresh, found)
            before, found = (*before, negation), negation.result
        facts = {**known, **single(before), loop.body.params[place]: True}
        leaving = _specialised(fresh, Block((), rest, loop.body.results), before, facts, found, True)
        staying = _specialised(fresh, Block(loop.body.params, rest, loop.body.results), before, facts, found, False)
        return LoopExit(found, before, leaving, staying, place)
    return None


def _specialised(
    fresh: Fresh, rest: Block, before: Sequence[Statement], facts: Mapping[Value, Attr], condition: Value, truth: bool
) -> Block:
    """The rest of a body where the condition is known; a copy where it leaves, as the other one stays."""
    pass_ = Simplify(fresh, facts)
    for op in before:
        if isinstance(op, Op):
            pass_.facts.note(op)
    pass_.facts.learn(condition, truth)
    pass_.renews = truth
    pass_.statements(rest.body)
    results = settled(pass_, rest.results)
    return Block(rest.params, tuple(pass_.out), results)


def ends_by(fresh: Fresh, test: Block, flag: Value) -> bool:
    """Whether the test fails if the flag is false."""
    pass_ = Simplify(fresh, {flag: False})
    pass_.statements(test.body)
    return pass_.facts.constant(pass_.see(test.results)[0]) is False


def _cause(body: Block, after: Value) -> tuple[Value, bool, int] | None:
    """A condition of the body, its truth, and where it is defined, that makes the flag false."""
    places = {value: place for place, statement in enumerate(body.body) for value in defined(statement)}
    for condition, truth in _causes(body, after):
        if condition in places:
            return condition, truth, places[condition]
    return None


def _causes(body: Block, flag: Value) -> Iterable[tuple[Value, bool]]:
    for statement in body.body:
        match statement:
            case Op(result, args=(condition,)) if result == flag and is_negation(statement):
                yield condition, True
            case Op(result, "and", (first, second)) if result == flag:
                yield from _causes(body, first)
                yield from _causes(body, second)
            case If(results, condition, then, orelse) if flag in results:
                place = results.index(flag)
                if single(then.body).get(then.results[place]) is False:
                    yield condition, True
                if single(orelse.body).get(orelse.results[place]) is False:
                    yield condition, False


def _ending(
    fresh: Fresh, leaving: Block, loop: While, after: tuple[Statement, ...], results: tuple[Value, ...], known: Mapping[Value, Attr]
) -> Block:
    """The rest of the round and what follows the loop, for a sample that leaves here."""
    pass_ = Simplify(fresh, {**known, **single(leaving.body)})
    pass_.renews = True
    pass_.out = list(leaving.body)
    pass_.env.update(zip(loop.results, leaving.results, strict=True))
    pass_.statements(after)
    block = Block((), tuple(pass_.out), pass_.see(results))
    return prune_block(block)


def _is_worth_it(loop: While, after: tuple[Statement, ...], ending: Block) -> bool:
    """A `return` saves a flag, or is all that follows."""
    flags = {result for result in loop.results if result.type.kind == Kind.BOOL}
    asked = {value for statement in after for value in (*used(statement), *(v for inner in blocks(statement) for v in captured(inner)))}
    size = sum(1 for statement in walk(ending) if not (isinstance(statement, Op) and (statement.is_const or statement.is_weight)))
    return size == 0 or (bool(flags & asked) and size <= 24)


class Breaks(Rewriter):
    """Flags of loops become exits, one after the other."""

    def __init__(self, program: Program, exits: Exits) -> None:
        super().__init__(Fresh.of(program))
        self.exits = exits
        self.asked = all_read(program)
        self.known: dict[Value, Attr] = {}

    def op(self, op: Op) -> None:
        """Note constants."""
        self.known.update(single((op,)))
        super().op(op)

    def repeat(self, loop: While) -> None:
        """A loop that ends by its flags ends by `break`."""
        while (found := find_exit(self.fresh, loop, self.known)) is not None and loop.results[found.flag] not in self.asked:
            needed = [place for place, result in enumerate(loop.results) if result in self.asked]
            results = tuple(found.leaving.results[place] for place in needed)
            block = prune_block(replace(found.leaving, results=results))
            marks = self.exits.mark(self.fresh, found.condition, block, tuple(loop.results[place] for place in needed))
            body = replace(found.staying, body=(*found.before, *marks, *found.staying.body))
            loop = self.without(replace(loop, body=body), found.flag)
        counted = self.counted(loop)
        if counted is None:
            super().repeat(loop)
        else:
            self.loop(counted)

    def counted(self, loop: While) -> Loop | None:
        """A loop that only counts its rounds."""
        match loop.test.body:
            case [*before, Op(result, name, (param, limit))] if (result,) == loop.test.results and param in loop.test.params:
                if TABLE[name].order != BELOW:
                    return None
                place = loop.test.params.index(param)
            case _:
                return None
        numbers = {**self.known, **single(before)}
        count, first = numbers.get(limit), self.known.get(loop.init[place])
        if not isinstance(count, int) or len(before) != len(single(before)) or repr(first) != "0" or loop.results[place] in self.asked:
            return None
        index = loop.body.params[place]
        if not _steps(loop.body, index, loop.body.results[place], self.known):
            return None
        body = replace(loop.body, params=(index, *_but(loop.body.params, place)), results=_but(loop.body.results, place))
        return Loop(_but(loop.results, place), count, _but(loop.init, place), body, loop.span)

    def without(self, loop: While, flag: int) -> While:
        """The loop without a flag that is true in every round that stays; it stays as it is while another exit needs it."""
        if single(loop.body.body).get(loop.body.results[flag], self.known.get(loop.body.results[flag])) is not True:
            return loop
        pass_ = Simplify(self.fresh, {**self.known, loop.test.params[flag]: True})
        pass_.statements(loop.test.body)
        results = settled(pass_, loop.test.results)
        test = Block(_but(loop.test.params, flag), tuple(pass_.out), results)
        inner = Simplify(self.fresh, {**self.known, loop.body.params[flag]: True})
        inner.statements(loop.body.body)
        body = Block(_but(loop.body.params, flag), tuple(inner.out), inner.see(_but(loop.body.results, flag)))
        return replace(loop, init=_but(loop.init, flag), test=test, body=body, results=_but(loop.results, flag))


def _steps(body: Block, index: Value, after: Value, known: Mapping[Value, Attr]) -> bool:
    """Whether a round adds one to its number."""
    numbers = {**known, **single(body.body)}
    return any(
        isinstance(op, Op) and op.result == after and op.name == "add" and op.args[0] == index and repr(numbers.get(op.args[1])) == "1"
        for op in body.body
    )


def _negation(fresh: Fresh, condition: Value) -> Op:
    return Op(fresh.value(BOOL), "not", (condition,))


def _but(values: tuple[Value, ...], place: int) -> tuple[Value, ...]:
    return values[:place] + values[place + 1 :]


def all_read(program: Program) -> set[Value]:
    """Every value that something reads."""
    found = set(program.body.results)
    for statement in walk(program.body):
        found.update(used(statement))
        for block in blocks(statement):
            found.update(block.results)
    return found


class Unmark(Rewriter):
    """Marked checks become what they stand for."""

    def __init__(self, fresh: Fresh, leaves: Mapping[str, Leave], batched: bool) -> None:
        super().__init__(fresh)
        self.leaves = leaves
        self.batched = batched

    def op(self, op: Op) -> None:
        """NumPy takes a number for a column of it."""
        if self.batched and op.name == "broadcast" and op.result.type.shape == (MANY,) and not op.args[0].type.shape:
            self.env[op.result] = self.see(op.args)[0]
        else:
            super().op(op)

    def check(self, check: Check) -> None:
        """The block of a marked check reads what the check reads."""
        leave = self.leaves.get(check.error)
        if leave is None:
            return super().check(check)
        before = dict(self.env)
        self.env.update(zip(leave.block.params, self.see(check.operands), strict=True))
        block = self.block(replace(leave.block, params=()))
        self.env = before
        match self.out[-1]:
            case Op(result, args=(condition,)) as op if result == check.ok and is_negation(op):
                pass
            case _:
                condition = self.negated(check.ok)
        self.out.append(Stop(condition, block, leave.targets))  # type: ignore[arg-type]  # the one statement that programs do not have
        return None
