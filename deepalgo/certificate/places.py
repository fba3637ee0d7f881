"""What stands at a span of the user's file: a branch or a loop, and the lines by which its arms can be told apart.

>>> text = ["if a < b:", "    c = 1", "else:", "    c = 2"]
>>> arms = arms_of(ast.parse("\\n".join(text)).body[0])
>>> arms.test, arms.first
(1, 2)
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deepalgo.spans import Span

CHOICES = (ast.If, ast.IfExp, ast.BoolOp, ast.Compare)
LOOPS = (ast.For, ast.While)
#: Statements that start with exactly one event of their line, whatever they do then.
PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Break, ast.Continue, ast.Pass, ast.Raise, ast.Delete)


@dataclass(frozen=True, slots=True)
class Lines:
    """The line of a test, the first line of what it guards, and of a loop the last; None where it cannot be told from others."""

    test: int | None
    first: int | None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """The branches and loops of a file by their place, and the lines of the innermost function around each (none: 0, -1)."""

    nodes: dict[tuple[int, int, int, int], ast.AST]
    functions: dict[tuple[int, int, int, int], tuple[int, int]]


def node_at(span: Span) -> ast.AST | None:
    """The branch or loop that covers exactly this span, if the file can be read."""
    return _parsed(span.file).nodes.get((span.line, span.column, span.end_line, span.end_column))


def entered(lines: Iterable[tuple[str, int]], kinds: tuple[type[ast.AST], ...]) -> Iterator[tuple[Span, ast.AST]]:
    """The branches or loops of all functions in which one of the lines stands."""
    ran = set(lines)
    for file in sorted({file for file, _ in ran}):
        parsed = _parsed(file)
        for position, node in parsed.nodes.items():
            first, last = parsed.functions[position]
            if isinstance(node, kinds) and any((file, line) in ran for line in range(first, last + 1)):
                yield Span(file, *position, (linecache.getline(file, position[0]).rstrip("\n"),)), node


def _parsed(file: str) -> Parsed:
    return _parse(tuple(linecache.getlines(file)))


@functools.lru_cache(maxsize=64)  # by the text, as a file may change
def _parse(lines: tuple[str, ...]) -> Parsed:
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return Parsed({}, {})
    parsed = Parsed({}, {})
    waiting: deque[tuple[ast.AST, tuple[int, int]]] = deque([(tree, (0, -1))])
    while waiting:
        node, function = waiting.popleft()
        if isinstance(node, (*CHOICES, *LOOPS)):
            position = _position(node, lines)
            parsed.nodes[position], parsed.functions[position] = node, function
        if isinstance(node, ast.FunctionDef):
            function = node.body[0].lineno, node.end_lineno or node.lineno
        waiting.extend((child, function) for child in ast.iter_child_nodes(node))
    return parsed


def _position(node: ast.If | ast.IfExp | ast.BoolOp | ast.Compare | ast.For | ast.While, lines: Sequence[str]) -> tuple[int, int, int, int]:
    end = node.end_lineno or node.lineno
    return node.lineno, _characters(lines, node.lineno, node.col_offset), end, _characters(lines, end, node.end_col_offset or 0)


def _characters(lines: Sequence[str], line: int, offset: int) -> int:
    """Syntax trees count columns in UTF-8 bytes, spans in characters."""
    return len(lines[line - 1].encode()[:offset].decode(errors="ignore"))


def arms_of(node: ast.AST | None) -> Lines:
    """The lines of an `if`."""
    if not isinstance(node, ast.If):
        return Lines(None, None)
    first = _first_line(node)
    test = node.lineno if node.test.end_lineno == node.lineno else None
    return Lines(test, first if test is not None else None)


def rounds_of(node: ast.AST | None) -> Lines:
    """The lines of a loop; a test that assigns is run as part of the body."""
    if not isinstance(node, LOOPS):
        return Lines(None, None)
    assigns = isinstance(node, ast.While) and any(isinstance(item, ast.NamedExpr) for item in ast.walk(node.test))
    return Lines(node.lineno, None if assigns else _first_line(node), node.body[-1].end_lineno)


def _first_line(node: ast.If | ast.For | ast.While) -> int | None:
    """The line of the first statement inside, if it runs once each time that the inside is entered."""
    first = node.body[0]
    calls = isinstance(first, ast.Expr) and not isinstance(first.value, ast.Constant)
    simple = isinstance(first, PLAIN) or calls or (isinstance(first, ast.If) and first.test.end_lineno == first.lineno)
    one_line = isinstance(first, ast.If) or first.end_lineno == first.lineno
    if any(isinstance(item, ast.comprehension) for item in ast.walk(first.test if isinstance(first, ast.If) else first)):
        return None  # since Python 3.12 its rounds are events of the line
    return first.lineno if simple and one_line and first.lineno != node.lineno else None
