"""Replace each `Try` by an `If`: a copy of the body finds which check a sample fails, and that number chooses the handler.

What the body itself hands out is computed once more, for the samples that no handler takes; so its values and gradients
never meet those of a sample that failed half-way.

>>> from deepalgo.ir.show import show
>>> from deepalgo.lower.prune import prune
>>> show((lambda program: try_to_if(program, 100), prune), '''
... f(x: real)
...   %z = try
...     %ok = ge %x 0.0
...     check %ok guard 1 else ValueError('math domain error')
...     %y = sqrt %x guard 1
...     yield %y
...   except ArithmeticError, ValueError
...     yield %x
...   return %z
... ''')
f(x: real)
  %9 = const 0
  %ok = ge %x 0.0
  %11 = select %ok %9 1
  %13 = ne %11 0
  %z = if %13
    yield %x
  else
    %ok.2 = ge %x 0.0
    check %ok.2 guard 1 else ValueError('math domain error')
    %y = sqrt %x guard 1
    yield %y
  return %z
"""

from __future__ import annotations

from collections.abc import Sequence

from deepalgo.ir import Block, Check, Handler, If, Program, Try, Value, walk
from deepalgo.ir.catches import catches
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.lower.number_errors import NumberErrors


def try_to_if(program: Program, rounds: int) -> Program:
    """The program without `Try`; a loop of the body that takes more than `rounds` rounds counts as failed."""
    if not any(isinstance(statement, Try) for statement in walk(program.body)):
        return program
    return TryToIf(Fresh.of(program), rounds).program(program)


class TryToIf(Rewriter):
    """Inner attempts are replaced first, in the body and in the copy that is asked for errors."""

    def __init__(self, fresh: Fresh, rounds: int) -> None:
        super().__init__(fresh)
        self.rounds = rounds

    def attempt(self, attempt: Try) -> None:
        """One `If` for all handlers, with one inside for each further one."""
        code, checks = self.probe(attempt.body)
        wanted = [[number for number, check in enumerate(checks, 1) if _first(attempt, check) is handler] for handler in attempt.handlers]
        handlers = [(numbers, handler.block) for numbers, handler in zip(wanted, attempt.handlers, strict=True) if numbers]
        taken = sorted(number for numbers, _ in handlers for number in numbers)
        if not taken:
            self.statements(attempt.body.body)
            self.env.update(zip(attempt.results, self.see(attempt.body.results), strict=True))
            return
        condition = self.is_among(code, taken, len(checks))
        then, orelse = self.handle(code, handlers, attempt), self.block(attempt.body)
        self.out.append(If(self.define(attempt.results), condition, then, orelse, attempt.span))

    def probe(self, body: Block) -> tuple[Value, list[Check]]:
        """The error code of each sample, computed by a copy of the body."""
        before = dict(self.env)
        copy = self.copy(body)
        self.env = before
        coder = NumberErrors(self.fresh, self.rounds)
        coded, code = coder.coded(copy)
        self.out.extend(coded.body)
        return code, coder.checks

    def handle(self, code: Value, handlers: Sequence[tuple[list[int], Block]], attempt: Try) -> Block:
        """The first handler for its errors, the others for the rest."""
        (numbers, block), *rest = handlers
        if not rest:
            return self.block(block)
        outer, self.out = self.out, []
        condition = self.is_among(code, numbers, None)
        then, orelse = self.block(block), self.handle(code, rest, attempt)
        results = tuple(self.fresh.value(value.type, value.name) for value in attempt.results)
        self.out.append(If(results, condition, then, orelse, attempt.span))
        made = Block((), tuple(self.out), results)
        self.out = outer
        return made

    def is_among(self, code: Value, numbers: Sequence[int], count: int | None) -> Value:
        """Whether the code is one of the numbers; all of `count` means whether there is one."""
        if count == len(numbers):
            return self.unequal(code, self.const(0))
        found = self.equal(code, self.const(numbers[0]))
        for number in numbers[1:]:
            found = self.any_of(found, self.equal(code, self.const(number)))
        return found


def _first(attempt: Try, check: Check) -> Handler | None:
    return next((handler for handler in attempt.handlers if catches(handler.catches, check.error, check.bases)), None)
