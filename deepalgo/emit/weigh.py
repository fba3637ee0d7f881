"""Which branches are cheaper to compute for all samples than to sort samples for.

>>> from deepalgo.ir import Block, Kind, Type, Value
>>> is_light(If((), Value(0, Type(Kind.BOOL)), Block((), (), ()), Block((), (), ())))
True
"""

from __future__ import annotations

from deepalgo.ir import Block, If, Loop, Op, Statement, While

#: Operations in both arms together up to which a mask is quicker (`python -m benchmarks.speed` shows the crossing).
LIGHT = 24
#: Operations that cost as much as so many additions.
HEAVY = {"pow": 8, "exp": 3, "log": 3, "sin": 3, "cos": 3, "tan": 6, "gamma": 60, "lgamma": 20, "atan2": 6, "round_digits": 20}
FREE = {"const", "weight", "index"}


def is_light(branch: If) -> bool:
    """Whether both arms may be computed for every sample."""
    return cost(branch.then) + cost(branch.orelse) <= LIGHT


def cost(block: Block) -> float:
    """How many simple operations a block amounts to; a loop that ends by data is no end of them."""
    return sum(map(_cost, block.body))


def _cost(statement: Statement) -> float:
    match statement:
        case Op(name=name):
            return 0 if name in FREE else HEAVY.get(name, 1)
        case If(then=then, orelse=orelse):
            return cost(then) + cost(orelse) + 1
        case Loop(count=count, body=body):
            return count * cost(body)
        case While():
            return float("inf")
        case _:
            return 1
