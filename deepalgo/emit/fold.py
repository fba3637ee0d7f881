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

import math
import operator
from collections.abc import Callable, Mapping

from deepalgo.emit.knowing import QUESTIONS, Knowing
from deepalgo.ir import Attr, Block, Check, If, Kind, Op, Program, Type, Value
from deepalgo.ir.rewriter import Fresh

#: Whole numbers in, whole numbers out; what torch's integers cannot hold is left to the program.
WHOLE: Mapping[str, Callable[..., int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "abs": abs, "min": min, "max": max,
}
TRUTHS: Mapping[str, Callable[..., bool]] = {**QUESTIONS, "isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite}
REALS: Mapping[str, Callable[..., float]] = {"to_real": float, "floor": lambda x: float(math.floor(x)), "neg": operator.neg}
LARGEST = 2**63 - 1


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
        return self.constant(op, args) or self.shortcut(op, args)

    def constant(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A constant with the result of an operation on constants."""
        numbers = self.numbers(op, args)
        if numbers is None or any(isinstance(number, (complex, str, tuple)) or number is None for number in numbers):
            return None
        value = _compute(op, numbers)
        return None if value is None else self.const(value)

    def shortcut(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """An operand that the result is equal to."""
        match op.name:
            case "and" | "or" if op.result.type.kind == Kind.BOOL:
                return self.logic(op, args)
            case "not":
                return self.turned_back(op, args)
            case "select" if args[0] in self.known:
                chosen = args[1] if self.known[args[0]] else args[2]
                return self.fit(chosen, op.result.type) if chosen.type.shape == op.result.type.shape else None
            case "select" if op.result.type.kind == Kind.BOOL and op.result.type.shape == args[0].type.shape:
                return self.choice(*args)
            case "select" if not op.result.type.shape:
                return self.narrowed(op, args)
            case "ne" if args[1] in self.known and not op.result.type.shape:
                return self.differs(args[0], args[1])
            case "gather" if args[1] in self.known:
                return self.member(op, args[0], self.known[args[1]])
            case _:
                return None

    def choice(self, condition: Value, first: Value, second: Value) -> Value | None:
        """A choice of a truth value, one side of which is known: `a or b`, `a and b`."""
        if first in self.known and second in self.known and self.known[first] is not self.known[second]:
            return condition if self.known[first] else self.simple("not", condition)
        if first in self.known:
            return self.simple("or", condition, second) if self.known[first] else self.simple("and", self.simple("not", condition), second)
        if second in self.known:
            return self.simple("or", self.simple("not", condition), first) if self.known[second] else self.simple("and", condition, first)
        return None

    def differs(self, value: Value, number: Value) -> Value | None:
        """`value != number`, where the value is a choice between whole numbers, is a choice between truth values, often a known one."""
        op = self.made.get(value)
        if op is None or op.name != "select" or value.type != Type(Kind.INT):
            return None
        question = value, repr(self.known[number])
        if question not in self.asked:
            condition, first, second = op.args[0], *(self.differing(side, number) for side in op.args[1:])
            self.asked[question] = self.choice(condition, first, second) or self.add("select", condition, first, second)
            self.fresh_questions.append(question)
        return self.asked[question]

    def differing(self, side: Value, number: Value) -> Value:
        """The same of one side of the choice."""
        return self.const(self.known[side] != self.known[number]) if side in self.known else self.simple("ne", side, number)

    def narrowed(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A choice of which a side is a choice by the same condition: of that side only one half can be meant."""
        condition, *sides = args
        found = [self.meant(side, condition, truth) for side, truth in zip(sides, (True, False), strict=True)]
        if found == sides or any(side.type != op.result.type for side in found):
            return None
        return self.add("select", condition, *found)

    def meant(self, value: Value, condition: Value, truth: bool) -> Value:
        """What a value is for samples of which the truth of a condition is known."""
        op = self.made.get(value)
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
        stack = self.made.get(array)
        if stack is None or stack.name != "stack" or not isinstance(index, int) or not 0 <= index < len(stack.args):
            return None
        found = stack.args[index]
        return self.fit(found, op.result.type) if found.type.shape == op.result.type.shape else None

    def check(self, check: Check) -> None:
        """A check that always holds is none."""
        if self.known.get(self.see((check.ok,))[0]) is not True:
            super().check(check)

    def branch(self, branch: If) -> None:
        """Only one arm of a branch that is decided."""
        condition = self.see((branch.condition,))[0]
        if condition not in self.known:
            return super().branch(branch)
        taken = branch.then if self.known[condition] else branch.orelse
        if any(value.type.shape != result.type.shape for value, result in zip(taken.results, branch.results, strict=True)):
            return super().branch(branch)
        self.statements(taken.body)
        for result, value in zip(branch.results, self.see(taken.results), strict=True):
            self.env[result] = self.fit(value, result.type)
        return None


def _compute(op: Op, numbers: list[Attr]) -> Attr:
    """The result as Python computes it, None if that is not known here."""
    kind = op.result.type.kind
    if kind == Kind.BOOL and op.name in TRUTHS:
        return TRUTHS[op.name](*numbers)
    if kind == Kind.INT and op.name in WHOLE and all(isinstance(number, int) for number in numbers):
        value = WHOLE[op.name](*map(int, numbers))  # type: ignore[arg-type]  # they are integers
        return value if abs(value) <= LARGEST else None
    if kind == Kind.REAL and op.name in REALS and all(isinstance(number, (bool, int, float)) for number in numbers):
        return _real(op.name, numbers)
    return None


def _real(name: str, numbers: list[Attr]) -> float | None:
    try:
        return REALS[name](*numbers)
    except (OverflowError, ValueError):
        return None
