"""Whether a value contains data at any depth."""

from __future__ import annotations

import types
from collections import deque
from typing import Any

from deepalgo.stage.state.arrays import Array, is_chosen, root_of
from deepalgo.stage.state.values import POLYNOMIALS, BoundMethod, Closure, DataLength, DataText, Partial, Signal, Union


def contains_signal(value: Any, depth: int = 6) -> bool:
    """Whether data, or a function of the interpreter, hides anywhere in a value."""
    if isinstance(value, (Signal, Union, DataText, Closure, DataLength, Partial, BoundMethod)):
        return True
    if isinstance(value, Array):
        return is_chosen(value) or isinstance(root_of(value).held, Signal)
    if depth == 0:
        return False
    if type(value) in POLYNOMIALS:
        return any(isinstance(item, Array) for item in vars(value).values())  # those from outside hold arrays of NumPy's
    if isinstance(value, BaseException):
        return contains_signal(value.args, depth - 1) or contains_signal(vars(value), depth - 1)
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return any(contains_signal(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return any(contains_signal(item, depth - 1) for item in value.values())
    return type(value).__module__ not in ("builtins", "numpy") and hasattr(value, "__dict__") and not isinstance(
        value, (type, types.ModuleType, types.FunctionType)
    ) and any(contains_signal(item, depth - 1) for item in vars(value).values())
