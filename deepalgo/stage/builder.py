"""Append statements to the block that is being staged.

>>> builder = Builder()
>>> x = builder.fresh(Type(Kind.REAL), "x")
>>> y = builder.op("add", (x, x))
>>> [statement.name for statement in builder.body]
['add']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.ir import Attr, Kind, Op, Statement, Type, Value
from deepalgo.ops.table import infer
from deepalgo.spans import Span


class Builder:
    """Numbers the values and keeps the insertion point."""

    def __init__(self, budget: int = 200_000) -> None:
        self.body: list[Statement] = []
        self.span: Span | None = None
        self.count = 0
        self.emitted = 0
        self.budget = budget
        self.definitions: dict[int, Op] = {}

    def fresh(self, type: Type, name: str = "") -> Value:
        """A new value that some region or input defines."""
        self.count += 1
        return Value(self.count - 1, type, name)

    def op(self, name: str, args: Sequence[Value] = (), **attrs: Attr) -> Value:
        """Append an operation and return its result."""
        pairs = tuple(attrs.items())
        result = self.fresh(infer(name, [value.type for value in args], attrs))
        self.append(Op(result, name, tuple(args), pairs, self.span))
        return result

    def append(self, statement: Statement) -> None:
        """Append any statement, within the budget that keeps deep chains of helpers from exploding."""
        self.emitted += 1
        if self.emitted > self.budget:
            raise CompileError(
                f"the function grows to more than {self.budget:,} operations",
                span=self.span,
                remedy="Loops over static ranges or deep chains of helpers are unrolled here: "
                "compile a smaller part, or shorten the range.",
            )
        if isinstance(statement, Op):
            self.definitions[statement.result.id] = statement
        self.body.append(statement)

    @contextmanager
    def into(self, body: list[Statement]) -> Iterator[list[Statement]]:
        """Append to another list of statements for a while."""
        outer, self.body = self.body, body
        try:
            yield body
        finally:
            self.body = outer

    def name(self, value: Value, name: str) -> None:
        """Give a value the user's name for it; the first one stays. Values are frozen once staging is over."""
        if not value.name:
            object.__setattr__(value, "name", name)

    def const(self, value: Attr, type: Type | None = None) -> Value:
        """A constant of the program."""
        result = self.fresh(type or Type(kind_of(value)))
        self.append(Op(result, "const", (), (("value", value),), self.span))
        return result


def kind_of(value: object) -> Kind:
    """The kind of a plain number.

    >>> kind_of(True), kind_of(2.5)
    (<Kind.BOOL: 0>, <Kind.REAL: 2>)
    """
    match value.item() if isinstance(value, np.generic) else value:
        case bool():
            return Kind.BOOL
        case int():
            return Kind.INT
        case float():
            return Kind.REAL
        case complex():
            return Kind.COMPLEX
        case _:
            raise TypeError(f"not a number: {value!r}")
