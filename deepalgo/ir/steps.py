"""A program as a list of steps with jumps between them, so that running it needs no recursion, however deep its blocks are.

The values of a run lie in a list, each in a slot of its own. A step reads and writes slots, and returns the number of the step to go on
with, or None for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from deepalgo.ir.compute import bring, compute
from deepalgo.ir.program import Block, Check, Handler, If, Loop, Op, Program, Restore, Rewind, Save, Statement, Try, Value, While
from deepalgo.spans import Span

Env: TypeAlias = list[Any]
Step: TypeAlias = Callable[[Env], int | None]

#: The slot of every run that holds the largest number of rounds of a loop without a bound.
MOST_ROUNDS = 0
#: The slot that holds what is saved: a list of the number and the values of each `Save` that was not taken back.
STACK = 1


class Failed(Exception):
    """A check that fails: the error's name, the classes above it, what it says with the operands filled in, and where."""

    def __init__(self, error: str, bases: tuple[str, ...], message: str, span: Span | None) -> None:
        super().__init__(f"{error}: {message}" if message else error)
        self.error = error
        self.bases = bases
        self.message = message
        self.span = span


@dataclass(frozen=True, slots=True)
class Guarded:
    """The steps of the body of a `try`, and where each handler begins."""

    first: int
    last: int
    handlers: tuple[tuple[Handler, int], ...]


class ProgramSteps:
    """The steps of a program; `start` is what the slots hold before the first one, weights left out."""

    def __init__(self, program: Program) -> None:
        self.steps: list[Step] = []
        self.guarded: list[Guarded] = []  # inner ones before those around them
        self.start: Env = [None, None]
        self.weights: list[tuple[int, str]] = []
        self.slots: dict[int, int] = {}
        self.work: list[Statement | Callable[[], None]] = []
        self.inputs = [self.slot(item.value) for item in program.inputs]
        self.block(program.body)
        while self.work:
            item = self.work.pop()
            if callable(item):
                item()
            else:
                self.statement(item)
        self.results = [self.slot(value) for value in program.body.results]

    def slot(self, value: Value) -> int:
        """Where a value lies."""
        if value.id not in self.slots:
            self.slots[value.id] = self.fresh()
        return self.slots[value.id]

    def fresh(self) -> int:
        """A slot that no value has."""
        self.start.append(None)
        return len(self.start) - 1

    def block(self, block: Block, *after: Callable[[], None] | Block) -> None:
        """Write the statements of a block next, and then what comes after it."""
        for item in reversed(after):
            if isinstance(item, Block):
                self.work.extend(reversed(item.body))
            else:
                self.work.append(item)
        self.work.extend(reversed(block.body))

    def statement(self, statement: Statement) -> None:
        """Write one statement."""
        match statement:
            case Op():
                self.op(statement)
            case Check():
                self.steps.append(_check(statement, self.slot(statement.ok), [self.slot(value) for value in statement.operands]))
            case If():
                self.branch(statement)
            case Loop():
                self.loop(statement)
            case While():
                self.repeat(statement)
            case Try():
                self.attempt(statement)
            case Rewind():
                self.rewind(statement)
            case Save():
                self.steps.append(_save(statement.number, [self.slot(value) for value in statement.values]))
            case Restore():
                self.steps.append(_restore(statement.number, [self.slot(value) for value in statement.results]))
            case _:
                assert_never(statement)

    def op(self, op: Op) -> None:
        """An operation is one step; constants and weights lie in their slots from the start."""
        target, type = self.slot(op.result), op.result.type
        if op.is_const:
            self.start[target] = bring(op.attr("value"), type)
        elif op.is_weight:
            self.weights.append((target, str(op.attr("key"))))
        else:
            self.steps.append(_operation(compute(op), [self.slot(arg) for arg in op.args], target))

    def branch(self, branch: If) -> None:
        """An arm, a jump over the other one, and the other one."""
        question, end = self.hole(), 0

        def otherwise() -> None:
            nonlocal end
            self.move(branch.then.results, branch.results)
            end = self.hole()
            self.steps[question] = _unless(self.slot(branch.condition), len(self.steps))

        def join() -> None:
            self.move(branch.orelse.results, branch.results)
            self.steps[end] = _jump(len(self.steps))

        self.block(branch.then, otherwise, branch.orelse, join)

    def loop(self, loop: Loop) -> None:
        """Count, or leave; the body, and back."""
        counter, carried = self.fresh(), loop.body.params[1:]
        self.steps.append(_put(counter, 0))
        self.move(loop.init, carried)
        top = self.hole()

        def again() -> None:
            self.move(loop.body.results, carried)
            self.steps.append(_jump(top))
            self.steps[top] = _count(counter, loop.count, self.slot(loop.body.params[0]), len(self.steps))
            self.move(carried, loop.results)

        self.block(loop.body, again)

    def rewind(self, loop: Rewind) -> None:
        """Count down, or leave; the body, and back."""
        counter, carried = self.fresh(), loop.body.params[1:]
        self.steps.append(_move([self.slot(loop.count)], [counter], ()))
        self.move(loop.init, carried)
        top = self.hole()

        def again() -> None:
            self.move(loop.body.results, carried)
            self.steps.append(_jump(top))
            self.steps[top] = _count_down(counter, self.slot(loop.body.params[0]), len(self.steps))
            self.move(carried, loop.results)

        self.block(loop.body, again)

    def repeat(self, loop: While) -> None:
        """Leave at the bound; the test, or leave; the body, and back."""
        counter, carried = self.fresh(), loop.test.params
        self.steps.append(_put(counter, 0))
        self.move(loop.init, carried)
        top, question = self.hole(), 0

        def ask() -> None:
            nonlocal question
            question = self.hole()
            self.move(carried, loop.body.params)

        def again() -> None:
            self.move(loop.body.results, carried)
            self.steps.append(_jump(top))
            end = len(self.steps)
            self.steps[top] = _bound(counter, loop.bound, end)
            self.steps[question] = _go_on(self.slot(loop.test.results[0]), counter, loop, end)
            self.move(carried, loop.results)

        self.block(loop.test, ask, loop.body, again)

    def attempt(self, attempt: Try) -> None:
        """The body, a jump over the handlers, and each of them with such a jump."""
        first, ends, entries = len(self.steps), list[int](), list[int]()

        def leave(block: Block) -> Callable[[], None]:
            def write() -> None:
                self.move(block.results, attempt.results)
                ends.append(self.hole())
                entries.append(len(self.steps))

            return write

        def join() -> None:
            for end in ends:
                self.steps[end] = _jump(len(self.steps))

            self.guarded.append(Guarded(first, entries[0], tuple(zip(attempt.handlers, entries, strict=False))))

        after = [part for handler in attempt.handlers for part in (handler.block, leave(handler.block))]
        self.block(attempt.body, leave(attempt.body), *after, join)

    def hole(self) -> int:
        """A step that is written later."""
        self.steps.append(_nothing)
        return len(self.steps) - 1

    def move(self, sources: Sequence[Value], targets: Sequence[Value]) -> None:
        """Hand values over, all at once, each in the kind of the place that takes it."""
        if sources:
            changed = [(place, target.type) for place, (source, target) in enumerate(zip(sources, targets, strict=True))
                       if source.type.kind != target.type.kind]
            self.steps.append(_move([self.slot(value) for value in sources], [self.slot(value) for value in targets], changed))


