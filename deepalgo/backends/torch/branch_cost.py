"""Cost model of if-conversion: compare computing both arms for all samples with sorting samples by the condition.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(c: bool, x: real)
...   %y = if %c
...     %z = add %x 1.0
...     yield %z
...   else
...     yield %x
...   return %y
... ''')
>>> BranchCost(lambda value: True).is_cheap(program.body.body[0])
True
"""

from __future__ import annotations

import math
from collections.abc import Callable

from deepalgo.ir import Block, If, Kind, Loop, Op, Statement, Value, While
from deepalgo.ir.per_block import PerBlock, captures
from deepalgo.ops.table import TABLE

#: A choice between numbers, and one between truth values.
CHOICE, FLAG = 1.2, 0.4
#: Sorting samples by a condition, taking a value of half of them along, and putting a result together again.
SORT, TAKE, JOIN = 2.0, 0.7, 1.6


class BranchCost:
    """`varies` is whether a value differs from sample to sample; what does not is computed once and costs nothing."""

    def __init__(self, varies: Callable[[Value], bool]) -> None:
        self.varies = varies
        self.captures = captures()
        self.costs = PerBlock[float](lambda block, _: sum(map(self.each, block.body)))

    def is_cheap(self, branch: If) -> bool:
        """Whether both arms may be computed for every sample. If not, each sample is spared about half of what stands in them."""
        arms = self.cost(branch.then) + self.cost(branch.orelse)
        taken = sum(self.varies(value) for arm in (branch.then, branch.orelse) for value in self.captures(arm))
        return arms / 2 + sum(map(_choice, branch.results)) <= SORT + TAKE * taken + JOIN * len(branch.results)

    def cost(self, block: Block) -> float:
        """How many additions a block amounts to; infinite for a `While`."""
        return self.costs(block)

    def each(self, statement: Statement) -> float:
        """The same of one statement."""
        match statement:
            case Op(result=result) if not self.varies(result):
                return 0
            case Op(is_choice=True, result=result):
                return _choice(result)
            case Op(name=name, result=result):
                return TABLE[name].cost * math.prod(result.type.shape)
            case If(then=then, orelse=orelse):
                return self.cost(then) + self.cost(orelse) + 1
            case Loop(count=count, body=body):
                return count * self.cost(body)
            case While():
                return float("inf")
            case _:
                return 1


def _choice(result: Value) -> float:
    return (FLAG if result.type.kind == Kind.BOOL else CHOICE) * math.prod(result.type.shape)
