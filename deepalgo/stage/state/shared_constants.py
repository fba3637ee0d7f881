"""Constants of a module that another one of its constants holds: `DT` in `F = [[1.0, DT], [0.0, 1.0]]` is one weight with `DT` itself.

>>> text = "DT = 0.01\\nF = np.array([[1.0, DT], [0.0, 1.0]])\\nG = [0.5 * DT, DT]\\n"
>>> shared_cells(text, 2, "F", {"DT": 0.01, "F": [[1.0, 0.01], [0.0, 1.0]]})
{(0, 1): 'DT'}
>>> shared_cells(text, 3, "G", {"DT": 0.02, "G": [0.005, 0.01]})
{}
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from typing import Any

#: Calls that hold what they are given.
ARRAYS = frozenset({"array", "asarray"})
#: Longer displays are tables that nobody names cell by cell.
LARGEST = 4096


def shared_cells(text: str, line: int, name: str, scope: Mapping[str, Any]) -> dict[tuple[int, ...], str]:
    """Where the display that a module assigns on a line names other numbers of the module, which still are what it holds."""
    node = _assigned(text, line, name)
    if node is None or not isinstance(node, (ast.List, ast.Tuple, ast.Call)):
        return {}
    return {path: other for path, other in _names(node) if _is_held(scope[name], path, scope.get(other))}


@functools.lru_cache(maxsize=16)
def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


def _assigned(text: str, line: int, name: str) -> ast.expr | None:
    for node in _tree(text).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if node.lineno == line and target == name:
                return value
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if node.lineno == line and target == name:
                return value
            case _:
                pass
    return None


def _names(node: ast.expr) -> Iterator[tuple[tuple[int, ...], str]]:
    match node:
        case ast.Name(id=name):
            yield (), name
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= LARGEST:
            for number, item in enumerate(items):
                yield from (((number, *path), name) for path, name in _names(item))
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[first, *_]) if called in ARRAYS:
            yield from _names(first)
        case _:
            return


def _is_held(value: Any, path: tuple[int, ...], other: Any) -> bool:
    if type(other) is not float or not path:
        return False
    try:
        held = functools.reduce(lambda inside, place: inside[place], path, value)
    except (IndexError, TypeError):
        return False
    return isinstance(held, float) and held == other
