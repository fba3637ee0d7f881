"""Free whole exponents whose base the data show to be positive; where a base is not, they stay as they are.

`x ** 3.0` has a value for a negative `x`, and `x ** 3.1` has none among real numbers. Where an exponent becomes free, answers that Python
does not have become errors of the sample, as Python's own would be.

>>> from deepalgo.compiler import compile
>>> def law(x, power=2.0):
...     return x ** power
>>> net = compile(law)
>>> net.weights.reasons()
{'power': 'a whole exponent of a base that may be negative'}
>>> free_exponents(net, ["power"], [torch.tensor([0.5, 2.0], dtype=torch.float64)]).weights.reasons()
{'power': ''}
>>> free_exponents(net, ["power"], [torch.tensor([0.5, -2.0], dtype=torch.float64)]) is net
True
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import torch
from torch import Tensor

from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.fitting.choice.what_trains import what_trains
from deepalgo.fitting.data.samples import Samples
from deepalgo.ir import By, Check, Kind, Op, Program, Value
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ir.standing import WHOLE_EXPONENT
from deepalgo.network import Network
from deepalgo.ops.table import TABLE


def with_exponents(net: Network, options: WeightOptions, parts: Iterable[Samples]) -> Network:
    """The network with those whole exponents free that the caller or the default would train, if all samples let them."""
    if not (keys := whole_exponents(net)):
        return net
    reasons = what_trains(_freed(net, keys), options, strict=False)
    leaves = [torch.cat(columns) for columns in zip(*(part.leaves for part in parts), strict=True)]
    return free_exponents(net, [key for key in keys if not reasons[key]], leaves)


def whole_exponents(net: Network) -> list[str]:
    """The weights that only wait for data to show that a base is positive."""
    return [weight.key for weight in net.weights.entries if weight.frozen == WHOLE_EXPONENT]


def free_exponents(net: Network, keys: Iterable[str], leaves: list[Tensor]) -> Network:
    """The network with those of these exponents free whose bases are positive on all samples."""
    positive = [key for key in keys if _is_positive(net, key, leaves)]
    return _freed(net, positive) if positive else net


def _is_positive(net: Network, key: str, leaves: list[Tensor]) -> bool:
    """Whether no sample meets a base of this exponent that is 0 or below."""
    probe = _carried(net, _Powers({key}, Fresh.of(net.program), asks=True).program(net.program), net.heuristic)
    probe.errors = "nan"
    return NOT_POSITIVE not in probe.outcomes(list(leaves))[1]


def _freed(net: Network, keys: Collection[str]) -> Network:
    """The network with these exponents as weights that train."""
    program = _thawed(net.program, keys)
    heuristic = program if net.heuristic is net.program else _thawed(net.heuristic, keys)
    return _carried(net, program, heuristic)


def _thawed(program: Program, keys: Collection[str]) -> Program:
    made = _Powers(keys, Fresh.of(program), asks=False).program(program)
    weights = tuple(replace(weight, frozen="") if weight.key in keys else weight for weight in program.weights)
    return replace(made, weights=weights)


def _carried(net: Network, program: Program, heuristic: Program) -> Network:
    """The network with another program, and with the numbers that its weights have."""
    made = net.with_program(program)
    made.heuristic, made.follows_lines, made.notes = heuristic, net.follows_lines, net.notes
    made.to(dtype=net.dtype, device=net.device)
    with torch.no_grad():
        for weight in program.weights:
            made.weights[weight.key].copy_(net.weights[weight.key])
            if not weight.frozen and isinstance(net.weights[weight.key], torch.nn.Parameter):
                made.weights[weight.key].requires_grad_(net.weights[weight.key].requires_grad)
    return made.train(net.training)


NOT_POSITIVE = "BaseNotPositive"


class _Powers(Rewriter):
    """Puts checks before powers whose exponents some weights are: of what Python raises, or, if it `asks`, of positive bases."""

    def __init__(self, keys: Collection[str], fresh: Fresh, *, asks: bool) -> None:
        super().__init__(fresh)
        self.keys = keys
        self.asks = asks
        self.made_of: dict[Value, frozenset[str]] = {}  # the weights that a value is made of, if it is made of nothing else

    def op(self, op: Op) -> None:
        if op.is_weight:
            self.made_of[op.result] = frozenset([str(op.attr("key"))])
        elif all(arg in self.made_of for arg in op.args):
            self.made_of[op.result] = frozenset[str]().union(*(self.made_of[arg] for arg in op.args))
        if is_power(op) and self.made_of.get(op.args[1], frozenset()) & set(self.keys):
            self.span = op.span
            base, exponent = self.see(op.args)
            if self.asks:
                self._require(self.less(self.const(0.0), base), NOT_POSITIVE, "a base that is not positive", op)
            elif op.by is By.PYTHON:
                self._as_python(base, exponent, op)
        super().op(op)

    def _as_python(self, base: Value, exponent: Value, op: Op) -> None:
        zero = self.const(0.0)
        below, pole = self.less(base, zero), self.all_of(self.equal(base, zero), self.less(exponent, zero))
        whole = self.equal(exponent, self.add("floor", exponent))
        self._require(self.negated(pole), "ZeroDivisionError", "0.0 cannot be raised to a negative power", op)
        complex_there = "a negative number to a fractional power is complex in Python"
        self._require(self.any_of(self.negated(below), whole), "ComplexResult", complex_there, op)

    def _require(self, ok: Value, error: str, message: str, op: Op) -> None:
        if ok.type.shape:
            ok = self.add("all", ok, attrs=(("axis", None),))
        bases = ("ArithmeticError", "Exception", "BaseException", "object") if error == "ZeroDivisionError" else ()
        self.out.append(Check(ok, error, message, (), op.span, bases, op.guard))


def is_power(op: Op) -> bool:
    """Whether this raises a real number to a power."""
    return op.name in TABLE and TABLE[op.name].drawn == "power" and op.result.type.kind is Kind.REAL
