"""Compute what is known before the program runs: whole numbers, comparisons of constants, and what follows from them.

>>> from deepalgo.emit.prune import prune
>>> from deepalgo.ir.show import show
>>> show((fold, prune), '''
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

from deepalgo.ir import Attr, Block, Check, If, Kind, Op, Program, Type, Value
from deepalgo.ir.facts import Knowing
from deepalgo.ir.rewriter import Fresh


def fold(program: Program) -> Program:
    """The program without operations whose result is known."""
    return Fold(Fresh.of(program)).program(program)


class Fold(Knowing):
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
        known = self.facts.constant
        match op.name:
            case "select" if known(args[0]) is not None:
                chosen = args[1] if known(args[0]) else args[2]
                return self.fit(chosen, op.result.type) if chosen.type.shape == op.result.type.shape else None
            case "select" if op.result.type.kind == Kind.BOOL and op.result.type.shape == args[0].type.shape:
                return self.choice(*args)
            case "select" if not op.result.type.shape:
                return self.narrowed(op, args)
            case "ne" if known(args[1]) is not None and not op.result.type.shape:
                return self.differs(args[0], args[1]) or self.simpler_truth(op, args)
            case "gather" if known(args[1]) is not None:
                return self.member(op, args[0], known(args[1]))
            case _:
                return self.simpler_truth(op, args)

    def choice(self, condition: Value, first: Value, second: Value) -> Value | None:
        """A choice of a truth value, one side of which is known: `a or b`, `a and b`."""
        one, other = self.facts.constant(first), self.facts.constant(second)
        if one is not None and other is not None and one is not other:
            return condition if one else self.simple("not", condition)
        if one is not None:
            return self.simple("or", condition, second) if one else self.simple("and", self.simple("not", condition), second)
        if other is not None:
            return self.simple("or", self.simple("not", condition), first) if other else self.simple("and", condition, first)
        return None

    def differs(self, value: Value, number: Value) -> Value | None:
        """`value != number`, where the value is a choice between whole numbers, is a choice between truth values, often a known one."""
        op = self.facts.ops.get(value)
        if op is None or op.name != "select" or value.type != Type(Kind.INT):
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
        return self.simple("ne", side, number) if known is None else self.const(known != self.facts.constant(number))

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
        if op is None or op.name != "select":
            return value
        decided = self.implies(condition, truth, op.args[0])
        return value if decided is None else self.meant(op.args[1 if decided else 2], condition, truth)

    def simple(self, name: str, *args: Value) -> Value:
        """An operation on truth values, as short as it can be."""
        result = self.fresh.value(Type(Kind.BOOL, args[0].type.shape))
        return self.shortcut(Op(result, name, args), args) or self.add(name, *args)

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
