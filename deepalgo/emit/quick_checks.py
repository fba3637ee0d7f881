"""Find the fast questions that settle a check for a whole batch, if there are any.

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

NAMES = {"ge": "at_least", "gt": "above", "le": "at_most", "lt": "below"}
OPPOSITE = {"ge": "lt", "gt": "le", "le": "gt", "lt": "ge", "eq": "ne", "ne": "eq"}
MIRROR = {"ge": "le", "gt": "lt", "le": "ge", "lt": "gt", "eq": "eq", "ne": "ne"}
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
    found = Search(ops, is_steady, is_at_hand).settle(ok, True)
    return found if found is not None and count(found) <= MANY else None


class Search:
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
        match op.name:
            case "not":
                return self.settle(op.args[0], not truth)
            case "and" | "or":
                found = [self.settle(arg, truth) for arg in op.args]
                parts = tuple(part for part in found if part is not None)
                if truth == (op.name == "and"):
                    return Several("and", parts) if len(parts) == 2 else None
                return Several("or", parts) if len(parts) == 2 else parts[0] if parts else None
            case "no_overflow" | "isfinite" if truth and op.args[0].type.kind == Kind.REAL:
                return Question("finite", op.args[0])
            case "isinf" | "isnan" if not truth and op.args[0].type.kind == Kind.REAL:
                return Question("finite", op.args[0])
            case "lt" | "le" | "gt" | "ge" | "eq" | "ne":
                return self.compare(op, truth)
            case _:
                return None

    def compare(self, op: Op, truth: bool) -> Question | None:
        """A value against a bound that is the same for all samples."""
        name, (value, bound) = op.name, op.args
        if self.is_steady(value):
            name, value, bound = MIRROR[name], bound, value
        name = name if truth else OPPOSITE[name]
        if self.is_steady(value) or not self.is_steady(bound) or bound.type.shape or max(value.type.kind, bound.type.kind) > Kind.REAL:
            return None
        if name == "ne" and self.is_zero(bound):
            return Question("nonzero", value)
        return Question(NAMES[name], value, bound) if name in NAMES and value.type.kind >= Kind.INT else None

    def is_zero(self, value: Value) -> bool:
        """Whether a value is the constant 0."""
        op = self.ops.get(value)
        return op is not None and op.name == "const" and op.attr("value") in (0, False)
