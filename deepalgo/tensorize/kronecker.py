"""`Kronecker(k)`: k copies of a stretch of the program, each with weights of its own, that meet in their mean.

The signal that enters copy c is multiplied by `1 + rate_c * turn_c`, where `turn_c` is a new weight, zero at birth. The rates are
fixed and all different: so the copies give the same answers at birth and part with the first step of any optimiser.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Kind, Op, Program, Statement, Value, defined, walk
from deepalgo.network import Network
from deepalgo.tensorize.find import find_signal, lines_of
from deepalgo.tensorize.grow import Grower, key_of, weight_ops
from deepalgo.tensorize.stretch import home, leading, reads
from deepalgo.tensorize.structures import rates
from deepalgo.tensorize.untie import spread


@dataclass(frozen=True)
class Kronecker:
    """So many parallel copies of what happens to a signal."""

    k: int

    def __post_init__(self) -> None:
        if self.k < 2:
            raise TensorizeError(f"Kronecker takes at least two copies, not {self.k}")


def lift(network: Network, target: str, structure: Kronecker, line: int | None, until: str | None) -> Network:
    """Copy what happens between a signal and the one at which the copies meet."""
    start = find_start(network.program, target, line)
    return _Copies(network, find_stretch(network.program, start, target, until), target, structure.k).grow()


def find_start(program: Program, name: str, line: int | None) -> Value:
    """The one value of a variable."""
    starts = find_signal(program, name, line)
    if len(starts) > 1:
        lines = lines_of(program, starts)
        way = f"pick one by its line ({lines})" if "," in lines else "copy a variable that is computed once"
        raise TensorizeError(f"`{name}` is given a value at {len(starts)} places, and Kronecker copies what comes of one: {way}")
    return starts[0]


@dataclass(frozen=True, eq=False)
class Stretch:
    """The statements of a block that lead from one value to another."""

    start: Value
    end: Value
    body: tuple[Statement, ...]


def find_stretch(program: Program, start: Value, name: str, until: str | None) -> Stretch:
    """What depends on `start` and leads to the value named `until`; by default to the last that all of its effects pass."""
    block, place = home(program, start)
    tail = block.body[place:]
    depends = {start}
    chain: list[Statement] = []
    for statement in tail:
        if depends.intersection(reads(statement)):
            chain.append(statement)
            depends.update(defined(statement))
    ends = [value for statement in chain for value in defined(statement)]
    if until is not None:
        named = [value for value in ends if value.name == until]
        if not named:
            raise TensorizeError(f"`{name}` does not reach `{until}` in the block where it is computed")
        end = named[-1]
    else:
        meets = [value for value in ends if _passes(block, chain, start, value) and value.type.kind == Kind.REAL]
        if not meets:
            raise TensorizeError(f"what comes of `{name}` is not gathered in one value: name where the copies meet with until=")
        end = meets[-1]
    return Stretch(start, end, tuple(leading(tuple(chain), end)))


def _passes(block: Block, chain: list[Statement], start: Value, end: Value) -> bool:
    """Whether nothing behind `end` reads what stands before it in the chain."""
    before = {start}
    done = False
    for statement in chain:
        if done and before.intersection(reads(statement)):
            return False
        done = done or end in defined(statement)
        if not done:
            before.update(defined(statement))
    return not before.intersection(block.results) and end in {value for statement in chain for value in defined(statement)}


class _Copies(Grower):
    """Writes a stretch several times."""

    def __init__(self, network: Network, stretch: Stretch, name: str, k: int) -> None:
        super().__init__(network)
        self.stretch, self.k = stretch, k
        shape = stretch.start.type.shape
        self.turn = self.make_weight(f"{name}_turn", torch.zeros(k, *shape, dtype=network.dtype))
        outside = [op for op in weight_ops(network.program.body) if not any(op is item for item in self._inner())]
        self.own = {key_of(op) for op in weight_ops(Block((), stretch.body, ())) if not self.entries[key_of(op)].frozen}
        self.tables = {key: spread(self, self.entries[key], k, f"{key}_copies" if any(key_of(op) == key for op in outside) else key)
                       for key in sorted(self.own)}
        self.copy_number: int | None = None
        self.after = {stretch.end: self._meet}

    def _inner(self) -> list[Statement]:
        return list(walk(Block((), self.stretch.body, ())))

    def statement(self, statement: Statement) -> None:
        if any(statement is item for item in self.stretch.body) and self.copy_number is None:
            self._attend(defined(statement))
        else:
            super().statement(statement)

    def op(self, op: Op) -> None:
        if self.copy_number is not None and op.name == "weight" and key_of(op) in self.own:
            table = self.use(self.tables[key_of(op)], op.span, op.attr("site"))
            self.env[op.result] = self.add("take", table, attrs=(("key", (self.copy_number,)),))
        else:
            super().op(op)

    def _meet(self, end: Value) -> Value:
        copies = [self._copied(number, rate) for number, rate in enumerate(rates(self.k))]
        while len(copies) > 1:  # in pairs: the sum of 2, 3, 4, 6 or 8 equal copies is exact
            copies = [self.add("add", *copies[place : place + 2]) if place + 1 < len(copies) else copies[place]
                      for place in range(0, len(copies), 2)]
        self.add("div", copies[0], self.const(float(self.k)))
        return self.name_last(end.name)

    def _copied(self, number: int, rate: float) -> Value:
        env, self.env = self.env, dict(self.env)
        (start,) = self.see((self.stretch.start,))
        turn = self.add("take", self.use(self.turn), attrs=(("key", (number,)),))
        factor = self.add("add", self.const(1.0), self.add("mul", self.const(rate), turn))
        self.env[self.stretch.start] = self.add("mul", factor, start)
        self.copy_number, self.renews = number, True
        self.statements(self.stretch.body)
        self.copy_number, self.renews = None, False
        (end,) = self.see((self.stretch.end,))
        self.env = env
        return end
