"""Whole numbers that depend on data, through rounding, counting and truth."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr, add, largest, magnitude, multiply, number, smallest, subtract
from tests.fuzz.registry import expression
from tests.fuzz.writer import Writer


@expression("int", "int of float", 3.0)
def whole(writer: Writer, depth: int) -> Expr:
    item = writer.within(-30.0, 30.0, max(0, depth - 1))
    name = writer.variant("whole", {"int": 4, "math.floor": 3, "math.ceil": 2, "math.trunc": 1, "round": 3})
    return Expr(f"{name}({item.text})", "int", int(item.low) - 1, int(item.high) + 1)


@expression("int", "int arithmetic", 2.0)
def arithmetic(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    return writer.rng.choice((add, subtract, multiply))(writer.int(depth - 1), writer.int(depth - 1))


@expression("int", "int // and %", 1.2)
def division(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    item, divisor = writer.int(depth - 1), writer.rng.choice((2, 3, 4, 5, -2, -3))
    way = writer.variant("int", {"//": 1, "%": 2, "divmod": 0.4})
    if way == "%":
        return Expr(f"({item.text} % {divisor})", "int", min(divisor + 1, 0), max(divisor - 1, 0))
    if way == "divmod":
        index = writer.rng.choice((0, 1))
        return Expr(f"divmod({item.text}, {divisor})[{index}]", "int", -item.reach - 1, item.reach + 1)
    return Expr(f"({item.text} // {divisor})", "int", -item.reach - 1, item.reach + 1)


@expression("float", "int / int", 0.4)
def ratio(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    top, bottom = writer.int(depth - 1), writer.rng.choice((2, 3, 4, 7, -2))
    return Expr(f"({top.text} / {bottom})", "float", -top.reach / 2, top.reach / 2)


@expression("float", "power of a whole number", 0.5)
def whole_power(writer: Writer, depth: int) -> Expr | None:
    """`2 ** n`, `0.5 ** n`, `(-1) ** n` with an exponent that may come from data."""
    if depth <= 0:
        return None
    exponent = fit(writer, writer.int(depth - 1), 0, 5)
    base = writer.variant("power of", {"2": 1, "0.5": 1, "(-1)": 1, "data": 1, "1.25": 1})
    if base == "data":
        return Expr(f"({writer.within(-2.0, 2.0, 0).text} ** {exponent.text})", "float", -32.0, 32.0)
    return Expr(f"float({base} ** {exponent.text})" if writer.chance(0.3) else f"(1.0 * {base} ** {exponent.text})", "float", -1.0, 32.0)


@expression("int", "int built-ins", 1.0)
def builtin(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    item = writer.int(depth - 1)
    match writer.variant("int", {"abs": 2, "min": 1, "max": 1, "square": 1, "sign": 1}):
        case "abs":
            return magnitude(item)
        case "min":
            return smallest(item, writer.int(depth - 1))
        case "max":
            return largest(item, number(writer.rng.choice((0, 1, 2))))
        case "sign":
            name = writer.some("float")
            return Expr(f"(({name.name} > 0) - ({name.name} < 0))", "int", -1, 1) if name else None
        case _:
            return Expr(f"({item.text} ** 2)", "int", 0, item.reach**2) if item.reach < 1000 else None


@expression("int", "int of bool", 1.0)
def from_truth(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    condition = writer.bool(depth - 1)
    match writer.variant("bool as int", {"int()": 1, "+": 1, "sum": 1}):
        case "int()":
            return Expr(f"int({condition.text})", "int", 0, 1)
        case "+":
            return add(condition, writer.bool(depth - 1))
        case _:
            return Expr(f"sum(({condition.text}, {writer.bool(0).text}, {writer.bool(0).text}))", "int", 0, 3)


@expression("int", "int chosen", 0.6)
def chosen(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    first, second, condition = writer.int(depth - 1), writer.int(0), writer.bool(depth - 1)
    low, high = min(first.low, second.low), max(first.high, second.high)
    return Expr(f"({first.text} if {condition.text} else {second.text})", "int", low, high)
