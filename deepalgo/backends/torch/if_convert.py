"""If-conversion: compute both arms of a branch for all samples where that costs less than sorting the samples by the condition.

>>> from deepalgo.ir.show import show
>>> show(if_convert, '''
... f(x: real, c: bool)
...   %z = if %c
...     %y = neg %x
...     yield %y
...   else
...     yield %x
...   return %z
... ''')
f(x: real, c: bool)
  %y = neg %x
  %z = select %c %y %x
  return %z
"""

from __future__ import annotations

from deepalgo.backends.torch.branch_cost import BranchCost
from deepalgo.backends.torch.mask import mask
from deepalgo.ir import If, Program, walk
from deepalgo.ir.facts import Level, find_levels


def if_convert(program: Program) -> Program:
    """The program without branches whose arms are cheap."""
    levels = find_levels(program)
    cost = BranchCost(lambda value: levels[value] == Level.BATCHED)
    return mask(program, lambda branch: levels[branch.condition] == Level.BATCHED and cost.is_cheap(branch))


def has_fewer_branches(before: Program, after: Program) -> bool:
    """Whether some branches are gone and some are left."""
    return 0 < _branches(after) < _branches(before)


def _branches(program: Program) -> int:
    return sum(isinstance(statement, If) for statement in walk(program.body))
