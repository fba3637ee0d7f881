"""Reads the statements of a program's text, block by block.

>>> reader = BlockReader("  %y = mul 2.0 3.0\\n  yield %y")
>>> run(reader.block((), "yield", 0)).results[0].type
Type(kind=<Kind.REAL: 2>, shape=())
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from deepalgo.ir.bases import complete
from deepalgo.ir.inferred import INDEX, joined, of_op
from deepalgo.ir.parse_data import begins_number, read_count, read_data, read_name, read_text, read_type
from deepalgo.ir.program import Block, By, Check, Handler, If, Loop, Op, Restore, Rewind, Save, Statement, Try, Value, While
from deepalgo.ir.scan import Scanner, Token
from deepalgo.kinds import Attr, Type
from deepalgo.ops.sources import CONST, WEIGHT
from deepalgo.ops.table import TABLE, infer

T = TypeVar("T")
#: A step that asks for another one by yielding it and is sent its answer, as blocks lie too deep in one another for calls.
Step: TypeAlias = Generator[Any, Any, T]


def run(step: Step[T]) -> T:
    """What a step returns, once all that it asks for is answered."""
    waiting: list[Step[Any]] = [step]
    answer: Any = None
    while waiting:
        try:
            asked = waiting[-1].send(answer)
        except StopIteration as stop:
            waiting.pop()
            answer = stop.value
        else:
            waiting.append(asked)
            answer = None
    found: T = answer
    return found


@dataclass(frozen=True, slots=True)
class DefinedToken:
    """A value that a line defines, and its type if the line says it."""

    token: Token
    type: Type | None


Typed: TypeAlias = tuple[Token, Type]


class BlockReader:
    """`out` collects the block being read, `scope` the values that it defines, `known` all that can be seen."""

    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text)
        self.known: dict[str, Value] = {}
        self.owners: dict[int, str] = {}
        self.ids: dict[str, int] = {}
        self.free = 1 + max((_number(token.text) for token in self.scanner.tokens if token.kind == "value"), default=-1)
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.out: list[Statement] = []
        self.scope: list[str] = []

    def block(self, params: Sequence[Typed], ending: str, margin: int, end: Callable[[], tuple[Value, ...]] | None = None) -> Step[Block]:
        """The lines of a block up to the word that ends it; `margin` is the column of the line that the block belongs to."""
        scanner = self.scanner
        outer, scope = self.out, self.scope
        self.out, self.scope = [], []
        known = tuple(self.define(token, type) for token, type in params)
        column = scanner.column(scanner.next)
        if column <= margin:
            scanner.miss(f"a line further to the right, or `{ending}`")
        while not scanner.accept(ending):
            yield from self.statement(ending, column)
            if scanner.next.kind != "end" and scanner.column(scanner.next) != column:
                scanner.fail(f"the lines of this block begin in column {column + 1}, and it ends with `{ending}`")
        results = self.operands_of_line() if end is None else end()
        made = Block(known, tuple(self.out), results)
        for name in self.scope:
            del self.known[name]
        self.out, self.scope = outer, scope
        return made

    def statement(self, ending: str, column: int) -> Step[None]:
        """One statement, put into `out`."""
        scanner = self.scanner
        first = scanner.next
        bounds = self.bounds("=") if first.kind == "value" else []
        if not bounds and scanner.accept("check"):
            self.out.append(self.check())
            return
        if not bounds and scanner.accept("save"):
            self.out.append(self.save())
            return
        if scanner.accept("restore"):
            self.out.append(self.restore(bounds))
            return
        regions = {"if": self.branch, "loop": self.loop, "while": self.loop_while, "rewind": self.rewind, "try": self.attempt}
        if scanner.next.kind == "name" and scanner.next.text in regions:
            self.out.append((yield regions[scanner.take().text](bounds, column)))
        elif bounds:
            self.op(bounds)
        else:
            scanner.miss(f"a statement, or `{ending}`")

    def op(self, bounds: list[DefinedToken]) -> None:
        """`%y = add %x 1.0 axis=0`."""
        scanner = self.scanner
        if len(bounds) > 1:
            scanner.miss("if, loop, while or try, as there are several results")
        token = scanner.expect_kind("name", "the name of an operation")
        name = token.text.removeprefix("np.")
        args, attrs = self.arguments(name)
        guard = self.guard()
        scanner.end_line()
        type = bounds[0].type or of_op(name, [arg.type for arg in args], attrs, self.shapes)
        if type is None:
            scanner.fail(_no_type(name, args, attrs), token)
        by = By.PYTHON if name == token.text else By.NUMPY
        self.out.append(Op(self.define(bounds[0].token, type), name, args, attrs, None, by, guard))

    def arguments(self, name: str) -> tuple[tuple[Value, ...], tuple[tuple[str, Attr], ...]]:
        """The operands and the attributes of an operation."""
        scanner = self.scanner
        attrs: list[tuple[str, Attr]] = []
        if name == CONST:
            attrs.append(("value", self.data()))
        elif name == WEIGHT:
            token = scanner.next
            attrs.append(("key", read_name(scanner, "the key of a weight")))
            if attrs[0][1] not in self.shapes:
                scanner.fail(f"there is no weight {attrs[0][1]}", token)
        args: list[Value] = []
        while scanner.next.kind == "value" or begins_number(scanner):
            args.append(self.operand())
        while scanner.next.kind == "name" and scanner.next.text != "guard":
            key = scanner.take().text
            scanner.expect("=")
            attrs.append((key, self.data()))
        if name == WEIGHT and all(key != "site" for key, _ in attrs):
            attrs.append(("site", ()))
        return tuple(args), tuple(attrs)

    def guard(self) -> int:
        """`guard 3`, or nothing."""
        return read_count(self.scanner) if self.scanner.accept("guard") else 0

    def check(self) -> Check:
        """`check %ok guard 1 else Lost('{0} is negative', %x) under ValueError`."""
        scanner = self.scanner
        ok = self.operand()
        guard = self.guard()
        scanner.expect("else")
        error = scanner.expect_kind("name", "the name of an exception").text
        scanner.expect("(")
        message = read_text(scanner)
        operands: list[Value] = []
        while scanner.accept(","):
            operands.append(self.operand())
        scanner.expect(")")
        bases = self.bases(error)
        scanner.end_line()
        return Check(ok, error, message, tuple(operands), None, bases, guard)

    def save(self) -> Save:
        """`save 1 (%x, %y)`."""
        made = Save(read_count(self.scanner), self.listed())
        self.scanner.end_line()
        return made

    def restore(self, bounds: list[DefinedToken]) -> Restore:
        """`%x: real, %y: real = restore 1`."""
        number = read_count(self.scanner)
        self.scanner.end_line()
        return Restore(self.results(bounds, ()), number)

    def bases(self, error: str) -> tuple[str, ...]:
        """The classes above an exception: `under Lost, ValueError`, in brackets if there are no others."""
        scanner = self.scanner
        if not scanner.accept("under"):
            return complete(error, ())
        if scanner.accept("("):
            names = self.errors(")")
            scanner.expect(")")
            return names
        return complete(error, self.errors("\n"))

    def errors(self, end: str) -> tuple[str, ...]:
        """Names of exceptions."""
        scanner = self.scanner
        names: list[str] = []
        while scanner.next.text != end:
            if names:
                scanner.expect(",")
            names.append(scanner.expect_kind("name", "the name of an exception").text)
        return tuple(names)

    def branch(self, bounds: list[DefinedToken], column: int) -> Step[If]:
        """`%y = if %c`, a block, `else`, a block."""
        condition = self.operand()
        self.scanner.end_line()
        then: Block = yield self.block((), "yield", column)
        self.between("else", column)
        self.scanner.end_line()
        orelse: Block = yield self.block((), "yield", column)
        return If(self.results(bounds, _joined(bounds, then, orelse)), condition, then, orelse)

    def loop(self, bounds: list[DefinedToken], column: int) -> Step[Loop]:
        """`%y = loop 3 rounds (%i, %x) from (%y)`, a block."""
        count = read_count(self.scanner)
        self.scanner.expect("rounds")
        params, init = self.carried()
        self.scanner.end_line()
        body: Block = yield self.block(self.typed(params, [INDEX, *_types(init)]), "next", column)
        return Loop(self.results(bounds, _types(body.params[1:])), count, init, body)

    def rewind(self, bounds: list[DefinedToken], column: int) -> Step[Rewind]:
        """`%y = rewind %n rounds (%i, %x) from (%y)`, a block."""
        count = self.operand()
        self.scanner.expect("rounds")
        params, init = self.carried()
        self.scanner.end_line()
        body: Block = yield self.block(self.typed(params, [INDEX, *_types(init)]), "next", column)
        return Rewind(self.results(bounds, _types(body.params[1:])), count, init, body)

    def loop_while(self, bounds: list[DefinedToken], column: int) -> Step[While]:
        """`%y = while (%x) from (%y) at most 9 rounds`, a block, `do (%x)`, a block."""
        scanner = self.scanner
        params, init = self.carried()
        limit = self.limit()
        scanner.end_line()
        test: Block = yield self.block(self.typed(params, _types(init)), "test", column)
        self.between("do", column)
        scanner.expect("(")
        params = self.bounds(")")
        scanner.end_line()
        body: Block = yield self.block(self.typed(params, _types(test.params)), "next", column)
        return While(self.results(bounds, _types(body.params)), init, test, body, limit)

    def limit(self) -> int | None:
        """`at most 9 rounds`, or nothing."""
        if not self.scanner.accept("at"):
            return None
        self.scanner.expect("most")
        count = read_count(self.scanner)
        self.scanner.expect("rounds")
        return count

    def attempt(self, bounds: list[DefinedToken], column: int) -> Step[Try]:
        """`%y = try`, a block, `except ValueError, ArithmeticError`, a block."""
        scanner = self.scanner
        scanner.end_line()
        body: Block = yield self.block((), "yield", column)
        handlers: list[Handler] = []
        while scanner.next.text == "except" and scanner.column(scanner.next) == column:
            scanner.take()
            names = self.errors("\n")
            scanner.end_line()
            block: Block = yield self.block((), "yield", column)
            handlers.append(Handler(names, block))
        types = _joined(bounds, body, *(handler.block for handler in handlers))
        return Try(self.results(bounds, types), body, tuple(handlers))

    def between(self, word: str, column: int) -> None:
        """The word between two blocks of a statement, in the column of the statement."""
        if self.scanner.next.text == word and self.scanner.column(self.scanner.next) != column:
            self.scanner.fail(f"this `{word}` belongs into column {column + 1}")
        self.scanner.expect(word)

    def carried(self) -> tuple[list[DefinedToken], tuple[Value, ...]]:
        """`(%x) from (%y)`."""
        scanner = self.scanner
        scanner.expect("(")
        params = self.bounds(")")
        scanner.expect("from")
        return params, self.listed()

    def listed(self) -> tuple[Value, ...]:
        """`(%x, %y)`."""
        self.scanner.expect("(")
        found: list[Value] = []
        while not self.scanner.accept(")"):
            if found:
                self.scanner.expect(",")
            found.append(self.operand())
        return tuple(found)

    def bounds(self, end: str) -> list[DefinedToken]:
        """Values that are defined, with types where they are written, and what stands behind them."""
        scanner = self.scanner
        found: list[DefinedToken] = []
        while not scanner.accept(end):
            if found:
                scanner.expect(",")
            token = scanner.expect_kind("value", "a value, as %x")
            found.append(DefinedToken(token, read_type(scanner) if scanner.accept(":") else None))
        return found

    def typed(self, bounds: Sequence[DefinedToken], types: Sequence[Type | None]) -> list[Typed]:
        """The types of values: those that are written, or those that follow."""
        found: list[Typed] = []
        for place, bound in enumerate(bounds):
            type = bound.type or (types[place] if place < len(types) else None)
            if type is None:
                name = bound.token.text
                self.scanner.fail(f"the type of {name} does not follow: write it, as in `{name}: real`", bound.token)
            found.append((bound.token, type))
        return found

    def results(self, bounds: Sequence[DefinedToken], types: Sequence[Type | None]) -> tuple[Value, ...]:
        """The results of a statement with blocks."""
        return tuple(self.define(token, type) for token, type in self.typed(bounds, types))

    def define(self, token: Token, type: Type) -> Value:
        """A value that can be used from here on to the end of the block."""
        text = token.text
        if text in self.known:
            self.scanner.fail(f"{text} is defined twice", token)
        if text not in self.ids:
            number = _number(text)
            self.free += number < 0
            self.ids[text] = number if number >= 0 else self.free - 1
        owner = self.owners.setdefault(self.ids[text], text)
        if owner != text:
            self.scanner.fail(f"{text} and {owner} have the same number", token)
        name = text[1:].partition(".")[0]
        value = Value(self.ids[text], type, "" if name.isdigit() else name)
        self.known[text] = value
        self.scope.append(text)
        return value

    def operand(self) -> Value:
        """A value, or a number, which becomes a constant."""
        scanner = self.scanner
        if scanner.next.kind != "value":
            return self.constant()
        token = scanner.take()
        if token.text not in self.known:
            scanner.fail(f"{token.text} is not defined here", token)
        return self.known[token.text]

    def constant(self) -> Value:
        """A number in the place of a value."""
        if not begins_number(self.scanner):
            self.scanner.miss("a value or a number")
        token = self.scanner.next
        attrs = (("value", self.data()),)
        type = of_op(CONST, (), attrs, {})
        if type is None:
            self.scanner.fail("this is no number and no table of numbers", token)
        self.free += 1
        result = Value(self.free - 1, type)
        self.out.append(Op(result, CONST, (), attrs))
        return result

    def data(self) -> Attr:
        """An attribute; whether an operation may have it is asked by `deepalgo.ir.check`."""
        held: Any = read_data(self.scanner)
        found: Attr = held
        return found

    def operands_of_line(self) -> tuple[Value, ...]:
        """Values and numbers up to the end of the line."""
        found: list[Value] = []
        while self.scanner.next.kind != "line":
            if found:
                self.scanner.expect(",")
            found.append(self.operand())
        self.scanner.end_line()
        return tuple(found)


def _number(text: str) -> int:
    """The number in the text of a value, -1 if there is none."""
    last = text.rpartition(".")[2].removeprefix("%")
    return int(last) if last.isdigit() else -1


def _types(values: Sequence[Value]) -> list[Type | None]:
    return [value.type for value in values]


def _joined(bounds: Sequence[DefinedToken], *arms: Block) -> list[Type | None]:
    """The types that follow from the results of several blocks."""
    columns = zip(*(arm.results for arm in arms), strict=False)
    return [joined([value.type for value in column]) for _, column in zip(bounds, columns, strict=False)]


def _no_type(name: str, args: Sequence[Value], attrs: Sequence[tuple[str, Attr]]) -> str:
    """Why the table gives an operation no type."""
    if name not in TABLE:
        return f"there is no operation {name}"
    try:
        infer(name, [arg.type for arg in args], attrs)
    except Exception as error:  # noqa: BLE001  # in the words of its rule
        return f"{name} has no type here: {error}"
    raise AssertionError(name)
