"""Truth values: what `if`, `while`, `and`, `or` and `not` ask of an object."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.rules.python.builtin_containers import DynamicRange
from deepalgo.stage.state.arrays import Array, read
from deepalgo.stage.state.guarded_items import GuardedItems, fold
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import (
    DataLength,
    DataText,
    Generator,
    Known,
    Signal,
    StandIn,
    Union,
    UserRaise,
    refuse_again,
    user_method,
)


def truth(machine: Machine, value: Any, node: ast.AST) -> Any:
    """`bool(value)` as a plain bool, or as a Signal of truth values."""
    refuse_again(value)
    if isinstance(value, GuardedItems):
        return fold(machine, value, False, lambda *_: True, node)
    if isinstance(value, Generator):
        return True
    if isinstance(value, Union):
        return distribute(machine, value, lambda item: truth(machine, item, node), node)
    if isinstance(value, Signal):
        return _signal_truth(machine, value)
    if isinstance(value, Array):
        held = read(machine, value)
        if isinstance(held, Signal):
            return _signal_truth(machine, held)
        value = held
    if isinstance(value, DataText):
        return bool(value.template)
    if isinstance(value, StandIn):
        return _stand_in_truth(machine, value, node)
    method = user_method(value, "__bool__") or user_method(value, "__len__")
    if method is not None:
        return truth(machine, machine.call(method, [value], {}, node), node)
    try:
        return bool(value)
    except (ValueError, TypeError) as error:
        raise UserRaise(error, None, machine.at(node)) from None


def _stand_in_truth(machine: Machine, value: StandIn, node: ast.AST) -> Any:
    """Functions and iterators are true; a range is if it has items."""
    if isinstance(value, DynamicRange):
        return machine.compare(ast.Lt if value.step > 0 else ast.Gt, value.start, value.stop, node)
    if isinstance(value, DataLength) and not isinstance(value, Generator):
        machine.refuse_stand_in(node, value)
    return True


def _signal_truth(machine: Machine, value: Signal) -> Signal:
    if value.shape and value.shape != (1,):
        raise UserRaise(
            ValueError,
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            machine.span,
        )
    if value.shape:
        value = machine.emit("index", value, key=(0,) * len(value.shape))
    if value.kind is Kind.BOOL:
        return value
    result = machine.emit("ne", value, 0)
    known = Known(bool(value.known.value), value.known.keys) if value.known else None
    return Signal(result.value, "py", value.uniform, known)
