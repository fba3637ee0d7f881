"""Turn checks into a value: which exception a sample raises, while what follows is left to the samples that raise none.

A `Try` of the Program tells its handlers apart by class only, and hands them nothing. Where a handler looks at the exception, the body
is rewritten: everything behind a check stands in the arm of an `If` whose other arm answers with the number of the exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from deepalgo.ir import Block, Check, If, Kind, Loop, Statement, Try, Type, Value, While, blocks
from deepalgo.stage.rules.python.exceptions import place_of, raised_by, remember_place
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.structure import Structure, decode, encode, numbers, structure_of
from deepalgo.stage.state.values import Signal, Union

INT = Type(Kind.INT)


@dataclass(frozen=True, slots=True)
class PossibleException:
    """One exception that may be raised: its number, its structure and the columns that carry its numbers."""

    number: int
    structure: Structure
    columns: range
    place: Any


def is_wanted(statement: Statement, wanted: Callable[[Check], bool]) -> bool:
    """Whether a statement holds a check that is to be turned into a value."""
    if isinstance(statement, Check):
        return wanted(statement)
    if isinstance(statement, Try):
        inner = escaping(statement, wanted)
        parts = [(statement.body, inner), *((handler.block, wanted) for handler in statement.handlers)]
        return any(is_wanted(item, ask) for block, ask in parts for item in block.body)
    return any(is_wanted(item, wanted) for block in blocks(statement) for item in block.body)


def escaping(attempt: Try, wanted: Callable[[Check], bool]) -> Callable[[Check], bool]:
    """Those of the wanted checks that the handlers of a `Try` in between let pass."""
    taken = {name for handler in attempt.handlers for name in handler.catches}
    return lambda check: check.error not in taken and wanted(check)


@dataclass
class Coder:
    """Rewrites a block; afterwards `code` is the number of the exception (0: none) and `payload` holds the numbers in it."""

    machine: Machine
    wanted: Callable[[Check], bool]
    failures: list[PossibleException] = field(default_factory=list)
    numbers: dict[int, PossibleException] = field(default_factory=dict)
    types: list[Type] = field(default_factory=list)
    flavours: list[str] = field(default_factory=list)
    code: Value | None = None
    payload: tuple[Value, ...] = ()

    def inline(self, block: Block) -> tuple[Value, ...]:
        """Append the rewritten block here; its results, zeros for samples that raise."""
        self._count(block.body, self.wanted)
        results = self._run(block.body, block.results, self.wanted)
        size = len(block.results)
        self.code, self.payload = results[size], results[size + 1 :]
        return results[:size]

    def error(self) -> Any:
        """The exception, one of several by its number."""
        assert self.code is not None
        code = Signal(self.code)
        cases = []
        for failure in self.failures:
            leaves = [Signal(self.payload[column], self.flavours[column]) for column in failure.columns]
            made = decode(self.machine, failure.structure, iter(leaves))
            remember_place(self.machine, made, failure.place)
            cases.append((self.machine.emit("eq", code, failure.number), made))
        return cases[0][1] if len(cases) == 1 else Union(tuple(cases))

    def _count(self, statements: Sequence[Statement], wanted: Callable[[Check], bool]) -> None:
        for item in statements:
            if isinstance(item, Check):
                if wanted(item):
                    self.numbers[id(item)] = self._failure(item)
            elif isinstance(item, Try):
                self._count(item.body.body, escaping(item, wanted))
                for handler in item.handlers:
                    self._count(handler.block.body, wanted)
            else:
                for block in blocks(item):
                    self._count(block.body, wanted)

    def _failure(self, check: Check) -> PossibleException:
        """The number of the exception that a check raises; equal exceptions of one place have one number."""
        error = raised_by(self.machine, check)
        structure = structure_of(error, lambda item: True)
        place = place_of(self.machine, error) or check.span
        for known in self.failures:
            if known.structure == structure and known.place == place:
                return known
        leaves = list(numbers(structure))
        columns = range(len(self.types), len(self.types) + len(leaves))
        self.types += [leaf.type for leaf in leaves]
        self.flavours += [leaf.flavour for leaf in leaves]
        self.failures.append(PossibleException(len(self.failures) + 1, structure, columns, place))
        return self.failures[-1]

    def _run(self, statements: Sequence[Statement], results: tuple[Value, ...], wanted: Callable[[Check], bool]) -> tuple[Value, ...]:
        """Append statements up to the first that may raise, and an `If` with what follows; the results, the code and the payload."""
        builder = self.machine.builder
        for place, item in enumerate(statements):
            if not is_wanted(item, wanted):
                builder.body.append(item)
                continue
            rest = statements[place + 1 :]
            if isinstance(item, Check):
                return self._choice(item.ok, self._block((), rest, results, wanted), self._raised(item, results), item)
            code, payload = self._region(item, wanted)
            fine = self.machine.emit("eq", Signal(code), 0)
            return self._choice(fine.value, self._block((), rest, results, wanted), self._skipped(results, code, payload), item)
        return (*results, *self._nothing())

    def _choice(self, ok: Value, then: Block, orelse: Block, item: Statement) -> tuple[Value, ...]:
        made = self._fresh(then.results)
        self.machine.builder.append(If(made, ok, then, orelse, item.span))
        return made

    def _fresh(self, like: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.machine.builder.fresh(value.type, value.name) for value in like)

    def _block(
        self, params: tuple[Value, ...], statements: Sequence[Statement], results: tuple[Value, ...], wanted: Callable[[Check], bool]
    ) -> Block:
        body: list[Statement] = []
        with self.machine.builder.into(body):
            ended = self._run(statements, results, wanted)
        return Block(params, tuple(body), ended)

    def _nothing(self) -> tuple[Value, ...]:
        return (self.machine.constant(0).value, *(self.machine.zero(type).value for type in self.types))

    def _zeros(self, results: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(self.machine.zero(value.type).value for value in results)

    def _raised(self, check: Check, results: tuple[Value, ...]) -> Block:
        """The arm of samples that raise here."""
        failure, body = self.numbers[id(check)], list[Statement]()
        with self.machine.builder.into(body):
            _, *payload = self._nothing()
            leaves = encode(self.machine, raised_by(self.machine, check), failure.structure)
            for column, leaf in zip(failure.columns, leaves, strict=True):
                payload[column] = leaf.value
            ended = (*self._zeros(results), self.machine.constant(failure.number).value, *payload)
        return Block((), tuple(body), ended)

    def _skipped(self, results: tuple[Value, ...], code: Value, payload: tuple[Value, ...]) -> Block:
        """The arm of samples that have raised before."""
        body = list[Statement]()
        with self.machine.builder.into(body):
            ended = (*self._zeros(results), code, *payload)
        return Block((), tuple(body), ended)

    def _region(self, item: Statement, wanted: Callable[[Check], bool]) -> tuple[Value, tuple[Value, ...]]:
        """Append a statement with blocks, which hands out the code and the payload besides."""
        like = (self.machine.builder.fresh(INT), *(self.machine.builder.fresh(type) for type in self.types))
        match item:
            case If():
                then, orelse = (self._block((), arm.body, arm.results, wanted) for arm in (item.then, item.orelse))
                made: Statement = replace(item, results=(*item.results, *like), then=then, orelse=orelse)
            case Try():
                body = self._block((), item.body.body, item.body.results, escaping(item, wanted))
                handlers = tuple(
                    replace(handler, block=self._block((), handler.block.body, handler.block.results, wanted)) for handler in item.handlers
                )
                made = replace(item, results=(*item.results, *like), body=body, handlers=handlers)
            case Loop():
                start, round = self._nothing(), self._round(item.body, item.body.params[1:], wanted)
                made = replace(item, results=(*item.results, *like), init=(*item.init, *start), body=round)
            case While():
                start = self._nothing()
                test, body = self._test(item.test, wanted), self._round(item.body, item.body.params, wanted)
                made = replace(item, results=(*item.results, *like), init=(*item.init, *start), test=test, body=body)
            case _:
                raise AssertionError("a statement without blocks")
        self.machine.builder.append(made)
        return like[0], like[1:]

    def _round(self, block: Block, carried: tuple[Value, ...], wanted: Callable[[Check], bool]) -> Block:
        """A round of a loop: samples that have raised carry on what they have."""
        state = (self.machine.builder.fresh(INT), *(self.machine.builder.fresh(type) for type in self.types))
        body: list[Statement] = []
        with self.machine.builder.into(body):
            fine = self.machine.emit("eq", Signal(state[0]), 0)
            then = self._block((), block.body, block.results, wanted)
            ended = self._fresh(then.results)
            self.machine.builder.append(If(ended, fine.value, then, Block((), (), (*carried, *state)), self.machine.span))
        return Block((*block.params, *state), tuple(body), ended)

    def _test(self, test: Block, wanted: Callable[[Check], bool]) -> Block:
        if any(is_wanted(item, wanted) for item in test.body):
            self.machine.refuse(
                "the test of this `while` may raise an exception that a handler looks at",
                "Compute what it compares in the body of the loop, and `break`.",
            )
        state = (self.machine.builder.fresh(INT), *(self.machine.builder.fresh(type) for type in self.types))
        body: list[Statement] = []
        with self.machine.builder.into(body):
            fine = self.machine.emit("eq", Signal(state[0]), 0)
            no: list[Statement] = []
            with self.machine.builder.into(no):
                ended = self.machine.constant(False).value
            verdict = self.machine.builder.fresh(Type(Kind.BOOL))
            then, orelse = Block((), test.body, test.results), Block((), tuple(no), (ended,))
            self.machine.builder.append(If((verdict,), fine.value, then, orelse, self.machine.span))
        return Block((*test.params, *state), tuple(body), (verdict,))
