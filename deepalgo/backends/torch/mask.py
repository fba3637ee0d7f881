"""Lower branches and loops to straight-line code: both arms are computed, and each sample selects the results of the arm it takes.

`cut(mask, x)` is x, but samples outside of the mask get no gradient through it; so an arm that was not taken cannot
spoil a gradient with inf or NaN.

>>> from deepalgo.ir.show import show
>>> show(mask, '''
... f(x: real, c: bool)
...   %z = if %c
...     %y = log %x
...     yield %y
...   else
...     yield %x
...   return %z
... ''')
f(x: real, c: bool)
  %x.4 = cut %c %x
  %y = log %x.4
  %z = select %c %y %x
  return %z
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from deepalgo.backends.torch.nan_reach import at_risk, exposed
from deepalgo.backends.torch.share_across_arms import Path, share_across_arms
from deepalgo.ir import Attr, Block, Check, If, Loop, Op, Program, Value, While, captured, walk
from deepalgo.ir.facts import constants
from deepalgo.ir.rewriter import INT, Fresh, Rewriter


def mask(program: Program, cheap: Callable[[If], bool] = lambda branch: True, rounds: int | None = None) -> Program:
    """Lower the branches that are `cheap` and, if `rounds` is given, every `While` to so many rounds."""
    return Mask(Fresh.of(program), constants(program.body), cheap, rounds).program(program)


def mask_all(program: Program, rounds: int) -> Program:
    """Lower all branches, and every `While` to so many rounds."""
    return mask(program, rounds=rounds)


def mask_and_share(program: Program, rounds: int) -> Program:
    """Lower all branches and loops, and compute expensive operations once for the arms that have them."""
    masker = Mask(Fresh.of(program), constants(program.body), lambda branch: True, rounds)
    return share_across_arms(masker.program(program), masker.paths, masker.reached)


class Mask(Rewriter):
    """`active` is true for the samples that come to the current statement; None means all.

    `arms` are the arms around it: who takes them, and what can get a gradient of NaN from a risky operation of theirs. `path` are
    the conditions of the branches around it, `paths` those of each operation, `reached` the operations of arms that can get a NaN.
    """

    def __init__(self, fresh: Fresh, known: Mapping[Value, Attr], cheap: Callable[[If], bool], rounds: int | None) -> None:
        super().__init__(fresh)
        self.known = known
        self.cheap = cheap
        self.rounds = rounds
        self.active: Value | None = None
        self.arms: list[tuple[Value, set[Value]]] = []
        self.path: Path = {}
        self.paths: dict[Value, Path] = {}
        self.reached: set[Value] = set()

    def op(self, op: Op) -> None:
        """An operation, and the arms that it stands in."""
        super().op(op)
        (made,) = self.see((op.result,))
        if self.path:
            self.paths[made] = self.path
        if any(op.result in reached for _, reached in self.arms):
            self.reached.add(made)

    def check(self, check: Check) -> None:
        """A check concerns the active samples only."""
        super().check(check)
        if self.active is not None:
            kept = self.out.pop()
            assert isinstance(kept, Check)
            self.out.append(replace(kept, ok=self.any_of(kept.ok, self.negated(self.active))))

    def branch(self, branch: If) -> None:
        """Both arms in a row, then one choice for each result."""
        if not self.cheap(branch):
            return super().branch(branch)
        condition = self.see((branch.condition,))[0]
        if condition in self.known:
            return self.only(branch, branch.then if self.known[condition] else branch.orelse)
        outer, self.path = self.path, {**self.path, condition: True}
        then = self.arm(branch.then, condition)
        self.path = {**outer, condition: False}
        orelse = self.arm(branch.orelse, self.negated(condition)) if _acts(branch.orelse, self.known) else self.inline(branch.orelse)
        self.path = outer
        for result, first, second in zip(branch.results, then, orelse, strict=True):
            (made,) = self.define((result,))
            self.out.append(Op(made, "select", (condition, first, second), (), branch.span))
        return None

    def only(self, branch: If, taken: Block) -> None:
        """One arm of a branch that is decided."""
        for result, value in zip(branch.results, self.inline(taken), strict=True):
            same = value.type == result.type
            self.env[result] = value if same else self.add(f"to_{result.type.kind.name.lower()}", value)

    def arm(self, block: Block, taken: Value, params: tuple[Value, ...] = ()) -> tuple[Value, ...]:
        """The statements of a block that only the samples in `taken` live through."""
        shadows = {value: self.env[value] for value in (*params, *captured(block)) if value in self.env}
        before, outer = dict(shadows), self.active
        for value in exposed(block, self.known, params):
            self.env[value] = self.cut(taken, self.see((value,))[0])
        if _checks(block):
            self.active = self.both(outer, taken)
        self.arms.append((taken, at_risk(block, self.known)))
        results = self.inline(block)
        self.arms.pop()
        self.active = outer
        self.restore(block, params, before)
        return results

    def inline(self, block: Block) -> tuple[Value, ...]:
        """The statements of a block in the current one."""
        self.statements(block.body)
        return self.see(block.results)

    def cut(self, taken: Value, value: Value) -> Value:
        """`value` without a gradient for samples that are not in `taken`."""
        result = self.fresh.value(value.type, value.name)
        self.out.append(Op(result, "cut", (taken, value)))
        return result

    def restore(self, block: Block, params: tuple[Value, ...], before: Mapping[Value, Value]) -> None:
        """Outside of the block its captured values are what they were."""
        for value in (*params, *captured(block)):
            self.env.pop(value, None)
        self.env.update(before)

    def repeat(self, loop: While) -> None:
        """A fixed number of rounds in which settled samples keep their values."""
        if self.rounds is None:
            return super().repeat(loop)
        count = self.rounds if loop.bound is None else min(self.rounds, loop.bound)
        init = (self.const(True), *self.see(loop.init))
        outer, self.out = self.out, []
        live, *state = (self.fresh.value(value.type, value.name) for value in (init[0], *loop.results))
        results = self.round(loop, live, tuple(state))
        body = Block((self.fresh.value(INT), live, *state), tuple(self.out), results)
        self.out = outer
        final = (self.fresh.value(live.type), *self.define(loop.results))
        self.out.append(Loop(final, count, init, body, loop.span))
        return None

    def round(self, loop: While, live: Value, state: tuple[Value, ...]) -> tuple[Value, ...]:
        """Test and body once; `live` are the samples that have not stopped in an earlier round."""
        self.env.update(zip(loop.test.params, state, strict=True))
        (go,) = self.inline(loop.test)
        live = self.all_of(live, go)
        self.env.update(zip(loop.body.params, state, strict=True))
        fresh = self.arm(loop.body, live, loop.body.params)
        return (live, *(self.where(live, after, before) for after, before in zip(fresh, state, strict=True)))


def _checks(block: Block) -> bool:
    return any(isinstance(statement, Check) for statement in walk(block))


def _acts(block: Block, known: Mapping[Value, Attr]) -> bool:
    """Whether the block needs to know which samples take it."""
    return _checks(block) or bool(exposed(block, known))
