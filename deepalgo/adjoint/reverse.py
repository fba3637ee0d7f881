"""Reverse-mode differentiation of a program, from the slopes in the rows: a forward pass that saves what is needed, and a backward pass.

>>> from deepalgo.ir import parse
>>> print(adjoint(parse('''
... f(x: real)
...   weight w = 2.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... ''')))
f(x: real, adjoint: real)
  weight w = 2.0  coefficient
  %w = weight w
  %y = mul %x %w
  %6 = mul %adjoint %w
  %7 = mul %adjoint %x
  return %y, %6, %7
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deepalgo.adjoint.active import find_active
from deepalgo.adjoint.keep import connect
from deepalgo.adjoint.segments import USUAL, BothWays, SegmentBuilder, SegmentRule
from deepalgo.ir import (
    Attr,
    Block,
    Check,
    If,
    Input,
    Kind,
    Leaf,
    Loop,
    Op,
    Program,
    Rewind,
    Statement,
    Type,
    Value,
    While,
    captured,
)
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.formula import NoFormulaError, adjoints
from deepalgo.ops.row import Hazard
from deepalgo.ops.slope import Adjoint
from deepalgo.ops.table import TABLE

INT = Type(Kind.INT)
#: Zeros stand so near before the sum that begins with them.
NEAR = 8
#: The adjoints of values, usually written with a bar: the derivative of the answer by each of them, added up so far.
Bars = dict[Value, Value]


def adjoint(program: Program, rounds: int = 10_000, *, careful: bool = False, rule: SegmentRule = USUAL,
            by: Sequence[str] | None = None) -> Program:
    """A program that takes the adjoints of the real results as further inputs and returns those of the inputs and of the weights.

    Its results are those of the program, the adjoints of the real inputs in order, and those of the weights in order. The program has its
    weights at the start, its casts as operations, and no `Try`. Where an adjoint is zero, nothing is asked of slopes that arise infinite;
    with `careful` neither of those that are so because an operand is. `rounds` is the largest number that a loop without a bound may take
    when the result runs; `rule` says which loops are gone back through in segments. With `by`, the adjoints are those of these weights
    alone, in this order.
    """
    return Reverse(program, rounds, careful, rule, by).made()


def careful_adjoint(program: Program, rounds: int = 10_000, *, by: Sequence[str] | None = None) -> Program:
    """The same, in which zero times infinity is zero everywhere."""
    return adjoint(program, rounds, careful=True, by=by)


def adjoint_in_segments(program: Program, rounds: int = 10_000, *, by: Sequence[str] | None = None) -> Program:
    """The adjoint that goes back through loops that end by data in segments: for loops that are long."""
    return adjoint(program, rounds, rule=SegmentRule(by_data=True), by=by)


def careful_adjoint_in_segments(program: Program, rounds: int = 10_000, *, by: Sequence[str] | None = None) -> Program:
    """The same, in which zero times infinity is zero everywhere."""
    return adjoint(program, rounds, careful=True, rule=SegmentRule(by_data=True), by=by)


class Reverse(Rewriter):
    """Goes through blocks from the last statement to the first: appends the backward pass to `out`, and returns the forward pass."""

    def __init__(self, program: Program, rounds: int, careful: bool, rule: SegmentRule, by: Sequence[str] | None = None) -> None:
        super().__init__(Fresh.of(program))
        self.careful = careful
        #: The weights whose adjoints are wanted; None for those of all inputs and weights.
        self.by = by
        self.segments = SegmentBuilder(self, rule, rounds)
        body = self.copy(program.body)  # every value once, also in arms and rounds that were copies of one another
        self.source = replace(program, body=body)
        self.active = find_active(self.source, by)
        self.number = 0
        #: What blocks read from outside, by their identity.
        self.captured: dict[int, tuple[Value, ...]] = {}

    def made(self) -> Program:
        """The whole program."""
        program, body = self.source, self.source.body
        reals = [value for value in body.results if value.type.kind >= Kind.REAL]
        names = ["adjoint"] if len(reals) == 1 else [f"adjoint_{place}" for place in range(1, len(reals) + 1)]
        given = [Input(name, self.fresh.value(value.type, name)) for name, value in zip(names, reals, strict=True)]
        bars: Bars = {}
        for value, item in zip(reals, given, strict=True):
            self.arrive(bars, value, item.value)
        forward = self.backwards(body, bars)
        weights = {str(op.attr("key")): op.result for op in body.body if isinstance(op, Op) and op.is_weight}
        shapes = {item.key: item.shape for item in program.weights}
        sources = [item.value for item in program.inputs if item.value.type.kind >= Kind.REAL] if self.by is None else []
        found = [self.bar(bars, value) for value in sources]
        found += [self.bar(bars, weights[key]) if key in weights else self.zero(Type(Kind.REAL, shapes[key]))
                  for key in (shapes if self.by is None else self.by)]
        results = (*body.results, *found)
        output = SequenceTree("tuple", tuple(Leaf(place) for place in range(len(results))))
        whole = Block((), (*forward, *self.out), results)
        return replace(program, inputs=(*program.inputs, *given), body=whole, output=output, changes=(), failures=())

    def backwards(self, block: Block, bars: Bars) -> list[Statement]:
        """Append the backward pass of a block: the adjoints of its values are passed on to their operands.

        Returns the statements of the block as the way back needs them.
        """
        parts = [self.back(statement, bars) for statement in reversed(block.body)]
        return [statement for part in reversed(parts) for statement in part]

    def back(self, statement: Statement, bars: Bars) -> tuple[Statement, ...]:
        """Append the backward pass of a statement, and return what stands in its place in the forward pass."""
        match statement:
            case Op():
                self.back_op(statement, bars)
                return (statement,)
            case Check():
                return (statement,)
            case If():
                return (self.back_if(statement, bars),)
            case Loop():
                return (self.back_loop(statement, bars),)
            case While():
                return self.back_while(statement, bars)
            case _:
                raise AssertionError(f"{type(statement).__name__} has no derivative")

    def back_op(self, op: Op, bars: Bars) -> None:
        """The adjoints of the operands, by the formulas of the row."""
        if op.is_weight or op.result not in bars:
            return
        g, row = bars.pop(op.result), TABLE[op.name]
        maker = CarefulProducts(self, True) if self.careful and isinstance(row.slope, Adjoint) else Formulas(self, self.careful)
        wanted = [arg in self.active for arg in op.args]
        before, self.span = self.span, op.span
        try:
            found = adjoints(row, op.args, op.result, g, dict(op.attrs), maker, wanted)
        except NoFormulaError as error:
            raise NoFormulaError(f"{error}, line {op.span.line}" if op.span is not None else str(error)) from None
        for arg, value in zip(op.args, found, strict=True):
            if value is not None:
                self.arrive(bars, arg, value)
        self.span = before

    def back_if(self, branch: If, bars: Bars) -> If:
        """Each arm goes back through itself."""
        given = [(place, bars.pop(result)) for place, result in enumerate(branch.results) if result in bars]
        if not given:
            return branch
        arms = [self.back_arm(arm, given, bars) for arm in (branch.then, branch.orelse)]
        reached = [*dict.fromkeys(value for _, _, arm_bars in arms for value in arm_bars if not self.went_on(value, arm_bars, bars))]
        pairs = []
        for (arm, out, arm_bars) in arms:
            outer, self.out = self.out, out
            results = tuple(self.summed(bars, value, arm_bars) for value in reached)
            self.out = outer
            pairs.append(connect(arm, Block((), tuple(out), results), self.fresh, self.next_number()))
        (then, then_back), (orelse, orelse_back) = pairs
        made = tuple(self.fresh.value(value.type) for value in reached)
        self.out.append(If(made, branch.condition, then_back, orelse_back, branch.span))
        bars.update(zip(reached, made, strict=True))
        return replace(branch, then=then, orelse=orelse)

    def back_arm(self, arm: Block, given: Sequence[tuple[int, Value]], before: Bars) -> tuple[Block, list[Statement], Bars]:
        """The arm in the forward pass, its backward pass, and the adjoints of values outside of it; those of arrays go on from before."""
        outer, self.out = self.out, []
        bars: Bars = {value: before[value] for value in captured(arm, self.captured) if value in before and value.type.shape}
        for place, g in given:
            self.arrive(bars, arm.results[place], g)
        forward = replace(arm, body=tuple(self.backwards(arm, bars)))
        out, self.out = self.out, outer
        return forward, out, bars

    def went_on(self, value: Value, arm: Bars, before: Bars) -> bool:
        """Whether the adjoint of an array came into an arm and left it as it was; single numbers begin anew in an arm."""
        return bool(value.type.shape) and arm[value] == before.get(value)

    def back_loop(self, loop: Loop, bars: Bars) -> Loop:
        """The rounds from the last to the first."""
        if not any(result in bars for result in loop.results):
            return loop
        index, *params = loop.body.params
        rounds = self.back_rounds(loop, tuple(params), index, bars)
        forward = self.segments.loop(loop, rounds, self.next_number())
        if forward is None:
            self.out.append(Rewind(rounds.results, self.const(loop.count), rounds.init, rounds.back, loop.span))
            forward = replace(loop, body=replace(rounds.saving, params=loop.body.params))
        self.leave(loop, rounds, bars)
        return forward

    def back_while(self, loop: While, bars: Bars) -> tuple[Statement, ...]:
        """The rounds from the last to the first; the forward pass counts them."""
        if not any(result in bars for result in loop.results):
            return (loop,)
        rounds = self.back_rounds(loop, loop.body.params, None, bars)
        forward = self.segments.repeat(loop, rounds, self.next_number())
        if forward is None:
            total = self.fresh.value(INT)
            self.out.append(Rewind(rounds.results, total, rounds.init, rounds.back, loop.span))
            forward = self.counting(replace(loop, body=rounds.saving), total)
        self.leave(loop, rounds, bars)
        starts = [Op(value, "const", (), (("value", 0),)) for value in forward.init[len(loop.init):]]
        return (*starts, forward)

    def counting(self, loop: While, total: Value) -> While:
        """A loop that counts its rounds."""
        asked, counted = self.fresh.value(INT), self.fresh.value(INT)
        outer, self.out = self.out, [*loop.body.body]
        following = self.total(counted, self.const(1))
        body = Block((*loop.body.params, counted), tuple(self.out), (*loop.body.results, following))
        self.out = outer
        test = replace(loop.test, params=(*loop.test.params, asked))
        return replace(loop, results=(*loop.results, total), init=(*loop.init, self.fresh.value(INT)), test=test, body=body)

    def back_rounds(self, loop: Loop | While, params: tuple[Value, ...], index: Value | None, bars: Bars) -> BothWays:
        """The rounds of a loop, forward with saves and backward."""
        body = loop.body
        carried = self.carried(params)
        init = [self.taken(bars, loop.results[place]) for place in carried]
        arriving = [self.fresh.value(params[place].type) for place in carried]
        outer, self.out = self.out, []
        # The adjoints of arrays are handed from round to round as they grow: what a round adds to one place is added there alone.
        growing = {value: self.fresh.value(value.type) for value in captured(body, self.captured)
                   if value in self.active and value.type.shape}
        inner: Bars = {**growing}
        for place, g in zip(carried, arriving, strict=True):
            self.arrive(inner, body.results[place], g)
        forward = Block(params, tuple(self.backwards(body, inner)), body.results)
        leaving = [self.taken(inner, params[place]) for place in carried]
        reached = tuple(value for value, g in inner.items() if g != growing.get(value))
        sums = [growing.get(value) or self.fresh.value(value.type) for value in reached]
        leaving += [inner[value] if value in growing else self.fit(self.total(before, inner[value]), value.type)
                    for before, value in zip(sums, reached, strict=True)]
        made, self.out = self.out, outer
        number = self.fresh.value(INT)
        back = Block((number, *arriving, *sums), tuple(made), tuple(leaving))
        forward, back = connect(forward, back, self.fresh, self.next_number(), [] if index is None else [(index, number)])
        init += [self.bar(bars, value) for value in reached]
        results = tuple(self.fresh.value(param.type) for param in back.params[1:])
        return BothWays(forward, params, index, back, tuple(init), results, reached)

    def leave(self, loop: Loop | While, rounds: BothWays, bars: Bars) -> None:
        """Hand on what comes out of the way back through a loop."""
        carried = self.carried(rounds.params)
        bars.update(zip(rounds.reached, rounds.results[len(carried):], strict=True))
        for place, g in zip(carried, rounds.results, strict=False):  # a value that a loop starts from may be read in its rounds, too
            self.arrive(bars, loop.init[place], g)

    def carried(self, params: Sequence[Value]) -> list[int]:
        """The places of what a loop carries that has an adjoint."""
        return [place for place, param in enumerate(params) if param in self.active]

    def next_number(self) -> int:
        """A number for what is saved and restored."""
        self.number += 1
        return self.number

    def arrive(self, bars: Bars, value: Value, g: Value) -> None:
        """Add to the adjoint of a value."""
        if value in self.active:
            bars[value] = self.fit(self.added(bars[value], g) if value in bars else g, value.type)

    def added(self, before: Value, g: Value) -> Value:
        """The sum of two adjoints; what is zero but at some places is added at these places."""
        made = self.out[-1] if self.out else None
        if not isinstance(made, Op) or made.result != g or made.name != "add_at" or not self.is_zero(made.args[0]):
            return self.total(before, g)
        del self.out[-1]
        return self.add(made.name, before, *made.args[1:], attrs=made.attrs)

    def is_zero(self, value: Value) -> bool:
        """Whether a value that was made last is an array of zeros."""
        made = {item.result: item for item in self.out[-NEAR:] if isinstance(item, Op)}
        op = made.get(value)
        if op is None or op.name != "broadcast":
            return False
        start = made.get(op.args[0])
        return start is not None and dict(start.attrs).get("value") == 0

    def summed(self, bars: Bars, value: Value, arm: Bars) -> Value:
        """The adjoint of a value from before an arm and from it."""
        if value not in arm:
            return self.bar(bars, value)
        if value in bars and value.type.shape:
            return self.fit(arm[value], value.type)  # which went on from before
        return self.fit(self.total(bars[value], arm[value]), value.type) if value in bars else self.fit(arm[value], value.type)

    def taken(self, bars: Bars, value: Value) -> Value:
        """The adjoint of a value, which is removed: it is passed on here."""
        return bars.pop(value) if value in bars else self.zero(value.type)

    def bar(self, bars: Bars, value: Value) -> Value:
        """The adjoint of a value, zero if there is none."""
        return bars[value] if value in bars else self.zero(value.type)

    def zero(self, type: Type) -> Value:
        """Zero of a type."""
        single = self.const(0j if type.kind is Kind.COMPLEX else 0.0)
        return self.add("broadcast", single, attrs=(("shape", type.shape),)) if type.shape else single


class Formulas:
    """Makes the operations of formulas."""

    def __init__(self, build: Rewriter, careful: bool) -> None:
        self.build, self.careful = build, careful

    def op(self, name: str, args: Sequence[Value], attrs: Mapping[str, Attr]) -> Value:
        """An operation."""
        return self.build.add(name, *args, attrs=tuple(attrs.items()))

    def const(self, value: Attr) -> Value:
        """A constant."""
        return self.build.const(value)

    def type(self, value: Value) -> Type:
        """The type of a value."""
        return value.type

    def guards(self, hazard: Hazard) -> bool:
        """Whether an adjoint of zero stays zero."""
        return hazard is Hazard.ARISES or self.careful and hazard is not Hazard.NONE


class CarefulProducts(Formulas):
    """Makes products and quotients that are zero where a factor or the numerator is.

    Those of arrays are written out, as an adjoint may be zero in some places only.
    """

    def op(self, name: str, args: Sequence[Value], attrs: Mapping[str, Attr]) -> Value:
        """An operation."""
        match name, args:
            case "mul", (one, other):
                return self.product(one, other)
            case "div", (one, other):
                zero = self.const(0.0)
                return self.op("select", (self.op("eq", (one, zero), {}), zero, super().op("div", (one, other), {})), {})
            case "matmul", (one, other):
                return self.matrix_product(one, other)
            case "cross", (one, other) if one.type.shape[-1] == other.type.shape[-1] == 3:
                return self.cross_product(one, other)
            case "solve", (matrix, right):
                return self.solution(matrix, right)
        return super().op(name, args, attrs)

    def product(self, one: Value, other: Value) -> Value:
        """Number by number; zero where either is."""
        zero = self.const(0.0)
        either = self.op("or", (self.op("eq", (one, zero), {}), self.op("eq", (other, zero), {})), {})
        return self.op("select", (either, zero, super().op("mul", (one, other), {})), {})

    def matrix_product(self, one: Value, other: Value) -> Value:
        """Of two matrices, or stacks of them."""
        rows = self.op("reshape", (one,), {"shape": (*one.type.shape, 1)})
        columns = self.op("reshape", (other,), {"shape": (*other.type.shape[:-2], 1, *other.type.shape[-2:])})
        return self.op("sum", (self.product(rows, columns),), {"axis": -2})

    def solution(self, matrix: Value, right: Value) -> Value:
        """Of linear equations; zero where the right side is, whatever the matrix."""
        shape = right.type.shape
        filled = self.op("any", (self.op("ne", (right, self.const(0.0)), {}),), {"axis": -1 if len(shape) == 1 else -2})
        if len(shape) > 1:
            filled = self.op("reshape", (filled,), {"shape": (*shape[:-2], 1, shape[-1])})
        return self.op("select", (filled, super().op("solve", (matrix, right), {}), self.const(0.0)), {})

    def cross_product(self, one: Value, other: Value) -> Value:
        """Of vectors of three numbers."""
        first, second = (self.product(self.turned(one, places), self.turned(other, others))
                         for places, others in (((1, 2, 0), (2, 0, 1)), ((2, 0, 1), (1, 2, 0))))
        return self.op("sub", (first, second), {})

    def turned(self, vector: Value, places: tuple[int, ...]) -> Value:
        """Its numbers in another order."""
        return self.op("pick", (vector,), {"indices": places, "axis": -1})
