"""Whether a program makes sense and is safe to write as code: asked of every program that is saved, and of every one that is loaded.

Names and texts of a program end up in written code, so a name that is none could be code. Types are inferred again.

>>> from deepalgo.ir import parse
>>> check_program(parse('''
... f(x: real)
...   %y: real = exec %x
...   return %y
... '''))
Traceback (most recent call last):
deepalgo.ir.check.Nonsense: %y.1: `exec` is no operation
"""

from __future__ import annotations

import math
import re
import string
from typing import assert_never

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
    Restore,
    Rewind,
    Save,
    Sequence,
    Slot,
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
from deepalgo.ir.names import is_error, is_key, is_line, is_name
from deepalgo.ir.paths import parse_path
from deepalgo.ops.attributes import PLACE, beyond_64_bits, complaint
from deepalgo.ops.table import TABLE, infer
from deepalgo.spans import Span

#: Numbers in one value and in all of them, axes of one, statements, blocks inside of blocks, structures inside of structures.
MOST_NUMBERS, MOST_TOGETHER, MOST_AXES, MOST_STATEMENTS, MOST_DEPTH, DEEPEST_TREE = 2**26, 2**30, 32, 1_000_000, 400, 100
#: Rounds of a loop, those of the loops around it included.
MOST_ROUNDS = 10_000_000
SPEC = re.compile(r"[-+ #,<>=^]{0,4}\d{0,3}(\.\d{1,3})?[a-zA-Z%]?")
SCALAR = Type(Kind.BOOL)
#: Whole numbers from here on are no floats; characters of a path.
LARGEST, LONGEST_PATH = 2**1023, 4096
EXAMPLES = {Kind.BOOL: True, Kind.INT: 1, Kind.REAL: 0.5, Kind.COMPLEX: 1j}


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
        self.numbers = 0
        self.rounds = 1
        #: The types that each number saves.
        self.saved: dict[int, tuple[Type, ...]] = {}
        #: Whole numbers that fit no tensor.
        self.large: set[Value] = set()

    def check(self) -> None:
        """The whole program."""
        program = self.program
        _require(is_name(program.name) or program.name == "<lambda>", f"{program.name!r:.60} is no name of a function")
        for weight in program.weights:
            self.weight(weight)
        known: set[Value] = set()
        check_paths(tuple(item.path for item in program.inputs))
        for item in program.inputs:
            self.define(item.value, known)
        _require(not program.body.params, "the program's block has parameters")
        self.block(program.body, known, 0)
        self.tree(program.output, 0)
        places = [leaf.place if isinstance(leaf, Leaf) else -1 for leaf in leaves(program.output)]
        together = len(places) + len(program.changes) + bool(program.failures)
        _require(places == [*range(len(places))] and len(program.body.results) == together, "the results are not those of the output")
        check_paths(program.changes)
        names = {parse_path(item.path)[0] for item in program.inputs}
        for path in program.changes:
            _require(parse_path(path)[0] in names, f"{path!r:.60} is changed and is no argument")

    def weight(self, weight: Weight) -> None:
        """A key that is a name, and a value of its shape."""
        name = f"weight {weight.key!r:.60}"
        _require(is_key(weight.key), f"{name} has a key that is no name")
        _require(weight.key not in self.weights, f"{name} occurs twice")
        _require(is_line(weight.frozen) and _is_safe(weight.span), f"{name} has a text with a line break")
        standing = weight.standing
        _require(all(map(is_line, (standing.still, *standing.reads))), f"{name} has a text with a line break")
        _require(standing.low < standing.high, f"{name} has bounds that leave it no room")
        _require(_shape(weight.value) == weight.shape, f"{name} is not of the shape {weight.shape}")
        self.weights[weight.key] = weight

    def define(self, value: Value, known: set[Value]) -> None:
        """A value is defined once where it can be seen, has a name that is one, and a size that can be computed with."""
        _require(value not in known, f"{value} is defined twice")
        _require(not value.name or is_name(value.name), f"{value.name!r:.60} is no name")
        shape = value.type.shape
        size = math.prod(shape)
        self.numbers += size
        _require(len(shape) <= MOST_AXES and size <= MOST_NUMBERS, f"{value} of shape {shape} is too large")
        _require(self.numbers <= MOST_TOGETHER, "the values of the program are too large together")
        known.add(value)

    def use(self, values: tuple[Value, ...], known: set[Value]) -> None:
        """Values are known where they are used."""
        for value in values:
            _require(value in known, f"{value} is used before it is defined")
            _require(value not in self.large, f"{value} is a whole number beyond 64 bits")

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
                self.op(statement, known)
            case Check(ok, error, message, operands, bases=bases):
                self.use((ok, *operands), known)
                for name in (error, *bases):
                    _require(is_error(name), f"{name!r:.60} is no name of an exception")
                _require(ok.type == SCALAR, f"{ok} decides on an error and is no truth value")
                _check_message(message, operands)
            case Save(number, values):
                self.use(values, known)
                self.save(number, values)
            case Restore(results, number):
                self.save(number, results)
                self.define_all(results, known)
            case _:
                self.region(statement, known, depth)
                self.define_all(statement.results, known)

    def region(self, statement: If | Loop | Rewind | While | Try, known: set[Value], depth: int) -> None:
        """A statement with blocks: what it hands to them, and what they hand back."""
        match statement:
            case If(results, condition, then, orelse):
                self.use((condition,), known)
                _require(condition.type == SCALAR, f"{condition} decides on a branch and is no truth value")
                for arm in (then, orelse):
                    self.block(arm, known, depth + 1)
                    _require(not arm.params, "an arm of a branch has parameters")
                    _check_handed(arm.results, results)
            case Loop(results, count, init, body):
                self.use(init, known)
                self.rounds, around = self.rounds * max(count, 1), self.rounds
                _require(self.rounds <= MOST_ROUNDS, f"a loop of {count} rounds")
                self.block(body, known, depth + 1)
                self.rounds = around
                self.counted(body, init, results)
            case Rewind(results, count_value, init, body):
                self.use((count_value, *init), known)
                _require(count_value.type == Type(Kind.INT), f"{count_value} counts rounds and is no whole number")
                self.block(body, known, depth + 1)
                self.counted(body, init, results)
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
                    _require(is_error(name), f"{name!r:.60} is no name of an exception")
            case _:
                assert_never(statement)

    def define_all(self, results: tuple[Value, ...], known: set[Value]) -> None:
        """What a statement gives."""
        for result in results:
            self.define(result, known)

    def counted(self, body: Block, init: tuple[Value, ...], results: tuple[Value, ...]) -> None:
        """The body of a loop with a number of rounds: its index, and what it carries."""
        index, *params = body.params or (None,)
        _require(index is not None and index.type == Type(Kind.INT), "a loop does not count its rounds")
        for given in (init, body.results):
            _check_handed(given, tuple(params))
        _check_handed(tuple(params), results)

    def save(self, number: int, values: tuple[Value, ...]) -> None:
        """Whatever is saved and restored under a number has the same types."""
        types = tuple(value.type for value in values)
        _require(self.saved.setdefault(number, types) == types, f"save and restore {number} are of different types")

    def op(self, op: Op, known: set[Value]) -> None:
        """An operation: its operands, its attributes, its type."""
        for value in op.args:
            _require(value in known, f"{value} is used before it is defined")
            _require(value not in self.large or _has_float(op, value), f"{value} is a whole number beyond 64 bits")
        _check_type(op, self.weights)
        self.define(op.result, known)
        if op.is_const and beyond_64_bits(op.attr("value")):
            _require(abs(op.attr("value")) < LARGEST, f"{op.result} is a whole number that no float holds")  # type: ignore[arg-type]
            self.large.add(op.result)

    def tree(self, tree: Tree, depth: int) -> None:
        """The structure of the output: names of classes and fields are names, keys are as different as those of a dict."""
        _require(depth <= DEEPEST_TREE, "the structure of the output is nested too deeply")
        check_structure(tree)
        if isinstance(tree, (Sequence, Mapping)):
            for item in tree.items:
                self.tree(item, depth + 1)


