"""Expressions under construction: text, kind of number, and the interval in which the value is known to lie.

Intervals keep programs out of overflow and inside the domains of `sqrt` or `log`, so that errors happen where they are meant to.

>>> x = Expr("x", "float", -2.0, 3.0)
>>> multiply(x, x).high
9.0
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

Kind = Literal["float", "int", "bool"]

BIGGEST = 2000.0


@dataclass(frozen=True, slots=True)
class Expr:
    """`text` never needs parentheses around it: the generator prints the finished module through the syntax tree."""

    text: str
    kind: Kind
    low: float
    high: float

    @property
    def reach(self) -> float:
        """The largest magnitude the value can have."""
        return max(abs(self.low), abs(self.high))

    def lies_in(self, low: float, high: float) -> bool:
        return low <= self.low and self.high <= high


def number(value: float) -> Expr:
    """A literal."""
    kind: Kind = "int" if isinstance(value, int) else "float"
    return Expr(f"({value!r})" if value < 0 else repr(value), kind, value, value)


def truth(text: str) -> Expr:
    return Expr(f"({text})", "bool", 0, 1)


def wider(left: Kind, right: Kind) -> Kind:
    """The kind of a sum or a product."""
    return "float" if "float" in (left, right) else "int"


def add(left: Expr, right: Expr) -> Expr:
    return Expr(f"({left.text} + {right.text})", wider(left.kind, right.kind), left.low + right.low, left.high + right.high)


def subtract(left: Expr, right: Expr) -> Expr:
    return Expr(f"({left.text} - {right.text})", wider(left.kind, right.kind), left.low - right.high, left.high - right.low)


def multiply(left: Expr, right: Expr) -> Expr:
    corners = [a * b for a, b in itertools.product((left.low, left.high), (right.low, right.high))]
    return Expr(f"({left.text} * {right.text})", wider(left.kind, right.kind), min(corners), max(corners))


def divide(left: Expr, right: Expr) -> Expr:
    """The divisor's interval must not touch zero."""
    corners = [a / b for a, b in itertools.product((left.low, left.high), (right.low, right.high))]
    return Expr(f"({left.text} / {right.text})", "float", min(corners), max(corners))


def magnitude(item: Expr) -> Expr:
    low = 0.0 if item.low <= 0 <= item.high else min(abs(item.low), abs(item.high))
    return Expr(f"abs({item.text})", "float" if item.kind == "float" else "int", low, item.reach)


def smallest(*items: Expr) -> Expr:
    text = ", ".join(item.text for item in items)
    return Expr(f"min({text})", _common(items), min(item.low for item in items), min(item.high for item in items))


def largest(*items: Expr) -> Expr:
    text = ", ".join(item.text for item in items)
    return Expr(f"max({text})", _common(items), max(item.low for item in items), max(item.high for item in items))


def either(text: str, *items: Expr) -> Expr:
    """An expression that gives one of the items."""
    return Expr(f"({text})", _common(items), min(item.low for item in items), max(item.high for item in items))


def _common(items: tuple[Expr, ...]) -> Kind:
    kinds = {item.kind for item in items}
    return "float" if "float" in kinds else ("int" if "int" in kinds else "bool")
