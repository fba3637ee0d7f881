"""Which branches are cheaper to compute for all samples than to sort samples for.

>>> from deepalgo.ir import Block, Kind, Type, Value
>>> condition = Value(0, Type(Kind.BOOL))
>>> Scales(lambda value: True).is_light(If((), condition, Block((), (), ()), Block((), (), ())))
True
"""

from __future__ import annotations

import math
from collections.abc import Callable

from deepalgo.ir import Block, If, Kind, Loop, Op, Statement, Value, While
from deepalgo.ir.per_block import PerBlock, captures

#: What operations cost in additions of 100 000 numbers; those that are not named cost one.
COSTS = {"pow": 20, "exp": 3, "expm1": 8, "log": 4, "log1p": 8, "log2": 4, "log10": 5, "sqrt": 3, "cbrt": 30, "sin": 6, "cos": 6, "tan": 12,
         "asin": 7, "acos": 7, "atan": 11, "atan2": 11, "sinh": 8, "cosh": 8, "tanh": 9, "erf": 8, "hypot": 8, "gamma": 300, "lgamma": 60,
         "round_digits": 40, "mod": 7, "floordiv": 7, "matmul": 20, "solve": 60, "index": 0, "look_up": 1.2,
         "lt": 0.6, "le": 0.6, "gt": 0.6, "ge": 0.6, "eq": 0.6, "ne": 0.6, "and": 0.2, "or": 0.2, "xor": 0.2, "not": 0.2}
#: A choice between numbers, and one between truth values.
CHOICE, FLAG = 1.2, 0.4
#: Sorting samples by a condition, taking a value of half of them along, and putting a result together again.
SORT, TAKE, JOIN = 2.0, 0.7, 1.6


class Scales:
    """`varies` is whether a value differs from sample to sample; what does not is computed once and costs nothing."""

    def __init__(self, varies: Callable[[Value], bool]) -> None:
        self.varies = varies
        self.captures = captures()
        self.costs = PerBlock[float](lambda block, _: sum(map(self.each, block.body)))

    def is_light(self, branch: If) -> bool:
        """Whether both arms may be computed for every sample. If not, each sample is spared about half of what stands in them."""
        arms = self.cost(branch.then) + self.cost(branch.orelse)
        taken = sum(self.varies(value) for arm in (branch.then, branch.orelse) for value in self.captures(arm))
        return arms / 2 + sum(map(_choice, branch.results)) <= SORT + TAKE * taken + JOIN * len(branch.results)

    def cost(self, block: Block) -> float:
        """How many additions a block amounts to; a loop that ends by data is no end of them."""
        return self.costs(block)

    def each(self, statement: Statement) -> float:
        """The same of one statement."""
        match statement:
            case Op(result=result) if not self.varies(result):
                return 0
            case Op(name="select", result=result):
                return _choice(result)
            case Op(name=name, result=result):
                return COSTS.get(name, 1) * math.prod(result.type.shape)
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
