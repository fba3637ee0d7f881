"""The table of constructs that programs are made of. Adding one is a function with a decorator; nothing else changes.

An expression producer gets the writer and the depth it may use and returns an `Expr`; a statement producer gets the writer and
returns lines; a helper producer returns a `Helper`. Any of them returns None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Construct:
    """One row: the name counted as coverage, how often it is tried, and the function that writes it."""

    name: str
    weight: float
    produce: Callable[..., Any]


EXPRESSIONS: dict[str, list[Construct]] = {"float": [], "int": [], "bool": []}
STATEMENTS: list[Construct] = []
HELPERS: list[Construct] = []
#: Statements and expressions on arrays, containers and objects, for programs of the kind that has them.
RICH: list[Construct] = []
RICH_EXPRESSIONS: list[Construct] = []


def expression(kind: str, name: str, weight: float = 1.0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return _into(EXPRESSIONS[kind], name, weight)


def statement(name: str, weight: float = 1.0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return _into(STATEMENTS, name, weight)


def helper(name: str, weight: float = 1.0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return _into(HELPERS, name, weight)


def rich(name: str, weight: float = 1.0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return _into(RICH, name, weight)


def rich_expression(name: str, weight: float = 1.0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return _into(RICH_EXPRESSIONS, name, weight)


def all_names(kind: str = "scalar") -> set[str]:
    """Every construct of a kind of programs that has a row of its own."""
    if kind in ("options", "edges"):
        return set()
    if kind == "arrays":
        return {row.name for row in (*RICH, *RICH_EXPRESSIONS)}
    rows = [*STATEMENTS, *HELPERS, *(row for rows in EXPRESSIONS.values() for row in rows)]
    return {row.name for row in rows}


def _into(table: list[Construct], name: str, weight: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(produce: Callable[..., Any]) -> Callable[..., Any]:
        # A test run imports the modules once more under other names; programs must not depend on that.
        if not any(row.name == name and row.produce.__qualname__ == produce.__qualname__ for row in table):
            table.append(Construct(name, weight, produce))
        return produce

    return register
