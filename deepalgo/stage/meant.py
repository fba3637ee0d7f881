"""Functions in Python that a row of the table says it means: a call of one is that operation, and its text is not looked at."""

from __future__ import annotations

import ast
import types
from typing import Any

from deepalgo.ops.table import MEANS
from deepalgo.stage.arrays import elementwise
from deepalgo.stage.arrays.box import Array
from deepalgo.stage.builtin_numbers import pointwise
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import Args, Handler, Kwargs
from deepalgo.stage.unions import distribute_first


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
        return distribute_first(machine, args, lambda cases: pointwise(machine, name, function, *cases), node)

    return handler
