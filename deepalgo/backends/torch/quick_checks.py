"""Find a fast reduction, such as the minimum of a column, that proves a check for the whole batch.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %zero = const 0.0
...   %below = lt %x %zero
...   %ok = not %below
...   return %ok
... ''')
>>> ops = {op.result: op for op in program.body.body}
>>> found = quick_questions(program.body.results[0], ops, lambda value: value.name == "zero", lambda value: False)
>>> found.name, found.value.name, found.bound.name
('at_least', 'x', 'zero')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from deepalgo.ir import Kind, Op, Value
from deepalgo.ir.facts.truths import fold_of, is_logical, sufficient
from deepalgo.ops.ranges import ABOVE, ALL_OUTCOMES, BELOW, EQUAL, FINITE, UNORDERED, mirrored
from deepalgo.ops.table import TABLE

#: The questions by the outcomes of a comparison that they allow.
NAMES = {ABOVE | EQUAL: "at_least", ABOVE: "above", BELOW | EQUAL: "at_most", BELOW: "below"}
#: More questions than these take as long as the mask.
MANY = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A function of `deepalgo.ops.forms.quick`, what it is asked about, and its second operand if it has one."""

    name: str
    value: Value
    bound: Value | None = None


@dataclass(frozen=True, slots=True)
class Several:
    """Questions joined by `and` or by `or`."""

    word: str
    parts: tuple[Questions, ...]


Questions: TypeAlias = Question | Several


def count(questions: Questions) -> int:
    """How many questions there are."""
    return 1 if isinstance(questions, Question) else sum(map(count, questions.parts))


def quick_questions(ok: Value, ops: Mapping[Value, Op], is_steady: Callable[[Value], bool],
                    is_at_hand: Callable[[Value], bool]) -> Questions | None:
    """Questions that, if answered with yes, mean that `ok` holds for every sample; None if there are no such questions.

    `ops` are the operations by their result, `is_steady` is whether a value is the same for all samples, `is_at_hand` whether it has
    been computed: a mask that is there need only be looked at.
    """
    found = QuestionSearch(ops, is_steady, is_at_hand).settle(ok, True)
    return found if found is not None and count(found) <= MANY else None


class QuestionSearch:
    """Looks into conditions."""

    def __init__(self, ops: Mapping[Value, Op], is_steady: Callable[[Value], bool], is_at_hand: Callable[[Value], bool]) -> None:
        self.ops = ops
        self.is_steady = is_steady
        self.is_at_hand = is_at_hand

    def settle(self, ok: Value, truth: bool) -> Questions | None:
        """Questions that settle that a condition is true, or that it is false."""
        op = self.ops.get(ok)
        if op is None:
            return None
        if self.is_at_hand(ok):
            return Question("holds" if truth else "never", ok)
        if is_logical(op):
            return self.join(op, truth)
        row = TABLE[op.name]
        if row.order:
            return self.compare(op, row.order if truth else ALL_OUTCOMES & ~row.order)
        finite = row.sorts[0 if truth else 1] & FINITE and op.args[0].type.kind == Kind.REAL
        return Question("finite", op.args[0]) if finite else None

    def join(self, op: Op, truth: bool) -> Questions | None:
        """Questions about the operands of an operation on truth values."""
        together, sides = sufficient(fold_of(op), truth, len(op.args))
        found = [None if side is None else self.settle(arg, side) for arg, side in zip(op.args, sides, strict=True)]
        parts = tuple(part for part in found if part is not None)
        if not parts or (together and len(parts) < len(found)):
            return None
        return parts[0] if len(parts) == 1 else Several("and" if together else "or", parts)

    def compare(self, op: Op, order: int) -> Question | None:
        """A value against a bound that is the same for all samples."""
        value, bound = op.args
        if self.is_steady(value):
            order, value, bound = mirrored(order), bound, value
        if self.is_steady(value) or not self.is_steady(bound) or bound.type.shape or max(value.type.kind, bound.type.kind) > Kind.REAL:
            return None
        if order == ALL_OUTCOMES & ~EQUAL and self.is_zero(bound):
            return Question("nonzero", value)
        name = NAMES.get(order & ~UNORDERED)
        return Question(name, value, bound) if name is not None and value.type.kind >= Kind.INT else None

    def is_zero(self, value: Value) -> bool:
        """Whether a value is the constant 0."""
        op = self.ops.get(value)
        return op is not None and op.is_const and op.attrs[0][1] in (0, False)
