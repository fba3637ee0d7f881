"""Whether a program makes sense and is safe to write as code: asked of every program that is saved, and of every one that is loaded.

Names and texts of a program end up in emitted code, so a name that is none could be code. Types are inferred again.

>>> from deepalgo.ir import Input, Kind, Leaf, Type
>>> x, y = Value(0, Type(Kind.REAL), "x"), Value(1, Type(Kind.REAL), "y")
>>> check_program(Program("f", (Input("x", x),), (), Block((), (Op(x, "exec('1')", (x,)),), (x,)), Leaf(x)))
Traceback (most recent call last):
deepalgo.storage.check_program.Nonsense: %x0: `exec('1')` is no operation
"""

from __future__ import annotations

import math
import re
import string
from typing import assert_never

import numpy as np

from deepalgo.ir import (
    Attr,
    Block,
    Check,
    If,
    Kind,
    Leaf,
    Loop,
    Mapping,
    Op,
    Program,
    Sequence,
    Statement,
    Static,
    Tree,
    Try,
    Type,
    Value,
    Weight,
    While,
    leaves,
)
from deepalgo.ops.table import TABLE, infer
from deepalgo.spans import Span

#: Numbers in one value, axes of one, statements, blocks inside of blocks, rounds of a loop, characters of a name.
MOST_NUMBERS, MOST_AXES, MOST_STATEMENTS, MOST_DEPTH, MOST_ROUNDS, LONGEST_NAME = 2**26, 32, 1_000_000, 400, 2**31, 300
PLACE = re.compile(r"\{(\w+|\*)\}")
#: `points[0]['x']`: what `repr` writes of a key, in which there is no line break.
PATH = re.compile(r"\w+(\[[^\n\r]*\])*")
SPEC = re.compile(r"[-+ #,<>=^]{0,4}\d{0,3}(\.\d{1,3})?[a-zA-Z%]?")
SCALAR = Type(Kind.BOOL)


class Nonsense(ValueError):
    """What is wrong with a program."""


def check_program(program: Program) -> None:
    """Raise Nonsense unless every name is one, every operation is in the table, and every value is defined before it is used."""
    Checker(program).check()


