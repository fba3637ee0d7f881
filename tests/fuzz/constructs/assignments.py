"""Binding names and changing them."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr, add, divide, multiply, subtract
from tests.fuzz.registry import statement
from tests.fuzz.writer import Variable, Writer


@statement("new variable", 5.0)
def bind(writer: Writer) -> list[str]:
    made = fit(writer, writer.float(3), -60.0, 60.0)
    name = writer.fresh()
    if made.kind != "float":
        made = Expr(f"float({made.text})", "float", made.low, made.high)
    writer.declare(name, made)
    if writer.chance(0.05):
        writer.note("annotated assignment")
        return [f"{name}: float = {made.text}"]
    return [f"{name} = {made.text}"]


@statement("reassignment", 3.0)
def rebind(writer: Writer) -> list[str] | None:
    variable = writer.some("float", writable=True)
    if variable is None:
        return None
    made = writer.float(2)
    if writer.chance(0.5):
        made = add(variable.read(), made) if writer.chance(0.5) else multiply(variable.read(), made)
    return [writer.assign(variable, made)]


@statement("augmented assignment", 3.0)
def augment(writer: Writer) -> list[str] | None:
    variable = writer.some("float", writable=True)
    if variable is None:
        return None
    way = writer.variant("augmented", {"+=": 4, "-=": 3, "*=": 3, "/=": 2, "//=": 0.5, "%=": 0.6, "**=": 0.6})
    operand, made = _augmented(writer, variable, way)
    line = f"{variable.name} {way} {operand.text}"
    if made.lies_in(variable.low, variable.high):
        return [line]
    after = Expr(variable.name, "float", made.low, made.high)
    if writer.chance(0.5):
        return [line, writer.assign(variable, after)]
    writer.note("clamp by if")
    return [line, f"if {variable.name} > {variable.high}:", f"    {variable.name} = {variable.high}",
            f"elif {variable.name} < {variable.low}:", f"    {variable.name} = {variable.low}"]


def _augmented(writer: Writer, variable: Variable, way: str) -> tuple[Expr, Expr]:
    """The operand, and the interval afterwards."""
    item = variable.read()
    match way:
        case "+=" | "-=":
            operand = writer.float(2)
            return operand, (add if way == "+=" else subtract)(item, operand)
        case "*=":
            operand = writer.literal(-1.2, 1.2) if writer.chance(0.6) else writer.within(-2.0, 2.0, 1)
            return operand, multiply(item, operand)
        case "/=":
            operand = writer.literal(0.5, 3.0) if writer.chance(0.6) else writer.positive(1, 0.4)
            return operand, divide(item, operand)
        case "//=":
            operand = writer.literal(0.5, 2.0)
            return operand, Expr("", "float", *_spread(divide(item, operand)))
        case "%=":
            operand = writer.literal(0.5, 3.0)
            return operand, Expr("", "float", 0.0, operand.high)
        case _:
            operand = Expr("2", "int", 2, 2)
            return operand, Expr("", "float", 0.0, item.reach**2)


def _spread(item: Expr) -> tuple[float, float]:
    return item.low - 1, item.high + 1


@statement("new int variable", 1.8)
def bind_int(writer: Writer) -> list[str]:
    made = fit(writer, writer.int(2), -40, 40)
    name = writer.fresh(writer.rng.choice(("n", "count", "index", "bucket", "whole")))
    writer.declare(name, Expr(name, "int", made.low, made.high))
    return [f"{name} = {made.text}"]


@statement("int changed", 14.0)
def rebind_int(writer: Writer) -> list[str] | None:
    variable = writer.some("int", writable=True)
    if variable is None or variable.high - variable.low < 2:
        return None
    if writer.chance(0.6) and variable.high < 1000:
        step = writer.rng.choice((1, 2, 3))
        after = Expr(f"{variable.name} + {step}", "int", variable.low + step, variable.high + step)
        return [writer.assign(variable, after)]
    return [writer.assign(variable, writer.int(2))]


@statement("new bool variable", 1.0)
def bind_bool(writer: Writer) -> list[str]:
    made = writer.bool(2)
    name = writer.fresh(writer.rng.choice(("ok", "hot", "inside", "flag", "high")))
    writer.declare(name, Expr(name, "bool", 0, 1))
    return [f"{name} = {made.text}"]


@statement("bool changed", 6.0)
def rebind_bool(writer: Writer) -> list[str] | None:
    variable = writer.some("bool", writable=True)
    if variable is None:
        return None
    return [f"{variable.name} = {writer.pick({variable.name + ' and': 1, variable.name + ' or': 1, 'not': 1})} {writer.bool(1).text}"]


@statement("int that becomes float", 0.7)
def late_float(writer: Writer) -> list[str] | None:
    """`total = 0` and then floats are added to it."""
    name = writer.fresh("total")
    first = writer.rng.choice((0, 1))
    variable = writer.declare(name, Expr(name, "float", -20.0, 20.0))
    lines = [f"{name} = {first}"]
    if writer.roomy and writer.chance(0.6):
        inner = writer.within(-10.0, 10.0, 1)
        return [*lines, f"if {writer.bool(1).text}:", f"    {writer.pick({name + ' +=': 1, name + ' =': 1})} {inner.text}"]
    return [*lines, writer.assign(variable, add(variable.read(), writer.float(1)))]


@statement("chained assignment", 0.4)
def both(writer: Writer) -> list[str]:
    made = writer.within(-10.0, 10.0, 2)
    first, second = writer.fresh(), writer.fresh()
    writer.declare(first, made if made.kind == "float" else Expr("", "float", -10.0, 10.0))
    writer.declare(second, made if made.kind == "float" else Expr("", "float", -10.0, 10.0))
    return [f"{first} = {second} = {made.text}"]


@statement("walrus", 0.3)
def walrus(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    made = writer.within(-10.0, 10.0, 1)
    name = writer.fresh()
    writer.declare(name, Expr(name, "float", min(made.low, 0.0), max(made.high, 0.0)))
    return [f"if ({name} := {made.text}) > {writer.literal(-1.0, 1.0).text}:", *writer.block(2)]
