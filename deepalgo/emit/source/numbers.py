"""The numbers of a body that are the same on every call, because only weights enter them, and the arrays that are only looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deepalgo.emit.source.body import all_blocks, everything
from deepalgo.emit.source.exits import read_by
from deepalgo.ir import Block, Op, Value
from deepalgo.ir.facts.constants import on_every_call

#: Operations that read a table, and what defines one.
READERS = {"index", "gather", "pick_at"}
TABLES = {"const", "weight", "stack", "index"}


class Numbers:
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
            if value.type.shape and op.name in TABLES and all(self.looks_up(user, value, tables) for user in readers.get(value, [])):
                tables.add(value)
        sources = {value: self.ops[value].args[0] for value in tables if self.ops[value].name == "index"}
        while lost := {value for value, source in sources.items() if value in tables and source not in tables}:
            tables -= lost
        return tables

    def looks_up(self, user: Op | None, value: Value, tables: set[Value]) -> bool:
        """Whether an operation takes one item of a table."""
        if user is None or user.name not in READERS or user.args[0] != value or value in user.args[1:]:
            return False
        if user.name == "index":
            return not user.result.type.shape or user.result in tables
        return not user.args[1].type.shape and len(value.type.shape) == 1 and (user.name == "gather" or user.attr("axis") in (0, None, -1))
