"""Names and numbers."""

from __future__ import annotations

from tests.fuzz.expression import Expr, number
from tests.fuzz.registry import expression
from tests.fuzz.writer import Writer


@expression("float", "variable", 9.0)
def variable(writer: Writer, depth: int) -> Expr | None:
    found = writer.some("float")
    return found.read() if found else None


@expression("float", "float literal", 1.2)
def literal(writer: Writer, depth: int) -> Expr:
    return writer.literal()


@expression("float", "module constant", 1.2)
def constant(writer: Writer, depth: int) -> Expr | None:
    if not writer.module.constants:
        return None
    name = writer.rng.choice(sorted(writer.module.constants))
    value = writer.module.constants[name]
    return Expr(name, "float", value, value)


@expression("float", "table entry", 0.4)
def table_entry(writer: Writer, depth: int) -> Expr | None:
    if not writer.module.tables:
        return None
    name = writer.rng.choice(sorted(writer.module.tables))
    values = writer.module.tables[name]
    index = writer.rng.randrange(-1, len(values))
    return Expr(f"{name}[{index}]", "float", values[index], values[index])


@expression("int", "int variable", 6.0)
def int_variable(writer: Writer, depth: int) -> Expr | None:
    found = writer.some("int")
    return found.read() if found else None


@expression("int", "int literal", 1.0)
def int_literal(writer: Writer, depth: int) -> Expr:
    return number(writer.rng.choice((1, 2, 3, 4, 5, -1, -2)))


@expression("int", "int option", 1.0)
def int_option(writer: Writer, depth: int) -> Expr | None:
    return Expr(writer.rng.choice(writer.sizes), "int", 1, 5) if writer.sizes else None


@expression("bool", "bool variable", 4.0)
def bool_variable(writer: Writer, depth: int) -> Expr | None:
    found = writer.some("bool")
    return found.read() if found else None


@expression("bool", "bool option", 0.4)
def bool_option(writer: Writer, depth: int) -> Expr | None:
    return Expr(writer.rng.choice(writer.flags), "bool", 0, 1) if writer.flags else None
