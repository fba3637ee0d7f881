"""Simplify control flow: remove flags that are known, branches that are decided and values that a loop never changes.

>>> from deepalgo.ir.show import show
>>> from deepalgo.lower.prune import prune
>>> show((simplify, prune), '''
... f(x: real)
...   %yes = const True
...   %no = const False
...   %c = lt %x 0.0
...   %flag = if %c
...     yield %yes
...   else
...     yield %no
...   %out = if %flag
...     yield %x
...   else
...     %y = neg %x
...     yield %y
...   return %out
... ''')
f(x: real)
  %c = lt %x 0.0
  %out = if %c
    yield %x
  else
    %y = neg %x
    yield %y
  return %out
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Program, Value, While, defined, walk
from deepalgo.ir.facts import Knowing
from deepalgo.ir.facts.constants import single
from deepalgo.ir.rewriter import BOOL, Fresh
from deepalgo.ops.table import TABLE


def simplify(program: Program) -> Program:
    """The program without what is known before it runs."""
    return Simplify(Fresh.of(program)).program(program)


def size(program: Program) -> tuple[int, int]:
    """How many statements and results there are."""
    statements = list(walk(program.body))
    return len(statements), sum(len(defined(statement)) for statement in statements)


class Simplify(Knowing):
    """Knows in an arm which samples take it."""

    def see(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Follow what stands for what stands for a value."""
        seen = super().see(values)
        while seen != values:
            values, seen = seen, super().see(seen)
        return values

    def instead(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A constant, or another value."""
        return self.folded(op, args) or self.shortcut(op, args)

    def shortcut(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A value that the result is equal to."""
        if TABLE[op.name].replaces and len(args) == 2:
            return self.unchanged(op, *args)
        if op.result.type.shape:
            return None
        known = self.facts.constant
        if op.is_choice and (args[1] == args[2] or known(args[0]) is not None):
            chosen = args[1] if known(args[0]) else args[2]
            return chosen if chosen.type == op.result.type else None
        return self.simpler_truth(op, args)

    def unchanged(self, op: Op, array: Value, item: Value) -> Value | None:
        """What an array is whose part gets an item: the item, if that is all of it, or the array, if the part was the item before."""
        if op.attr("key") == ("...",) and item.type == op.result.type:
            return item
        held = self.facts.ops.get(item)
        is_part = held is not None and held.name == "take" and held.args[0] == array and held.attr("key") == op.attr("key")
        return array if is_part else None

    def check(self, check: Check) -> None:
        """Leave out a check that holds; what was checked holds from there on, where it is a flag that a region hands on."""
        (ok,) = self.see((check.ok,))
        if self.facts.constant(ok) is True:
            return
        super().check(check)
        made = self.facts.ops
        if ok not in made or ((inner := self.opposite(ok)) is not None and inner not in made):
            self.facts.learn(ok, True)

    def block(self, block: Block) -> Block:
        """A block, behind which nothing is known that was learned in it."""
        self.facts.enter()
        made = super().block(block)
        self.facts.leave()
        return made

    def branch(self, branch: If) -> None:
        """Only the arm that is taken, or both with what their samples know."""
        condition = self.see((branch.condition,))[0]
        inner, known = self.opposite(condition), self.facts.constant(condition)
        if inner is not None:
            return self.branch(replace(branch, condition=inner, then=branch.orelse, orelse=branch.then))
        if known is not None:
            return self.only(branch, branch.then if known else branch.orelse)
        then, orelse = self.arm(branch.then, condition, True), self.arm(branch.orelse, condition, False)
        made = replace(branch, condition=condition, then=then, orelse=orelse, results=self.define(branch.results))
        if not self.joined(made):
            self.out.append(made)
        self.resolve(made)
        return None

    def only(self, branch: If, taken: Block) -> None:
        """One arm in the place of the branch."""
        self.statements(taken.body)
        for result, value in zip(branch.results, self.see(taken.results), strict=True):
            self.env[result] = self.fit(value, result.type) if value.type.shape == result.type.shape else self.spread(value, result)

    def spread(self, value: Value, result: Value) -> Value:
        """A number in the shape of the array that the other arm has."""
        return self.repeated(self.fit(value, result.type), result.type.shape)

    def arm(self, block: Block, condition: Value, truth: bool) -> Block:
        """An arm, in which the condition is known."""
        outer, self.out = self.out, []
        self.facts.enter()
        self.facts.learn(condition, truth)
        self.statements(block.body)
        result = Block((), tuple(self.out), self.see(block.results))
        self.facts.leave()
        self.out = outer
        return result

    def joined(self, made: If) -> bool:
        """Join a branch to one just before it that asks the same; return whether that was done."""
        place = len(self.out)
        while place and isinstance(self.out[place - 1], Op):
            place -= 1
        before = self.out[place - 1] if place else None
        if not isinstance(before, If) or before.condition != made.condition:
            return False
        between = self.out[place:]
        if any(set(op.args) & set(before.results) for op in between if isinstance(op, Op)):
            return False
        arms = []
        for first, second in ((before.then, made.then), (before.orelse, made.orelse)):
            inner = Simplify(self.fresh, self.facts.constants())
            inner.env.update(zip(before.results, first.results, strict=True))
            again = inner.block(second)
            arms.append(Block((), (*first.body, *again.body), (*inner.see(first.results), *again.results)))
        both = If((*before.results, *made.results), made.condition, arms[0], arms[1], before.span)
        self.out[place - 1 :] = [*between, both]
        return True

    def resolve(self, made: If) -> None:
        """Results that are the same in both arms, and flags that say no more than the condition."""
        inside = {value for arm in (made.then, made.orelse) for statement in arm.body for value in defined(statement)}
        known = {**self.facts.constants(), **single(made.then.body), **single(made.orelse.body)}
        for result, first, second in zip(made.results, made.then.results, made.orelse.results, strict=True):
            one, other = known.get(first), known.get(second)
            same = first == second or (one is not None and repr(one) == repr(other))
            if same and first.type == result.type:
                self.env[result] = first if first not in inside else self.const(one)
            elif result.type.kind == Kind.BOOL and not result.type.shape:
                flag = self.flag(made.condition, (one, None if first in inside else first), (other, None if second in inside else second))
                if flag is not None:
                    self.env[result] = flag

    def flag(self, condition: Value, first: tuple[Attr, Value | None], second: tuple[Attr, Value | None]) -> Value | None:
        """A truth value that a branch chooses, said without the branch."""
        match first, second:
            case (True, _), (False, _):
                return condition
            case (False, _), (True, _):
                return self.negated(condition)
            case (True, _), (_, Value() as other):
                return self.any_of(condition, other)
            case (_, Value() as other), (False, _):
                return self.all_of(condition, other)
            case (False, _), (_, Value() as other):
                return self.all_of(self.negated(condition), other)
            case (_, Value() as other), (True, _):
                return self.any_of(self.negated(condition), other)
            case _:
                return None

    def loop(self, loop: Loop) -> None:
        """Rounds without what they never change."""
        places = self.changing(loop.init, loop.body.params[1:], loop.body)
        self.keep(loop.init, loop.body.params[1:], loop.results, places)
        places = self.unlike(loop.init, (loop.body.params[1:], loop.results), loop.body, places)
        body = self.block(Block((loop.body.params[0], *_at(loop.body.params[1:], places)), loop.body.body, _at(loop.body.results, places)))
        results = self.define(_at(loop.results, places))
        self.out.append(replace(loop, init=self.see(_at(loop.init, places)), body=body, results=results))
        if loop.count:
            self.settle(results, body)

    def repeat(self, loop: While) -> None:
        """The same for a loop that data ends."""
        places = self.changing(loop.init, loop.body.params, loop.body)
        self.keep(loop.init, loop.body.params, loop.results, places)
        self.keep(loop.init, loop.test.params, loop.results, places)
        places = self.unlike(loop.init, (loop.body.params, loop.test.params, loop.results), loop.body, places)
        init = self.see(_at(loop.init, places))
        runs = self.first_test(loop.test, dict(zip(loop.test.params, self.see(loop.init), strict=True)))
        test = self.block(Block(_at(loop.test.params, places), loop.test.body, loop.test.results))
        body = self.block(Block(_at(loop.body.params, places), loop.body.body, _at(loop.body.results, places)))
        results = self.define(_at(loop.results, places))
        self.out.append(replace(loop, init=init, test=test, body=body, results=results))
        if runs:
            self.settle(results, body)

    def changing(self, init: tuple[Value, ...], params: tuple[Value, ...], body: Block) -> list[int]:
        """The places of what a round may change."""
        kept, known = [], {**self.facts.constants(), **single(body.body)}
        for place, (first, param, after) in enumerate(zip(self.see(init), params, body.results, strict=True)):
            same = after == param or (after in known and first in known and repr(known[after]) == repr(known[first]))
            if not same or first.type != param.type:
                kept.append(place)
        return kept

    def keep(self, init: tuple[Value, ...], params: tuple[Value, ...], results: tuple[Value, ...], places: list[int]) -> None:
        """The first value stands for what no round changes."""
        for place, first in enumerate(self.see(init)):
            if place not in places:
                self.env[params[place]] = self.env[results[place]] = first

    def unlike(self, init: tuple[Value, ...], twins: Sequence[tuple[Value, ...]], body: Block, places: list[int]) -> list[int]:
        """The places without flags that are always equal to another one, which stands for them."""
        known, kept = {**self.facts.constants(), **single(body.body)}, []
        found: dict[object, int] = {}
        for place in places:
            ends = self.see((init[place],))[0], body.results[place]
            key = tuple(repr(known[value]) if value in known else value for value in ends)
            if body.results[place].type == BOOL and not twins[0][place].name and key in found:
                self.env.update((group[place], group[found[key]]) for group in twins)
            else:
                found.setdefault(key, place)
                kept.append(place)
        return kept

    def settle(self, results: tuple[Value, ...], body: Block) -> None:
        """What every round sets to one constant is that constant after the loop, as there is a round."""
        known = {**self.facts.constants(), **single(body.body)}
        for result, after in zip(results, body.results, strict=True):
            value = known.get(after)
            if value is not None and after.type == result.type:
                self.env[result] = self.const(value)

    def first_test(self, test: Block, init: Mapping[Value, Value]) -> bool:
        """Whether the test is known to hold when the loop begins."""
        trial = Simplify(self.fresh, self.facts.constants())
        trial.env.update(self.env)
        trial.env.update(init)
        if any(not isinstance(statement, Op) for statement in test.body):
            return False
        trial.statements(test.body)
        return trial.facts.constant(trial.see(test.results)[0]) is True


def _at(values: tuple[Value, ...], places: list[int]) -> tuple[Value, ...]:
    return tuple(values[place] for place in places)