def _nothing(env: Env) -> None:
    """What stands where a step is written later."""


def _jump(target: int) -> Step:
    return lambda env: target


def _put(slot: int, value: object) -> Step:
    def step(env: Env) -> None:
        env[slot] = value

    return step


def _unless(condition: int, target: int) -> Step:
    return lambda env: None if env[condition] else target


def _operation(function: Callable[..., Any], args: Sequence[int], target: int) -> Step:
    match args:
        case [one]:
            def step(env: Env) -> None:
                env[target] = function(env[one])
        case [left, right]:
            def step(env: Env) -> None:
                env[target] = function(env[left], env[right])
        case _:
            def step(env: Env) -> None:
                env[target] = function(*[env[arg] for arg in args])
    return step


def _check(check: Check, ok: int, operands: Sequence[int]) -> Step:
    def step(env: Env) -> None:
        if not env[ok]:
            held = [env[slot].tolist() if hasattr(env[slot], "tolist") else env[slot] for slot in operands]
            raise Failed(check.error, check.bases, check.message.format(*held), check.span)

    return step


def _save(number: int, slots: Sequence[int]) -> Step:
    return lambda env: env[STACK].append((number, [env[slot] for slot in slots]))


def _restore(number: int, slots: Sequence[int]) -> Step:
    def step(env: Env) -> None:
        if not env[STACK] or env[STACK][-1][0] != number:
            raise AssertionError(f"restore {number} does not meet what save {number} left")
        for slot, value in zip(slots, env[STACK].pop()[1], strict=True):
            env[slot] = value

    return step


def _move(sources: Sequence[int], targets: Sequence[int], changed: Sequence[tuple[int, Any]]) -> Step:
    if len(sources) == 1 and not changed:
        (source,), (target,) = sources, targets

        def single(env: Env) -> None:
            env[target] = env[source]

        return single

    def step(env: Env) -> None:
        held = [env[slot] for slot in sources]
        for place, type in changed:
            held[place] = bring(held[place], type)
        for slot, value in zip(targets, held, strict=True):
            env[slot] = value

    return step


def _count(counter: int, count: int, index: int, end: int) -> Step:
    def step(env: Env) -> int | None:
        number = env[counter]
        if number >= count:
            return end
        env[index] = number
        env[counter] = number + 1
        return None

    return step


def _count_down(counter: int, index: int, end: int) -> Step:
    def step(env: Env) -> int | None:
        if env[counter] <= 0:
            return end
        env[counter] -= 1
        env[index] = env[counter]
        return None

    return step


def _bound(counter: int, bound: int | None, end: int) -> Step:
    return _nothing if bound is None else lambda env: end if env[counter] >= bound else None


def _go_on(question: int, counter: int, loop: While, end: int) -> Step:
    def step(env: Env) -> int | None:
        if not env[question]:
            return end
        if loop.bound is None and env[counter] >= env[MOST_ROUNDS]:
            raise Failed("LoopBound", (), f"still running after {env[MOST_ROUNDS]} rounds", loop.span)
        env[counter] += 1
        return None

    return step
