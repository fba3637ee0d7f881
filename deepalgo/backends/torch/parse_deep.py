"""Parse text with more than a hundred levels of indentation, which Python's own parser refuses.

>>> deep = "".join("    " * level + "if x:\\n" for level in range(150)) + "    " * 150 + "y = 1\\n"
>>> space = {"x": True}
>>> exec(compile(parse_deep(deep), "<deep>", "exec"), space)
>>> space["y"]
1
"""

from __future__ import annotations

import ast

#: Levels of indentation that are parsed at once.
LEVELS = 80
INDENT = "    "


def is_deep(text: str) -> bool:
    """Whether a text with four blanks a level has too many levels for `ast.parse`."""
    return "\n" + INDENT * LEVELS in text


def parse_deep(text: str, first: int = 1) -> ast.Module:
    """The syntax tree of a text with four blanks a level, whose first line has the number `first`."""
    kept: list[str] = []
    grafts: dict[int, list[str]] = {}
    edge = INDENT * LEVELS
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith(edge):
            kept.append(line)
            continue
        if not _continues(grafts, number):
            grafts[number] = []
        start = max(grafts)
        grafts[start].append(line[len(edge) :])
        kept.append(f"{edge}pass" if start == number else "")
    tree = ast.parse("\n".join(kept))
    for node in ast.walk(tree) if first > 1 else ():
        if hasattr(node, "lineno"):
            node.lineno += first - 1
            node.end_lineno += first - 1  # type: ignore[attr-defined]  # every node with lineno has it
    for node in list(ast.walk(tree)) if grafts else ():
        _insert(node, grafts, first)
    return tree


def _continues(grafts: dict[int, list[str]], number: int) -> bool:
    """Whether the line before belongs to the last graft."""
    return bool(grafts) and max(grafts) + len(grafts[max(grafts)]) == number


def _insert(node: ast.AST, grafts: dict[int, list[str]], first: int) -> None:
    """Put the parsed lines where a `pass` holds their place."""
    for name in ("body", "orelse"):
        held = getattr(node, name, None)
        if isinstance(held, list) and len(held) == 1 and isinstance(held[0], ast.Pass) and held[0].lineno - first + 1 in grafts:
            start = held[0].lineno - first + 1
            setattr(node, name, parse_deep("\n".join(grafts[start]), held[0].lineno).body)
