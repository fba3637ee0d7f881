"""Leave out checks that cannot fail: their condition holds by the bounds of its operands, or has been checked before.

>>> from deepalgo.emit.prune import prune
>>> from deepalgo.ir.show import show
>>> show((spare, prune), '''
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


def spare(program: Program) -> Program:
    """The program without checks that hold for every sample that comes to them."""
    return Spare(Fresh.of(program), bounded=True).program(program)


class Spare(Learning):
    """Drops checks."""

    def check(self, check: Check) -> None:
        """Drop a check that holds; behind another one it holds."""
        if self.facts.truth(self.see((check.ok,))[0]) is not True:
            super().check(check)
