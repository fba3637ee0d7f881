"""`Rewriter`: walks a program and builds a new one; passes override the statements that they change.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %y = neg %x
...   return %y
... ''')
>>> Rewriter(Fresh(7)).copy(program.body).results[0].id
7
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from deepalgo.ir import (
    Attr,
    Block,
    Check,
    If,
    Kind,
    Loop,
    Op,
    Program,
    Restore,
    Rewind,
    Save,
    Statement,
    Try,
    Type,
    Value,
    While,
    blocks,
    defined,
    walk,
)
from deepalgo.ir.append import Appender
from deepalgo.ops.table import infer
from deepalgo.spans import Span


@dataclass(slots=True)
class Fresh:
    """The supply of ids that no value of the program has."""

    next: int

    @classmethod
    def of(cls, program: Program) -> Fresh:
        """A supply that starts behind the last value of a program."""
        last = max((item.value.id for item in program.inputs), default=-1)
        for statement in walk(program.body):  # written out, as every pass begins with it
            if type(statement) is Op:
                if statement.result.id > last:
                    last = statement.result.id
            else:
                values = (*defined(statement), *(value for block in blocks(statement) for value in block.params))
                last = max((last, *(value.id for value in values)))
        return cls(last + 1)

    def value(self, type: Type, name: str = "") -> Value:
        """A value that no one has seen before."""
        return Value(self.number(), type, name)

    def number(self) -> int:
        """A number that nothing has: guards are fewer than values."""
        self.next += 1
        return self.next - 1


def all_values(program: Program) -> Iterable[Value]:
    """Every value that a program defines."""
    for item in program.inputs:
        yield item.value
    for statement in walk(program.body):
        yield from defined(statement)
        for block in blocks(statement):
            yield from block.params


class Rewriter(Appender):
    """Rebuilds blocks statement by statement. `env` says what stands for a value; `out` collects the block being built."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.env: dict[Value, Value] = {}
        self.out: list[Statement] = []
        self.renews = False
        self.guards: dict[int, int] = {}
        #: The place of what is made of the user's code, for operations that are added.
        self.span: Span | None = None

    def program(self, program: Program) -> Program:
        """The program with its body rebuilt."""
        return replace(program, body=self.block(program.body))

    def copy(self, block: Block) -> Block:
        """The block with fresh values for all that it defines."""
        before = self.renews, self.guards
        self.renews, self.guards = True, {}
        result = self.block(block)
        self.renews, self.guards = before
        return result

    def block(self, block: Block) -> Block:
        """The block rebuilt."""
        params = self.define(block.params)
        outer, self.out = self.out, []
        self.begin(block)
        self.statements(block.body)
        result = Block(params, tuple(self.out), self.see(block.results))
        self.out = outer
        return result

    def begin(self, block: Block) -> None:
        """Called before the first statement of a block is rebuilt."""

    def statements(self, body: Iterable[Statement]) -> None:
        """Rebuild statements into the current block."""
        for statement in body:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        """Rebuild one statement; what it defines is renamed after its blocks were seen."""
        match statement:
            case Op():
                self.op(statement)
            case Check():
                self.check(statement)
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
                self.out.append(replace(statement, values=self.see(statement.values)))
            case Restore():
                self.out.append(replace(statement, results=self.define(statement.results)))
            case _:
                assert_never(statement)

    def op(self, op: Op) -> None:
        """Rebuild an operation."""
        args = self.see(op.args)
        (result,) = self.define((op.result,))
        # Most operations stay as they are, and making a new one takes long.
        kept = args is op.args and result is op.result
        self.out.append(op if kept else Op(result, op.name, args, op.attrs, op.span, op.by, self.guard(op.guard)))

    def check(self, check: Check) -> None:
        """Rebuild a check."""
        made = replace(check, ok=self.see((check.ok,))[0], operands=self.see(check.operands), guard=self.guard(check.guard))
        self.out.append(made)

    def guard(self, number: int) -> int:
        """What an operation and its checks share: in a copy another number than in the original."""
        if not number or not self.renews:
            return number
        if number not in self.guards:
            self.guards[number] = self.fresh.number()
        return self.guards[number]

    def branch(self, branch: If) -> None:
        """Rebuild an `If`."""
        condition = self.see((branch.condition,))[0]
        then, orelse = self.block(branch.then), self.block(branch.orelse)
        self.out.append(replace(branch, condition=condition, then=then, orelse=orelse, results=self.define(branch.results)))

    def loop(self, loop: Loop) -> None:
        """Rebuild a `Loop`."""
        init, body = self.see(loop.init), self.block(loop.body)
        self.out.append(replace(loop, init=init, body=body, results=self.define(loop.results)))

    def repeat(self, loop: While) -> None:
        """Rebuild a `While`."""
        init, test, body = self.see(loop.init), self.block(loop.test), self.block(loop.body)
        self.out.append(replace(loop, init=init, test=test, body=body, results=self.define(loop.results)))

    def rewind(self, loop: Rewind) -> None:
        """Rebuild a `Rewind`."""
        (count,), init, body = self.see((loop.count,)), self.see(loop.init), self.block(loop.body)
        self.out.append(replace(loop, count=count, init=init, body=body, results=self.define(loop.results)))

    def attempt(self, attempt: Try) -> None:
        """Rebuild a `Try`."""
        body = self.block(attempt.body)
        handlers = tuple(replace(handler, block=self.block(handler.block)) for handler in attempt.handlers)
        self.out.append(replace(attempt, body=body, handlers=handlers, results=self.define(attempt.results)))

    def see(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """What stands for these values here."""
        env = self.env
        if env:
            for value in values:
                if value in env:
                    return tuple([env.get(value, value) for value in values])
        return values

    def define(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values as the new program defines them: fresh ones in a copy, else the same."""
        if not self.renews:
            for value in values:
                self.env.pop(value, None)
            return values
        made = tuple(self.fresh.value(value.type, value.name) for value in values)
        self.env.update(zip(values, made, strict=True))
        return made

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Append an operation and return its result."""
        result = self.fresh.value(infer(name, [arg.type for arg in args], attrs))
        self.out.append(Op(result, name, args, attrs, self.span))
        return result


BOOL = Type(Kind.BOOL)
INT = Type(Kind.INT)
