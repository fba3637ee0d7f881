"""Sink operations that may be infinite into the branch arm, or beside the choice, that uses them.

`np.where(x > 0, np.log(x), 0)` evaluates the logarithm for every sample and drops what is not wanted. The values are right, but
the gradient of what was dropped is 0 times infinity. So a copy of the computation moves into the arm; the original goes if no one
else needs it. Operations that Python guards with an exception stay: no sample is beyond their checks.

>>> from deepalgo.lower.prune import prune
>>> from deepalgo.ir.show import show
>>> show((sink_hazards, prune), '''
... f(x: real)
...   %y = np.log %x
...   %positive = np.gt %x 0.0
...   %z = np.select %positive %y 0.0
...   return %z
... ''')
f(x: real)
  %positive = np.gt %x 0.0
  %4 = const 0.0
  %z = if %positive
    %y = np.log %x
    yield %y
  else
    yield %4
  return %z
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable
from dataclasses import replace

from deepalgo.ir import Block, Check, If, Kind, Loop, Op, Program, Try, Type, Value, While
from deepalgo.ir.per_block import captures, counts, has
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.row import Hazard
from deepalgo.ops.table import TABLE, infer

#: Branches are not copied into an arm if it would get more statements, and of operations only the last so many.
LONGEST = 60


def sink_hazards(program: Program) -> Program:
    """The program with what may be infinite inside of the arms that use it."""
    zeros = {weight.key for weight in program.weights if isinstance(weight.value, (int, float)) and weight.value == 0}
    return SinkHazards(Fresh.of(program), zeros).program(program)


class SinkHazards(Rewriter):
    """`hazards` are the operations and branches, by what they define, that may be infinite or depend on one that may; `order` is the
    program's, `sizes` are the branches' in statements.

    `zeros` are the keys of weights that are 0 at birth.
    """

    def __init__(self, fresh: Fresh, zeros: Container[str]) -> None:
        super().__init__(fresh)
        self.zeros = zeros
        self.hazards: dict[Value, Op | If] = {}
        self.sizes: dict[Value, int] = {}
        self.order: dict[Value, int] = {}
        self.guarded: set[int] = set()
        self.steady: set[Value] = set()
        self.origins: set[Value] = set()
        self.captures = captures()
        self.counts = counts()
        self.repeats = has(lambda statement: isinstance(statement, (Loop, While, Try)))

    def block(self, block: Block) -> Block:
        """A block; its checks guard operations, before them or after them."""
        found = {statement.guard for statement in block.body if isinstance(statement, Check)} - self.guarded
        self.guarded |= found
        result = super().block(block)
        self.guarded -= found
        return result

    def op(self, op: Op) -> None:
        """Note hazards; make a choice that drops one a branch."""
        args = self.see(op.args)
        if op.name == "div" and op.result.type.kind is Kind.REAL and self.is_origin(op):
            op = replace(op, name="quotient")  # its derivative is finite at 0
        if _is_steady(op, self.zeros):
            self.steady.add(op.result)
        if op.is_choice and op.result.type.kind >= Kind.REAL and any(arg in self.hazards for arg in args[1:]):
            return self.select(op, args)
        second_if = TABLE[op.name].second_if
        if second_if and op.result.type.kind == Kind.REAL and any(arg in self.hazards for arg in args):
            return self.select(op, (self.add(second_if, args[1], args[0]), args[1], args[0]))
        if (begins := self.is_origin(op)) or any(arg in self.hazards for arg in args):
            self.add_hazard(op.result, replace(op, args=args))
        if begins:
            self.origins.add(op.result)
        super().op(op)
        return None

    def add_hazard(self, value: Value, maker: Op | If) -> None:
        """Note a hazard."""
        self.hazards[value] = maker
        self.order[value] = len(self.order)

    def add_branch(self, branch: If) -> None:
        """Append a branch; what an arm that may be infinite hands out may be infinite."""
        self.out.append(branch)
        arms = branch.then, branch.orelse
        if any(map(self.repeats, arms)):
            return
        size = sum(map(self.counts, arms))
        for result, *values in zip(branch.results, branch.then.results, branch.orelse.results, strict=True):
            if any(value in self.hazards for value in values):
                self.add_hazard(result, branch)
                self.sizes[result] = size

    def is_origin(self, op: Op) -> bool:
        """Whether an infinity can begin here; weights are no zeros, or there would be a check."""
        row = TABLE[op.name]
        if row.pole is not None and op.args[row.pole] in self.steady:
            return False
        arises = row.hazard_of([arg.type for arg in op.args]) is Hazard.ARISES and op.result.type.kind >= Kind.REAL
        return arises and not (op.guard and op.guard in self.guarded)

    def select(self, op: Op, args: tuple[Value, ...]) -> None:
        """A choice by sample becomes a branch; a choice by element gets operands that are harmless where it drops them."""
        condition, first, second = args
        one, other = self.cone([first]), self.cone([second])
        both = set(one) & set(other)
        if condition.type.shape:
            chosen = self.shielded(condition, first, [value for value in one if value not in both])
            kept = self.shielded(self.negated(condition), second, [value for value in other if value not in both])
            self.out.append(replace(op, name="select", args=(condition, chosen, kept)))
        else:
            then = self.arm(self.handing(first, op.result.type), [value for value in one if value not in both])
            orelse = self.arm(self.handing(second, op.result.type), [value for value in other if value not in both])
            self.add_branch(If(self.define((op.result,)), condition, then, orelse, op.span))

    def handing(self, value: Value, type: Type) -> Block:
        """An arm that hands out a value, in the shape of a type."""
        if value.type.shape == type.shape:
            return Block((), (), (value,))
        spread = self.fresh.value(Type(value.type.kind, type.shape))
        return Block((), (Op(spread, "broadcast", (value,), (("shape", type.shape),)),), (spread,))

    def branch(self, branch: If) -> None:
        """What only one arm takes in is computed there."""
        condition = self.see((branch.condition,))[0]
        cones = [self.cone(self.see(self.captures(arm))) for arm in (branch.then, branch.orelse)]
        both = set(cones[0]) & set(cones[1])
        then, orelse = (
            self.arm(arm, [value for value in cone if value not in both])
            for arm, cone in zip((branch.then, branch.orelse), cones, strict=True)
        )
        self.add_branch(replace(branch, condition=condition, then=then, orelse=orelse, results=self.define(branch.results)))

    def cone(self, values: Iterable[Value]) -> list[Value]:
        """The hazards that these values are or depend on, in the order of the program; up to branches where there would be too many."""
        start = [value for value in values if value in self.hazards]
        found = self.reached(start) if start else set()
        return self.nearest(start) if found is None else sorted(found, key=self.order.__getitem__)

    def reached(self, start: list[Value]) -> set[Value] | None:
        """The hazards that these are or depend on, through branches; None if there are too many."""
        found: set[Value] = set()
        waiting, size = list(start), 0
        while waiting:
            value = waiting.pop()
            if value in found:
                continue
            found.add(value)
            size += self.sizes.get(value, 1)
            if size > LONGEST:
                return None
            waiting.extend(arg for arg in self.needs(value) if arg in self.hazards)
        return found

    def nearest(self, start: list[Value]) -> list[Value]:
        """The last operations among the hazards, up to branches, as far as one of them can be where an infinity begins."""
        waiting = [(-self.order[value], value.id, value) for value in dict.fromkeys(start)]
        heapq.heapify(waiting)
        found: list[Value] = []
        seen = set(start)
        while waiting and len(found) < LONGEST:
            *_, value = heapq.heappop(waiting)
            if value in self.sizes:
                continue
            found.append(value)
            for arg in self.needs(value):
                if arg in self.hazards and arg not in seen:
                    seen.add(arg)
                    heapq.heappush(waiting, (-self.order[arg], arg.id, arg))
        kept: dict[Value, None] = {}
        for value in reversed(found):
            if value in self.origins or any(arg in kept for arg in self.needs(value)):
                kept[value] = None
        return list(kept)

    def needs(self, value: Value) -> Iterable[Value]:
        """What a hazard is computed from; a branch that is copied decides by the same condition."""
        maker = self.hazards[value]
        return maker.args if isinstance(maker, Op) else (*self.captures(maker.then), *self.captures(maker.orelse))

    def arm(self, block: Block, cone: list[Value]) -> Block:
        """An arm that starts with its own copy of the cone."""
        if not cone:
            return self.block(block)
        outer, self.out = self.out, []
        copies = self.copies(cone, {})
        # Names of the block around may stand for a hazard, too.
        stood = {value: self.env.get(value) for value in self.captures(block)}
        self.env |= {value: copies[stands or value] for value, stands in stood.items() if (stands or value) in copies}
        made = self.block(block)
        made = replace(made, body=(*self.out, *made.body))
        for value, stands in stood.items():
            if stands is None:
                self.env.pop(value, None)
            else:
                self.env[value] = stands
        self.out = outer
        return made

    def copies(self, cone: list[Value], boundary: dict[Value, Value]) -> dict[Value, Value]:
        """Append copies of the cone's operations; `boundary` replaces what they take in. Return what stands for what."""
        copies: dict[Value, Value] = {}
        for value in cone:
            maker = self.hazards[value]
            if isinstance(maker, If):
                self.copy_branch(maker, copies)
                continue
            args = tuple(copies.get(arg, boundary.get(arg, arg)) for arg in maker.args)
            copies[value] = self.fresh.value(infer(maker.name, [arg.type for arg in args], maker.attrs), value.name)
            copy = replace(maker, args=args, result=copies[value])
            self.add_hazard(copies[value], copy)
            if value in self.origins:
                self.origins.add(copies[value])
            self.out.append(copy)
        return copies

    def copy_branch(self, branch: If, copies: dict[Value, Value]) -> None:
        """Append a copy of a branch, once for all its results, and note what stands for them."""
        if branch.results[0] in copies:
            return
        copier = Copier(self.fresh)
        copier.env, copier.renews = dict(copies), True
        copier.branch(branch)
        (copy,) = copier.out
        assert isinstance(copy, If)
        self.out.append(copy)
        for result, made in zip(branch.results, copy.results, strict=True):
            copies[result] = made
            if result in self.hazards:
                self.add_hazard(made, copy)
                self.sizes[made] = self.sizes[result]

    def shielded(self, mask: Value, value: Value, cone: list[Value]) -> Value:
        """`value` computed from operands that are 1 outside of the mask, as far as all is done element by element."""
        cone = self.elementwise(cone, mask)
        if value not in cone:
            return value
        inside = set(cone)
        args = (arg for member in cone for arg in self.needs(member))
        taken = dict.fromkeys(arg for arg in args if arg not in inside and arg.type.kind >= Kind.REAL)
        one = self.const(1.0)
        boundary = {arg: self.where(mask, arg, one) for arg in taken}
        return self.copies(cone, boundary)[value]

    def elementwise(self, cone: list[Value], mask: Value) -> list[Value]:
        """The part of a cone, up to its end, that works element by element in the shape of the mask."""
        kept: list[Value] = []
        for value in reversed(cone):
            maker = self.hazards[value]
            works = isinstance(maker, Op) and TABLE[maker.name].broadcasts and value.type.shape in ((), mask.type.shape)
            if works and (not kept or any(value in self.needs(member) for member in kept)):
                kept.append(value)
        return kept[::-1]


class Copier(Rewriter):
    """Copies what only computes."""

    def check(self, check: Check) -> None:
        """The original checks."""


def _is_steady(op: Op, zeros: Container[str]) -> bool:
    """Whether this is a weight or a constant other than 0."""
    if op.is_const:
        value = op.attr("value")
        return isinstance(value, (int, float)) and value != 0
    return op.is_weight and not op.result.type.shape and str(op.attr("key")) not in zeros
