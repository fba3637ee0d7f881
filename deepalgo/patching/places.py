"""Where in the source the numbers of a weight stand, or why nowhere.

>>> import numpy as np
>>> text = SourceText("a.py", "GAIN = 0.5\\nTABLE = {'a': (1.0, -2.5), 'b': 3.0}\\n", "utf-8")
>>> find = lambda key, value, line: [text.text[cell.start:cell.end] for cell in find_cells(
...     Weight(key, value, np.shape(value), span=Span("a.py", line, 0, line, len(text.lines[line - 1]))), text)]
>>> find("GAIN", 0.5, 1), find("TABLE_a", (1.0, -2.5), 2), find("TABLE_b", 3.0, 2)
(['0.5'], ['1.0', '-2.5'], ['3.0'])
>>> find("TABLE_c", 4.0, 2)
Traceback (most recent call last):
deepalgo.patching.places.Nowhere: `TABLE = {'a': (1.0, -2.5), 'b': 3.0}` does not say it as a plain number
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from deepalgo.ir import Weight
from deepalgo.literals import says
from deepalgo.patching.text import SourceText, TableCell
from deepalgo.spans import Span

#: Calls whose first argument says the number: `np.array([0.1, 0.2])`, `da.weight(0.5, "gain")`.
TRANSPARENT = frozenset({"array", "asarray", "float64", "float", "weight", "tuple", "list"})


class Nowhere(Exception):
    """No number in the source can be replaced for this weight: why."""


def find_cells(weight: Weight, text: SourceText) -> list[TableCell]:
    """The numbers of a weight in reading order; what they say must be what was compiled."""
    assert weight.span is not None
    roots = [("", node) for node in text.at(weight.span)] or text.assigned_at(weight.span.line)
    found = {id(node): (suffix, node) for name, root in roots for suffix, node in _literals(root, name) if says(node, weight)}
    best = [node for suffix, node in found.values() if re.search(rf"(^|_){re.escape(suffix.strip('_'))}(_\d+)?$", weight.key)]
    chosen = [node for _, node in found.values()] if len(found) == 1 else best
    if len(chosen) == 1:
        return [text.cell(node) for node in _numbers(chosen[0])]
    marked = [marked for _, node in roots if not weight.shape for marked in _marked(node)]
    if marked:
        return [text.cell(marked[0])]
    line = weight.span.lines[0] if weight.span.lines else text.lines[weight.span.line - 1]
    if found:
        raise Nowhere(f"`{line.strip()}` says the same number at several places")
    raise Nowhere(f"`{line.strip()}` does not say it as a plain number")


def _marked(node: ast.expr) -> list[ast.expr]:
    """What `da.weight(1 / 3, "third")` marks: an expression that a number can stand for."""
    match node:
        case ast.Call(func=ast.Name(id="weight") | ast.Attribute(attr="weight"), args=[first, *_]):
            return [first]
        case _:
            return []


def _literals(node: ast.expr, name: str) -> Iterator[tuple[str, ast.expr]]:
    """Every table and number in an expression, with the name that a weight made of it ends in."""
    yield name, node
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            for number, item in enumerate(items):
                yield from _literals(item, f"{name}_{number}")
        case ast.Dict(keys=keys, values=values):
            for key, item in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant):
                    yield from _literals(item, f"{name}_" + re.sub(r"\W", "_", str(key.value)))
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[first, *_]) if called in TRANSPARENT:
            yield from _literals(first, name)
        case ast.Call(func=ast.Name(id="field") | ast.Attribute(attr="field"), keywords=keywords):
            for keyword in keywords:
                if keyword.arg == "default":
                    yield from _literals(keyword.value, name)
        case _:
            return


def _numbers(node: ast.expr) -> list[ast.expr]:
    """The numbers of a table in reading order."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [number for item in node.elts for number in _numbers(item)]
    return [node]



def place_of(span: Span | None) -> str:
    """Where a weight stands, for messages."""
    return "" if span is None else f" ({span.place})"
