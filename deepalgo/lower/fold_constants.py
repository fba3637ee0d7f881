"""Constant folding: compute whole numbers, comparisons of constants and what follows from them before the program runs.

>>> from deepalgo.lower.prune import prune
>>> from deepalgo.ir.show import show
>>> show((fold_constants, prune), '''
... f(x: real)
...   %three = const 3
...   %power = to_real %three
...   %y = pow %x %power
...   return %y
... ''')
f(x: real)
  %y = pow %x 3.0
  return %y
"""

from __future__ import annotations

from collections.abc import Callable

from deepalgo.ir import Attr, Block, Check, If, Kind, Op, Program, Type, Value
from deepalgo.ir.facts import Knowing
from deepalgo.ir.rewriter import Fresh
from deepalgo.ops.ranges import UNEQUAL
from deepalgo.ops.table import TABLE


def fold_constants(program: Program) -> Program:
    """The program without operations whose result is known."""
    return FoldConstants(Fresh.of(program)).program(program)


class FoldConstants(Knowing):
    """Puts constants and operands in the place of operations."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.asked: dict[tuple[Value, str], Value] = {}
        self.fresh_questions: list[tuple[Value, str]] = []

    def block(self, block: Block) -> Block:
        """A block; what was added for a question in it is not there behind it."""
        before, self.fresh_questions = self.fresh_questions, []
        made = super().block(block)
        for question in self.fresh_questions:
            del self.asked[question]
        self.fresh_questions = before
        return made

    def instead(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A constant, or another value."""
        return self.folded(op, args) or self.shortcut(op, args)

    def shortcut(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """An operand that the result is equal to."""
        if op.is_choice:
            return self.chosen(op, args)
        known = self.facts.constant
        if TABLE[op.name].order == UNEQUAL and known(args[1]) is not None and not op.result.type.shape:
            return self.differs(args[0], args[1]) or self.simpler_truth(op, args)
        if op.name == "gather" and known(args[1]) is not None:
            return self.member(op, args[0], known(args[1]))
        return self.simpler_truth(op, args)

    def chosen(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """The same of a choice."""
        known, type = self.facts.constant(args[0]), op.result.type
        if known is not None:
            side = args[1] if known else args[2]
            return self.fit(side, type) if side.type.shape == type.shape else None
        if type.kind == Kind.BOOL and type.shape == args[0].type.shape:
            return self.choice(*args)
        return self.simpler_truth(op, args) if type.shape else self.narrowed(op, args)

    def choice(self, condition: Value, first: Value, second: Value) -> Value | None:
        """A choice of a truth value, one side of which is known: `a or b`, `a and b`."""
        one, other = self.facts.constant(first), self.facts.constant(second)
        if one is not None and other is not None and one is not other:
            return condition if one else self.simple(self.negated, condition)
        known, rest = (other, first) if one is None else (one, second)
        if known is None:
            return None
        if bool(known) is (one is None):
            condition = self.simple(self.negated, condition)
        return self.simple(self.any_of if known else self.all_of, condition, rest)

    def differs(self, value: Value, number: Value) -> Value | None:
        """`value != number`, where the value is a choice between whole numbers, is a choice between truth values, often a known one."""
        op = self.facts.ops.get(value)
        if op is None or not op.is_choice or value.type != Type(Kind.INT):
            return None
        question = value, repr(self.facts.constant(number))
        if question not in self.asked:
            condition, first, second = op.args[0], *(self.differing(side, number) for side in op.args[1:])
            self.asked[question] = self.choice(condition, first, second) or self.where(condition, first, second)
            self.fresh_questions.append(question)
        return self.asked[question]

    def differing(self, side: Value, number: Value) -> Value:
        """The same of one side of the choice."""
        known = self.facts.constant(side)
        return self.simple(self.unequal, side, number) if known is None else self.const(known != self.facts.constant(number))

    def narrowed(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A choice of which a side is a choice by the same condition: of that side only one half can be meant."""
        condition, *sides = args
        found = [self.meant(side, condition, truth) for side, truth in zip(sides, (True, False), strict=True)]
        if found == sides or any(side.type != op.result.type for side in found):
            return None
        return self.where(condition, *found)

    def meant(self, value: Value, condition: Value, truth: bool) -> Value:
        """What a value is for samples of which the truth of a condition is known."""
        op = self.facts.ops.get(value)
        if op is None or not op.is_choice:
            return value
        decided = self.implies(condition, truth, op.args[0])
        return value if decided is None else self.meant(op.args[1 if decided else 2], condition, truth)

    def simple(self, build: Callable[..., Value], *args: Value) -> Value:
        """An operation on truth values, as short as it can be."""
        made, op = build(*args), self.out.pop()
        assert isinstance(op, Op)
        shorter = self.shortcut(op, args)
        if shorter is None:
            self.out.append(op)
        return made if shorter is None else shorter

    def member(self, op: Op, array: Value, index: Attr) -> Value | None:
        """What was stacked at a place."""
        stack = self.facts.ops.get(array)
        if stack is None or stack.name != "stack" or not isinstance(index, int) or not 0 <= index < len(stack.args):
            return None
        found = stack.args[index]
        return self.fit(found, op.result.type) if found.type.shape == op.result.type.shape else None

    def check(self, check: Check) -> None:
        """A check that always holds is none."""
        if self.facts.constant(self.see((check.ok,))[0]) is not True:
            super().check(check)

    def branch(self, branch: If) -> None:
        """Only one arm of a branch that is decided."""
        condition = self.see((branch.condition,))[0]
        known = self.facts.constant(condition)
        if known is None:
            return super().branch(branch)
        taken = branch.then if known else branch.orelse
        if any(value.type.shape != result.type.shape for value, result in zip(taken.results, branch.results, strict=True)):
            return super().branch(branch)
        self.statements(taken.body)
        for result, value in zip(branch.results, self.see(taken.results), strict=True):
            self.env[result] = self.fit(value, result.type)
        return None
