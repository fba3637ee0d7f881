"""Functions that a row of the table names as its meaning: a call of one is that operation, whatever its body."""

from __future__ import annotations

import ast
import types
from typing import Any

from deepalgo.ops.table import MEANS, TABLE
from deepalgo.stage.rules.numpy import elementwise
from deepalgo.stage.rules.python.builtin_numbers import pointwise
from deepalgo.stage.rules.python.mathematics import apply_unary
from deepalgo.stage.rules.registry import Args, Handler, Kwargs
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.unions import distribute_first
from deepalgo.stage.state.values import Signal


def find(function: Any) -> Handler | None:
    """The rule of a function that a row names."""
    if not isinstance(function, types.FunctionType):
        return None
    name = MEANS.get(f"{function.__module__}.{function.__qualname__}")
    return None if name is None else _rule(name, function)


def _rule(name: str, function: types.FunctionType) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        if kwargs:
            machine.refuse(f"`{function.__name__}` takes its operands by place", "Leave the names of its parameters out.", node)
        if any(isinstance(item, Array) for item in args):
            return elementwise.apply(machine, name, function, args)
        return distribute_first(machine, args, lambda cases: _number(machine, name, function, cases, node), node)

    return handler


def _number(machine: Machine, name: str, function: types.FunctionType, args: Args, node: ast.AST) -> Any:
    """The operation on single numbers, with what its row says of its domain."""
    if TABLE[name].fails and len(args) == 1 and isinstance(args[0], Signal):
        return apply_unary(machine, name, function, args[0], node)
    return pointwise(machine, name, function, *args)
