"""Compute a dear operation once where several arms compute it: `pow(a, b)` of the operands that the sample's arm has.

Where all arms are computed for all samples, only one of them counts for each. Operations of different arms may then share a single one.

>>> from deepalgo.ir import Input, Leaf
>>> real, flag = Type(Kind.REAL), Type(Kind.BOOL)
>>> c, x, y, p, q, z = (Value(i, flag if i == 0 else real, n) for i, n in enumerate("cxypqz"))
>>> body = Block((), (Op(p, "tan", (x,)), Op(q, "tan", (y,)), Op(z, "select", (c, p, q))), (z,))
>>> program = Program("f", tuple(Input(item.name, item) for item in (c, x, y)), (), body, Leaf(z))
>>> print(unite(program, {p: {c: True}, q: {c: False}}))
f(c: bool, x: real, y: real)
  %6 = select %c0 %x1 %y2
  %7 = tan %6
  %z5 = select %c0 %7 %7
  return %z5
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from deepalgo.emit.levels import Level, find_levels
from deepalgo.emit.rewriter import Fresh, Rewriter
from deepalgo.emit.risk import constants
from deepalgo.emit.weigh import CHOICE, COSTS
from deepalgo.ir import Attr, Block, Kind, Op, Program, Statement, Type, Value, blocks, captured, defined, used

#: The conditions that lead to a value, and whether they hold there.
Path = Mapping[Value, bool]


def unite(program: Program, paths: Mapping[Value, Path]) -> Program:
    """The program with one operation for several that no sample needs at once."""
    return Unite(Fresh.of(program), paths, constants(program.body), find_levels(program)).program(program)


@dataclass(slots=True)
class Team:
    """Operations of one kind in arms that exclude each other."""

    members: list[Op]


class Unite(Rewriter):
    """`paths` says which arm a value belongs to."""

    def __init__(self, fresh: Fresh, paths: Mapping[Value, Path], known: Mapping[Value, Attr], levels: Mapping[Value, Level]) -> None:
        super().__init__(fresh)
        self.paths = paths
        self.known = known
        self.levels = levels

    def block(self, block: Block) -> Block:
        """A block with its operations in a new order."""
        teams = self.teams(block.body)
        order = None
        while teams and order is None:
            order = _ordered(block.body, teams, self.paths)
            if order is None:  # two teams wait for each other
                teams.pop()
        return super().block(block if order is None else replace(block, body=self.united(order)))

    def teams(self, body: Iterable[Statement]) -> list[Team]:
        """What may be united in a block."""
        found: dict[tuple[object, ...], list[Team]] = {}
        for op in body:
            if not isinstance(op, Op) or not self.is_worth(op):
                continue
            known = found.setdefault((op.name, op.attrs), [])
            for team in known:
                if _split([*team.members, op], self.paths) is not None:
                    team.members.append(op)
                    break
            else:
                known.append(Team([op]))
        return [team for teams in found.values() for team in teams if len(team.members) > 1]

    def is_worth(self, op: Op) -> bool:
        """Whether an operation on numbers costs more than choosing its operands.

        A power with a plain exponent is a few products, and what all samples share is computed once for them.
        """
        if op.result not in self.paths or self.levels[op.result] != Level.BATCHED or (op.name == "pow" and op.args[1] in self.known):
            return False
        plain = all(value.type == Type(Kind.REAL) for value in (op.result, *op.args))
        return plain and COSTS.get(op.name, 1) > 2 * CHOICE * len(op.args)

    def united(self, order: list[Statement | Team]) -> tuple[Statement, ...]:
        """The statements, with one operation in place of each team."""
        outer, self.out = self.out, []
        for item in order:
            if isinstance(item, Team):
                first = item.members[0]
                operands = tuple(self.chosen(item.members, place) for place in range(len(first.args)))
                result = self.fresh.value(first.result.type)
                self.out.append(replace(first, result=result, args=operands))
                self.env.update((member.result, result) for member in item.members)
            else:
                self.out.append(item)
        made, self.out = tuple(self.out), outer
        return made

    def chosen(self, members: list[Op], place: int) -> Value:
        """The operand of the member whose arm is taken."""
        operands = {self.key(member.args[place]) for member in members}
        if len(operands) == 1:
            return self.env.get(members[-1].args[place], members[-1].args[place])
        split = _split(members, self.paths)
        assert split is not None
        condition, yes, no = split
        return self.add("select", self.env.get(condition, condition), self.chosen(yes, place), self.chosen(no, place))

    def key(self, value: Value) -> object:
        """Equal for constants of one text: 0.0 and -0.0 are equal but not the same."""
        return repr(self.known[value]) if value in self.known else self.env.get(value, value)


def _split(members: list[Op], paths: Mapping[Value, Path]) -> tuple[Value, list[Op], list[Op]] | None:
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


def _ordered(body: tuple[Statement, ...], teams: list[Team], paths: Mapping[Value, Path]) -> list[Statement | Team] | None:
    """The statements in an order in which everything is computed before it is used; None if there is none."""
    team_of = {id(member): team for team in teams for member in team.members}
    items: list[Statement | Team] = []
    for statement in body:
        team = team_of.get(id(statement))
        if team is None:
            items.append(statement)
        elif statement is team.members[-1]:
            items.append(team)
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


def _made(item: Statement | Team) -> Iterable[Value]:
    return (member.result for member in item.members) if isinstance(item, Team) else defined(item)


def _needed(item: Statement | Team, paths: Mapping[Value, Path]) -> Iterable[Value]:
    if isinstance(item, Team):
        for member in item.members:
            yield from member.args
            yield from paths[member.result]
        return
    yield from used(item)
    for block in blocks(item):
        yield from captured(block)
