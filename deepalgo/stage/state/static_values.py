"""Values that have to be known at compile time: whole numbers, keys, and no strings made from data."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Closure, DataText, NeedsUnroll, Partial, Signal, Union


def static_int(machine: Machine, value: Any, node: ast.AST, what: str = "this index") -> Any:
    """A whole number that must be known at compile time."""
    if not isinstance(value, (Signal, Union)):
        return value
    if isinstance(value, Signal):
        known = machine.demand(value, f"{what} is needed at compile time")
        if known is not None:
            return known
        if value.uniform and machine.attempts:
            raise NeedsUnroll
    machine.refuse(f"{what} depends on data", "Make it a fixed number, or pass it as static configuration.", node)


def static_key(machine: Machine, value: Any, node: ast.AST) -> Any:
    """A dict key."""
    if isinstance(value, tuple):
        return tuple(static_key(machine, item, node) for item in value)
    refuse_text(machine, "is used as a key", value, node)
    if not isinstance(value, (Signal, Union, Closure, Partial)):
        machine.refuse_stand_in(node, value)
    return static_int(machine, value, node, "this key")


def refuse_text(machine: Machine, use: str, value: Any, node: ast.AST) -> None:
    """Strings made from data have no content while compiling."""
    if isinstance(value, DataText):
        machine.refuse(f"a string made from data {use}", "Strings made from data are only good for messages.", node)
