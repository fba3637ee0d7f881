"""Turn weights into inputs, so that every sample can have weights of its own.

Several runs are then one batch, and one backward pass gives the derivatives of each sample's answer by all weights.

>>> from deepalgo.ir.show import show
>>> show(lambda program: weights_to_inputs(program, ["gain"]), '''
... scale(x: real)
...   weight gain = 3.0
...   %w = weight gain
...   %y = mul %x %w
...   return %y
... ''')
scale(x: real, 'weight gain' as %gain: real)
  %y = mul %x %gain
  return %y
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from deepalgo.ir import Input, Kind, Op, Program, Type, Value
from deepalgo.ir.rewriter import Fresh, Rewriter


def weights_to_inputs(program: Program, keys: Iterable[str]) -> Program:
    """The program with these weights as further inputs, in this order."""
    fresh = Fresh.of(program)
    shapes = {weight.key: weight.shape for weight in program.weights}
    inputs = {key: fresh.value(Type(Kind.REAL, shapes[key]), key) for key in keys}
    weights = tuple(weight for weight in program.weights if weight.key not in inputs)
    added = tuple(Input(f"weight {key}", value) for key, value in inputs.items())
    body = WeightsToInputs(fresh, inputs).block(program.body)
    return replace(program, inputs=(*program.inputs, *added), weights=weights, body=body)


class WeightsToInputs(Rewriter):
    """Reads inputs where the program reads weights."""

    def __init__(self, fresh: Fresh, inputs: dict[str, Value]) -> None:
        super().__init__(fresh)
        self.inputs = inputs

    def op(self, op: Op) -> None:
        """Leave out the reading of a weight."""
        key = str(op.attr("key")) if op.is_weight else ""
        if key in self.inputs:
            self.env[op.result] = self.inputs[key]
        else:
            super().op(op)
