"""`SourceText`: a file as it lies on the disk, with its syntax tree and the numbers that stand in it."""

from __future__ import annotations

import ast
import io
import linecache
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deepalgo.spans import Span, digest


@dataclass(frozen=True, slots=True, eq=False)
class TableCell:
    """One number in a text: its syntax node and the characters that it covers."""

    node: ast.expr
    start: int
    end: int


class SourceText:
    """The text of a file, line endings and encoding as they are."""

    def __init__(self, file: str, text: str, encoding: str) -> None:
        self.file = file
        self.text = text
        self.encoding = encoding
        lines = list(io.StringIO(text, newline=""))
        self.lines = [line.rstrip("\r\n") for line in lines]
        self.tree = ast.parse("\n".join(self.lines))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))

    @property
    def digest(self) -> str:
        """What tells this text from another."""
        return digest(self.lines)

    def cell(self, node: ast.expr) -> TableCell:
        """The place of a node."""
        return TableCell(node, self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno or 0, node.end_col_offset or 0))

    def _offset(self, line: int, column: int) -> int:
        """Syntax trees count columns in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def at(self, span: Span) -> list[ast.expr]:
        """The expressions that cover a span, the outermost first."""
        start, end = self.starts[span.line - 1] + span.column, self.starts[span.end_line - 1] + span.end_column
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, ast.expr) and node.lineno == span.line]
        return [node for node in nodes if (cell := self.cell(node)).start == start and cell.end == end]

    def assigned_at(self, line: int) -> list[tuple[str, ast.expr]]:
        """Names and values of the assignment that starts on a line."""
        found: list[tuple[str, ast.expr]] = []
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign(targets=targets, value=value) if node.lineno == line:
                    found += [pair for target in targets for pair in _pairs(target, value)]
                case ast.AnnAssign(target=target, value=ast.expr() as value) if node.lineno == line:
                    found += _pairs(target, value)
                case _:
                    pass
        return found

    def replaced(self, changes: Iterable[tuple[TableCell, str]]) -> str:
        """The text with other texts in place of some cells."""
        text = self.text
        for cell, new in sorted(changes, key=lambda change: change[0].start, reverse=True):
            text = text[: cell.start] + new + text[cell.end :]
        return text


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            return [(name, value)]
        case (ast.Tuple(elts=targets) | ast.List(elts=targets)), (ast.Tuple(elts=values) | ast.List(elts=values)):
            if len(targets) == len(values):
                return [pair for one, other in zip(targets, values, strict=True) for pair in _pairs(one, other)]
        case _:
            pass
    return []


def read_text(file: str) -> SourceText | None:
    """The file on the disk, or what a notebook remembers of a cell; None where there is neither."""
    path = Path(file)
    if path.is_file():
        content = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return SourceText(file, content.decode(encoding), encoding)
    lines = linecache.getlines(file)
    return SourceText(file, "".join(lines), "utf-8") if lines else None
