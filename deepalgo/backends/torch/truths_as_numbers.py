"""Replace computed truth values by the numbers 1 and 0, in graphs that torch fuses.

A fused loop over vectors of floats keeps the truth of a comparison as wide as the floats. There it can choose between two numbers, but
`and` and `or` first make it narrow, value by value, which takes longer than a division. Choosing between 1 and 0 takes no time.

>>> from deepalgo.lower.prune import prune
>>> from deepalgo.ir.show import show
>>> show((truths_as_numbers, prune), '''
... f(x: real)
...   %p = lt %x 0.0
...   %q = gt %x 1.0
...   %r = or %p %q
...   return %r
... ''')
f(x: real)
  %p = lt %x 0.0
  %q = gt %x 1.0
  %6 = const 1.0
  %9 = select %q 1.0 0.0
  %10 = select %p %6 %9
  %12 = ne %10 0.0
  return %12
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from deepalgo.ir import Attr, Block, Kind, Loop, Op, Program, Type, Value
from deepalgo.ir.facts import Level, constants, find_levels
from deepalgo.ir.facts.truths import is_conjunction, is_disjunction, is_negation
from deepalgo.ir.rewriter import Fresh, Rewriter

REAL = Type(Kind.REAL)


def truths_as_numbers(program: Program) -> Program:
    """A program without branches, in which only comparisons make truth values."""
    return TruthsAsNumbers(Fresh.of(program), find_levels(program), constants(program.body)).program(program)


class TruthsAsNumbers(Rewriter):
    """`numbers` stand for the truth values that are not compared but computed."""

    def __init__(self, fresh: Fresh, levels: Mapping[Value, Level], known: Mapping[Value, Attr]) -> None:
        super().__init__(fresh)
        self.levels = levels
        self.known = known
        self.numbers: dict[Value, Value] = {}

    def block(self, block: Block) -> Block:
        """A block; what its results need is computed in it."""
        outer, self.out = self.out, []
        self.statements(block.body)
        results = self.see(block.results)
        made = Block(block.params, tuple(self.out), results)
        self.out = outer
        return made

    def op(self, op: Op) -> None:
        """An operation; those between truth values become choices between numbers."""
        if not self.is_truth(op.result):
            return super().op(op)
        if is_negation(op) and op.args[0] in self.numbers:
            self.env[op.result] = self.equal(self.numbers[op.args[0]], self.const(0.0))
        elif is_conjunction(op):
            self.numbers[op.result] = self.choose(*self.easier(*op.args), None)
        elif is_disjunction(op):
            condition, rest = self.easier(*op.args)
            self.numbers[op.result] = self.where(self.truth(condition), self.const(1.0), self.number(rest))
        elif op.is_choice:
            self.numbers[op.result] = self.choose(*op.args)
        elif op.name == "no_overflow" and all(item.type == REAL for item in op.args):
            result, *operands = op.args
            self.numbers[op.result] = self.stays_finite(result, operands)
        else:
            super().op(op)
        return None

    def choose(self, condition: Value, one: Value, other: Value | None) -> Value:
        """The number of one or the other truth; no other means False."""
        return self.where(self.truth(condition), self.number(one), self.const(0.0) if other is None else self.number(other))

    def easier(self, one: Value, other: Value) -> tuple[Value, Value]:
        """A truth that need not be made from a number comes first."""
        return (other, one) if one in self.numbers and other not in self.numbers else (one, other)

    def stays_finite(self, result: Value, operands: list[Value]) -> Value:
        """Whether a result is finite or an operand is not."""
        number = self.const(0.0)
        for operand in operands:
            if not self.is_finite_number(operand):
                number = self.where(self.finite(operand), number, self.const(1.0))
        return self.where(self.finite(result), self.const(1.0), number)

    def finite(self, value: Value) -> Value:
        """Whether a number is finite."""
        return self.less(self.magnitude(self.see((value,))[0]), self.const(math.inf))

    def is_finite_number(self, value: Value) -> bool:
        """Whether it is a constant other than inf and NaN."""
        number = self.known.get(value)
        return isinstance(number, (int, float)) and math.isfinite(number)

    def is_truth(self, value: Value) -> bool:
        """Whether a value is one truth for each sample."""
        return value.type == Type(Kind.BOOL) and self.levels.get(value) == Level.BATCHED

    def number(self, value: Value) -> Value:
        """A truth as a number."""
        if value in self.numbers:
            return self.numbers[value]
        if value in self.known:
            return self.const(float(bool(self.known[value])))
        return self.where(self.see((value,))[0], self.const(1.0), self.const(0.0))

    def truth(self, value: Value) -> Value:
        """A number as a truth again."""
        if value in self.numbers:
            return self.unequal(self.numbers[value], self.const(0.0))
        return self.env.get(value, value)

    def see(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """What stands for these values here."""
        return tuple(map(self.truth, values)) if any(value in self.numbers for value in values) else super().see(values)

    def loop(self, loop: Loop) -> None:
        """Truths are carried as numbers."""
        kept = [self.is_truth(param) for param in loop.body.params[1:]]
        init = tuple(self.number(value) if keep else self.see((value,))[0] for value, keep in zip(loop.init, kept, strict=True))
        outer, self.out = self.out, []
        count, *state = loop.body.params
        params = (count, *(self.carry(value) if keep else value for value, keep in zip(state, kept, strict=True)))
        self.statements(loop.body.body)
        results = tuple(self.number(value) if keep else self.see((value,))[0] for value, keep in zip(loop.body.results, kept, strict=True))
        body = Block(params, tuple(self.out), results)
        self.out = outer
        final = tuple(self.carry(value) if keep else value for value, keep in zip(loop.results, kept, strict=True))
        self.out.append(replace(loop, init=init, body=body, results=final))

    def carry(self, value: Value) -> Value:
        """The number that stands for a truth from here on."""
        self.numbers[value] = self.fresh.value(REAL, value.name)
        return self.numbers[value]
