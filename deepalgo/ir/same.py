"""When two programs are the same: they do the same operations in the same order on the same numbers.

The numbers of values and of guards do not matter, nor do the names of values and the places in the source. Types do. Numbers are
the same if their types and their bits are: `1`, `1.0` and `True` differ, so do `0.0` and `-0.0`, and NaN is NaN.

>>> number(1) == number(1.0), number(0.0) == number(-0.0), number(float("nan")) == number(float("nan"))
(False, False, True)
"""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable, Iterator
from itertools import zip_longest
from typing import TypeAlias, assert_never

import numpy as np

from deepalgo.ir.program import (
    Block,
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
    Sequence,
    Slot,
    Statement,
    Static,
    Tree,
    Try,
    Value,
    While,
)
from deepalgo.ir.walk import flatten, used, walk
from deepalgo.kinds import Attr

#: What takes part in equality, in order; a generator among it stands for what it yields.
Parts: TypeAlias = Iterator[object]


def same(first: Program, second: Program) -> bool:
    """Whether two programs are equal up to the numbers of their values and guards."""
    if first is second:
        return True
    pairs = zip_longest(Reading().program(first), Reading().program(second))
    return all(one == other for one, other in pairs)


def digest(program: Program) -> int:
    """A hash that equal programs share: of the names of operations and of single numbers, in order."""
    paths = tuple(item.path for item in program.inputs)
    weights = tuple((weight.key, rough(weight.value)) for weight in program.weights)
    return hash((program.name, paths, weights, tuple(map(_trait, walk(program.body)))))


def _trait(statement: Statement) -> Hashable:
    """Something quick to find that equal statements have in common."""
    if type(statement) is not Op:
        return type(statement).__name__
    return (statement.name, *(rough(value) for key, value in statement.attrs if key != "site"))


def rough(item: Attr) -> Hashable:
    """A single number or a text; of tuples the length. NaN has a hash of its own each time."""
    if type(item) is tuple:
        return len(item)
    return item if item == item else "nan"


def number(item: object) -> object:
    """Something that equals that of another item exactly if both have the same types and bits."""
    match item:
        case float() if type(item) is float:
            return float, f"{math.copysign(1.0, item)} nan" if math.isnan(item) else struct.pack("<d", item)
        case complex() if type(item) is complex:
            return complex, number(item.real), number(item.imag)
        case tuple() | list():
            return type(item), tuple(map(number, item))
        case dict():
            return type(item), tuple((number(key), number(held)) for key, held in item.items())
        case set() | frozenset():
            return type(item), frozenset(map(number, item))
        case np.ndarray() | np.generic():
            return type(item), item.dtype.str, item.shape, item.tobytes() if item.dtype.kind != "O" else repr(item)
        case Hashable():
            return type(item), item
        case _:
            return type(item), repr(item)


class Reading:
    """Goes through a program once and numbers values and guards in the order in which they are defined."""

    def __init__(self) -> None:
        self.values: dict[Value, int] = {}
        self.guards: dict[int, int] = {0: 0}
        self.count = 0

    def program(self, program: Program) -> Iterator[object]:
        """All that takes part in equality, in order."""
        yield program.name
        yield tuple((item.path, self.define(item.value)) for item in program.inputs)
        for weight in program.weights:
            yield weight.key, number(weight.value), weight.shape, weight.role, weight.frozen
        yield from flatten(self.block(program.body))
        yield shape_of(program.output), program.changes, program.failures

    def block(self, block: Block) -> Parts:
        """The statements between the parameters and the results."""
        yield "block", self.defined(block.params)
        for statement in block.body:
            if type(statement) is Op:
                yield self.op(statement)
            else:
                yield self.statement(statement)
        yield "end", self.used(block.results)

    def op(self, op: Op) -> object:
        """An operation."""
        attrs = tuple((key, number(value)) for key, value in op.attrs if (key, value) != ("site", ()))
        return op.name, op.by, self.guard(op.guard), self.used(op.args), attrs, self.define(op.result)

    def statement(self, statement: Statement) -> Parts:
        """What is no operation: a region defines its results after its blocks."""
        yield type(statement), self.used(used(statement))
        match statement:
            case Op():
                yield self.op(statement)
                return
            case Check(error=error, message=message, bases=bases, guard=guard):
                yield error, message, bases, self.guard(guard)
                return
            case Save(number=number):
                yield number
                return
            case Restore(number=number):
                yield number
            case If(then=then, orelse=orelse):
                yield self.block(then)
                yield self.block(orelse)
            case Loop(count=count, body=body):
                yield count
                yield self.block(body)
            case Rewind(body=body):
                yield self.block(body)
            case While(test=test, body=body, bound=bound):
                yield bound
                yield self.block(test)
                yield self.block(body)
            case Try(body=body, handlers=handlers):
                yield self.block(body)
                for handler in handlers:
                    yield handler.catches
                    yield self.block(handler.block)
            case _:
                assert_never(statement)
        yield self.defined(statement.results)

    def define(self, value: Value) -> object:
        """A value is known by how many are defined before it; its type takes part."""
        self.values[value] = self.count
        self.count += 1
        return value.type

    def defined(self, values: tuple[Value, ...]) -> tuple[object, ...]:
        """Several values that are defined together."""
        return tuple(map(self.define, values))

    def used(self, values: tuple[Value, ...]) -> tuple[object, ...]:
        """Values that are read; one that is defined nowhere is known by its own number."""
        return tuple(self.values.get(value, (value.id, "nowhere")) for value in values)

    def guard(self, number: int) -> int:
        """Guards are known by the order in which they occur; 0 is none."""
        return self.guards.setdefault(number, len(self.guards))


def shape_of(tree: Tree) -> object:
    """The structure of an output: its leaves are the results of the program, in order."""
    match tree:
        case Leaf() | Slot():
            return "leaf"
        case Static(item):
            return "static", number(item)
        case Sequence(kind, items, names):
            return "sequence", kind, tuple(map(shape_of, items)), names
        case Mapping(kind, keys, items):
            return "mapping", kind, tuple(map(number, keys)), tuple(map(shape_of, items))
        case _:
            assert_never(tree)
