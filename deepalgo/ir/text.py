"""A program as text, which `deepalgo.ir.parse` reads back: `parse(str(program)) == program`.

A value is `%name`, `%name.id` if an earlier one has the same name, and `%id` if it has none. What follows from something else is
left out: types that the table gives, and constants that are used once, right behind the place where they are defined, which stand
in the place of their use. Places in the source are comments.

>>> from deepalgo.ir.parse import parse
>>> print(parse('''
... f(x: real)
...   %one = const 1.0
...   %x.7 = add %x 1.0
...   return [%x.7, %one]
... '''))
f(x: real)
  %one = const 1.0
  %x.7 = add %x 1.0
  return [%x.7, %one]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

from deepalgo.ir.bases import shorten
from deepalgo.ir.data_text import wrapped, write_data
from deepalgo.ir.inferred import INDEX, joined, of_op
from deepalgo.ir.names import is_name
from deepalgo.ir.paths import parse_path
from deepalgo.ir.program import (
    Block,
    By,
    Check,
    If,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Restore,
    Rewind,
    Save,
    Slot,
    Statement,
    Static,
    Tree,
    Try,
    Value,
    Weight,
    While,
)
from deepalgo.ir.program import Sequence as SequenceTree
from deepalgo.ir.walk import blocks, defined, flatten, leaves, used, walk
from deepalgo.kinds import Type
from deepalgo.ops.sources import CONST, WEIGHT

#: Lines; a generator among them stands for the lines that it yields.
Lines: TypeAlias = Iterator[object]
#: Names that stand as they are; others are quoted.
PLAIN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
#: Words that begin something else where a structure is written.
TAKEN = {"static", "inf", "nan", "True", "False", "None", "complex", "object"}


def write(program: Program) -> str:
    """The whole program, a statement a line."""
    return "\n".join(TextWriter(program).lines())


class TextWriter:
    """Knows how values are spelt, and which constants stand in the place of their use."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.spelt = spellings(program)
        self.shapes = {weight.key: weight.shape for weight in program.weights}
        self.uses = Counter(_all_uses(program.body))
        self.inline: dict[Value, str] = {}

    def lines(self) -> list[str]:
        """The head, the weights, and the block."""
        program = self.program
        inputs = ", ".join(f"{self.path(item.path, item.value)}: {item.value.type}" for item in program.inputs)
        name = program.name if is_name(program.name) or program.name == "<lambda>" else repr(program.name)
        head = [wrapped(f"{name}({inputs})", "    "), *map(_weight_line, program.weights)]
        body: list[str] = list(flatten(self.statements(program.body, "  ")))
        return [*head, *body, *self.endings()]

    def path(self, path: str, value: Value) -> str:
        """The path of an input, and its value if that is spelt in another way."""
        spelt = _write_path(path)
        return spelt if f"%{spelt}" == self.spelt[value] else f"{spelt} as {self.spelt[value]}"

    def endings(self) -> Iterator[str]:
        """What the program returns, what it leaves in its arguments, and what else its block hands out."""
        results = iter(self.words(self.program.body.results))
        values = [next(results, "?") for _ in leaves(self.program.output)]
        yield wrapped(f"  return {self.output(self.program.output, values)}", "      ")
        for path in self.program.changes:
            yield f"  set {_write_path(path)} = {next(results, '?')}"
        if others := list(results):
            yield f"  also {', '.join(others)}"
        for failure in self.program.failures:
            yield f"  failure {failure.error}({failure.message!r}{f', {failure.operands}' if failure.operands else ''})"

    def output(self, tree: Tree, values: Sequence[str]) -> str:
        """The structure of the output; a tuple of several items at the top needs no brackets."""
        text = _write_tree(tree, iter(values))
        is_open = isinstance(tree, SequenceTree) and tree.kind == "tuple" and not tree.names and len(tree.items) > 1
        return text[1:-1] if is_open else text

    def statements(self, block: Block, indent: str) -> Lines:
        """The statements of a block, without constants that stand in the place of their use."""
        body = block.body
        held: list[Op] = []  # constants that may stand in the place of a use that follows
        for statement in body:
            if type(statement) is Op and self.is_movable(statement):
                held.append(statement)
                continue
            for op in self.keep(held, used(statement)):
                yield self.op(op, indent)
            held = []
            yield self.statement(statement, indent)
        for op in self.keep(held, block.results):
            yield self.op(op, indent)

    def is_movable(self, op: Op) -> bool:
        """Whether an operation is a number without a name that is used once."""
        return (
            op.name == CONST and op.by is By.PYTHON and not op.guard and not op.result.name
            and self.uses[op.result] == 1 and len(op.attrs) == 1 and type(op.attrs[0][1]) in (bool, int, float, complex)
            and not self.note(op.result, of_op(CONST, (), op.attrs, {}))
        )

    def keep(self, held: list[Op], values: Sequence[Value]) -> list[Op]:
        """Put the last of the constants in the place of their use, if they are used in this order; returns the others."""
        if not held:
            return held
        places = {value: place for place, value in enumerate(values)}
        count, limit = len(held), len(values)
        while count and places.get(held[count - 1].result, limit) < limit:
            count -= 1
            limit = places[held[count].result]
            self.inline[held[count].result] = write_data(held[count].attrs[0][1])
        return held[:count]

    def block(self, block: Block, indent: str, ending: str) -> Lines:
        """The statements and the results of a block."""
        yield self.statements(block, indent)
        yield f"{indent}{ending} {', '.join(self.words(block.results))}".rstrip()

    def statement(self, statement: Statement, indent: str) -> object:
        """One statement: a line, or a generator of lines."""
        match statement:
            case Op():
                return self.op(statement, indent)
            case Check():
                return self.check(statement, indent)
            case Save(number, values):
                return f"{indent}save {number} ({', '.join(self.words(values))})"
            case Restore(results, number):
                return f"{indent}{self.binding(results, ())}restore {number}"
            case _:
                return self.region(statement, indent)

    def op(self, op: Op, indent: str) -> str:
        """`%y = add %x 1.0 axis=0`, with a type if the table does not give it."""
        type = of_op(op.name, [arg.type for arg in op.args], op.attrs, self.shapes)
        name = f"np.{op.name}" if op.by is By.NUMPY else op.name
        words = " ".join((name, *self.words(op.args), *_attributes(op)))
        return wrapped(f"{indent}{self.spelt[op.result]}{self.note(op.result, type)} = {words}{_guard(op.guard)}", f"{indent}    ")

    def check(self, check: Check, indent: str) -> str:
        """`check %ok guard 1 else Lost('{0} is negative', %x) under ValueError`."""
        ok, *operands = self.words((check.ok, *check.operands))
        return f"{indent}check {ok}{_guard(check.guard)} else {check.error}({', '.join((repr(check.message), *operands))}){_under(check)}"

    def region(self, statement: If | Loop | While | Try | Rewind, indent: str) -> Lines:
        """The lines of a statement with blocks."""
        inner = indent + "  "
        match statement:
            case If(results, condition, then, orelse):
                binding = self.binding(results, _joined(then.results, orelse.results))
                yield f"{indent}{binding}if {self.words((condition,))[0]}"
                yield self.block(then, inner, "yield")
                yield f"{indent}else"
                yield self.block(orelse, inner, "yield")
            case Loop(results, count, init, body):
                binding = self.binding(results, _types(body.params[1:]))
                params = self.bound(body.params, (INDEX, *_types(init)))
                yield f"{indent}{binding}loop {count} rounds ({params}) from ({', '.join(self.words(init))})"
                yield self.block(body, inner, "next")
            case Rewind(results, count_value, init, body):
                binding = self.binding(results, _types(body.params[1:]))
                params = self.bound(body.params, (INDEX, *_types(init)))
                number, *first = self.words((count_value, *init))
                yield f"{indent}{binding}rewind {number} rounds ({params}) from ({', '.join(first)})"
                yield self.block(body, inner, "next")
            case While(results, init, test, body, bound):
                limit = f" at most {bound} rounds" if bound is not None else ""
                binding = self.binding(results, _types(body.params))
                yield f"{indent}{binding}while ({self.bound(test.params, _types(init))}) from ({', '.join(self.words(init))}){limit}"
                yield self.block(test, inner, "test")
                yield f"{indent}do ({self.bound(body.params, _types(test.params))})"
                yield self.block(body, inner, "next")
            case Try(results, body, handlers):
                yield f"{indent}{self.binding(results, _joined(body.results, *(handler.block.results for handler in handlers)))}try"
                yield self.block(body, inner, "yield")
                for handler in handlers:
                    yield f"{indent}except {', '.join(handler.catches)}".rstrip()
                    yield self.block(handler.block, inner, "yield")
            case _:
                assert_never(statement)

    def binding(self, results: Sequence[Value], types: Sequence[Type | None]) -> str:
        """`%x, %y = `, or nothing."""
        return f"{self.bound(results, types)} = " if results else ""

    def bound(self, values: Sequence[Value], types: Sequence[Type | None]) -> str:
        """Values that are defined here, with the types that do not follow."""
        padded = [*types, *[None] * len(values)]
        return ", ".join(f"{self.spelt[value]}{self.note(value, type)}" for value, type in zip(values, padded, strict=False))

    def note(self, value: Value, type: Type | None) -> str:
        """The type of a value if it does not follow."""
        return "" if value.type == type else f": {value.type}"

    def words(self, values: Iterable[Value]) -> list[str]:
        """Values that are used."""
        return [self.inline.get(value) or self.spelt.get(value) or f"%{value.id}" for value in values]


