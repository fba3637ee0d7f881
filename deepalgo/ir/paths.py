"""Where a number sits in the arguments of a call, as text: `points[0]['x']`."""

from __future__ import annotations

import ast
import keyword


def parse_path(path: str) -> tuple[str, tuple[object, ...]]:
    """The name and the keys of a path; ValueError for a text that is none.

    >>> parse_path("points[0]['x']")
    ('points', (0, 'x'))
    >>> parse_path("points[exit()]")
    Traceback (most recent call last):
    ValueError: 'points[exit()]' is no path
    """
    if path.isidentifier() and not keyword.iskeyword(path):
        return path, ()
    try:
        node = ast.parse(path, mode="eval").body
        keys: list[object] = []
        while isinstance(node, ast.Subscript):
            keys.insert(0, ast.literal_eval(node.slice))
            node = node.value
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        node, keys = ast.Constant(None), []
    if not isinstance(node, ast.Name) or path != node.id + "".join(f"[{key!r}]" for key in keys):
        raise ValueError(f"{path!r:.60} is no path")
    return node.id, tuple(keys)
