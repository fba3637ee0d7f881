"""Which weight of a network a literal of the text has become.

>>> literals = places("LIMIT = 2.0\\nSCALE = max(0.5, 0.25)\\ndef f(x, k=0.75):\\n    return k * x + 1.5\\n")
>>> sorted(literals)
[(1, 8), (3, 11), (4, 19)]
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from typing import Any

from tests.fuzz.instrument import Literal


@dataclass(frozen=True, slots=True)
class Found:
    """The weight's name, the place inside of it, and -1 where the minus sign went into the weight."""

    key: str
    index: tuple[int, ...]
    sign: float
    frozen: str


def find(network: Any, source: str, literal: Literal) -> Found | None:
    """The weight that covers a literal, looked up by position."""
    covering = [weight for weight in network.weights.entries if weight.span is not None and _covers(weight.span, literal)]
    if not covering:
        return None
    weight = min(covering, key=lambda item: item.span.end_column - item.span.column)
    index: tuple[int, ...] = ()
    value = weight.value
    if weight.shape:
        line = source.splitlines()[literal.line - 1]
        (tree,) = ast.parse(line[weight.span.column : weight.span.end_column]).body
        assert isinstance(tree, (ast.Assign, ast.Expr)), "a table stands alone or is given a name"
        index = _place(tree.value, literal.column - weight.span.column) or ()
        for number in index:
            value = value[number]
    sign = math.copysign(1.0, value) * math.copysign(1.0, literal.value)
    return Found(weight.key, index, sign, weight.frozen)


def _covers(span: Any, literal: Literal) -> bool:
    return bool(span.line == literal.line and span.column <= literal.column and literal.end_column <= span.end_column)


def _place(node: ast.expr, column: int) -> tuple[int, ...] | None:
    """Where in nested lists and tuples the number at a column stands."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for number, item in enumerate(node.elts):
            rest = _place(item, column)
            if rest is not None:
                return (number, *rest)
        return None
    constant = node.operand if isinstance(node, ast.UnaryOp) else node
    return () if constant.col_offset == column else None


def places(source: str) -> set[tuple[int, int]]:
    """Line and column of the literals that must become weights.

    Those in functions, plain constants of the module or of a class, tables of numbers, and defaults. What module code computes
    from numbers while it is imported is out of the compiler's sight.
    """
    found: set[tuple[int, int]] = set()
    _collect(ast.parse(source).body, found)
    return found


def _collect(body: list[ast.stmt], found: set[tuple[int, int]]) -> None:
    for node in body:
        match node:
            case ast.FunctionDef(args=arguments):
                for item in [*node.body, *(default for default in (*arguments.defaults, *arguments.kw_defaults) if _is_plain(default))]:
                    found |= _floats(item)
            case ast.ClassDef():
                _collect(node.body, found)
            case ast.Assign(value=ast.Lambda(body=inner)):
                found |= _floats(inner)
            case ast.Assign(value=value) if _is_plain(value):
                found |= _floats(value)


def _is_plain(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant(value=float()):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _is_plain(inner)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_plain(item) for item in items)
        case _:
            return False


def _floats(node: ast.AST | None) -> set[tuple[int, int]]:
    if node is None:
        return set()
    return {(item.lineno, item.col_offset) for item in ast.walk(node) if isinstance(item, ast.Constant) and isinstance(item.value, float)}
