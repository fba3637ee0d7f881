"""The user's text: where a function stands, its syntax tree, and spans that point into the file.

>>> span = Span("heat.py", 3, 8, 3, 13, ("    y = x / 0",))
>>> print(span)
heat.py:3:9
>>> print(span.excerpt())
    3 |     y = x / 0
      |         ^^^^^
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import linecache
import os
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the user's source. Columns count from 0, lines from 1; `lines` is the text it covers."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    lines: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{display_name(self.file)}:{self.line}:{self.column + 1}"

    @property
    def place(self) -> str:
        """`file:line`, as tables show it."""
        return f"{display_name(self.file)}:{self.line}"

    def excerpt(self) -> str:
        """The first line of the span with carets under the part that is meant."""
        text = self.lines[0]
        end = self.end_column if self.end_line == self.line else len(text.rstrip())
        carets = "^" * max(1, end - self.column)
        return f"{self.line:5} | {text.rstrip()}\n      | {' ' * self.column}{carets}"


def display_name(file: str) -> str:
    """A path as people write it: relative where the file lies below the working directory, else its name."""
    return _relative(file, os.getcwd())  # noqa: PTH109  # asked for every line, and a `Path` takes ten times as long


@functools.lru_cache(256)
def _relative(file: str, folder: str) -> str:
    try:
        return str(Path(file).relative_to(folder))
    except ValueError:
        return Path(file).name or file


@dataclass(frozen=True, slots=True, eq=False)
class FunctionSource:
    """A function's syntax tree together with the file that it came from."""

    node: ast.FunctionDef | ast.Lambda
    file: str
    lines: tuple[str, ...]  # the whole file
    name: str

    def span(self, node: ast.AST) -> Span:
        """The stretch of the file that a node of this function covers."""
        return span_of(node, self.file, self.lines, self.node.lineno)


def span_of(node: ast.AST, file: str, lines: Sequence[str], line: int = 1) -> Span:
    """The stretch of a file that a node covers, from its own line or else from `line`.

    Syntax trees count columns in UTF-8 bytes; people count characters.
    """
    line, offset = getattr(node, "lineno", line), getattr(node, "col_offset", 0)
    end_line, end_offset = getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or 0
    return Span(file, line, _characters(lines, line, offset), end_line, _characters(lines, end_line, end_offset),
                tuple(lines[line - 1 : line]))


def _characters(lines: Sequence[str], line: int, offset: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text.encode()[:offset].decode(errors="ignore"))


class SourceUnavailable(Exception):
    """The text of a function cannot be found, or is no longer what was compiled by Python. `remedy` says what helps."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


def read_function(function: types.FunctionType) -> FunctionSource:
    """Find a function's text and parse it; refuse text that is not what Python compiled."""
    code = function.__code__
    lines = _file_lines(code)
    candidates = _lambdas_at(lines, code) if code.co_name == "<lambda>" else _defs_at(lines, code)
    matching = [node for node in candidates if _floats_agree(node, code) and _arguments_agree(node, code)]
    if not matching:
        raise SourceUnavailable(
            f"the text of `{code.co_name}` in {display_name(code.co_filename)} is not the text that Python runs",
            "The file changed after it was imported, or the function was generated: import it again.",
        )
    if len(matching) > 1:
        raise SourceUnavailable(
            f"{display_name(code.co_filename)}:{code.co_firstlineno} holds several lambdas that look alike",
            "Write each on its own line, or use `def`.",
        )
    return FunctionSource(matching[0], code.co_filename, lines, code.co_name)


def definition_span(code: types.CodeType) -> Span:
    """The first line of a function."""
    text = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\r\n")
    column = len(text) - len(text.lstrip())
    return Span(code.co_filename, code.co_firstlineno, column, code.co_firstlineno, len(text), (text,))


def attribute_span(owner: type, name: str) -> Span | None:
    """The value that a class body gives an attribute. In a notebook only the methods of the class know its cell."""
    methods = [item.__code__.co_filename for item in vars(owner).values() if isinstance(item, types.FunctionType)]
    module = getattr(sys.modules.get(owner.__module__), "__file__", None) or ""
    spans = (_attribute_in(file, owner, name) for file in dict.fromkeys([module, *methods]))
    return next((span for span in spans if span is not None), None)


def digest(lines: Iterable[str]) -> str:
    """What tells a text from another, line endings aside."""
    return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()


def text_digest(file: str) -> str:
    """The digest of a file's text as Python shows it, '' where it has none."""
    lines = [line.rstrip("\r\n") for line in linecache.getlines(file)]
    return digest(lines) if lines else ""


def _attribute_in(file: str, owner: type, name: str) -> Span | None:
    lines = linecache.getlines(file)
    try:
        scope: ast.AST = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    for part in owner.__qualname__.split("."):
        found = [node for node in ast.iter_child_nodes(scope) if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == part]
        if part != "<locals>":
            scope = found[-1] if found else ast.Module([], [])
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            held = node.value or node
            return span_of(held, file, [line.rstrip("\r\n") for line in lines])
    return None


def _file_lines(code: types.CodeType) -> tuple[str, ...]:
    lines = _stripped_lines(code.co_filename)
    if not lines and code.co_filename == "<stdin>":
        lines = tuple(_history_lines(code))
    if not lines:
        raise SourceUnavailable(
            f"there is no source text for `{code.co_name}`",
            "Put the function into a file or a notebook cell.",
        )
    return lines


