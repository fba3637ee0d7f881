"""Compute what is known before the program runs: whole numbers, comparisons of constants, and what follows from them.

>>> from deepalgo.ir import Block, Input, Leaf, Type
>>> x, three, power, y = (Value(i, Type(Kind.REAL), n) for i, n in enumerate(("x", "", "", "y")))
>>> body = Block((), (Op(three, "const", (), (("value", 3),)), Op(power, "to_real", (three,)), Op(y, "pow", (x, power))), (y,))
>>> from deepalgo.emit.prune import prune
>>> print(prune(fold(Program("f", (Input("x", x),), (), body, Leaf(y)))))
f(x: real)
  %4 = const value=3.0
  %y3 = pow %x0 %4
  return %y3
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from deepalgo.emit.rewriter import Fresh, Rewriter
from deepalgo.ir import Attr, If, Kind, Op, Program, Type, Value

#: Whole numbers in, whole numbers out; what torch's integers cannot hold is left to the program.
WHOLE: Mapping[str, Callable[..., int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "abs": abs, "min": min, "max": max,
}
QUESTIONS: Mapping[str, Callable[..., bool]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
    "and": lambda a, b: bool(a and b), "or": lambda a, b: bool(a or b), "xor": operator.xor, "not": operator.not_,
    "isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite,
}
REALS: Mapping[str, Callable[..., float]] = {"to_real": float, "floor": lambda x: float(math.floor(x)), "neg": operator.neg}
LARGEST = 2**63 - 1


def fold(program: Program) -> Program:
    """The program without operations whose result is known."""
    return Fold(Fresh.of(program)).program(program)


class Fold(Rewriter):
    """`known` are the constants among single values, `made` the operations by their result."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.known: dict[Value, Attr] = {}
        self.made: dict[Value, Op] = {}

    def op(self, op: Op) -> None:
        """Keep an operation, or put a constant or one of its operands in its place."""
        args = self.see(op.args)
        stands = self.constant(op, args) or self.shortcut(op, args)
        if stands is not None:
            self.env[op.result] = stands
            return
        super().op(op)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.note(made)

    def note(self, made: Op) -> None:
        """Remember an operation."""
        self.made[made.result] = made
        if made.name == "const" and not made.result.type.shape:
            self.known[made.result] = made.attr("value")

    def constant(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A constant with the result of an operation on constants."""
        if not args or op.result.type.shape or any(arg not in self.known for arg in args):
            return None
        numbers = [self.known[arg] for arg in args]
        if any(isinstance(number, (complex, str, tuple)) or number is None for number in numbers):
            return None
        value = _compute(op, numbers)
        if value is None:
            return None
        result = self.const(value)
        self.known[result] = value
        return result

    def shortcut(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """An operand that the result is equal to."""
        match op.name:
            case "and" | "or" if op.result.type.kind == Kind.BOOL:
                return self.logic(op, args)
            case "not" if args[0] in self.made and self.made[args[0]].name == "not":
                (inner,) = self.made[args[0]].args
                return inner if inner.type == op.result.type else None
            case "select" if args[0] in self.known:
                chosen = args[1] if self.known[args[0]] else args[2]
                return self.fit(chosen, op.result.type) if chosen.type.shape == op.result.type.shape else None
            case "select" if op.result.type.kind == Kind.BOOL and op.result.type.shape == args[0].type.shape:
                return self.choice(*args)
            case "gather" if args[1] in self.known:
                return self.member(op, args[0], self.known[args[1]])
            case _:
                return None

    def logic(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """`and` and `or` with a known side, or of one value with itself."""
        if args[0] == args[1] and args[0].type == op.result.type:
            return args[0]
        for known, other in (args, args[::-1]):
            if known in self.known and not op.result.type.shape:
                decides = bool(self.known[known]) == (op.name == "or")
                chosen = known if decides else other
                if chosen.type == op.result.type:
                    return chosen
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

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Remember what is added, too."""
        result = super().add(name, *args, attrs=attrs)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.note(made)
        return result


def _compute(op: Op, numbers: list[Attr]) -> Attr:
    """The result as Python computes it, None if that is not known here."""
    kind = op.result.type.kind
    if kind == Kind.BOOL and op.name in QUESTIONS:
        return QUESTIONS[op.name](*numbers)
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
