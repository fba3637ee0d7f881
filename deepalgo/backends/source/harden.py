"""Drop what only gradients need: a choice with a learnable guard becomes a plain choice.

>>> from deepalgo.ir.show import show
>>> from deepalgo.lower.prune import prune
>>> show((lambda program: harden(program, {}), prune), '''
... f(x: real)
...   %c = gt %x 0.0
...   %safe = cut %c %x
...   %y = log %safe
...   return %y
... ''')
f(x: real)
  %y = log %x
  return %y
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deepalgo.errors import InputError
from deepalgo.ir import Op, Program, Value
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.table import HARDENED, TABLE

#: The spelling of an operation that is one of its operands.
OPERAND = re.compile(r"\{(\d)\}")
#: The attribute of a weight, and of a choice that is blended by one.
KEY = "key"


def harden(program: Program, weights: Mapping[str, Any]) -> Program:
    """The program without operations that have one of their operands as their value."""
    return Harden(Fresh.of(program), weights).program(program)


class Harden(Rewriter):
    """`weights` says how soft a choice still is: one that blends two values is none."""

    def __init__(self, fresh: Fresh, weights: Mapping[str, Any]) -> None:
        super().__init__(fresh)
        self.weights = weights
        self.keys: dict[object, str] = {}
        self.products: dict[object, tuple[Value, ...]] = {}

    def op(self, op: Op) -> None:
        """Put the operand in the place of the operation."""
        args = self.see(op.args)
        if op.is_weight:
            self.keys[op.result] = str(op.attr(KEY))
        if op.name == "mul":
            self.products[op.result] = args
        if (found := OPERAND.fullmatch(TABLE[op.name].python)) is not None:
            if KEY in dict(op.attrs) and self.weights.get(self.keys.get(args[-1], ""), 0.0) != 0.0:
                raise InputError(
                    "the network blends the ways of a branch: da.anneal(net, 0.0) makes its guards hard, then there is source for it"
                )
            self.env[op.result] = args[int(found[1])]
        elif op.name in HARDENED and self._is_nothing(args[-1]):
            self.out.append(replace(op, name=HARDENED[op.name], args=args[:-1], attrs=tuple(item for item in op.attrs if item[0] != KEY)))
        else:
            super().op(op)

    def _is_nothing(self, softness: Value) -> bool:
        """Whether a weight that is zero is a factor of it."""
        return any(self.weights.get(self.keys.get(factor, "")) == 0.0 for factor in self.products.get(softness, ()))