class Checker:
    """Goes through a program in order and keeps what is defined."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.weights: dict[str, Weight] = {}
        self.statements = 0

    def check(self) -> None:
        """The whole program."""
        program = self.program
        if not program.name.isidentifier() and program.name != "<lambda>":
            raise Nonsense(f"{program.name!r:.60} is no name of a function")
        for weight in program.weights:
            self.weight(weight)
        known: set[Value] = set()
        for item in program.inputs:
            _require(PATH.fullmatch(item.path) is not None and _is_line(item.path), f"{item.path!r:.60} is no name of an input")
            self.define(item.value, known)
        _require(not program.body.params, "the program's block has parameters")
        inside = self.block(program.body, known, 0)
        self.tree(program.output)
        changes = tuple(value for _, value in program.changes)
        for value in changes:
            _require(value in inside, f"{value} is used before it is defined")
        _require(program.body.results == (*leaves(program.output), *changes), "the results are not those of the output")
        for path, _ in program.changes:
            _require(PATH.fullmatch(path) is not None and _is_line(path), f"{path!r:.60} is no name of an argument")

    def weight(self, weight: Weight) -> None:
        """A key that is a name, and a value of its shape."""
        name = f"weight {weight.key!r:.60}"
        _require(all(part.isidentifier() for part in f"_{weight.key}".split(".")), f"{name} has a key that is no name")
        _require(len(weight.key) <= LONGEST_NAME and weight.key not in self.weights, f"{name} occurs twice, or is too long")
        _require(_is_line(weight.frozen) and _is_safe(weight.span), f"{name} has a text with a line break")
        _require(_numbers(weight.value) == weight.shape, f"{name} is not of the shape {weight.shape}")
        self.weights[weight.key] = weight

    def define(self, value: Value, known: set[Value]) -> None:
        """A value is defined once where it can be seen, has a name that is one, and a size that can be computed with."""
        _require(value not in known, f"{value} is defined twice")
        _require(not value.name or value.name.isidentifier() and len(value.name) <= LONGEST_NAME, f"{value.name!r:.60} is no name")
        shape = value.type.shape
        _require(len(shape) <= MOST_AXES and math.prod(shape) <= MOST_NUMBERS, f"{value} of shape {shape} is too large")
        known.add(value)

    def use(self, values: tuple[Value, ...], known: set[Value]) -> None:
        """Values are known where they are used."""
        for value in values:
            _require(value in known, f"{value} is used before it is defined")

    def block(self, block: Block, known: set[Value], depth: int) -> set[Value]:
        """A block inside of others; returns what is known at its end."""
        _require(depth <= MOST_DEPTH, "blocks are nested too deeply")
        known = set(known)
        for param in block.params:
            self.define(param, known)
        for statement in block.body:
            self.statements += 1
            _require(self.statements <= MOST_STATEMENTS, "the program has too many statements")
            _require(_is_safe(statement.span), "a place in the source has a line break in it")
            self.statement(statement, known, depth)
        self.use(block.results, known)
        return known

    def statement(self, statement: Statement, known: set[Value], depth: int) -> None:
        """One statement: what it uses, its blocks, what it defines."""
        match statement:
            case Op():
                self.use(statement.args, known)
                _check_type(statement, self.weights)
                self.define(statement.result, known)
                return
            case Check(ok, error, message, operands):
                self.use((ok, *operands), known)
                _require(error.isidentifier(), f"{error!r:.60} is no name of an exception")
                _require(ok.type == SCALAR, f"{ok} decides on an error and is no truth value")
                _check_message(message, len(operands))
                return
            case If(results, condition, then, orelse):
                self.use((condition,), known)
                _require(condition.type == SCALAR, f"{condition} decides on a branch and is no truth value")
                for arm in (then, orelse):
                    self.block(arm, known, depth + 1)
                    _require(not arm.params, "an arm of a branch has parameters")
                    _check_handed(arm.results, results)
            case Loop(results, count, init, body):
                self.use(init, known)
                self.block(body, known, depth + 1)
                _require(count <= MOST_ROUNDS, f"a loop of {count} rounds")
                index, *params = body.params or (None,)
                _require(index is not None and index.type == Type(Kind.INT), "a loop does not count its rounds")
                for given in (init, body.results):
                    _check_handed(given, tuple(params))
                _check_handed(tuple(params), results)
            case While(results, init, test, body, bound):
                self.use(init, known)
                for block in (test, body):
                    self.block(block, known, depth + 1)
                _require(bound is None or bound <= MOST_ROUNDS, f"a loop of {bound} rounds")
                _require(tuple(value.type for value in test.results) == (SCALAR,), "the test of a loop is no truth value")
                for given, target in ((init, body.params), (body.params, test.params), (body.results, body.params), (body.params, results)):
                    _check_handed(given, target)
            case Try(results, body, handlers):
                for arm in (body, *(handler.block for handler in handlers)):
                    self.block(arm, known, depth + 1)
                    _require(not arm.params, "an arm of a `try` has parameters")
                    _check_handed(arm.results, results)
                for name in (name for handler in handlers for name in handler.catches):
                    _require(name.isidentifier(), f"{name!r:.60} is no name of an exception")
            case _:
                assert_never(statement)
        for result in statement.results:
            self.define(result, known)

    def tree(self, tree: Tree) -> None:
        """The structure of the output: names of classes and fields are names."""
        match tree:
            case Leaf() | Static():
                return
            case Sequence(kind, items, names):
                _require(kind.isidentifier() and all(name.isidentifier() for name in names), f"{kind!r:.60} is no named tuple")
                _require(len(names) == (0 if kind in ("list", "tuple") else len(items)), f"{kind} has other fields than items")
            case Mapping(kind, keys, items):
                _require(kind.isidentifier() and len(keys) == len(items), f"{kind!r:.60} is no class")
            case _:
                assert_never(tree)
        for item in tree.items:
            self.tree(item)


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise Nonsense(complaint)


def _is_line(text: str) -> bool:
    """One line of text that cannot end a comment or a string in code."""
    return not any(character in "\n\r\0" for character in text)


def _is_safe(span: Span | None) -> bool:
    return span is None or all(map(_is_line, (span.file, *span.lines)))


def _numbers(value: Attr) -> tuple[int, ...]:
    """The shape of a table of real numbers."""
    try:
        found = np.array(value)
    except ValueError:
        raise Nonsense("a weight is no table of numbers") from None
    _require(found.dtype.kind in "biuf", "a weight is no number")
    return found.shape


def _check_type(op: Op, weights: dict[str, Weight]) -> None:
    """The operation is in the table, its attributes are plain, and its type is the one that follows."""
    row = TABLE.get(op.name)
    if row is None:
        raise Nonsense(f"{op.result}: `{op.name:.60}` is no operation")
    places = {place for template in (row.torch, row.python, row.numpy) for place in PLACE.findall(template)}
    operands = {int(place) for place in places if place.isdigit()}
    _require("*" in places or len(op.args) == max(operands, default=-1) + 1, f"{op.result}: {op.name} takes {len(operands)} operands")
    if op.name == "weight":
        key = op.attr("key") if "key" in dict(op.attrs) else None
        _require(key in weights, f"{op.result} is the weight {key!r:.60}, which there is not")
        found = Type(Kind.REAL, weights[str(key)].shape)
    else:
        for name, value in op.attrs:
            _require(name in places and _is_attribute(value), f"{op.result}: {op.name} cannot have {name!r:.60} = {value!r:.60}")
        try:
            found = infer(op.name, [arg.type for arg in op.args], op.attrs)
        except Exception as error:  # noqa: BLE001  # NumPy's own words, whatever they are
            raise Nonsense(f"{op.result}: {op.name} has no type here: {error}") from None
    _require(found == op.result.type, f"{op.result} is declared as {op.result.type}, but {op.name} gives {found}")


def _is_attribute(value: Attr) -> bool:
    """Numbers, and words such as `left` or `...`; a text with anything else in it could be code."""
    if isinstance(value, tuple):
        return all(map(_is_attribute, value))
    if isinstance(value, str):
        return value.isidentifier() or value == "..."
    return value is None or type(value) in (bool, int, float, complex)


def _check_handed(given: tuple[Value, ...], target: tuple[Value, ...]) -> None:
    """What a block hands out fits what takes it: as many, of the same shape, of a kind that can be promoted."""
    _require(len(given) == len(target), "a block hands out another number of values than are taken")
    for value, place in zip(given, target, strict=True):
        fits = value.type.shape == place.type.shape and value.type.kind <= place.type.kind
        _require(fits, f"{value} is {value.type} and is handed to {place}, which is {place.type}")


def _check_message(message: str, operands: int) -> None:
    """Only numbers of operands stand in braces, so that formatting reads nothing else."""
    try:
        fields = [*string.Formatter().parse(message)]
    except ValueError as error:
        raise Nonsense(f"a message with wrong braces: {error}") from None
    for _, field, spec, conversion in fields:
        if field is not None:
            plain = field.isdigit() and int(field) < operands and SPEC.fullmatch(spec or "") is not None and conversion in (None, "r", "s")
            _require(plain, f"a message that asks for {field!r:.60}")
