"""The numbers of a body that are the same on every call, because only weights enter them, and the arrays that are only looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deepalgo.backends.source.body import all_blocks, everything
from deepalgo.backends.source.exits import read_by
from deepalgo.ir import Block, Op, Value
from deepalgo.ir.facts.constants import on_every_call
from deepalgo.ops.table import TABLE


def is_fixed_item(op: Op) -> bool:
    """Whether an operation takes an item at a place that no data chooses."""
    return TABLE[op.name].item and len(op.args) == 1


def is_list(op: Op) -> bool:
    """Whether an operation makes an array of its operands, one after the other."""
    return op.name == "stack"


def can_be_table(op: Op) -> bool:
    """Whether the result may be a tuple where it is only looked up: fixed numbers, a list of values, or an item of such a tuple."""
    return op.is_const or op.is_weight or is_list(op) or is_fixed_item(op)


class FixedNumbers:
    """`ops` are the operations by their result, `tables` the arrays that can be tuples."""

    def __init__(self, body: Block, weights: Mapping[str, Any]) -> None:
        self.weights = weights
        self.ops: dict[Value, Op] = {op.result: op for op in everything(body) if isinstance(op, Op)}
        self.values = on_every_call(self.ops.values(), weights)
        self.tables = self.find_tables(body)

    def known(self, value: Value) -> Any:
        """The number that a value is on every call, or None."""
        return None if value.type.shape else self.values.get(value)

    def find_tables(self, body: Block) -> set[Value]:
        """Arrays that are only looked up, which can be tuples."""
        readers: dict[Value, list[Op | None]] = {}
        for block in all_blocks(body):
            for statement in block.body:
                for value in read_by(statement):
                    readers.setdefault(value, []).append(statement if isinstance(statement, Op) else None)
            for value in block.results:
                readers.setdefault(value, []).append(None)
        tables: set[Value] = set()
        for value, op in reversed(self.ops.items()):
            if value.type.shape and can_be_table(op) and all(self.looks_up(user, value, tables) for user in readers.get(value, [])):
                tables.add(value)
        sources = {value: self.ops[value].args[0] for value in tables if is_fixed_item(self.ops[value])}
        while lost := {value for value, source in sources.items() if value in tables and source not in tables}:
            tables -= lost
        return tables

    def looks_up(self, user: Op | None, value: Value, tables: set[Value]) -> bool:
        """Whether an operation takes one item of a table."""
        if user is None or not TABLE[user.name].item or user.args[0] != value or value in user.args[1:]:
            return False
        if is_fixed_item(user):
            return not user.result.type.shape or user.result in tables
        return not user.args[1].type.shape and len(value.type.shape) == 1 and dict(user.attrs).get("axis") in (0, None, -1)
