"""`Pins`: statements rebuilt with the constants of their birth in place of weights, so that no training changes them."""

from __future__ import annotations

from collections.abc import Iterable

from deepalgo.emit.rewriter import Rewriter
from deepalgo.ir import Block, Op, Statement, Value, walk
from deepalgo.tensorize.grow import Grower, key_of, weight_ops
from deepalgo.tensorize.stretch import reads


class Pins:
    """Rebuilds statements of one block. `outer` are the values around it that are made of weights and numbers alone."""

    def __init__(self, grower: Grower, own: Iterable[Statement]) -> None:
        self.grower = grower
        inner = {id(item) for item in walk(Block((), tuple(own), ()))}
        self.ops: dict[Value, Op] = {}
        self.outer: set[Value] = set()
        for item in walk(grower.network.program.body):
            if isinstance(item, Op) and id(item) not in inner and self._is_number(item):
                self.ops[item.result] = item
                if self.is_trainable(item) or self.outer.intersection(item.args):
                    self.outer.add(item.result)
        self.pinned: dict[Value, Value] = {}
        self.active = False

    def _is_number(self, op: Op) -> bool:
        return op.name in ("const", "weight") or bool(op.args) and all(arg in self.ops for arg in op.args)

    def is_trainable(self, statement: Statement) -> bool:
        """Whether a statement reads a weight that can be trained."""
        entries = self.grower.entries
        return any(not entries[key_of(op)].frozen for op in weight_ops(Block((), (statement,), ())))

    def rebuild(self, statement: Statement) -> None:
        """Append the statement with constants for weights."""
        grower = self.grower
        needed = self.outer.intersection(reads(statement))
        before = {value: grower.env.get(value) for value in needed}
        for value in needed:
            grower.env[value] = self._pin(value)
        self.active = True
        Rewriter.statement(grower, statement)
        self.active = False
        for value, held in before.items():
            if held is None:
                del grower.env[value]
            else:
                grower.env[value] = held

    def replaces(self, op: Op) -> bool:
        """Append a constant for the reading of a weight, if statements are being rebuilt."""
        if not self.active or op.name != "weight" or not self.is_trainable(op):
            return False
        self.grower.out.append(self._constant(op, *self.grower.define((op.result,))))
        return True

    def _pin(self, value: Value) -> Value:
        """A value around the block, computed again from constants."""
        if value not in self.pinned:
            op = self.ops[value]
            args = tuple(map(self._pin, op.args))
            result = self.grower.fresh.value(value.type)
            self.grower.out.append(self._constant(op, result) if op.name == "weight" else Op(result, op.name, args, op.attrs))
            self.pinned[value] = result
        return self.pinned[value]

    def _constant(self, op: Op, result: Value) -> Op:
        return Op(result, "const", (), (("value", self.grower.entries[key_of(op)].value),), op.span)
