"""Compute an expensive operation once for all arms that contain it, on the operands of the arm that each sample takes.

Where all arms are computed for all samples, only one of them counts for each. Operations of different arms may then share a single one.

>>> from deepalgo.ir import parse
>>> program = parse('''
... f(c: bool, x: real, y: real)
...   %p = tan %x
...   %q = tan %y
...   %z = select %c %p %q
...   return %z
... ''')
>>> (c, x, y), (p, q, z) = (item.value for item in program.inputs), (op.result for op in program.body.body)
>>> print(share_across_arms(program, {p: {c: True}, q: {c: False}}))
f(c: bool, x: real, y: real)
  %6 = select %c %x %y
  %7 = tan %6
  %z = select %c %7 %7
  return %z
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from deepalgo.backends.torch.branch_cost import CHOICE
from deepalgo.ir import Attr, Block, Kind, Op, Program, Statement, Type, Value, blocks, captured, defined, used
from deepalgo.ir.facts import Level, constants, find_levels
from deepalgo.ir.rewriter import Fresh, Rewriter
from deepalgo.ops.table import TABLE

#: The conditions that lead to a value, and whether they hold there.
Path = Mapping[Value, bool]
#: Operations of one kind in arms that exclude each other.
Group = list[Op]


def share_across_arms(program: Program, paths: Mapping[Value, Path], reached: Container[Value] = ()) -> Program:
    """The program with one operation for several that no sample needs at once."""
    return ShareAcrossArms(Fresh.of(program), paths, reached, constants(program.body), find_levels(program)).program(program)


class ShareAcrossArms(Rewriter):
    """`paths` says which arm a value belongs to, `reached` holds the values that can get a gradient of NaN where their arm is not taken."""

    def __init__(self, fresh: Fresh, paths: Mapping[Value, Path], reached: Container[Value], known: Mapping[Value, Attr],
                 levels: Mapping[Value, Level]) -> None:
        super().__init__(fresh)
        self.paths = paths
        self.reached = reached
        self.known = known
        self.levels = levels

    def block(self, block: Block) -> Block:
        """A block with its operations in a new order."""
        groups = self.groups(block.body)
        order = None
        while groups and order is None:
            order = _ordered(block.body, groups, self.paths)
            if order is None:  # two groups wait for each other
                groups.pop()
        return super().block(block if order is None else replace(block, body=self.united(order)))

    def groups(self, body: Iterable[Statement]) -> list[Group]:
        """What may be united in a block."""
        found: dict[tuple[object, ...], list[Group]] = {}
        for op in body:
            if not isinstance(op, Op) or not self.is_worth(op):
                continue
            known = found.setdefault((op.name, op.attrs), [])
            for group in known:
                if _split([*group, op], self.paths) is not None:
                    group.append(op)
                    break
            else:
                known.append([op])
        return [group for groups in found.values() for group in groups if len(group) > 1]

    def is_worth(self, op: Op) -> bool:
        """Whether an operation on numbers costs more than choosing its operands.

        A power with a plain exponent is a few products, and what all samples share is computed once for them.
        """
        if op.result not in self.paths or self.levels[op.result] != Level.BATCHED or (op.name == "pow" and op.args[1] in self.known):
            return False
        plain = all(value.type == Type(Kind.REAL) for value in (op.result, *op.args))
        return plain and TABLE[op.name].cost > 2 * CHOICE * len(op.args)

    def united(self, order: list[Statement | Group]) -> tuple[Statement, ...]:
        """The statements, with one operation in place of each group."""
        outer, self.out = self.out, []
        for item in order:
            if isinstance(item, list):
                first = item[0]
                operands = tuple(self.chosen(item, place) for place in range(len(first.args)))
                result = self.fresh.value(first.result.type)
                self.out.append(replace(first, result=result, args=operands))
                self.part(item, result)
            else:
                self.out.append(item)
        made, self.out = tuple(self.out), outer
        return made

    def part(self, members: Group, value: Value) -> None:
        """Let `value` stand for the results of all members; one that can get a gradient of NaN sends none to another arm."""
        if len(members) == 1 or not any(member.result in self.reached for member in members):
            self.env.update((member.result, value) for member in members)
            return
        condition, yes, no = self.split(members)
        self.part(yes, self.cut_off(condition, value))
        self.part(no, self.cut_off(self.negated(condition), value))

    def chosen(self, members: Group, place: int) -> Value:
        """The operand of the member whose arm is taken."""
        operands = {self.key(member.args[place]) for member in members}
        if len(operands) == 1:
            return self.env.get(members[-1].args[place], members[-1].args[place])
        condition, yes, no = self.split(members)
        return self.where(condition, self.chosen(yes, place), self.chosen(no, place))

    def split(self, members: Group) -> tuple[Value, Group, Group]:
        """The condition that parts the members, and those of each side."""
        split = _split(members, self.paths)
        assert split is not None
        condition, yes, no = split
        return self.env.get(condition, condition), yes, no

    def key(self, value: Value) -> object:
        """Equal for constants of one text: 0.0 and -0.0 are equal but not the same."""
        return repr(self.known[value]) if value in self.known else self.env.get(value, value)


def _split(members: Group, paths: Mapping[Value, Path]) -> tuple[Value, Group, Group] | None:
    """A condition that some members need to hold and all others not to; and so on among those."""
    for condition in paths[members[0].result]:
        sides = [paths[member.result].get(condition) for member in members]
        if None in sides or len(set(sides)) == 1:
            continue
        yes = [member for member, side in zip(members, sides, strict=True) if side]
        no = [member for member, side in zip(members, sides, strict=True) if not side]
        if all(len(part) == 1 or _split(part, paths) is not None for part in (yes, no)):
            return condition, yes, no
    return None


def _ordered(body: tuple[Statement, ...], groups: list[Group], paths: Mapping[Value, Path]) -> list[Statement | Group] | None:
    """The statements in an order in which everything is computed before it is used; None if there is none."""
    group_of = {id(member): group for group in groups for member in group}
    items: list[Statement | Group] = []
    for statement in body:
        group = group_of.get(id(statement))
        if group is None:
            items.append(statement)
        elif statement is group[-1]:
            items.append(group)
    maker = {value: place for place, item in enumerate(items) for value in _made(item)}
    waits = [{maker[value] for value in _needed(item, paths) if value in maker} for item in items]
    users: list[list[int]] = [[] for _ in items]
    for place, needed in enumerate(waits):
        for other in needed:
            users[other].append(place)
    ready = [place for place, needed in enumerate(waits) if not needed]
    heapq.heapify(ready)
    order = []
    while ready:
        place = heapq.heappop(ready)
        order.append(items[place])
        for user in users[place]:
            waits[user].discard(place)
            if not waits[user]:
                heapq.heappush(ready, user)
    return order if len(order) == len(items) else None


def _made(item: Statement | Group) -> Iterable[Value]:
    return (member.result for member in item) if isinstance(item, list) else defined(item)


def _needed(item: Statement | Group, paths: Mapping[Value, Path]) -> Iterable[Value]:
    if isinstance(item, list):
        for member in item:
            yield from member.args
            yield from paths[member.result]
        return
    yield from used(item)
    for block in blocks(item):
        yield from captured(block)
