"""Leave out checks that cannot fail: their condition holds by the bounds of its operands, or has been checked before.

>>> from deepalgo.emit.prune import prune
>>> from deepalgo.ir.show import show
>>> show((spare, prune), '''
... f(x: real)
...   %square = mul %x %x
...   %y = add %square 1.0
...   %ok = ne %y 0.0
...   check %ok else ZeroDivisionError('float division by zero')
...   %again = ne %x 0.0
...   check %again else ValueError('first')
...   check %again else ValueError('second')
...   return %y
... ''')
f(x: real)
  %square = mul %x %x
  %y = add %square 1.0
  %again = ne %x 0.0
  check %again else ValueError('first')
  return %y
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from deepalgo.ir import Attr, Block, Check, If, Kind, Op, Program, Value
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops import ranges
from deepalgo.ops.ranges import ANY, OF_KIND, WHOLE, Range
from deepalgo.ops.table import TABLE

OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
MIRROR = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
#: How deep conditions are looked into.
DEEP = 8


def spare(program: Program) -> Program:
    """The program without checks that hold for every sample that comes to them."""
    return Spare(Fresh.of(program)).program(program)


class Spare(Rewriter):
    """`ranges` and `truths` hold for the samples that come to the current statement; `undo` is what the block learned."""

    def __init__(self, fresh: Fresh) -> None:
        super().__init__(fresh)
        self.ops: dict[Value, Op] = {}
        self.ranges: dict[Value, Range] = {}
        self.truths: dict[Value, bool] = {}
        self.undo: list[tuple[Value, Range | None, bool | None]] = []

    def block(self, block: Block) -> Block:
        """A block; what is learned in it is forgotten behind it."""
        before, self.undo = self.undo, []
        made = super().block(block)
        self.forget()
        self.undo = before
        return made

    def forget(self) -> None:
        """Take back what was learned."""
        for value, range, truth in reversed(self.undo):
            _restore(self.ranges, value, range)
            _restore(self.truths, value, truth)

    def op(self, op: Op) -> None:
        """Note what an operation is, and its range."""
        super().op(op)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.ops[made.result] = made
        range = self.image(made)
        if range is not ANY:
            self.ranges[made.result] = range

    def check(self, check: Check) -> None:
        """Drop a check that holds; behind another one it holds."""
        ok = self.see((check.ok,))[0]
        if self.holds(ok) is True:
            return
        super().check(check)
        self.learn(ok, True)

    def branch(self, branch: If) -> None:
        """Each arm knows which samples take it."""
        condition = self.see((branch.condition,))[0]
        arms, found = [], []
        for arm, truth in ((branch.then, True), (branch.orelse, False)):
            before, self.undo = self.undo, []
            self.learn(condition, truth)
            outer, self.out = self.out, []
            self.statements(arm.body)
            results = self.see(arm.results)
            arms.append(Block((), tuple(self.out), results))
            found.append([self.range(value) for value in results])
            self.out = outer
            self.forget()
            self.undo = before
        results = self.define(branch.results)
        self.out.append(If(results, condition, arms[0], arms[1], branch.span))
        for result, first, second in zip(results, *found, strict=True):
            self.ranges[result] = first.join(second)

    def range(self, value: Value) -> Range:
        """What is known about a value."""
        return self.ranges.get(value) or OF_KIND[value.type.kind]

    def note(self, value: Value, range: Range) -> None:
        """Learn a range."""
        self.undo.append((value, self.ranges.get(value), self.truths.get(value)))
        self.ranges[value] = self.range(value).meet(range)

    def learn(self, ok: Value, truth: bool, depth: int = DEEP) -> None:
        """Learn a truth and what follows from it."""
        self.undo.append((ok, self.ranges.get(ok), self.truths.get(ok)))
        self.truths[ok] = truth
        op = self.ops.get(ok)
        if op is None or depth == 0:
            return
        match op.name:
            case "not":
                self.learn(op.args[0], not truth, depth - 1)
            case "and" | "or":
                self.learn_both(op, truth, depth)
            case "isnan" | "isinf" if not truth:
                lost = self.range(op.args[0])
                self.note(op.args[0], Range(lost.low, lost.high, False) if op.name == "isnan" else lost)
            case "lt" | "le" | "gt" | "ge" | "eq" | "ne":
                value, other = op.args
                self.learn_order(op.name, value, other, truth)
                self.learn_order(MIRROR[op.name], other, value, truth)
            case _:
                pass

    def learn_both(self, op: Op, truth: bool, depth: int) -> None:
        """Both sides of a true `and` are true; a false one with a true side is false on the other."""
        if truth == (op.name == "and"):
            for arg in op.args:
                self.learn(arg, truth, depth - 1)
            return
        for arg, other in (op.args, op.args[::-1]):
            if self.holds(arg, depth - 1) is (op.name == "and"):
                self.learn(other, truth, depth - 1)
                return

    def learn_order(self, name: str, value: Value, other: Value, truth: bool) -> None:
        """Bounds of a value that was compared with a constant."""
        bound = self.number(other)
        if bound is None or value.type.kind > Kind.REAL or value.type.kind == Kind.BOOL:
            return
        # A comparison with NaN is false, so only a true one says that there is a number; `!=` is the other way round.
        nan = self.range(value).nan and truth is (name == "ne")
        name = name if truth else OPPOSITE[name]
        at = ranges.exactly(bound)
        match name:
            case "gt":
                self.note(value, Range(at.low, math.inf, nan, bound < 0))
            case "ge":
                self.note(value, Range(at.low, math.inf, nan))
            case "lt":
                self.note(value, Range(-math.inf, at.high, nan, bound > 0))
            case "le":
                self.note(value, Range(-math.inf, at.high, nan))
            case "eq":
                self.note(value, Range(at.low, at.high, nan))
            case "ne":
                self.note(value, Range(-math.inf, math.inf, nan, bound != 0))

    def holds(self, ok: Value, depth: int = DEEP) -> bool | None:
        """Whether a condition is true, or false, for all samples that come here; None if that is not known."""
        if ok in self.truths:
            return self.truths[ok]
        op = self.ops.get(ok)
        if op is None or depth == 0:
            return None
        match op.name:
            case "const":
                value = op.attr("value")
                return value if isinstance(value, bool) else None
            case "not":
                inner = self.holds(op.args[0], depth - 1)
                return None if inner is None else not inner
            case "and" | "or":
                sides = [self.holds(arg, depth - 1) for arg in op.args]
                decides = op.name == "or"
                return decides if decides in sides else not decides if None not in sides else None
            case "lt" | "le" | "gt" | "ge" | "eq" | "ne":
                return self.order(op.name, op.args)
            case "isinf":
                range = self.range(op.args[0])
                return False if range.low > -math.inf and range.high < math.inf else None
            case "isnan":
                return None if self.range(op.args[0]).nan else False
            case "isfinite" | "no_overflow":
                return True if self.range(op.args[0]).is_finite else None
            case _:
                return None

    def order(self, name: str, args: tuple[Value, ...]) -> bool | None:
        """A comparison, by the ranges of both sides."""
        if any(arg.type.kind > Kind.REAL for arg in args):
            return None
        a, b = map(self.range, args)
        nan = a.nan or b.nan
        match name:
            case "lt":
                return True if a.high < b.low and not nan else False if a.low >= b.high else None
            case "le":
                return True if a.high <= b.low and not nan else False if _above(a, b) else None
            case "gt":
                return self.order("lt", args[::-1])
            case "ge":
                return self.order("le", args[::-1])
            case _:
                apart = _above(a, b) or _above(b, a) or (self.number(args[1]) == 0 and not a.may_be_zero)
                return (name == "ne") if apart else None

    def number(self, value: Value) -> float | None:
        """The value of a constant."""
        op = self.ops.get(value)
        number = op.attr("value") if op is not None and op.name == "const" else None
        return float(number) if isinstance(number, (int, float)) and abs(number) < math.inf and abs(number) < 2**53 else None

    def image(self, op: Op) -> Range:
        """The range of an operation's result."""
        if op.result.type.kind > Kind.REAL or op.result.type.kind == Kind.BOOL:
            return ANY
        if op.name == "const":
            return _of_constant(op.attr("value"))
        row = TABLE[op.name]
        if row.bounds is None or any(arg.type.kind > Kind.REAL for arg in op.args):
            return row.range
        args = [self.range(arg) for arg in op.args]
        found = row.bounds(args, len(args) == 2 and op.args[0] == op.args[1]).meet(row.range)
        if op.result.type.kind == Kind.INT and not (found.whole and (found.is_bounded or row.common != Kind.INT)):
            return WHOLE  # beyond 64 bits they begin again at the other end
        return found


def _above(a: Range, b: Range) -> bool:
    """Whether `a > b`, unless one is NaN."""
    return a.low > b.high or (a.low >= b.high and b.high == 0 and not a.may_be_zero)


def _of_constant(value: Attr) -> Range:
    items = list(_items(value))
    if not items or not all(isinstance(item, (bool, int, float)) and abs(item) < 2**53 for item in items):
        return ANY
    found = ranges.exactly(float(items[0]))  # type: ignore[arg-type]  # a number
    for item in items[1:]:
        found = found.join(ranges.exactly(float(item)))  # type: ignore[arg-type]  # a number
    return found


def _items(value: Attr) -> Iterable[Attr]:
    if isinstance(value, tuple):
        for item in value:
            yield from _items(item)
    else:
        yield value


def _restore(table: dict[Value, Range] | dict[Value, bool], value: Value, before: Range | bool | None) -> None:
    if before is None:
        table.pop(value, None)
    else:
        table[value] = before  # type: ignore[assignment]  # what the table held
