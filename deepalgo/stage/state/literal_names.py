"""Names for literals that have one: the variable they are assigned to, the keyword or parameter they stand for.

>>> tree = ast.parse("gain = 0.5\\nlow, high = -1.0, da.weight(2.0, 'top', bounds=(0.0, 3.0))")
>>> names = literal_names(tree)
>>> [(ast.unparse(node), names[id(node)]) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) in names]
[('0.5', 'gain'), ('2.0', 'top'), ('0.0', '(plain)'), ('3.0', '(plain)')]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

#: Stands in place of a name for literals that are no weights: the bounds of one.
PLAIN = "(plain)"


def literal_names(tree: ast.AST) -> dict[int, str]:
    """The names by the numbers of nodes."""
    return {**dict(_suggest(tree)), **dict(_plain_bounds(tree))}


def _suggest(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                if value is not None:
                    yield id(value), name
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
                yield from ((id(value), target.id) for target, value in zip(targets, values, strict=True) if isinstance(target, ast.Name))
            case ast.keyword(arg=str(name), value=value):
                yield id(value), name
            case ast.Call(func=ast.Name(id="weight") | ast.Attribute(attr="weight"), args=[value, ast.Constant(value=str(name))]):
                yield id(value), name
                if isinstance(value, ast.Call) and value.args:  # np.array([0.1, 0.2])
                    yield id(value.args[0]), name
            case ast.arguments():
                positional = [*node.posonlyargs, *node.args]
                for arg, default in zip(positional[len(positional) - len(node.defaults) :], node.defaults, strict=True):
                    yield id(default), arg.arg
                for arg, keyword in zip(node.kwonlyargs, node.kw_defaults, strict=True):
                    if keyword is not None:
                        yield id(keyword), arg.arg


def _plain_bounds(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The literals of `da.weight(0.5, bounds=(0.0, 1.0))`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="weight") | ast.Attribute(attr="weight"), keywords=keywords):
                found = [keyword.value for keyword in keywords if keyword.arg == "bounds"]
                yield from ((id(part), PLAIN) for bounds in found for part in ast.walk(bounds))
            case _:
                pass
