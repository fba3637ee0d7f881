"""Unroll short loops with a fixed number of rounds, so that what depends on the round alone becomes constant.

>>> from deepalgo.ir.show import show
>>> show(unroll, '''
... f(x: real)
...   %out = loop 2 rounds (%i, %y) from (%x)
...     %z = mul %y %i
...     next %z
...   return %out
... ''')
f(x: real)
  %z = mul %x 0
  %z.8 = mul %z 1
  return %z.8
"""

from __future__ import annotations

from deepalgo.ir import Block, Loop, Program, Value
from deepalgo.ir.per_block import counts
from deepalgo.ir.rewriter import Fresh, Rewriter

#: Statements up to which a loop is written out.
SHORT = 64


def unroll(program: Program) -> Program:
    """The program without short counted loops."""
    return Unroll(Fresh.of(program)).program(program)


class Unroll(Rewriter):
    """Every round is a copy of the body."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.counts = counts()

    def loop(self, loop: Loop) -> None:
        """Rounds in a row, each from what the round before hands out."""
        pairs = zip(loop.init, loop.body.params[1:], strict=True)
        if loop.count * self.counts(loop.body) > SHORT or any(first.type.shape != param.type.shape for first, param in pairs):
            return super().loop(loop)
        carried = self.see(loop.init)
        for number in range(loop.count):
            carried = self.round(loop.body, number, carried)
        self.env.update(zip(loop.results, self.fitted(carried, loop.results), strict=True))
        return None

    def round(self, body: Block, number: int, carried: tuple[Value, ...]) -> tuple[Value, ...]:
        """One round in the current block."""
        self.renews, renews = True, self.renews
        index, *params = body.params
        self.env.update(zip(params, self.fitted(carried, tuple(params)), strict=True))
        self.env[index] = self.const(number)
        self.statements(body.body)
        results = self.see(body.results)
        self.renews = renews  # what a round defines no one sees behind it
        return results

    def fitted(self, values: tuple[Value, ...], targets: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values in the kinds that are expected."""
        return tuple(self.fit(value, target.type) for value, target in zip(values, targets, strict=True))
