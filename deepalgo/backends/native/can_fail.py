"""Whether a sample can fail, by a check or in a loop without a bound.

>>> from deepalgo.ir import parse
>>> can_fail(parse("f(x: real)\\n  %y = add %x %x\\n  return %y").body)
False
"""

from __future__ import annotations

from deepalgo.ir import Block, Check, Statement, While, blocks


def statement_fails(statement: Statement) -> bool:
    """Whether a sample can fail in a statement."""
    match statement:
        case Check():
            return True
        case While(bound=None):
            return True
        case _:
            return any(can_fail(block) for block in blocks(statement))


def can_fail(block: Block) -> bool:
    """Whether a sample can fail in a block."""
    return any(map(statement_fails, block.body))