def check_structure(tree: Tree) -> None:
    """One level of a structure, of the output or of an argument."""
    match tree:
        case Leaf() | Slot() | Static():
            return
        case Sequence(kind, items, names):
            plain = kind in ("list", "tuple")
            _require(is_name(kind), f"{kind!r:.60} is no named tuple")
            _require(all(is_name(name) and not name.startswith("_") for name in names), f"{kind!r:.60} has fields without names")
            _require(len(names) == len(set(names)) == (0 if plain else len(items)), f"{kind} has other fields than items")
        case Mapping(kind, keys, items):
            _require(is_name(kind) and len(keys) == len(items), f"{kind!r:.60} is no class")
            _require(all(map(_is_key, keys)) and len(set(keys)) == len(keys), f"{kind} has keys that are none, or one twice")
            _require(kind == "dict" or all(isinstance(key, str) and is_name(key) for key in keys), f"{kind} has attributes without names")
        case _:
            assert_never(tree)


def check_paths(paths: tuple[str, ...]) -> None:
    """Paths are names with keys behind them, and no path leads into another."""
    found: set[tuple[object, ...]] = set()
    for path in paths:
        try:
            name, keys = parse_path(path)
        except ValueError:
            raise Nonsense(f"{path!r:.60} is no name of an input") from None
        _require(is_name(name) and len(path) <= LONGEST_PATH and all(map(_is_key, keys)), f"{path!r:.60} is no name of an input")
        _require((name, *keys) not in found, f"{path!r:.60} occurs twice")
        found.add((name, *keys))
    for steps in found:
        for end in range(1, len(steps)):
            _require(steps[:end] not in found, f"{steps[0]!r:.60} is an input and holds others")


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise Nonsense(complaint)


