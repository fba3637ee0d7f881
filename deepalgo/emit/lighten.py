"""Compute both arms of light branches for all samples: those that take less time than sorting the samples.

>>> from deepalgo.ir.show import show
>>> show(lighten, '''
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

from deepalgo.emit.mask import mask
from deepalgo.emit.weigh import Scales
from deepalgo.ir import If, Program, walk
from deepalgo.ir.facts import Level, find_levels


def lighten(program: Program) -> Program:
    """The program without light branches."""
    levels = find_levels(program)
    scales = Scales(lambda value: levels[value] == Level.BATCHED)
    return mask(program, lambda branch: levels[branch.condition] == Level.BATCHED and scales.is_light(branch))


def has_fewer_branches(before: Program, after: Program) -> bool:
    """Whether some branches are gone and some are left."""
    return 0 < _branches(after) < _branches(before)


def _branches(program: Program) -> int:
    return sum(isinstance(statement, If) for statement in walk(program.body))