def spellings(program: Program) -> dict[Value, str]:
    """How each value is written: its name if it is the first with it."""
    found: dict[Value, str] = {}
    owners: dict[str, Value] = {}
    for value in _all_values(program):
        if value in found:
            continue
        name = value.name if is_name(value.name) else ""
        owner = owners.setdefault(name, value) if name else None
        found[value] = f"%{value.id}" if not name else f"%{name}" if owner == value else f"%{name}.{value.id}"
    return found


def _all_values(program: Program) -> Iterator[Value]:
    """Every value that a program defines, in the order of its text."""
    for item in program.inputs:
        yield item.value
    for statement in walk(program.body):
        yield from defined(statement)
        for block in blocks(statement):
            yield from block.params


def _all_uses(body: Block) -> Iterator[Value]:
    """Every value that is read, as often as it is."""
    yield from body.results
    for statement in walk(body):
        yield from used(statement)
        for block in blocks(statement):
            yield from block.results


def _types(values: Iterable[Value]) -> list[Type | None]:
    return [value.type for value in values]


def _joined(*arms: Sequence[Value]) -> list[Type | None]:
    """The types that follow from the results of several blocks."""
    return [joined([value.type for value in values]) for values in zip(*arms, strict=False)]


def _attributes(op: Op) -> Iterator[str]:
    """The attributes of an operation; those without operands have what they are told in the place of one."""
    for key, value in op.attrs:
        if op.name == CONST and key == "value":
            yield write_data(value)
        elif op.name == WEIGHT and key == "key":
            yield _write_key(str(value))
        elif (key, value) != ("site", ()):
            yield f"{key}={write_data(value)}"


