"""What a literal of a source text says.

>>> literal_value(ast.parse("[0.5, -2]", mode="eval").body)
[0.5, -2]
"""

from __future__ import annotations

import ast

import numpy as np

from deepalgo.ir import Weight


def says(node: ast.expr, weight: Weight) -> bool:
    """Whether a literal is what the weight was compiled from."""
    try:
        value = np.array(literal_value(node), dtype=float)
    except ValueError:
        return False
    return value.shape == weight.shape and np.array_equal(value, np.array(weight.value, dtype=float))


def literal_value(node: ast.expr) -> object:
    """The number, or the nested lists of numbers, that a node says; ValueError for anything else."""
    match node:
        case ast.Constant(value=bool()) | ast.UnaryOp(operand=ast.Constant(value=bool())):
            raise ValueError("a truth value")
        case ast.Constant(value=float() | int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=float() | int() as value)):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [literal_value(item) for item in items]
        case _:
            raise ValueError("no literal")
