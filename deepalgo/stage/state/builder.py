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
from typing import Any

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.ir import Attr, By, Kind, Op, Statement, Type, Value
from deepalgo.ir.facts import Facts
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
        self.facts = Facts(bounded=False)
        self.guard = 0
        self.guards = 0
        self.together: list[Op] = []

    def fresh(self, type: Type, name: str = "") -> Value:
        """A new value that some region or input defines."""
        self.count += 1
        return Value(self.count - 1, type, name)

    def begin(self, span: Span | None) -> None:
        """What is appended next belongs to one operator or call of the source, and so do the checks for what that raises."""
        self.span = span
        self.guard = 0
        self.together.clear()

    def op(self, name: str, args: Sequence[Value] = (), by: By = By.PYTHON, **attrs: Attr) -> Value:
        """Append an operation and return its result."""
        pairs = tuple(attrs.items())
        result = self.fresh(infer(name, [value.type for value in args], attrs))
        op = Op(result, name, tuple(args), pairs, self.span, by, self.guard if result.type.kind else 0)
        self.together.append(op)
        self.append(op)
        return result

    def guarding(self) -> int:
        """The number that a check shares with the operations of its operator or call; truth values need no guard."""
        if not self.guard:
            self.guards += 1
            self.guard = self.guards
            for op in self.together:
                if op.result.type.kind:
                    object.__setattr__(op, "guard", self.guard)
        return self.guard

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
            self.facts.note(statement)
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


def exact(value: Any) -> Any:
    """A number without the class that someone derived from Python's, such as a member of an `IntEnum`.

    >>> import signal
    >>> exact(signal.SIGTERM), exact(True), exact(-0.0)
    (15, True, -0.0)
    """
    base = next((kind for kind in (int, float, complex) if isinstance(value, kind) and type(value) not in (kind, bool)), None)
    return value if base is None else base.__pos__(value)


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
