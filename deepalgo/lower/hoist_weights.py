"""Read every weight once, at the start of the program, so that branches and loops capture weights like any other value.

>>> from deepalgo.ir.show import show
>>> show(hoist_weights, '''
... f(x: real)
...   weight w = 0.5
...   %out = loop 3 rounds (%i, %y) from (%x)
...     %w = weight w site=('4#1',)
...     %z = mul %y %w
...     next %z
...   return %out
... ''')
f(x: real)
  weight w = 0.5  coefficient
  %w = weight w site=('4#1',)
  %out = loop 3 rounds (%i, %y) from (%x)
    %z = mul %y %w
    next %z
  return %out
"""

from __future__ import annotations

from dataclasses import replace

from deepalgo.ir import Block, Op, Program
from deepalgo.ir.rewriter import Fresh, Rewriter


def hoist_weights(program: Program) -> Program:
    """The program with its weights in front; uses of one weight at different sites become one."""
    hoister = HoistWeights(Fresh.of(program))
    body = hoister.block(program.body)
    return replace(program, body=Block((), (*hoister.weights.values(), *body.body), body.results))


class HoistWeights(Rewriter):
    """`weights` are the first use of each."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.weights: dict[str, Op] = {}

    def op(self, op: Op) -> None:
        """Other operations stay where they are."""
        if not op.is_weight:
            return super().op(op)
        first = self.weights.setdefault(str(op.attr("key")), op)
        if first is not op:
            self.env[op.result] = first.result
        return None
