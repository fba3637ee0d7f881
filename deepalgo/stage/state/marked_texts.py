"""`da.weight` outside of functions: in a default, at the value of a module's constant or of a class attribute, Python ran it long ago.

What it said stands in the text only.

>>> marked_at("K = da.weight(0.5, bounds=(0.0, None))\\nD = 2.0\\n", 1, 0)
(0.0, inf)
>>> marked_at("K = 2.0\\n", 1, 0) is None, marked_at("def f(x, k=weight(2.0)):\\n    pass", 1, 11)
(True, (-inf, inf))
"""

from __future__ import annotations

import ast
import functools
import math


def marked_at(text: str, line: int, column: int) -> tuple[float, float] | None:
    """The bounds that the mark of a number says which stands there, or in the assignment of that line; None without a mark.

    ValueError for bounds that are no two plain numbers, the lower first.
    """
    calls = [call for call in _calls(text, line) if call[1] == column]
    if len(calls) != 1:
        return None
    bounds = next((keyword.value for keyword in calls[0][0].keywords if keyword.arg == "bounds"), None)
    if bounds is None:
        return -math.inf, math.inf
    found = ast.literal_eval(bounds)
    if found is None:
        return -math.inf, math.inf
    low, high = (default if side is None else float(side) for side, default in zip(found, (-math.inf, math.inf), strict=True))
    if not low < high:
        raise ValueError("bounds that leave no room")
    return low, high


@functools.lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


def _calls(text: str, line: int) -> list[tuple[ast.Call, int]]:
    """Marks that are the whole value of an assignment on a line, and those that are defaults, with their columns."""
    found: list[tuple[ast.Call, int]] = []
    for node in ast.walk(_tree(text)):
        match node:
            case ast.Assign(value=ast.Call() as value) | ast.AnnAssign(value=ast.Call() as value) if node.lineno == line:
                found += [(value, node.col_offset), (value, value.col_offset)]  # places of module constants, and of class attributes
            case ast.arguments():
                defaults = [item for item in (*node.defaults, *node.kw_defaults) if isinstance(item, ast.Call) and item.lineno == line]
                found += [(item, item.col_offset) for item in defaults]
            case _:
                pass
    return [(call, column) for call, column in found if ast.unparse(call.func).rpartition(".")[2] == "weight"]
