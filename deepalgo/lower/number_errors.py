"""Replace checks by an error code: the number of the first check that a sample fails, 0 if it fails none.

A program that raises nothing can run in one fixed graph, and can be asked for the error before it is run for the result.

>>> from deepalgo.ir.show import show
>>> show(lambda program: number_errors(program, 100), '''
... f(x: real)
...   %ok = ge %x 0.0
...   check %ok guard 1 else ValueError('math domain error')
...   %y = sqrt %x guard 1
...   return %y
... ''')
f(x: real)
  %4 = const 0
  %ok = ge %x 0.0
  %6 = select %ok %4 1
  %y = sqrt %x guard 1
  return %y
  also %6
  failure ValueError('math domain error')
"""

from __future__ import annotations

from dataclasses import replace

from deepalgo.ir import Block, Check, Failure, If, Loop, Program, Statement, Try, Value, While, blocks
from deepalgo.ir.per_block import fails_itself, has
from deepalgo.ir.rewriter import BOOL, INT, Fresh, Rewriter


def number_errors(program: Program, rounds: int) -> Program:
    """The program with one more result, the error code, if anything in it can fail. There is no `Try` in it."""
    return _coded(program, NumberErrors(Fresh.of(program), rounds))


def flag_errors(program: Program, rounds: int) -> Program:
    """As `code_errors`, with a truth value in the place of the error code: whether a sample fails."""
    return _coded(program, FlagErrors(Fresh.of(program), rounds))


def _coded(program: Program, coder: NumberErrors) -> Program:
    if not any(map(can_fail, program.body.body)):
        return program
    body, code = coder.coded(program.body)
    return replace(program, body=replace(body, results=(*body.results, code)), failures=tuple(map(Failure.of, coder.checks)))


def can_fail(statement: Statement) -> bool:
    """Whether a statement holds checks, or a loop that may not end."""
    return fails_itself(statement) or any(map(has(fails_itself), blocks(statement)))


