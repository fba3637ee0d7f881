"""Bring a value into an interval, in the ways people do it: clamp, saturate, wrap around."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.fuzz.expression import Expr, add, largest, magnitude, multiply, number, smallest

if TYPE_CHECKING:
    from tests.fuzz.writer import Writer

FAR = 1e5


def fit(writer: Writer, item: Expr, low: float, high: float) -> Expr:
    """The item itself if it lies in the interval, else something made of it that does."""
    if item.lies_in(low, high):
        return item
    if item.kind != "float":
        return _clamp(writer, item, low, high)
    if high >= 100 and low >= 0 and item.reach < 0.8 * high and writer.chance(0.8):
        return _lift(writer, item, max(low, 0.0))
    if high - low > FAR:
        return _clamp(writer, item, low, high)
    return writer.pick(WAYS)(writer, item, low, high)


def _clamp(writer: Writer, item: Expr, low: float, high: float) -> Expr:
    writer.note("clamp")
    bottom, top = (number(_bound(item, value)) for value in (low, high))
    made = item
    if item.high > high:
        made = smallest(made, top) if writer.chance(0.6) else smallest(top, made)
    if item.low < low:
        made = largest(bottom, made) if writer.chance(0.6) else largest(made, bottom)
    return made


def _bound(item: Expr, value: float) -> float:
    return round(value) if item.kind != "float" else value


def _lift(writer: Writer, item: Expr, least: float) -> Expr:
    """Above `least`, without an upper end."""
    floor = number(round(least + writer.rng.choice((0.1, 0.25, 0.5, 1.0)), 3))
    way = writer.variant("lift", {"abs": 4, "square": 2, "max": 2, "exp": 1})
    if way == "abs":
        return add(magnitude(item), floor)
    if way == "square" and item.reach < 10:
        twice = writer.chance(0.5) and len(item.text) < 30
        square = multiply(item, item).text if twice else f"{item.text} ** 2"
        return Expr(f"({square} + {floor.text})", "float", floor.low, item.reach**2 + floor.high)
    if way == "exp" and item.reach < 4:
        return Expr(f"({floor.text} + math.exp({item.text}))", "float", floor.low, floor.high + 60.0)
    return largest(item, floor)


def _squash(unit: str, name: str) -> Callable[[Writer, Expr, float, float], Expr]:
    """Map onto (-1, 1) with a template, then onto the interval."""

    def squash(writer: Writer, item: Expr, low: float, high: float) -> Expr:
        if unit.count("{0}") > 1 and len(item.text) > 30:
            return _clamp(writer, item, low, high)
        writer.note(f"squash: {name}")
        middle, half = (low + high) / 2, 0.98 * (high - low) / 2
        text = unit.format(item.text)
        if half != 1.0:
            text = f"({half:.6g} * {text})"
        if abs(middle) > 1e-9:
            text = f"({middle:.9g} + {text})"
        return Expr(text, "float", low, high)

    return squash


def _wrap(writer: Writer, item: Expr, low: float, high: float) -> Expr:
    writer.note("squash: modulo")
    span = float(f"{0.98 * (high - low):.6g}")
    text = f"({item.text} % {span})"
    return Expr(text if low == 0 else f"({low} + {text})", "float", low, high)


WAYS: dict[Callable[[Writer, Expr, float, float], Expr], float] = {
    _clamp: 5.0,
    _squash("math.tanh({0})", "tanh"): 3.0,
    _squash("({0} / (1.0 + abs({0})))", "softsign"): 2.0,
    _squash("math.sin({0})", "sin"): 1.5,
    _squash("({0} / math.sqrt(1.0 + {0} ** 2))", "algebraic"): 1.0,
    _wrap: 0.7,
}
