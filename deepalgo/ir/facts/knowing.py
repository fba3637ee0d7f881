"""Rewriters that keep `Facts` as they go: `Knowing` puts something simpler in the place of an operation, `Learning` knows where it is."""

from __future__ import annotations

from collections.abc import Mapping

from deepalgo.ir.facts.engine import Facts
from deepalgo.ir.facts.ranges import of_rounds
from deepalgo.ir.facts.truths import fold_of, is_logical, is_negation, is_repeatable
from deepalgo.ir.program import Block, Check, If, Loop, Op, Value
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.kinds import Attr

#: Parts of a chain of `and` or `or` that are looked at.
MOST_PARTS = 32


class Knowing(Rewriter):
    """`facts` are what is known where the current statement stands."""

    def __init__(self, fresh: Fresh, known: Mapping[Value, Attr] | None = None, *, bounded: bool = False) -> None:
        super().__init__(fresh)
        self.facts = Facts(known, bounded=bounded)

    def instead(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """What the result of an operation is known to be equal to, if anything."""
        return None

    def op(self, op: Op) -> None:
        """Keep an operation, or put something simpler in its place."""
        if not op.is_const:
            stands = self.instead(op, self.see(op.args))
            if stands is not None:
                self.env[op.result] = stands
                return
        super().op(op)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.facts.note(made)

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Note what is added, too."""
        result = super().add(name, *args, attrs=attrs)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.facts.note(made)
        return result

    def folded(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A constant for an operation on constants."""
        number = self.facts.folded(op, args)
        return None if number is None else self.const(number)

    def logic(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """An operation between two truth values of which one is known, or that say the same, or the opposite."""
        fold = fold_of(op)
        if args[0] == args[1]:
            return self.restated(op, args[0], bool(fold(True, True)), bool(fold(False, False)))
        for place, other in ((0, args[1]), (1, args[0])):
            known = self.facts.constant(args[place])
            if known is not None and not op.result.type.shape:
                answers = [bool(fold(*((known, side) if place == 0 else (side, known)))) for side in (True, False)]
                if answers[0] is answers[1] is known and args[place].type == op.result.type:
                    return args[place]
                return self.restated(op, other, answers[0], answers[1])
        return self.tangled(op, args) if is_repeatable(op) and not op.result.type.shape else None

    def restated(self, op: Op, value: Value, yes: bool, no: bool) -> Value | None:
        """The result of an operation that is `yes` where a value is true and `no` where it is false."""
        if yes is no:
            return None if op.result.type.shape else self.const(yes)
        return value if yes and value.type == op.result.type else None

    def tangled(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """`a and not a`, `a or not a`, and what says again what the other side says, however deep in a chain."""
        sides = [self.chain(op.name, arg) for arg in args]
        parts = sides[0] | sides[1]
        if any(self.opposite(part) in parts for part in parts):
            return self.const(bool(fold_of(op)(True, False)))
        return args[0] if sides[1] <= sides[0] else args[1] if sides[0] <= sides[1] else None

    def chain(self, name: str, value: Value) -> set[Value]:
        """The parts of `a and b and c`, or of `a or b or c`; of a long one those next to the value, and what is left of it."""
        parts: set[Value] = set()
        waiting = [value]
        while waiting:
            part = waiting.pop(0)
            op = self.facts.ops.get(part)
            if op is not None and op.name == name and len(waiting) + len(parts) < MOST_PARTS:
                waiting.extend(op.args)
            else:
                parts.add(part)
        return parts

    def opposite(self, value: Value) -> Value | None:
        """The value of which this is `not`."""
        op = self.facts.ops.get(value)
        return op.args[0] if op is not None and is_negation(op) else None

    def implies(self, condition: Value, truth: bool, other: Value) -> bool | None:
        """What one truth value says about another."""
        if condition == other:
            return truth
        return not truth if condition == self.opposite(other) or other == self.opposite(condition) else None

    def turned_back(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """The value of which this is `not not`."""
        inner = self.opposite(args[0])
        return inner if inner is not None and inner.type == op.result.type else None

    def simpler_truth(self, op: Op, args: tuple[Value, ...]) -> Value | None:
        """A truth value that says the same as an operation on truth values."""
        if not is_logical(op):
            return None
        return self.turned_back(op, args) if is_negation(op) else self.logic(op, args) if len(args) == 2 else None


class Learning(Knowing):
    """Learns from checks, and in the arms of branches which samples take them."""

    def block(self, block: Block) -> Block:
        """A block; what is learned in it is forgotten behind it."""
        self.facts.enter()
        made = super().block(block)
        self.facts.leave()
        return made

    def check(self, check: Check) -> None:
        """Behind a check its condition holds."""
        super().check(check)
        self.facts.learn(self.see((check.ok,))[0], True)

    def branch(self, branch: If) -> None:
        """Each arm knows which samples take it, and the results are what one of them found."""
        condition = self.see((branch.condition,))[0]
        arms, found = [], []
        for arm, truth in ((branch.then, True), (branch.orelse, False)):
            self.facts.enter()
            self.facts.learn(condition, truth)
            outer, self.out = self.out, []
            self.statements(arm.body)
            arms.append(Block((), tuple(self.out), self.see(arm.results)))
            found.append(self.facts.found(arms[-1].results))
            self.out = outer
            self.facts.leave()
        results = self.define(branch.results)
        self.out.append(If(results, condition, arms[0], arms[1], branch.span))
        self.facts.join(results, found[0], found[1])

    def loop(self, loop: Loop) -> None:
        """A round knows between which numbers its index lies."""
        self.facts.narrow(loop.body.params[0], of_rounds(loop.count))
        super().loop(loop)
