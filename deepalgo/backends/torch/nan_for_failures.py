"""Give NaN, and no gradient, to samples on which the heuristic raises, inside one fixed graph.

>>> from deepalgo.lower.prune import prune
>>> from deepalgo.ir.show import show
>>> show((lambda program: nan_for_failures(program, 100), prune), '''
... f(x: real)
...   %ok = ge %x 0.0
...   check %ok guard 1 else ValueError('math domain error')
...   %y = sqrt %x guard 1
...   return %y
... ''')
f(x: real)
  %8 = const 0
  %ok = ge %x 0.0
  %10 = select %ok %8 1
  %12 = eq %10 0
  %y = if %12
    %y.3 = sqrt %x guard 1
    yield %y.3
  else
    yield nan
  return %y
  also %10
  failure ValueError('math domain error')
"""

from __future__ import annotations

import math
from dataclasses import replace

from deepalgo.ir import Attr, Block, Check, Failure, If, Kind, Op, Program, Statement, Value, While
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.lower.number_errors import NumberErrors, can_fail

#: What a failed sample gets; there is no NaN among integers, so they get the one that no one computes with.
NOTHING: dict[Kind, Attr] = {Kind.BOOL: False, Kind.INT: -(2**63), Kind.REAL: math.nan, Kind.COMPLEX: complex(math.nan, math.nan)}


def nan_for_failures(program: Program, rounds: int) -> Program:
    """The program with the error code as one more result, if anything in it can fail."""
    if not any(map(can_fail, program.body.body)):
        return program
    rewriter = NanForFailures(Fresh.of(program), rounds)
    return replace(program, body=rewriter.whole(program.body), failures=tuple(map(Failure.of, rewriter.checks)))


class NanForFailures(Rewriter):
    """A copy of the body finds the codes, then the body without its checks runs for the samples with code 0."""

    def __init__(self, fresh: Fresh, rounds: int) -> None:
        super().__init__(fresh)
        self.rounds = rounds
        self.checks: list[Check] = []

    def whole(self, body: Block) -> Block:
        """The body of the new program."""
        coder = NumberErrors(self.fresh, self.rounds, self.checks)
        # Weights are read in front of the branch, so that it can keep the gradients of failed samples from them.
        self.out.extend(statement for statement in body.body if _is_weight(statement))
        body = replace(body, body=tuple(statement for statement in body.body if not _is_weight(statement)))
        copy = Rewriter(self.fresh).copy(body)
        coded, code = coder.coded(copy)
        self.out.extend(coded.body)
        good = self.equal(code, self.const(0))
        then, orelse = self.block(body), self.nothing(body.results)
        results = tuple(self.fresh.value(value.type, value.name) for value in body.results)
        self.out.append(If(results, good, then, orelse))
        return Block((), tuple(self.out), (*results, code))

    def nothing(self, values: tuple[Value, ...]) -> Block:
        """What failed samples get."""
        outer, self.out = self.out, []
        results = tuple(self.filled(self.const(NOTHING[value.type.kind]), value.type.shape) for value in values)
        made = Block((), tuple(self.out), results)
        self.out = outer
        return made

    def check(self, check: Check) -> None:
        """No sample that comes here fails."""

    def repeat(self, loop: While) -> None:
        """No sample that comes here runs too long."""
        super().repeat(replace(loop, bound=self.rounds) if loop.bound is None else loop)


def _is_weight(statement: Statement) -> bool:
    return isinstance(statement, Op) and statement.is_weight