def _guard(number: int) -> str:
    return f" guard {number}" if number else ""


def _under(check: Check) -> str:
    """The classes above an exception, unless Python has them; in brackets if they are not all."""
    bases = shorten(check.error, check.bases)
    names = ", ".join(check.bases if bases is None else bases)
    return f" under ({names})" if bases is None else f" under {names}" if names else ""


def _weight_line(weight: Weight) -> str:
    shape = f" shape={weight.shape}" if weight.shape != shape_of_data(weight.value) else ""
    frozen = f" frozen={weight.frozen!r}" if weight.frozen else ""
    line = wrapped(f"  weight {_write_key(weight.key)} = {write_data(weight.value)}  {weight.role}{shape}{frozen}", "      ")
    return line + (f"  # {weight.span.place}" if weight.span is not None else "")


def shape_of_data(item: object) -> tuple[int, ...]:
    """The shape of nested tuples, as their first items have it."""
    shape: list[int] = []
    while isinstance(item, tuple):
        shape.append(len(item))
        item = item[0] if item else None
    return tuple(shape)


def _write_key(key: str) -> str:
    return key if PLAIN.fullmatch(key) else repr(key)


def _write_path(path: str) -> str:
    try:
        name, keys = parse_path(path)
    except ValueError:
        return repr(path)
    return name + "".join(f"[{write_data(key)}]" for key in keys)


def _write_tree(tree: Tree, values: Iterator[str]) -> str:
    match tree:
        case Leaf() | Slot():
            return next(values)
        case Static(item):
            return f"static {write_data(item)}"
        case SequenceTree(("list" | "tuple") as kind, items, ()):
            inner = ", ".join(_write_tree(item, values) for item in items)
            return f"[{inner}]" if kind == "list" else f"({inner}{',' if len(items) == 1 else ''})"
        case SequenceTree(kind, items, names):
            inner = ", ".join(f"{name}={_write_tree(item, values)}" for name, item in zip(names, items, strict=True))
            return f"{_write_kind(kind)}({inner})"
        case Mapping(kind, keys, items):
            inner = ", ".join(f"{write_data(key)}: {_write_tree(item, values)}" for key, item in zip(keys, items, strict=True))
            return f"{'' if kind == 'dict' else _write_kind(kind)}{{{inner}}}"
        case _:
            assert_never(tree)


def _write_kind(kind: str) -> str:
    return kind if is_name(kind) and kind not in TAKEN else repr(kind)