def _is_safe(span: Span | None) -> bool:
    return span is None or all(map(is_line, (span.file, *span.lines)))


def _is_key(key: object) -> bool:
    """Whether a key of a dict can be written and compared: a plain number, a text, or a tuple of them."""
    if isinstance(key, tuple):
        return all(map(_is_key, key))
    return key is None or type(key) in (bool, int, float, str, bytes)


def _shape(value: Attr) -> tuple[int, ...]:
    """The shape of a number or of nested tuples of numbers."""
    if not isinstance(value, tuple):
        _require(type(value) in (bool, int, float), "a weight is no number")
        _require(type(value) is not int or abs(value) < LARGEST, "a weight is a whole number that no float holds")
        return ()
    found = {_shape(item) for item in value}
    _require(len(found) <= 1, "a weight is no table of numbers")
    return (len(value), *(found.pop() if found else ()))


def _has_float(op: Op, large: Value) -> bool:
    """Whether a whole number beyond 64 bits is brought to a float."""
    row = TABLE.get(op.name)
    if row is None or row.common is None:
        return False
    return row.common >= Kind.REAL or any(arg.type.kind >= Kind.REAL for arg in op.args if arg != large)


def _check_type(op: Op, weights: dict[str, Weight]) -> None:
    """The operation is in the table, its attributes are what they may be, and its type is the one that follows."""
    row = TABLE.get(op.name)
    if row is None:
        raise Nonsense(f"{op.result}: `{op.name:.60}` is no operation")
    places = {place for template in (row.torch, row.python, row.numpy) for place in PLACE.findall(template)}
    operands = {int(place) for place in places if place.isdigit()}
    _require("*" in places and bool(op.args) or len(op.args) == max(operands, default=-1) + 1,
             f"{op.result}: {op.name} takes {len(operands)} operands")
    if op.is_weight:
        attrs = dict(op.attrs)
        key = attrs.pop("key", None)
        _require(isinstance(key, str) and key in weights, f"{op.result} is the weight {key!r:.60}, which there is not")
        _require(_is_key(attrs.pop("site", ())) and not attrs, f"{op.result}: a weight cannot have {', '.join(attrs)!r:.60}")
        found = Type(Kind.REAL, weights[str(key)].shape)
    else:
        types = [arg.type for arg in op.args]
        wrong = complaint(op.name, types, dict(op.attrs))
        _require(not wrong, f"{op.result}: {op.name} {wrong}")
        try:
            found = infer(op.name, types, op.attrs)
        except Exception as error:  # noqa: BLE001  # NumPy's own words, whatever they are
            raise Nonsense(f"{op.result}: {op.name} has no type here: {error}") from None
    _require(found == op.result.type, f"{op.result} is declared as {op.result.type}, but {op.name} gives {found}")


def _check_handed(given: tuple[Value, ...], target: tuple[Value, ...]) -> None:
    """What a block hands out fits what takes it: as many, of the same shape, of a kind that can be promoted."""
    _require(len(given) == len(target), "a block hands out another number of values than are taken")
    for value, place in zip(given, target, strict=True):
        fits = value.type.shape == place.type.shape and value.type.kind <= place.type.kind
        _require(fits, f"{value} is {value.type} and is handed to {place}, which is {place.type}")


def _check_message(message: str, operands: tuple[Value, ...]) -> None:
    """Only numbers of operands stand in braces, and they can be written as is asked, so that formatting reads nothing else."""
    try:
        fields = [*string.Formatter().parse(message)]
    except ValueError as error:
        raise Nonsense(f"a message with wrong braces: {error}") from None
    for _, field, spec, conversion in fields:
        if field is not None:
            plain = field.isascii() and field.isdigit() and len(field) < 9 and int(field) < len(operands)
            plain = plain and SPEC.fullmatch(spec or "") is not None and conversion in (None, "r", "s")
            _require(plain and _can_be_written(operands[int(field)], spec or "", conversion), f"a message that asks for {field!r:.60}")


def _can_be_written(value: Value, spec: str, conversion: str | None) -> bool:
    """Whether an operand has this format."""
    try:
        format("" if conversion else EXAMPLES[value.type.kind], spec)
    except ValueError:
        return False
    return not spec or not value.type.shape
