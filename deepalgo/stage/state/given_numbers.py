"""Literals that are nobody's choice: zeros at which a sum or a state starts, and the numbers of a mean.

>>> def told(text):
...     tree = ast.parse(text)
...     return {ast.unparse(node): reason for node in ast.walk(tree) if (reason := given_numbers(tree).get(id(node)))}
>>> told('total = 0.0\\nfor x in xs:\\n    total += 0.5 * x')
{'0.0': 'a sum or a state that starts at zero'}
>>> told('middle = (low + high) / 2.0\\nx = x + h / 6.0 * (k1 + 2.5 * k2 + 2.5 * k3)')
{'2.0': 'a number of a mean', '6.0': 'a number of a mean', '2.5': 'a number of a mean'}
>>> told('y = 0.25 * (a + b) + 0.0')
{}
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from deepalgo.literals import literal_value

START, MEAN = "a sum or a state that starts at zero", "a number of a mean"


def given_numbers(tree: ast.AST) -> dict[int, str]:
    """The reason for each literal that does not train by default, by the number of its node."""
    return {**dict.fromkeys(map(id, _numbers_of_means(tree)), MEAN), **dict.fromkeys(map(id, _starts(tree)), START)}


def _starts(tree: ast.AST) -> Iterator[ast.AST]:
    """Zeros that are assigned to what is assigned again, by way of itself or in a loop that comes after."""
    changed = [(name, node) for node in ast.walk(tree) for name in _changed(node)]
    loops = [set(map(id, ast.walk(node))) for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))]
    for node in ast.walk(tree):
        for name, value in _assigned(node):
            if not _is_zero(value):
                continue
            again = any(other == name and _by_itself(there, name) for other, there in changed)
            later = any(id(there) in loop and id(node) not in loop for loop in loops for other, there in changed if other == name)
            if again or later or name.startswith("self."):
                yield from ast.walk(value)


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names and attributes with the expressions that they get."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _pairs(target, value)
        case _:
            return


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case (ast.Tuple(elts=targets) | ast.List(elts=targets)), (ast.Tuple(elts=values) | ast.List(elts=values)):
            for one, other in zip(targets, values, strict=False):
                yield from _pairs(one, other)
        case (ast.Name() | ast.Attribute()), _:
            yield ast.unparse(target), value
        case _:
            return


def _changed(node: ast.AST) -> Iterator[str]:
    """What a statement assigns, in whole or in part."""
    match node:
        case ast.Assign(targets=targets):
            found = [item for target in targets for item in ast.walk(target)]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            found = list(ast.walk(target))
        case _:
            return
    for item in found:
        if isinstance(item, (ast.Name, ast.Attribute)):
            yield ast.unparse(item)


def _by_itself(node: ast.AST, name: str) -> bool:
    """Whether a statement makes the new value from the old one."""
    match node:
        case ast.AugAssign():
            return True
        case ast.Assign(value=value):
            return any(ast.unparse(item) == name for item in ast.walk(value) if isinstance(item, (ast.Name, ast.Attribute)))
        case _:
            return False


def _is_zero(value: ast.expr) -> bool:
    match value:
        case ast.BinOp(left=ast.List() as cells, op=ast.Mult()):
            return _is_zero(cells)
        case ast.ListComp(elt=cell):
            return _is_zero(cell)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return bool(items) and all(map(_is_zero, items))
        case _:
            return _number(value) == 0


def _numbers_of_means(tree: ast.AST) -> Iterator[ast.AST]:
    """The literals of products of a sum with one over the sum of its coefficients."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            above, below = _factors(node)
            sums = [terms for factor in above if len(terms := _terms(factor)) > 1]
            if len(sums) == 1:
                products = [_factors(term)[0] for term in sums[0] if isinstance(term, ast.BinOp)]
                total = len(sums[0]) + sum(abs(_product(factors)) - 1 for factors in products)
                if divisor := _divisor(above, below, total):
                    yield from _literals([divisor, *(factor for factors in products for factor in factors)])
                elif divisor := _divisor(above, below, len(sums[0])):
                    yield from _literals([divisor])


def _divisor(above: list[ast.expr], below: list[ast.expr], total: float) -> ast.expr | None:
    """The literal of a product that divides by a number."""
    for nodes, wanted in ((below, total), (above, 1 / total if total else math.inf)):
        for node in nodes:
            if (number := _number(node)) is not None and math.isclose(number, wanted):
                return node
    return None


def _factors(node: ast.expr) -> tuple[list[ast.expr], list[ast.expr]]:
    """What a product multiplies, and what it divides by."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            (above, below), (more, less) = _factors(left), _factors(right)
            return ([*above, *more], [*below, *less]) if isinstance(op, ast.Mult) else ([*above, *less], [*below, *more])
        case _:
            return [node], []


def _terms(node: ast.expr) -> list[ast.expr]:
    """What a sum adds up or subtracts."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return [*_terms(left), *_terms(right)]
        case ast.Call(func=ast.Name(id="sum"), args=[ast.List(elts=items) | ast.Tuple(elts=items)]):
            return list(items)
        case _:
            return [node]


def _literals(nodes: list[ast.expr]) -> Iterator[ast.AST]:
    for node in nodes:
        if _number(node) is not None:
            yield from ast.walk(node)


def _product(nodes: list[ast.expr]) -> float:
    """The product of the literals among some factors."""
    return math.prod(number for node in nodes if (number := _number(node)) is not None)


def _number(node: ast.expr) -> float | None:
    try:
        value = literal_value(node)
    except ValueError:
        return None
    return float(value) if isinstance(value, (int, float)) else None
