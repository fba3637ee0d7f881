"""Calls of functions that run as they are, as long as no data reaches them."""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from deepalgo.stage.rules.native_run import run, taken
from deepalgo.stage.rules.python import container_methods
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.libraries import WRITTEN, label, refuse_effects, refuse_foreign
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.unions import distribute_first
from deepalgo.stage.state.values import POLYNOMIALS, Closure, DataLength, DataText, Signal, StandIn, Union

#: Stand-ins for which the refusal says more.
DATA = (Signal, Union, DataText, Closure, DataLength)
#: Methods that were taken from their class.
UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType)
#: Methods that move items and look at their first argument: a place or a key.
FIRST = frozenset({"insert", "pop", "get", "setdefault"})


def is_written(function: types.FunctionType, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a function that has no rule meets data, and its text may be interpreted."""
    if any(type(item) in POLYNOMIALS and contains_signal(item) for item in args):
        return True
    return function.__module__.partition(".")[0] in WRITTEN and (contains_signal(args) or contains_signal(kwargs))


def call_native(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Run a function as it is, if that is safe; refuse with the reason if it is not."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", type(function).__name__)
    looked_at = (args[:1] if name in FIRST else []) if name in container_methods.MOVING else args
    if any(isinstance(item, Union) for item in looked_at):
        rest = args[len(looked_at) :]
        return distribute_first(machine, looked_at, lambda cases: call_native(machine, function, [*cases, *rest], kwargs, node), node)
    if isinstance(function, UNBOUND) and args and _is_of(args[0], function.__objclass__):
        return _call_unbound(machine, function, args, kwargs, node)
    if isinstance(owner, container_methods.OWNERS):
        return container_methods.call_method(machine, function, owner, name, args, kwargs, node)
    machine.refuse_stand_in(node, *(item for item in args if isinstance(item, StandIn) and not isinstance(item, (Array, list, *DATA))))
    refuse_effects(machine, function, node)
    refuse_foreign(machine, function, node)
    args = taken(machine, args, node)
    if contains_signal(args) or contains_signal(kwargs) or contains_signal(owner):
        made = isinstance(function, type) and any(hasattr(vars(base).get("__init__"), "__code__") for base in function.__mro__)
        what = "makes its objects in a way that deepalgo cannot follow" if made else "is not written in Python"
        machine.refuse(
            f"`{label(function)}` {what}, and deepalgo has no rule for it on data",
            "Write it out in Python with `math`, or pass its result as an input.",
            node,
        )
    return run(machine, function, args, kwargs, node)


def _is_of(value: Any, cls: type) -> bool:
    return isinstance(value, (*container_methods.OWNERS, Array)) and (isinstance(value, cls) or cls is np.ndarray)


def _call_unbound(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`list.append(items, 5)` is `items.append(5)`, whatever a subclass may have made of `append`."""
    owner, *others = args
    bound = machine.get_attribute(owner, function.__name__, node) if isinstance(owner, Array) else function.__get__(owner)
    return machine.call(bound, others, kwargs, node)
