"""Floats made by rounding and by splitting numbers."""

from __future__ import annotations

from tests.fuzz.expression import Expr
from tests.fuzz.registry import expression, statement
from tests.fuzz.writer import Writer


@expression("float", "round to digits", 0.5)
def rounded(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    item = writer.float(depth - 1)
    digits = writer.pick({0: 1, 1: 3, 2: 3, 3: 1, -1: 0.3})
    return Expr(f"round({item.text}, {digits})", "float", item.low - 10, item.high + 10)


@expression("float", "float()", 0.6)
def converted(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    kind = writer.variant("float() of", {"int": 3, "float": 1, "bool": 1})
    item = writer.expr(kind, depth - 1)  # type: ignore[arg-type]  # the names of the variants are the kinds
    return Expr(f"float({item.text})", "float", item.low, item.high)


@expression("float", "floor and remainder", 0.5)
def fraction(writer: Writer, depth: int) -> Expr | None:
    item = writer.some("float")
    if item is None or depth <= 0:
        return None
    way = writer.pick({"math.floor": 3, "int": 2, "math.trunc": 1, "round": 1})
    return Expr(f"({item.name} - {way}({item.name}))", "float", -1.0, 1.0)


@statement("divmod", 0.5)
def split(writer: Writer) -> list[str] | None:
    item = writer.float(1)
    divisor = writer.literal(0.5, 3.0) if writer.chance(0.7) else writer.literal(-3.0, -0.5)
    whole, part = writer.fresh("whole"), writer.fresh("part")
    reach = item.reach / abs(divisor.low) + 1
    writer.declare(whole, Expr(whole, "float", -reach, reach))
    writer.declare(part, Expr(part, "float", -3.0, 3.0))
    return [f"{whole}, {part} = divmod({item.text}, {divisor.text})"]


@statement("modf and frexp", 0.3)
def parts(writer: Writer) -> list[str] | None:
    item = writer.float(1)
    name = writer.variant("math", {"modf": 2, "frexp": 1})
    first, second = writer.fresh("frac"), writer.fresh("whole")
    writer.declare(first, Expr(first, "float", -1.0, 1.0))
    if name == "modf":
        writer.declare(second, Expr(second, "float", -item.reach, item.reach))
    else:
        writer.declare(second, Expr(second, "int", -1100, 20), writable=False)
    return [f"{first}, {second} = math.{name}({item.text})"]
