"""Python's operators where an operand is an array."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir import Kind, Type
from deepalgo.stage.rules.gate import rule_of
from deepalgo.stage.rules.numpy.elementwise import apply, emit
from deepalgo.stage.rules.numpy.linear import matmul
from deepalgo.stage.state.array_conversion import is_plain, to_signal, wrap
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked
from deepalgo.stage.state.values import Signal

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.BitAnd: "bitand", ast.BitOr: "bitor", ast.BitXor: "bitxor", ast.LShift: "lshift", ast.RShift: "rshift",
}


def binary(machine: Machine, op: type[ast.operator], left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right` where one side is an array."""
    if op is ast.MatMult and isinstance(left, Masked):
        return rule_of(np.matmul)(machine, [left, right], {}, node)
    if op is ast.MatMult:
        return matmul(machine, left, right)
    name = OPERATORS[op]
    if op is ast.Pow and _is_half(right) and isinstance(left, Array):
        return _root(machine, left, right)
    native = getattr(operator, {"sub": "sub", "div": "truediv", "bitand": "and_", "bitor": "or_", "bitxor": "xor"}.get(name, name))
    return apply(machine, name, native, [left, right])


def _is_half(exponent: Any) -> bool:
    """Whether an exponent is Python's 0.5, which may be a weight."""
    known = exponent.known.value if isinstance(exponent, Signal) and exponent.known is not None else exponent
    return isinstance(known, float) and known == 0.5 and not isinstance(known, np.generic) and getattr(exponent, "flavour", "py") == "py"


def _root(machine: Machine, base: Any, half: Any) -> Any:
    """NumPy takes the root of an array to the power of one half, which at minus infinity and negative zero is not the power."""
    value = to_signal(machine, base)
    if is_plain(machine, base) or value.kind > Kind.REAL:
        return apply(machine, "pow", operator.pow, [base, half])
    power = emit(machine, "pow", machine.cast(value, Type(Kind.REAL, value.shape)), half)
    return wrap(machine, emit(machine, "select", emit(machine, "gt", value, 0.0), power, emit(machine, "sqrt", value)))


def unary(machine: Machine, name: str, native: Callable[..., Any], operand: Any) -> Any:
    """`-a`, `+a`, `~a` of an array."""
    return apply(machine, name, native, [operand])


def compare(machine: Machine, name: str, native: Callable[..., Any], left: Any, right: Any) -> Any:
    """`a < b` and the like, number by number."""
    if left is None or right is None or isinstance(left, str) or isinstance(right, str):
        return name == "ne"
    return apply(machine, name, native, [left, right])
