"""Which other functions of a file read a constant of the module that a diff changes.

>>> text = SourceText("a.py", "K = 0.5\\ndef f(x):\\n    return K * x\\ndef g(x):\\n    return f(x) + K\\ndef h(K):\\n    return K\\n", "")
>>> other_users(text, 1, {2, 3})
('g',)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from deepalgo.ir import Op, Program, walk
from deepalgo.patching.text import SourceText


def other_users(text: SourceText, line: int, known: Collection[int]) -> tuple[str, ...]:
    """The functions that read what the module assigns on a line, but for those with one of the known lines."""
    names = {name for node in text.tree.body if node.lineno == line for name in _assigned(node)}
    found = []
    for title, function in _functions(text.tree, ""):
        own = set(range(function.lineno, (function.end_lineno or function.lineno) + 1))
        if names & _globals_read(function) and not own & set(known):
            found.append(title)
    return tuple(found)


def lines_of(program: Program, file: str) -> set[int]:
    """The lines of a file that a program was made from."""
    spans = (statement.span for statement in walk(program.body) if isinstance(statement, Op))
    return {span.line for span in spans if span is not None and span.file == file}


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        yield from (item.id for item in ast.walk(target) if isinstance(item, ast.Name))


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions of a module and the methods of its classes; what a function defines inside belongs to it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f"{prefix}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _globals_read(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function reads and does not bind itself."""
    names = [item for item in ast.walk(function) if isinstance(item, ast.Name)]
    told = {name for item in ast.walk(function) if isinstance(item, ast.Global) for name in item.names}
    bound = {item.id for item in names if not isinstance(item.ctx, ast.Load)} - told
    bound |= {item.arg for item in ast.walk(function) if isinstance(item, ast.arg)}
    return {item.id for item in names if isinstance(item.ctx, ast.Load)} - bound
