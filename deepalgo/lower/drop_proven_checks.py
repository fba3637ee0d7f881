"""Drop checks that cannot fail: the range of the operands proves the condition, or an earlier check did.

>>> from deepalgo.lower.prune import prune
>>> from deepalgo.ir.show import show
>>> show((drop_proven_checks, prune), '''
... f(x: real)
...   %square = mul %x %x
...   %y = add %square 1.0
...   %ok = ne %y 0.0
...   check %ok else ZeroDivisionError('float division by zero')
...   %again = ne %x 0.0
...   check %again else ValueError('first')
...   check %again else ValueError('second')
...   return %y
... ''')
f(x: real)
  %square = mul %x %x
  %y = add %square 1.0
  %again = ne %x 0.0
  check %again else ValueError('first')
  return %y
"""

from __future__ import annotations

from deepalgo.ir import Check, Program
from deepalgo.ir.facts import Learning
from deepalgo.ir.rewriter import Fresh


def drop_proven_checks(program: Program) -> Program:
    """The program without checks that hold for every sample that comes to them."""
    return DropProvenChecks(Fresh.of(program), bounded=True).program(program)


class DropProvenChecks(Learning):
    """Drops checks."""

    def check(self, check: Check) -> None:
        """Drop a check that holds; behind another one it holds."""
        if self.facts.truth(self.see((check.ok,))[0]) is not True:
            super().check(check)
