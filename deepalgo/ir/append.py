"""`Appender`: appends operations to a block that is being built, each by a method that is called as the operation reads.

Whoever rewrites programs builds with these, so that a pass tells what it makes in words and not in names of the table.

>>> from deepalgo.kinds import Kind
>>> class Lines(Appender):
...     def add(self, name, *args, attrs=()):
...         print(name, *args)
...         return Value(7, Type(Kind.REAL))
>>> lines, x = Lines(), Value(0, Type(Kind.REAL), "x")
>>> _ = lines.product(x, lines.negative(x))
neg %x.0
mul %x.0 %7
"""

from __future__ import annotations

from deepalgo.ir.program import Value
from deepalgo.kinds import Attr, Kind, Type

#: The operations that bring a value to a kind.
CASTS = {kind: f"to_{kind.name.lower()}" for kind in Kind}


class Appender:
    """What builds says how an operation is appended; the rest follows."""

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Append an operation and return its result."""
        raise NotImplementedError

    def const(self, value: Attr) -> Value:
        """Append a constant."""
        return self.add("const", attrs=(("value", value),))

    def fit(self, value: Value, type: Type) -> Value:
        """The value in the kind of a type."""
        return value if value.type.kind == type.kind else self.add(CASTS[type.kind], value)

    def where(self, condition: Value, then: Value, orelse: Value) -> Value:
        """Append a choice by a condition."""
        return self.add("select", condition, then, orelse)

    def cut_off(self, condition: Value, value: Value) -> Value:
        """Append the value without a gradient where the condition does not hold."""
        return self.add("cut", condition, value)

    def negated(self, condition: Value) -> Value:
        """Append `not condition`."""
        return self.add("not", condition)

    def all_of(self, first: Value, second: Value) -> Value:
        """Append `first and second`."""
        return self.add("and", first, second)

    def any_of(self, first: Value, second: Value) -> Value:
        """Append `first or second`."""
        return self.add("or", first, second)

    def both(self, first: Value | None, second: Value) -> Value:
        """`first and second`, where no first means always."""
        return second if first is None else self.all_of(first, second)

    def equal(self, first: Value, second: Value) -> Value:
        """Append `first == second`."""
        return self.add("eq", first, second)

    def unequal(self, first: Value, second: Value) -> Value:
        """Append `first != second`."""
        return self.add("ne", first, second)

    def less(self, first: Value, second: Value) -> Value:
        """Append `first < second`."""
        return self.add("lt", first, second)

    def at_most(self, first: Value, second: Value) -> Value:
        """Append `first <= second`."""
        return self.add("le", first, second)

    def is_finite(self, value: Value) -> Value:
        """Append whether a number is finite."""
        return self.add("isfinite", value)

    def total(self, first: Value, second: Value) -> Value:
        """Append `first + second`."""
        return self.add("add", first, second)

    def difference(self, first: Value, second: Value) -> Value:
        """Append `first - second`."""
        return self.add("sub", first, second)

    def product(self, first: Value, second: Value) -> Value:
        """Append `first * second`."""
        return self.add("mul", first, second)

    def ratio(self, first: Value, second: Value) -> Value:
        """Append `first / second`."""
        return self.add("div", first, second)

    def negative(self, value: Value) -> Value:
        """Append `-value`."""
        return self.add("neg", value)

    def magnitude(self, value: Value) -> Value:
        """Append `abs(value)`."""
        return self.add("abs", value)

    def smaller(self, first: Value, second: Value) -> Value:
        """Append `min(first, second)`."""
        return self.add("min", first, second)

    def larger(self, first: Value, second: Value) -> Value:
        """Append `max(first, second)`."""
        return self.add("max", first, second)

    def sliced(self, array: Value, key: tuple[Attr, ...]) -> Value:
        """Append `array[key]`, with a key as `ops.indexing` has it."""
        return self.add("take", array, attrs=(("key", key),))

    def picked(self, array: Value, place: Value) -> Value:
        """Append `array[place]` for places that data chooses."""
        return self.add("pick_at", array, place, attrs=(("axis", 0),))

    def reshaped(self, array: Value, shape: tuple[int, ...]) -> Value:
        """Append the numbers of an array in another shape."""
        return self.add("reshape", array, attrs=(("shape", shape),))

    def repeated(self, array: Value, shape: tuple[int, ...]) -> Value:
        """Append an array repeated up to a shape."""
        return self.add("broadcast", array, attrs=(("shape", shape),))

    def filled(self, value: Value, shape: tuple[int, ...]) -> Value:
        """Append an array of this shape that holds one number; the number itself where there is no axis."""
        return self.repeated(self.reshaped(value, (1,) * len(shape)), shape) if shape else value

    def stacked(self, *items: Value) -> Value:
        """Append an array of values of one shape."""
        return self.add("stack", *items)

    def concatenated(self, *arrays: Value, axis: int = 0) -> Value:
        """Append arrays one after the other."""
        return self.add("concat", *arrays, attrs=(("axis", axis),))

    def matrix_product(self, first: Value, second: Value) -> Value:
        """Append `first @ second`."""
        return self.add("matmul", first, second)
