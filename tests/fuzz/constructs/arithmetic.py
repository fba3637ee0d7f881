"""Operators on floats, and the built-in functions that choose or add numbers."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr, add, divide, either, largest, magnitude, multiply, number, smallest, subtract
from tests.fuzz.registry import expression
from tests.fuzz.writer import Writer

SMALL = 10.0


def _two(writer: Writer, depth: int, combine: Callable[[Expr, Expr], Expr]) -> Expr | None:
    if depth <= 0:
        return None
    made = combine(writer.float(depth - 1), writer.float(depth - 1))
    return made if made.kind == "float" else None


@expression("float", "+", 3.0)
def addition(writer: Writer, depth: int) -> Expr | None:
    return _two(writer, depth, add)


@expression("float", "-", 2.5)
def subtraction(writer: Writer, depth: int) -> Expr | None:
    return _two(writer, depth, subtract)


@expression("float", "*", 3.5)
def product(writer: Writer, depth: int) -> Expr | None:
    return _two(writer, depth, multiply)


@expression("float", "literal * float", 2.0)
def scaled(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    factor, item = writer.literal(), writer.float(depth - 1)
    return multiply(factor, item) if writer.chance(0.7) else multiply(item, factor)


@expression("float", "/", 2.0)
def quotient(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    top = writer.float(depth - 1)
    way = writer.variant("/", {"literal": 2, "positive": 3, "int": 0.5, "anything": 0.25})
    if way == "literal":
        return divide(top, writer.literal(0.4, 4.0))
    if way == "positive":
        return divide(top, writer.positive(depth - 1, 0.2))
    if way == "int":
        return divide(top, number(writer.rng.choice((2, 3, 4, -2))))
    bottom = writer.float(0)
    made = Expr(f"({top.text} / {bottom.text})", "float", -1e9, 1e9)
    return fit(writer, made, -20.0, 20.0)


@expression("float", "unary -", 0.8)
def negated(writer: Writer, depth: int) -> Expr | None:
    item = writer.float(depth - 1) if depth > 0 else None
    return Expr(f"(-{item.text})", item.kind, -item.high, -item.low) if item else None


@expression("float", "unary +", 0.1)
def unchanged(writer: Writer, depth: int) -> Expr | None:
    item = writer.some("float")
    return Expr(f"(+{item.name})", "float", item.low, item.high) if item else None


@expression("float", "abs", 1.2)
def absolute(writer: Writer, depth: int) -> Expr | None:
    return magnitude(writer.float(depth - 1)) if depth > 0 else None


@expression("float", "min", 1.0)
def minimum(writer: Writer, depth: int) -> Expr | None:
    return _extreme(writer, depth, smallest)


@expression("float", "max", 1.0)
def maximum(writer: Writer, depth: int) -> Expr | None:
    return _extreme(writer, depth, largest)


def _extreme(writer: Writer, depth: int, choose: Callable[..., Expr]) -> Expr | None:
    if depth <= 0:
        return None
    items = [writer.float(depth - 1) for _ in range(writer.pick({2: 4, 3: 2, 4: 0.5}))]
    if writer.chance(0.15):
        items[-1] = number(writer.rng.choice((0, 1, 2)))
        writer.note("min/max of float and int")
    made = choose(*items)
    name, inside = made.text.split("(", 1)
    if writer.chance(0.1):
        writer.note("min/max of a list")
        return Expr(f"{name}([{inside[:-1]}])", "float", made.low, made.high)
    if writer.chance(0.06):
        writer.note("min/max with key")
        return either(f"{name}({inside[:-1]}, key=abs)", *items, number(0.0))
    return Expr(made.text, "float", made.low, made.high)


@expression("float", "sum", 0.5)
def total(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    items = [writer.float(depth - 1) for _ in range(writer.rng.randint(2, 3))]
    low, high = sum(item.low for item in items), sum(item.high for item in items)
    inside = ", ".join(item.text for item in items)
    if writer.chance(0.3):
        writer.note("sum with start")
        start = writer.literal(-1.0, 1.0)
        return Expr(f"sum([{inside}], {start.text})", "float", low + start.low, high + start.high)
    return Expr(f"sum(({inside}))" if writer.chance(0.5) else f"sum([{inside}])", "float", low, high)


@expression("float", "**", 2.0)
def power(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    way = writer.variant("**", {"int": 3, "float, even": 1, "root": 2, "negative int": 0.8, "float": 1.5, "base literal": 0.8,
                                "data": 0.8, "zero": 0.3})
    if way == "int":
        return _to_int(writer, writer.float(depth - 1), writer.pick({2: 5, 3: 3, 4: 1}))
    if way == "float, even":
        return _to_int(writer, writer.float(depth - 1), 2.0)
    if way == "zero":
        return Expr(f"({writer.float(0).text} ** {writer.rng.choice((0, 0.0))})", "float", 1.0, 1.0)
    if way == "negative int":
        exponent = writer.rng.choice((-1, -2, -1.0))
        return Expr(f"({writer.within(0.3, 20.0, depth - 1).text} ** {exponent})", "float", 0.0, 12.0)
    if way == "base literal":
        base = writer.literal(0.3, 2.5)
        return Expr(f"({base.text} ** {writer.within(-3.0, 3.0, depth - 1).text})", "float", 0.0, 40.0)
    base = writer.within(0.05, SMALL, depth - 1)
    if way == "root":
        exponent = writer.rng.choice((0.5, 1 / 3, 0.25, 1.5))
        return Expr(f"({base.text} ** {_fraction(writer, exponent)})", "float", 0.0, SMALL**exponent)
    if way == "float":
        exponent = writer.literal(-1.0, 2.0)
        return Expr(f"({base.text} ** {exponent.text})", "float", 0.0, 100.0)
    return Expr(f"({base.text} ** {writer.within(-1.0, 2.0, depth - 1).text})", "float", 0.0, 100.0)


def _to_int(writer: Writer, base: Expr, exponent: float) -> Expr:
    base = fit(writer, base, -SMALL, SMALL)
    top = base.reach**exponent
    return Expr(f"({base.text} ** {exponent})", "float", 0.0 if exponent % 2 == 0 else -top, top)


def _fraction(writer: Writer, value: float) -> str:
    return "(1.0 / 3.0)" if value == 1 / 3 else repr(value)


@expression("float", "pow()", 0.4)
def power_function(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    if writer.chance(0.5):
        base, exponent = fit(writer, writer.float(depth - 1), -SMALL, SMALL), writer.pick({"2": 1, "3": 1, "2.0": 1})
        return Expr(f"pow({base.text}, {exponent})", "float", -(SMALL**3), SMALL**3)
    base = writer.within(0.05, SMALL, depth - 1)
    return Expr(f"pow({base.text}, {writer.literal(-0.9, 1.9).text})", "float", 0.0, 100.0)


@expression("float", "% on floats", 0.8)
def modulo(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    item = writer.float(depth - 1)
    divisor = writer.literal(0.3, 4.0) if writer.chance(0.7) else writer.literal(-4.0, -0.3)
    low, high = min(divisor.low, 0.0), max(divisor.low, 0.0)
    if writer.chance(0.15):
        writer.note("% by data")
        divisor = writer.within(0.5, 5.0, depth - 1)
        low, high = 0.0, 5.0
    return Expr(f"({item.text} % {divisor.text})", "float", low, high)


@expression("float", "// on floats", 0.6)
def floor_division(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    item = writer.float(depth - 1)
    divisor = writer.literal(0.4, 3.0) if writer.chance(0.7) else writer.literal(-3.0, -0.4)
    made = divide(item, divisor)
    return Expr(f"({item.text} // {divisor.text})", "float", made.low - 1, made.high + 1)


@expression("float", "int + float", 0.9)
def mixed(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    pair = [writer.int(depth - 1), writer.float(depth - 1)]
    writer.rng.shuffle(pair)
    made = writer.rng.choice((add, subtract, multiply))(*pair)
    return made if made.kind == "float" else None


@expression("float", "bool in arithmetic", 0.5)
def from_truth(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    condition, item = writer.bool(depth - 1), writer.float(depth - 1)
    if item.kind != "float":
        return None
    made = multiply(condition, item) if writer.chance(0.5) else multiply(item, condition)
    return made if writer.chance(0.7) else add(item, condition)
