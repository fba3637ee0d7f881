"""`Knowing`: a rewriter that remembers constants and operations, for passes that put something simpler in the place of an operation."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from deepalgo.ir import Attr, Op, Value
from deepalgo.ir.rewriter import Fresh, Rewriter

#: Truth values that follow from numbers.
QUESTIONS: Mapping[str, Callable[..., bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
    "xor": operator.xor,
    "not": operator.not_,
}

#: Parts of a chain of `and` or `or` that are looked at.
MOST_PARTS = 32


class Knowing(Rewriter):
    """`known` are the single values that are constant where the current statement stands, `made` the operations by their result."""

    def __init__(self, fresh: Fresh, known: Mapping[Value, Attr] | None = None) -> None:
        super().__init__(fresh)
        self.known: dict[Value, Attr] = dict(known or {})
        self.made: dict[Value, Op] = {}

    def instead(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """What the result of an operation is known to be equal to, if anything."""
        return None

    def op(self, op: Op) -> None:
        """Keep an operation, or put something simpler in its place."""
        stands = self.instead(op, self.see(op.args))
        if stands is not None:
            self.env[op.result] = stands
            return
        super().op(op)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.note(made)

    def note(self, made: Op) -> None:
        """Remember an operation."""
        self.made[made.result] = made
        if made.name == "const" and not made.result.type.shape:
            self.known[made.result] = made.attr("value")

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Remember what is added, too."""
        result = super().add(name, *args, attrs=attrs)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.note(made)
        return result

    def numbers(self, op: Op, args: tuple[Value, ...]) -> list[Attr] | None:
        """The operands of an operation on constants."""
        if not args or op.result.type.shape or any(arg not in self.known for arg in args):
            return None
        return [self.known[arg] for arg in args]

    def logic(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """`and` and `or` with a known side, or of one value with itself."""
        if args[0] == args[1] and args[0].type == op.result.type:
            return args[0]
        for known, other in (args, args[::-1]):
            if known in self.known and not op.result.type.shape:
                chosen = known if bool(self.known[known]) == (op.name == "or") else other
                if chosen.type == op.result.type:
                    return chosen
        return None if op.result.type.shape else self.tangled(op.name, args)

    def tangled(self, name: str, args: tuple[Value, ...]) -> Value | None:
        """`a and not a`, `a or not a`, and what says again what the other side says, however deep in a chain."""
        sides = [self.chain(name, arg) for arg in args]
        parts = sides[0] | sides[1]
        if any(self.opposite(part) in parts for part in parts):
            return self.const(name == "or")
        return args[0] if sides[1] <= sides[0] else args[1] if sides[0] <= sides[1] else None

    def chain(self, name: str, value: Value) -> set[Value]:
        """The parts of `a and b and c`, or of `a or b or c`; of a long one those next to the value, and what is left of it."""
        parts: set[Value] = set()
        waiting = [value]
        while waiting:
            part = waiting.pop(0)
            op = self.made.get(part)
            if op is not None and op.name == name and len(waiting) + len(parts) < MOST_PARTS:
                waiting.extend(op.args)
            else:
                parts.add(part)
        return parts

    def opposite(self, value: Value) -> Value | None:
        """The value of which this is `not`."""
        op = self.made.get(value)
        return op.args[0] if op is not None and op.name == "not" else None

    def implies(self, condition: Value, truth: bool, other: Value) -> bool | None:
        """What one truth value says about another."""
        if condition == other:
            return truth
        return not truth if condition == self.opposite(other) or other == self.opposite(condition) else None

    def turned_back(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """The value of which this is `not not`."""
        inner = self.made.get(args[0])
        return inner.args[0] if inner is not None and inner.name == "not" and inner.args[0].type == op.result.type else None
