"""Read every weight once, at the start; so that branches and loops take weights in as they take in any other value.

>>> from deepalgo.ir import Input, Kind, Leaf, Loop, Type, Value
>>> real = Type(Kind.REAL)
>>> x, i, y, w, z, out = (Value(k, real, n) for k, n in enumerate(("x", "i", "y", "w", "z", "out")))
>>> body = Block((i, y), (Op(w, "weight", (), (("key", "w"), ("site", (1,)))), Op(z, "mul", (y, w))), (z,))
>>> loop = Loop((out,), 3, (x,), body)
>>> print(hoist(Program("f", (Input("x", x),), (), Block((), (loop,), (out,)), Leaf(0))))
f(x: real)
  %w3 = weight key='w'
  %out5 = loop 3 rounds (%i1, %y2) from (%x0)
    %z4 = mul %y2 %w3
    next %z4
  return %out5
"""

from __future__ import annotations

from dataclasses import replace

from deepalgo.ir import Block, Op, Program
from deepalgo.ir.rewriter import Fresh, Rewriter


def hoist(program: Program) -> Program:
    """The program with its weights in front; uses of one weight at different sites become one."""
    hoister = Hoist(Fresh.of(program))
    body = hoister.block(program.body)
    return replace(program, body=Block((), (*hoister.weights.values(), *body.body), body.results))


class Hoist(Rewriter):
    """`weights` are the first use of each."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.weights: dict[str, Op] = {}

    def op(self, op: Op) -> None:
        """Other operations stay where they are."""
        if op.name != "weight":
            return super().op(op)
        first = self.weights.setdefault(str(op.attr("key")), op)
        if first is not op:
            self.env[op.result] = first.result
        return None
