"""The code of a function with one literal of its text replaced.

A code object shares equal constants, so the place is looked for in the syntax tree, and the tree is compiled once more.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deepalgo.ir import Weight
from deepalgo.literals import says
from deepalgo.spans import FunctionSource, SourceUnavailable, compiled_again, read_function


class OutOfReach(Exception):
    """The function cannot be run with another value of a weight: why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def changed_code(function: Any, weight: Weight, item: tuple[int, ...], value: float, *, marked: bool) -> types.CodeType:
    """The code in which the weight's literal, or an item of it, has another value."""
    if not isinstance(function, types.FunctionType) or weight.span is None:
        raise OutOfReach("no function says it as a plain number")
    source, places = _source(function, function.__code__)
    found = [node for node in places.get(weight.span.line, ()) if source.span(node) == weight.span]
    with _marked(found, value) if marked and not weight.shape else _changed(found, weight, item, value):
        code = compiled_again(source.node, function.__code__)
    if code.co_freevars != function.__code__.co_freevars:
        raise OutOfReach("its function cannot be compiled once more")
    return code


@functools.lru_cache(maxsize=64)
def _source(function: types.FunctionType, code: types.CodeType) -> tuple[FunctionSource, dict[int, list[ast.expr]]]:
    """The text of the function while it has this code, and what may hold numbers in it, by lines."""
    try:
        source = read_function(function)
    except SourceUnavailable as error:
        raise OutOfReach(error.reason) from None
    places: dict[int, list[ast.expr]] = {}
    for node in ast.walk(source.node):
        if isinstance(node, (ast.Constant, ast.UnaryOp, ast.List, ast.Tuple, ast.Call)):
            places.setdefault(node.lineno, []).append(node)
    return source, places


@contextmanager
def _changed(found: list[ast.expr], weight: Weight, item: tuple[int, ...], value: float) -> Iterator[None]:
    """The literal in the tree has another value for a while."""
    same = [node for node in found if says(node, weight)]
    if not same:
        raise OutOfReach("its line does not say it as a plain number")
    node: Any = same[0]
    for number in item:
        node = node.elts[number]
    sign, node = (-1, node.operand) if isinstance(node, ast.UnaryOp) else (1, node)
    before, node.value = node.value, sign * value
    try:
        yield
    finally:
        node.value = before


@contextmanager
def _marked(found: list[ast.expr], value: float) -> Iterator[None]:
    """A number stands for the expression that `da.weight` marks."""
    calls = [node for node in found if isinstance(node, ast.Call) and node.args]
    if not calls:
        raise OutOfReach("its line does not say it as a plain number")
    before = calls[0].args[0]
    calls[0].args[0] = ast.copy_location(ast.Constant(value), before)
    try:
        yield
    finally:
        calls[0].args[0] = before
