"""`ReplaceWeights`: statements rebuilt with something else in place of weights: the constants of their birth, or rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from deepalgo.ir import Block, Op, Statement, Value, walk
from deepalgo.ir.rewriter import Rewriter
from deepalgo.tensorize.grow import Grower, key_of, weight_ops
from deepalgo.tensorize.slices import reads


class ReplaceWeights:
    """Rebuilds statements; `read` appends what stands for the reading of a trainable weight.

    `outer` are the values around the statements that are made of weights and numbers alone; they are computed again, too.
    """

    def __init__(self, grower: Grower, statements: Iterable[Statement], read: Callable[[Op], Value]) -> None:
        self.grower = grower
        self.read = read
        self.active = False
        self.ops: dict[Value, Op] = {}
        self.outer: set[Value] = set()
        self.pinned: dict[Value, Value] = {}
        inner = {id(item) for item in walk(Block((), tuple(statements), ()))}
        for item in walk(grower.network.program.body):
            if isinstance(item, Op) and id(item) not in inner and self._is_number(item):
                self.ops[item.result] = item
                if self.is_trainable(item) or self.outer.intersection(item.args):
                    self.outer.add(item.result)

    def _is_number(self, op: Op) -> bool:
        return op.is_const or op.is_weight or (bool(op.args) and all(arg in self.ops for arg in op.args))

    def is_trainable(self, statement: Statement) -> bool:
        """Whether a statement reads a weight that can be trained."""
        entries = self.grower.entries
        return any(not entries[key_of(op)].frozen for op in weight_ops(Block((), (statement,), ())))

    def rebuild(self, statement: Statement) -> None:
        """Append the statement with other weights; what it defines stands in the environment of the grower."""
        grower = self.grower
        needed = sorted(self.outer.intersection(reads(statement)), key=lambda value: value.id)
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
        """Append what stands for the reading of a weight, if statements are being rebuilt."""
        if not self.active or not op.is_weight or not self.is_trainable(op):
            return False
        self.grower.env[op.result] = self.read(op)
        return True

    def _pin(self, value: Value) -> Value:
        """A value around the statements, computed again from other weights."""
        if value not in self.pinned:
            op = self.ops[value]
            self.pinned[value] = self.read(op) if self.is_trainable(op) else self._again(op)
        return self.pinned[value]

    def _again(self, op: Op) -> Value:
        args = tuple(map(self._pin, op.args))
        result = self.grower.fresh.value(op.result.type)
        self.grower.out.append(replace(op, result=result, args=args, span=None))
        return result