#: The lines of files as `linecache` has them and without their ends: all functions of a file share one copy.
_LINES: dict[str, tuple[list[str], tuple[str, ...]]] = {}
MOST_FILES = 64


def _stripped_lines(file: str) -> tuple[str, ...]:
    held = linecache.getlines(file)
    known = _LINES.get(file)
    if known is None or known[0] is not held:
        if len(_LINES) >= MOST_FILES:
            _LINES.clear()
        known = _LINES[file] = held, tuple(line.rstrip("\r\n") for line in held)
    return known[1]


def _history_lines(code: types.CodeType) -> list[str]:
    """What was typed at the prompt, padded so that the function starts at the line its code object names."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    typed = [readline.get_history_item(n) or "" for n in range(1, readline.get_current_history_length() + 1)]
    for start in range(len(typed) - 1, -1, -1):
        if not typed[start].lstrip().startswith(("def ", "@", "lambda")) and "lambda" not in typed[start]:
            continue
        lines = [""] * (code.co_firstlineno - 1) + typed[start:]
        nodes = _lambdas_at(lines, code) if code.co_name == "<lambda>" else _defs_at(lines, code)
        if any(_floats_agree(node, code) and _arguments_agree(node, code) for node in nodes):
            return lines
    return []


def _defs_at(lines: Sequence[str], code: types.CodeType) -> list[ast.FunctionDef | ast.Lambda]:
    tree = _parse_block(lines, code.co_firstlineno)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == code.co_name]
    return [found[0]] if found else []


def _parse_block(lines: Sequence[str], first: int) -> ast.Module:
    """Parse the block that starts at line `first`, keeping the file's line and column numbers."""
    try:
        block = inspect.getblock([line + "\n" for line in lines[first - 1 :]])
    except (IndentationError, SyntaxError):
        return ast.Module([], [])
    indented = block and block[0][:1] in (" ", "\t")
    text = ("if 1:\n" if indented else "") + "".join(block)
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])
    return _shift_lines(tree, first - 1 - (1 if indented else 0))


def _shift_lines(tree: ast.Module, offset: int) -> ast.Module:
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno += offset
            node.end_lineno += offset  # type: ignore[attr-defined]  # every node with lineno has it
    return tree


def _lambdas_at(lines: Sequence[str], code: types.CodeType) -> list[ast.FunctionDef | ast.Lambda]:
    """The lambdas that start on the code's first line; the statement around them may start earlier."""
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        tree = _parse_block(lines, code.co_firstlineno)
    same_line = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno]
    columns = {position[2] for position in code.co_positions() if position[0] == code.co_firstlineno}
    inside = [node for node in same_line if node.body.col_offset in columns]
    return list(inside or same_line)


def _floats_agree(node: ast.FunctionDef | ast.Lambda, code: types.CodeType) -> bool:
    """Whether the text, compiled once more, loads the same numbers as the code that runs."""
    return _code_floats(compiled_again(node, code)) == _code_floats(code)


def compiled_again(node: ast.FunctionDef | ast.Lambda, code: types.CodeType) -> types.CodeType:
    """The code of a function's tree as it is by now, in the place of code that was made of it: with its free names, and in its class."""
    statement: ast.stmt = ast.copy_location(ast.Expr(node) if isinstance(node, ast.Lambda) else _without_decorators(node), node)
    outer = code.co_qualname.split(".")[:-1]
    if outer and outer[-1].isidentifier():  # names with two underscores are those of the class
        statement = ast.copy_location(ast.ClassDef(outer[-1], [], [], [statement], []), node)
    flags = code.co_flags & annotations.compiler_flag
    around = _inside(statement, code.co_freevars)
    if code.co_name.isidentifier() and code.co_name not in code.co_freevars:  # it calls itself by a global name
        around.body[0].body.insert(0, ast.copy_location(ast.Global([code.co_name]), around.body[0]))  # type: ignore[attr-defined]
    module = compile(around, code.co_filename, "exec", flags, dont_inherit=True)
    return next(item for item in _inner_codes(module) if item.co_name == code.co_name and item.co_firstlineno >= node.lineno)


def _inner_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield item
            yield from _inner_codes(item)


def _inside(statement: ast.stmt, free: tuple[str, ...]) -> ast.Module:
    """The statement in a function that binds its free variables, without which `nonlocal` is a syntax error."""
    outer = ast.parse("def around():\n" + "".join(f"    {name} = None\n" for name in free) + "    pass")
    assert isinstance(outer.body[0], ast.FunctionDef)
    outer.body[0].body.append(statement)
    return outer


def _without_decorators(node: ast.FunctionDef) -> ast.FunctionDef:
    """The bare function: decorators and defaults are evaluated outside of its code."""
    arguments = node.args
    bare = ast.arguments(arguments.posonlyargs, arguments.args, arguments.vararg, arguments.kwonlyargs,
                         [None] * len(arguments.kwonlyargs), arguments.kwarg, [])
    return ast.FunctionDef(node.name, bare, node.body, [], None)


def _code_floats(code: types.CodeType) -> set[str]:
    """The floats among a code object's constants, nested functions included, as text (so that nan equals nan)."""
    found = {repr(item) for item in code.co_consts if isinstance(item, float)}
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            found |= _code_floats(item)
    return found


def _arguments_agree(node: ast.FunctionDef | ast.Lambda, code: types.CodeType) -> bool:
    arguments = node.args
    named = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(named) == code.co_varnames[: len(named)] and len(named) == code.co_argcount + code.co_kwonlyargcount
