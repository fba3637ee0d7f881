"""Augmented assignment: `held += value` and the like. Containers and arrays change in place, everything else is computed anew."""

from __future__ import annotations

import ast
from collections import deque
from typing import Any

from deepalgo.stage import arithmetic, iteration, subscripts
from deepalgo.stage.arrays import indexing
from deepalgo.stage.arrays.box import Array
from deepalgo.stage.arrays.elementwise import Masked
from deepalgo.stage.machine import Machine
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import Signal, Union, user_method


def update(machine: Machine, op: type[ast.operator], held: Any, value: Any, node: ast.AST) -> Any:
    """What a name holds after `held op= value`."""
    from deepalgo.stage.calls import call

    if isinstance(held, Union) and any(isinstance(case, (list, dict, set, deque, Array, Masked)) for _, case in held.cases):
        return distribute(machine, held, lambda case: update(machine, op, case, value, node), node)
    if isinstance(held, (Array, Masked)):
        indexing.store(machine, held, ..., arithmetic.binary(machine, op, held, value, node), node)
        return held
    method = user_method(held, f"__i{arithmetic.DUNDERS[op]}__")
    if method is not None:
        return call(machine, method, [held, value], {}, node)
    if isinstance(held, list):
        machine.refuse_stand_in(node, held)
    if isinstance(held, (list, deque)) and op is ast.Add:
        items = iteration.iterate(machine, value, node)
        _writing(machine, held, node)
        held.extend(items)
        return held
    if isinstance(held, (list, deque)) and op is ast.Mult:
        count = _count(machine, value, node)
        _writing(machine, held, node)
        return arithmetic.native(machine, arithmetic.INPLACE[op], held, count)
    if isinstance(held, (set, dict)) and op in arithmetic.INPLACE:
        taken = iteration.iterate(machine, value, node) if _gives_once(machine, value) else value
        _writing(machine, held, node)
        return arithmetic.native(machine, arithmetic.INPLACE[op], held, taken)
    return arithmetic.binary(machine, op, held, value, node)


def _writing(machine: Machine, held: Any, node: ast.AST) -> None:
    subscripts.refuse_shared(machine, held, node)
    machine.heap.touch(held)


def _gives_once(machine: Machine, value: Any) -> bool:
    return isinstance(value, iteration.Walk) or id(value) in machine.streams


def _count(machine: Machine, value: Any, node: ast.AST) -> Any:
    """How many times a sequence is repeated."""
    if isinstance(value, Signal) and value.known is None:
        machine.refuse("the length of this sequence depends on data", "Use a fixed length.", node)
    return subscripts.static_int(machine, value, node)