class NumberErrors(Rewriter):
    """`code` is the current error code; `rounds` is how long a loop may run."""

    type = INT

    def __init__(self, fresh: Fresh, rounds: int, checks: list[Check] | None = None) -> None:
        super().__init__(fresh)
        self.rounds = rounds
        self.checks: list[Check] = [] if checks is None else checks
        self.code: Value | None = None
        self.zero: Value | None = None
        self.fails = has(fails_itself)

    def coded(self, block: Block) -> tuple[Block, Value]:
        """The block, and the code after it; the code starts with 0 in front of it."""
        outer, self.out, before = self.out, [], self.code
        self.code = self.zero = self.nothing()
        self.statements(block.body)
        code = self.code
        made = Block(block.params, tuple(self.out), self.see(block.results))
        self.out, self.code = outer, before
        return made, code

    def nothing(self) -> Value:
        """The code of a sample on which all is well."""
        return self.const(0)

    def is_good(self, code: Value) -> Value:
        """Whether a code says that all is well."""
        return self.equal(code, self.const(0))

    def check(self, check: Check) -> None:
        """Note the number of the check where it fails and nothing failed before."""
        self.note(self.see((check.ok,))[0], check, fresh=self.code == self.zero)

    def note(self, ok: Value, check: Check, *, fresh: bool) -> None:
        """Note a failed check."""
        assert self.code is not None
        self.checks.append(check)
        number = self.const(len(self.checks))
        passed = ok if fresh else self.any_of(ok, self.unequal(self.code, self.const(0)))
        self.code = self.where(passed, self.code, number)

    def branch(self, branch: If) -> None:
        """The code is one more result."""
        if not any(map(self.fails, blocks(branch))):
            return super().branch(branch)
        condition = self.see((branch.condition,))[0]
        then, orelse = self.arm(branch.then), self.arm(branch.orelse)
        code = self.fresh.value(self.type)
        self.out.append(replace(branch, condition=condition, then=then, orelse=orelse, results=(*self.define(branch.results), code)))
        self.code = code
        return None

    def arm(self, block: Block) -> Block:
        """An arm that hands out its code."""
        before, outer, self.out = self.code, self.out, []
        self.statements(block.body)
        assert self.code is not None
        made = Block((), tuple(self.out), (*self.see(block.results), self.code))
        self.code, self.out = before, outer
        return made

    def loop(self, loop: Loop) -> None:
        """The code is carried along."""
        if not self.fails(loop.body):
            return super().loop(loop)
        assert self.code is not None
        init = (*self.see(loop.init), self.code)
        params = self.define(loop.body.params)
        self.code, outer, self.out = self.fresh.value(self.type), self.out, []
        params = (*params, self.code)
        self.statements(loop.body.body)
        body = Block(params, tuple(self.out), (*self.see(loop.body.results), self.code))
        self.out, self.code = outer, self.fresh.value(self.type)
        self.out.append(replace(loop, init=init, body=body, results=(*self.define(loop.results), self.code)))
        return None

    def repeat(self, loop: While) -> None:
        """Carry the code and the truth of the test, which can fail itself; a sample stops at its first error."""
        if loop.bound is not None and not any(map(self.fails, blocks(loop))):
            return super().repeat(loop)
        assert self.code is not None
        go = self.test(loop.test, self.see(loop.init))
        init = (*self.see(loop.init), self.code, go)
        body = self.round(loop)
        final = (*self.define(loop.results), self.fresh.value(self.type), self.fresh.value(BOOL))
        limit = loop.bound if loop.bound is not None else self.rounds
        self.out.append(replace(loop, init=init, test=self.goes_on(loop), body=body, results=final, bound=limit))
        self.code = final[-2]
        if loop.bound is None:
            blame = Check(final[-1], "LoopBound", f"still running after {self.rounds} rounds", (), loop.span)
            self.note(self.negated(final[-1]), blame, fresh=False)
        return None

    def test(self, test: Block, state: tuple[Value, ...]) -> Value:
        """A copy of the test, in the current block."""
        self.renews, renews = True, self.renews
        self.env.update(zip(test.params, state, strict=True))
        self.statements(test.body)
        (go,) = self.see(test.results)
        self.renews = renews  # what it defines no one else sees
        return go

    def round(self, loop: While) -> Block:
        """The body, and then the test for the next round."""
        outer, self.out = self.out, []
        params = self.define(loop.body.params)
        self.code = self.fresh.value(self.type)
        params = (*params, self.code, self.fresh.value(BOOL))
        self.statements(loop.body.body)
        state = self.see(loop.body.results)
        go = self.test(loop.test, state)
        body = Block(params, tuple(self.out), (*state, self.code, go))
        self.out = outer
        return body

    def goes_on(self, loop: While) -> Block:
        """The test of a round: the last test held and nothing failed."""
        outer, self.out = self.out, []
        carried = tuple(self.fresh.value(value.type) for value in loop.results)
        code, go = self.fresh.value(self.type), self.fresh.value(BOOL)
        result = self.all_of(go, self.is_good(code))
        made = Block((*carried, code, go), tuple(self.out), (result,))
        self.out = outer
        return made

    def attempt(self, attempt: Try) -> None:
        """There is none."""
        raise AssertionError("`try_to_if` leaves no Try")


class FlagErrors(NumberErrors):
    """A truth value, which needs no order of errors: a sample that has failed may fail again."""

    type = BOOL

    def nothing(self) -> Value:
        """Nothing has failed."""
        return self.const(False)

    def is_good(self, code: Value) -> Value:
        """Whether nothing has failed."""
        return self.negated(code)

    def note(self, ok: Value, check: Check, *, fresh: bool) -> None:
        """Note a failed check."""
        assert self.code is not None
        self.checks.append(check)
        failed = self.negated(ok)
        self.code = failed if fresh else self.any_of(self.code, failed)
