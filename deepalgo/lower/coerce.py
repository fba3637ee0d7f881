"""Make implicit casts and broadcasts explicit: operands then have one kind, and as many axes as the result if they vary by sample.

What is the same for all samples has no batch axis in front, and meets any shape as it is. What a region hands out has the kind of
its results.

>>> from deepalgo.ir.show import show
>>> show(coerce, '''
... f(n: int, x: real[3])
...   %y = mul %n %x
...   return %y
... ''')
f(n: int, x: real[3])
  %3 = to_real %n
  %4 = lead %3 count=1
  %y = mul %4 %x
  return %y
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deepalgo.ir import Attr, Block, If, Kind, Loop, Op, Program, Try, Value, While
from deepalgo.ir.append import CASTS
from deepalgo.ir.facts.varies import PLAIN, Level, find_levels
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.sources import CONST
from deepalgo.ops.table import TABLE

#: A Python number of each kind.
NUMBERS = {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}


def coerce(program: Program) -> Program:
    """The program with its casts and broadcasts written out."""
    return Coerce(Fresh.of(program), find_levels(program)).program(program)


class Coerce(Rewriter):
    """`constants` are the numbers that are written where they are used: they are cast while compiling."""

    def __init__(self, fresh: Fresh, levels: dict[Value, Level]) -> None:
        super().__init__(fresh)
        self.levels = levels
        self.constants: dict[Value, Attr] = {}
        self.made: dict[tuple[Value | str, str, int], Value] = {}

    def block(self, block: Block) -> Block:
        """A block whose results are as they are."""
        return self.inside(block, block.results)

    def inside(self, block: Block, targets: Sequence[Value]) -> Block:
        """A block that hands its results out in the kinds of these; what is made in it is not seen outside."""
        outer, self.out, before = self.out, [], len(self.made)
        self.statements(block.body)
        results = self.handed(block.results, targets)
        body, self.out = tuple(self.out), outer
        while len(self.made) > before:
            self.made.popitem()
        return Block(block.params, body, results)

    def handed(self, values: tuple[Value, ...], targets: Sequence[Value]) -> tuple[Value, ...]:
        """Values in the kinds of what they become."""
        return tuple([self.cast(value, target.type.kind) for value, target in zip(self.see(values), targets, strict=True)])

    def op(self, op: Op) -> None:
        """Bring the operands to one kind, and line up their axes."""
        args = list(self.see(op.args))
        if op.is_const:
            self.constants[op.result] = op.attr("value")
            twin = self.made.setdefault((repr(op.attr("value")), op.name, 0), op.result)
        else:
            twin = self.made.setdefault((args[0], op.name, 0), op.result) if op.name in PLAIN else op.result
        if twin != op.result:
            self.env[op.result] = twin
            return
        row = TABLE[op.name]
        if row.common is not None:
            kind = max([row.common, *(arg.type.kind for arg in args[row.apart :])])
            args[row.apart :] = [self.cast(arg, kind) for arg in args[row.apart :]]
        if row.broadcasts and (rank := len(op.result.type.shape)):
            args = [self.lead(arg, rank) for arg in args]
        super().op(op if args == list(op.args) else replace(op, args=tuple(args)))

    def cast(self, value: Value, kind: Kind) -> Value:
        """The value in a kind that holds it."""
        if value.type.kind >= kind:
            return value
        plain = self.constants.get(value)
        if plain is None or isinstance(plain, tuple):
            return self.once(value, CASTS[kind])
        assert isinstance(plain, (bool, int, float, complex))
        number = NUMBERS[kind](plain)
        key = repr(number), CONST, 0
        if key not in self.made:
            made = self.made[key] = self.const(number)
            self.levels[made] = self.levels[value]
        return self.made[key]

    def lead(self, value: Value, rank: int) -> Value:
        """The value with axes in front up to a number of axes, if it varies from sample to sample."""
        missing = rank - len(value.type.shape)
        if not missing or self.levels[value] != Level.BATCHED:
            return value
        return self.once(value, "lead", missing)

    def once(self, value: Value, name: str, count: int = 0) -> Value:
        """An operation on a value, made once where it can be seen."""
        key = value, name, count
        if key not in self.made:
            made = self.made[key] = self.add(name, value, attrs=(("count", count),) if count else ())
            self.levels[made] = self.levels[value]
        return self.made[key]

    def branch(self, branch: If) -> None:
        """Both arms hand out the same kinds."""
        then, orelse = (self.inside(arm, branch.results) for arm in (branch.then, branch.orelse))
        self.out.append(replace(branch, condition=self.see((branch.condition,))[0], then=then, orelse=orelse))

    def loop(self, loop: Loop) -> None:
        """The first values and those of each round."""
        params = loop.body.params[1:]
        self.out.append(replace(loop, init=self.handed(loop.init, params), body=self.inside(loop.body, params)))

    def repeat(self, loop: While) -> None:
        """The first values and those of each round."""
        init, body = self.handed(loop.init, loop.body.params), self.inside(loop.body, loop.body.params)
        self.out.append(replace(loop, init=init, test=self.block(loop.test), body=body))

    def attempt(self, attempt: Try) -> None:
        """There is none in a program that is written."""
        raise AssertionError("`try_to_if` leaves no Try")
