"""Augmented assignment: `held += value` and the like. Containers and arrays change in place, everything else is computed anew."""

from __future__ import annotations

import ast
from collections import deque
from typing import Any

from deepalgo.stage.rules.numpy import indexing
from deepalgo.stage.rules.python import arithmetic
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked
from deepalgo.stage.state.shared_objects import refuse_shared
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.streams import Walk
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import Signal, Union, user_method


def update(machine: Machine, op: type[ast.operator], held: Any, value: Any, node: ast.AST) -> Any:
    """What a name holds after `held op= value`."""
    if isinstance(held, Union) and any(isinstance(case, (list, dict, set, deque, Array, Masked)) for _, case in held.cases):
        return distribute(machine, held, lambda case: update(machine, op, case, value, node), node)
    if isinstance(held, (Array, Masked)):
        indexing.store(machine, held, ..., machine.binary(op, held, value, node), node)
        return held
    method = user_method(held, f"__i{arithmetic.DUNDERS[op]}__")
    if method is not None:
        return machine.call(method, [held, value], {}, node)
    if isinstance(held, list):
        machine.refuse_stand_in(node, held)
    if isinstance(held, (list, deque)) and op is ast.Add:
        items = machine.iterate(value, node)
        _writing(machine, held, node)
        held.extend(items)
        return held
    if isinstance(held, (list, deque)) and op is ast.Mult:
        count = _count(machine, value, node)
        _writing(machine, held, node)
        return run_static(machine, arithmetic.INPLACE[op], held, count)
    if isinstance(held, (set, dict)) and op in arithmetic.INPLACE:
        taken = machine.iterate(value, node) if _gives_once(machine, value) else value
        _writing(machine, held, node)
        return run_static(machine, arithmetic.INPLACE[op], held, taken)
    return machine.binary(op, held, value, node)


def _writing(machine: Machine, held: Any, node: ast.AST) -> None:
    refuse_shared(machine, held, node)
    machine.heap.touch(held)


def _gives_once(machine: Machine, value: Any) -> bool:
    return isinstance(value, Walk) or id(value) in machine.streams


def _count(machine: Machine, value: Any, node: ast.AST) -> Any:
    """How many times a sequence is repeated."""
    if isinstance(value, Signal) and value.known is None:
        machine.refuse("the length of this sequence depends on data", "Use a fixed length.", node)
    return static_int(machine, value, node)
