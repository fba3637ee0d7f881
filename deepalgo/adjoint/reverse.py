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
)
from deepalgo.ir import Sequence as SequenceTree
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.formula import adjoints
from deepalgo.ops.row import Hazard
from deepalgo.ops.table import TABLE

INT = Type(Kind.INT)
#: The adjoints of values, usually written with a bar: the derivative of the answer by each of them, added up so far.
Bars = dict[Value, Value]


def adjoint(program: Program, careful: bool = False) -> Program:
    """A program that takes the adjoints of the real results as further inputs and returns those of the inputs and of the weights.

    Its results are those of the program, the adjoints of the real inputs in order, and those of the weights in order. The program has its
    weights at the start, its casts as operations, and no `Try`. Where an adjoint is zero, nothing is asked of slopes that arise infinite;
    with `careful` neither of those that are so because an operand is.
    """
    return Reverse(program, careful).made()


def careful_adjoint(program: Program) -> Program:
    """The same, in which zero times infinity is zero everywhere."""
    return adjoint(program, careful=True)


class Reverse(Rewriter):
    """Goes through blocks from the last statement to the first: appends the backward pass to `out`, and returns the forward pass."""

    def __init__(self, program: Program, careful: bool) -> None:
        super().__init__(Fresh.of(program))
        self.careful = careful
        body = self.copy(program.body)  # every value once, also in arms and rounds that were copies of one another
        self.source = replace(program, body=body)
        self.active = find_active(self.source)
        self.number = 0

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
        sources = [item.value for item in program.inputs if item.value.type.kind >= Kind.REAL]
        found = [self.bar(bars, value) for value in sources]
        found += [self.bar(bars, weights[item.key]) if item.key in weights else self.zero(Type(Kind.REAL, item.shape))
                  for item in program.weights]
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
        g = bars.pop(op.result)
        found = adjoints(TABLE[op.name], op.args, op.result, g, dict(op.attrs), Formulas(self, self.careful))
        for arg, value in zip(op.args, found, strict=True):
            if value is not None:
                self.arrive(bars, arg, value)

    def back_if(self, branch: If, bars: Bars) -> If:
        """Each arm goes back through itself."""
        given = [(place, bars.pop(result)) for place, result in enumerate(branch.results) if result in bars]
        if not given:
            return branch
        arms = [self.back_arm(arm, given) for arm in (branch.then, branch.orelse)]
        reached = [*dict.fromkeys(value for _, _, arm_bars in arms for value in arm_bars)]
        pairs = []
        for (arm, out, arm_bars) in arms:
            outer, self.out = self.out, out
            results = tuple(self.summed(bars, value, arm_bars) for value in reached)
            self.out = outer
            self.number += 1
            pairs.append(connect(arm, Block((), tuple(out), results), self.fresh, self.number))
        (then, then_back), (orelse, orelse_back) = pairs
        made = tuple(self.fresh.value(value.type) for value in reached)
        self.out.append(If(made, branch.condition, then_back, orelse_back, branch.span))
        bars.update(zip(reached, made, strict=True))
        return replace(branch, then=then, orelse=orelse)

    def back_arm(self, arm: Block, given: Sequence[tuple[int, Value]]) -> tuple[Block, list[Statement], Bars]:
        """The arm in the forward pass, its backward pass, and the adjoints of values outside of it."""
        outer, self.out = self.out, []
        bars: Bars = {}
        for place, g in given:
            self.arrive(bars, arm.results[place], g)
        forward = replace(arm, body=tuple(self.backwards(arm, bars)))
        out, self.out = self.out, outer
        return forward, out, bars

    def back_loop(self, loop: Loop, bars: Bars) -> Loop:
        """The rounds from the last to the first."""
        if not any(result in bars for result in loop.results):
            return loop
        count = self.const(loop.count)
        index, *params = loop.body.params
        body = self.back_rounds(loop, loop.body, tuple(params), count, index, bars)
        return replace(loop, body=body)

    def back_while(self, loop: While, bars: Bars) -> tuple[Statement, ...]:
        """The rounds from the last to the first; the forward pass counts them."""
        if not any(result in bars for result in loop.results):
            return (loop,)
        total = self.fresh.value(INT)
        body = self.back_rounds(loop, loop.body, loop.body.params, total, None, bars)
        asked, counted = self.fresh.value(INT), self.fresh.value(INT)
        outer, self.out = self.out, [*body.body]
        following = self.total(counted, self.const(1))
        body = Block((*body.params, counted), tuple(self.out), (*body.results, following))
        self.out = outer
        test = replace(loop.test, params=(*loop.test.params, asked))
        start = Op(self.fresh.value(INT), "const", (), (("value", 0),))
        results, init = (*loop.results, total), (*loop.init, start.result)
        return start, replace(loop, results=results, init=init, test=test, body=body)

    def back_rounds(
        self, loop: Loop | While, body: Block, params: tuple[Value, ...], count: Value, index: Value | None, bars: Bars
    ) -> Block:
        """Append the backward pass of a loop; returns its body in the forward pass."""
        carried = [place for place, param in enumerate(params) if param in self.active]
        init = [self.taken(bars, loop.results[place]) for place in carried]
        arriving = [self.fresh.value(params[place].type) for place in carried]
        outer, self.out = self.out, []
        inner: Bars = {}
        for place, g in zip(carried, arriving, strict=True):
            self.arrive(inner, body.results[place], g)
        forward = replace(body, body=tuple(self.backwards(body, inner)))
        leaving = [self.taken(inner, params[place]) for place in carried]
        reached = [*inner]
        sums = [self.fresh.value(value.type) for value in reached]
        leaving += [self.fit(self.total(before, inner[value]), value.type) for before, value in zip(sums, reached, strict=True)]
        made, self.out = self.out, outer
        number = self.fresh.value(INT)
        back = Block((number, *arriving, *sums), tuple(made), tuple(leaving))
        self.number += 1
        forward, back = connect(forward, back, self.fresh, self.number, [] if index is None else [(index, number)])
        init += [self.bar(bars, value) for value in reached]
        results = tuple(self.fresh.value(param.type) for param in back.params[1:])
        self.out.append(Rewind(results, count, tuple(init), back, loop.span))
        bars.update(zip(reached, results[len(carried):], strict=True))
        for place, g in zip(carried, results, strict=False):  # a value that a loop starts from may be read in its rounds, too
            self.arrive(bars, loop.init[place], g)
        return forward

    def arrive(self, bars: Bars, value: Value, g: Value) -> None:
        """Add to the adjoint of a value."""
        if value in self.active:
            bars[value] = self.fit(self.total(bars[value], g) if value in bars else g, value.type)

    def summed(self, bars: Bars, value: Value, arm: Bars) -> Value:
        """The adjoint of a value from before an arm and from it."""
        if value not in arm:
            return self.bar(bars, value)
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
