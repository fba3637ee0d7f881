"""A program of single numbers as one of whole columns: every sample goes through both arms, and rounds end when the last sample is done.

Samples on which the heuristic raises take no part in loops any more and are NaN in the end.

>>> from deepalgo.backends.source.function import FunctionParameters, write_function
>>> from deepalgo.backends.targets import SOURCE_COLUMNS
>>> from deepalgo.ir import parse
>>> program = parse('''
... f(x: real)
...   %c = gt %x 0.0
...   %y = if %c
...     %root = sqrt %x
...     yield %root
...   else
...     yield %x
...   return %y
... ''')
>>> for line in write_function(program, {}, FunctionParameters(("x",)), passes=SOURCE_COLUMNS).splitlines()[4:]:
...     print(line)
def f(x):
    x = np.asarray(x, dtype=float)
    c = x > 0.0
    root = np.sqrt(x)
    return np.where(c, root, x)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from deepalgo.backends.source.exits import MANY, Exits, all_read, ends_by
from deepalgo.backends.source.numbers import can_be_table, is_fixed_item, is_list
from deepalgo.backends.source.simplify import Simplify
from deepalgo.errors import InputError
from deepalgo.ir import Attr, Block, Check, If, Kind, Loop, Op, Program, Type, Value, While, walk
from deepalgo.ir.facts.constants import single
from deepalgo.ir.facts.truths import is_negation
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.ranges import ALL_OUTCOMES, EQUAL
from deepalgo.ops.table import TABLE, infer


def batch(program: Program) -> Program:
    """The program, which has no `Try`, for columns of numbers; samples that fail get NaN, and loops end by exits."""
    values = [
        *(item.value for item in program.inputs),
        *(op.result for op in walk(program.body) if isinstance(op, Op) and not can_be_table(op)),
    ]
    if any(value.type.shape for value in values) or program.changes:
        raise InputError(f"{program.name} works on arrays and has no form for a whole batch: leave out style, and call it for each sample")
    return Batch(program).whole(program)


@dataclass(frozen=True, slots=True)
class Round:
    """What decides whether a sample goes on: a test before the round, with one result or none, and flags after it."""

    test: Block
    flags: list[Value]


class Batch(Rewriter):
    """`active` are the samples that come to the current statement, `failed` those that have raised; None means all, and none."""

    def __init__(self, program: Program) -> None:
        super().__init__(Fresh.of(program))
        self.asked = all_read(program)
        self.exits = Exits(program)
        self.made: dict[Value, Op] = {}
        self.active: Value | None = None
        self.failed: Value | None = None
        self.stacks: dict[Value, tuple[Value, ...]] = {}
        self.known: dict[Value, Attr] = {}

    def whole(self, program: Program) -> Program:
        """The program; what samples get that failed is NaN."""
        params = tuple(self.fresh.value(Type(item.value.type.kind, (MANY,)), item.value.name) for item in program.inputs)
        self.env.update(zip((item.value for item in program.inputs), params, strict=True))
        self.statements(program.body.body)
        results = self.see(program.body.results)
        if self.failed is not None:
            results = tuple(self.where(self.failed, self.const(math.nan), value) for value in results)
        inputs = tuple(replace(item, value=param) for item, param in zip(program.inputs, params, strict=True))
        return self.exits.added(replace(program, inputs=inputs, body=Block((), tuple(self.out), results)))

    def columns(self, values: Sequence[Value]) -> tuple[Value, ...]:
        """The values as columns."""
        return tuple(value if value.type.shape else self.repeated(value, (MANY,)) for value in values)

    def op(self, op: Op) -> None:
        """An operation on columns, or on numbers that are the same for all samples."""
        args = self.see(op.args)
        if op.is_const or op.is_weight:
            self.out.append(op)
            self.known.update(single((op,)))
        elif is_list(op):
            self.stacks[op.result] = args
        elif TABLE[op.name].item and not is_fixed_item(op):
            self.item(op, *args)
        else:
            self.define_as(op, args)

    def item(self, op: Op, table: Value, place: Value) -> None:
        """An item of a table; no sample asks for one beyond its ends."""
        if table in self.stacks:
            self.env[op.result] = self.one_of(self.stacks[table], place)
            return
        if place.type.shape:
            last = self.const(op.args[0].type.shape[0] - 1)
            place = self.add("maximum", self.add("minimum", place, last), self.const(0))
        self.define_as(op, (table, place))

    def define_as(self, op: Op, args: tuple[Value, ...]) -> None:
        """The same operation on other operands."""
        made = self.fresh.value(infer(op.name, [arg.type for arg in args], op.attrs), op.result.name)
        self.made[made] = replace(op, result=made, args=args)
        self.out.append(self.made[made])
        self.env[op.result] = made

    def one_of(self, items: Sequence[Value], place: Value) -> Value:
        """The item at a place that differs between samples."""
        found = items[-1]
        for number, item in reversed(list(enumerate(items[:-1]))):
            found = self.where(self.equal(place, self.const(number)), item, found)
        return found

    def check(self, check: Check) -> None:
        """Samples for which the condition is false have failed, if they come here."""
        wrong = self.opposite(self.see((check.ok,))[0])
        wrong = wrong if self.active is None else self.all_of(self.active, wrong)
        wrong = wrong if self.failed is None else self.any_of(self.failed, wrong)
        if isinstance(self.out[-1], Op) and self.out[-1].result == wrong:
            wrong = self.called(wrong, "failed")
        self.failed = wrong

    def opposite(self, condition: Value) -> Value:
        """The condition under which a check fails, said as simply as can be."""
        op = self.made.get(condition)
        match op:
            case Op(args=(inner,)) if is_negation(op):
                return inner
            case Op(_, name, (first, second)) if TABLE[name].order == ALL_OUTCOMES - EQUAL:
                return self.equal(first, second)
            case Op(_, "no_overflow", (result, *operands)):
                found = self.add("isinf", result)
                for operand in operands:
                    found = self.all_of(found, self.is_finite(operand)) if operand.type.shape else found
                return found
            case _:
                return self.negated(condition)

    def add(self, name: str, *args: Value, attrs: tuple[tuple[str, Attr], ...] = ()) -> Value:
        """Remember what is added."""
        result = super().add(name, *args, attrs=attrs)
        made = self.out[-1]
        assert isinstance(made, Op)
        self.made[result] = made
        return result

    def branch(self, branch: If) -> None:
        """Both arms, then one choice for each result."""
        condition = self.see((branch.condition,))[0]
        then = self.arm(branch.then, condition)
        orelse = self.arm(branch.orelse, self.negated(condition) if _can_fail(branch.orelse) else None)
        for result, first, second in zip(branch.results, then, orelse, strict=True):
            chosen = self.where(condition, first, second)
            self.env[result] = self.called(chosen, result.name)

    def called(self, value: Value, name: str) -> Value:
        """The value just made, under the user's name."""
        made = self.out.pop()
        assert isinstance(made, Op)
        named = Value(value.id, value.type, name)
        self.out.append(replace(made, result=named))
        return named

    def arm(self, block: Block, taken: Value | None) -> tuple[Value, ...]:
        """The statements of an arm; only its own samples can fail there."""
        outer = self.active
        if taken is not None and _can_fail(block):
            self.active = self.both(outer, taken)
        self.statements(block.body)
        self.active = outer
        return self.see(block.results)

    def loop(self, loop: Loop) -> None:
        """The same number of rounds for all."""
        index, *params = loop.body.params
        self.rounds(loop, params, None, loop.body, index)

    def repeat(self, loop: While) -> None:
        """Rounds until no sample goes on; those that are done keep their values."""
        flags = [
            place
            for place, first in enumerate(loop.init)
            if self.known.get(first) is True
            and loop.results[place] not in self.asked
            and ends_by(self.fresh, loop.test, loop.test.params[place])
        ]
        test = Simplify(self.fresh, {**self.known, **{loop.test.params[place]: True for place in flags}})
        test.statements(loop.test.body)
        asked = test.see(loop.test.results)[0]
        settled = test.facts.constant(asked) is not None
        round_ = Round(Block((), tuple(test.out), () if settled else (asked,)), [loop.body.results[place] for place in flags])
        places = [place for place in range(len(loop.init)) if place not in flags]
        self.env.update((loop.body.params[place], self.const(True)) for place in flags)
        kept = [tuple(group[place] for place in places) for group in (loop.results, loop.init, loop.test.params, loop.body.params)]
        body = Block(kept[3], loop.body.body, tuple(loop.body.results[place] for place in places))
        self.rounds(While(kept[0], kept[1], replace(loop.test, params=kept[2]), body, None, loop.span), kept[3], round_, body, None)

    def rounds(self, loop: Loop | While, params: Sequence[Value], test: Round | None, body: Block, index: Value | None) -> None:
        """A loop that carries columns, which samples are live, and which have failed."""
        fails = _can_fail(body) or (test is not None and _can_fail(test.test))
        init = list(self.see(loop.init))
        init += [self.const(True)] if test is not None else []
        init += [self.failed or self.const(False)] if fails else []
        first = self.columns(init)
        columns = [self.fresh.value(Type(param.type.kind, (MANY,)), param.name) for param in params]
        live = self.fresh.value(Type(Kind.BOOL, (MANY,)), "live") if test is not None else None
        failed = self.fresh.value(Type(Kind.BOOL, (MANY,)), "failed") if fails else None
        carried = [*columns, *([live] if live is not None else []), *([failed] if failed is not None else [])]
        results = tuple(self.fresh.value(value.type, value.name) for value in carried)

        outer, self.out, active = self.out, [], self.active
        self.failed = failed if fails else self.failed
        self.env.update(zip(params, columns, strict=True))
        if test is None:
            self.statements(body.body)
            after = list(self.see(body.results))
        else:
            assert isinstance(loop, While)
            self.env.update(zip(loop.test.params, columns, strict=True))
            after = self.live_round(test, body, columns, live, results)
        if fails:
            assert self.failed is not None
            after.append(self.failed)
        after = list(self.columns(after))
        inner, self.out, self.active = tuple(self.out), outer, active

        if test is None:
            assert isinstance(loop, Loop) and index is not None
            self.out.append(Loop(results, loop.count, first, Block((index, *carried), inner, tuple(after)), loop.span))
        else:
            outer, self.out = self.out, []
            always = self.const(True)
            made, self.out = tuple(self.out), outer
            endless = Block(tuple(carried), made, (always,))
            self.out.append(While(results, first, endless, Block(tuple(carried), inner, tuple(after)), None, loop.span))
        self.env.update(zip(loop.results, results[: len(columns)], strict=True))
        self.failed = results[-1] if fails else self.failed

    def live_round(self, round_: Round, body: Block, columns: Sequence[Value], live: Value | None, results: Sequence[Value]) -> list[Value]:
        """One round: ask who goes on, leave if no one does, and change the values of those who do."""
        assert live is not None
        self.active = live if self.active is None else self.both(self.active, live)
        self.statements(round_.test.body)
        going = self.active
        for value in self.see(round_.test.results):
            going = self.all_of(going, value)
        if self.failed is not None:
            going = self.all_of(going, self.negated(self.failed))
        going = self.called(going, "live") if going is not live else live
        nobody = self.negated(self.add("any", going, attrs=(("axis", None),)))
        leaving = dict(zip(results, columns, strict=False))
        if len(results) > len(columns) + 1 and self.failed is not None:
            leaving[results[-1]] = self.failed
        self.out += self.exits.mark(self.fresh, nobody, Block((), (), tuple(leaving.values())), tuple(leaving))
        self.active = going
        self.statements(body.body)
        after = []
        for column, value in zip(columns, self.see(body.results), strict=True):
            after.append(self.called(self.where(going, value, column), column.name))
        for flag in self.see(tuple(round_.flags)):
            going = self.called(self.all_of(going, flag), "live")
        return [*after, going]


def _can_fail(block: Block) -> bool:
    return any(isinstance(statement, Check) for statement in walk(block))
