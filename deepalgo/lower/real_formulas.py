"""`Real`: real values of a program that is being built, added and multiplied as Python writes it.

>>> from deepalgo.ir import Kind, Type, Value
>>> from deepalgo.ir.append import Appender
>>> class Lines(Appender):
...     def add(self, name, *args, attrs=()):
...         print(name, *args, *(value for _, value in attrs))
...         return Value(7, Type(Kind.REAL))
>>> x = Real(Value(0, Type(Kind.REAL), "x"), Lines())
>>> _ = x * x + 1.0
mul %x.0 %x.0
const 1.0
add %7 %7
"""

from __future__ import annotations

from dataclasses import dataclass

from deepalgo.ir import Value
from deepalgo.ir.append import Appender


@dataclass(frozen=True, slots=True)
class Real:
    """A value, and what appends operations on it; conditions are such values, too."""

    value: Value
    build: Appender

    def call(self, name: str, *others: Real | float) -> Real:
        """An operation of the table on this and others."""
        values = [other.value if isinstance(other, Real) else self.build.const(float(other)) for other in others]
        return Real(self.build.add(name, self.value, *values), self.build)

    def __add__(self, other: Real | float) -> Real:
        return self.call("add", other)

    def __sub__(self, other: Real | float) -> Real:
        return self.call("sub", other)

    def __mul__(self, other: Real | float) -> Real:
        return self.call("mul", other)

    def __truediv__(self, other: Real | float) -> Real:
        return self.call("div", other)

    def __radd__(self, other: float) -> Real:
        return self.const(other) + self

    def __rsub__(self, other: float) -> Real:
        return self.const(other) - self

    def __rmul__(self, other: float) -> Real:
        return self.const(other) * self

    def __rtruediv__(self, other: float) -> Real:
        return self.const(other) / self

    def __neg__(self) -> Real:
        return self.call("neg")

    def __abs__(self) -> Real:
        return self.call("abs")

    def __lt__(self, other: Real | float) -> Real:
        return self.call("lt", other)

    def __le__(self, other: Real | float) -> Real:
        return self.call("le", other)

    def __gt__(self, other: Real | float) -> Real:
        return self.call("gt", other)

    def __ge__(self, other: Real | float) -> Real:
        return self.call("ge", other)

    def __and__(self, other: Real) -> Real:
        return self.call("and", other)

    def __or__(self, other: Real) -> Real:
        return self.call("or", other)

    def __invert__(self) -> Real:
        return self.call("not")

    def equals(self, other: Real | float) -> Real:
        """`self == other`."""
        return self.call("eq", other)

    def where(self, then: Real | float, orelse: Real | float) -> Real:
        """One of two numbers by this condition."""
        return self.call("select", then, orelse)

    def const(self, number: float) -> Real:
        """A number."""
        return Real(self.build.const(number), self.build)
