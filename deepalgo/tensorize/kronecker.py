"""`Kronecker(k)`: k copies of a slice of the program, each with weights of its own, that meet in their mean.

The signal that enters copy c is multiplied by `1 + rate_c * turn_c`, where `turn_c` is a new weight, zero at birth. The rates are
fixed and all different: so the copies give the same answers at birth and part with the first step of any optimiser.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch

from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Kind, Op, Program, Statement, Value, defined
from deepalgo.ir.rewriter import Rewriter
from deepalgo.network import Network
from deepalgo.tensorize.find import find_signal, lines_of
from deepalgo.tensorize.grow import Grower, key_of
from deepalgo.tensorize.replace_weights import ReplaceWeights
from deepalgo.tensorize.slices import home, leading, private, reads
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
    return _Copies(network, find_slice(network.program, start, target, until), target, structure.k).grow()


def find_start(program: Program, name: str, line: int | None) -> Value:
    """The one value of a variable."""
    starts = find_signal(program, name, line)
    if len(starts) > 1:
        lines = lines_of(program, starts)
        way = f"pick one by its line ({lines})" if "," in lines else "copy a variable that is computed once"
        raise TensorizeError(f"`{name}` is given a value at {len(starts)} places, and Kronecker copies what comes of one: {way}")
    return starts[0]


@dataclass(frozen=True, eq=False)
class Slice:
    """The statements of a block that lead from one value to another, and those of them that nothing else needs."""

    start: Value
    end: Value
    body: tuple[Statement, ...]
    private: tuple[Statement, ...]


def find_slice(program: Program, start: Value, name: str, until: str | None) -> Slice:
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
        if end.type.kind != Kind.REAL:
            raise TensorizeError(f"copies meet in their mean, and `{until}` is {end.type}: let them meet at a real number or array")
    else:
        meets = [value for value in ends if _passes(block, chain, start, value) and value.type.kind == Kind.REAL]
        if not meets:
            raise TensorizeError(f"what comes of `{name}` is not gathered in one value: name where the copies meet with until=")
        end = meets[-1]
    return Slice(start, end, tuple(leading(tuple(chain), end)), private(block, end))


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
    """Writes every statement of a slice several times where it stands, so that errors come in the order of the heuristic."""

    def __init__(self, network: Network, part: Slice, name: str, k: int) -> None:
        super().__init__(network)
        self.part, self.k = part, k
        self.body = {id(statement) for statement in part.body}
        self.private = {id(statement) for statement in part.private}
        self.turn = self.make_weight(f"{name}_turn", torch.zeros(k, *part.start.type.shape, dtype=network.dtype))
        self.tables: dict[str, str] = {}
        self.copies = [ReplaceWeights(self, part.body, partial(self._row, number)) for number in range(k)]
        #: What stands in each copy for the values of the slice.
        self.own: list[dict[Value, Value]] = [{} for _ in range(k)]
        self.after = {part.start: self._fork, part.end: self._meet}

    def _row(self, number: int, op: Op) -> Value:
        """The weight of a copy."""
        key = key_of(op)
        if key not in self.tables:
            self.tables[key] = spread(self, self.entries[key], self.k, f"{key}_copies")
        return self.sliced(self.use(self.tables[key], op.span, op.attr("site")), (number,))

    def _fork(self, start: Value) -> Value:
        (here,) = self.see((start,))
        for number, rate in enumerate(rates(self.k)):
            turn = self.sliced(self.use(self.turn), (number,))
            factor = self.total(self.const(1.0), self.product(self.const(rate), turn))
            self.own[number][start] = self.times(factor, here)
        return here

    def statement(self, statement: Statement) -> None:
        if id(statement) not in self.body or self.renews:
            super().statement(statement)
            return
        if id(statement) not in self.private:
            Rewriter.statement(self, statement)
        for copy, own in zip(self.copies, self.own, strict=True):
            env, self.env = self.env, {**self.env, **own}
            self.renews = True
            copy.rebuild(statement)
            self.renews = False
            own.update((value, self.env[value]) for value in defined(statement))
            self.env = env
        self._attend(defined(statement))

    def op(self, op: Op) -> None:
        if not any(copy.replaces(op) for copy in self.copies):
            super().op(op)

    def _meet(self, end: Value) -> Value:
        parts = [own[end] for own in self.own]
        while len(parts) > 1:  # in pairs: the sum of 2, 3, 4, 6 or 8 equal numbers is exact
            parts = [self.total(*pair) if len(pair) == 2 else pair[0] for pair in _pairs(parts)]
        self.ratio(parts[0], self.const(float(self.k)))
        return self.name_last(end.name)


def _pairs(values: list[Value]) -> list[list[Value]]:
    """The values in pairs."""
    return [values[place : place + 2] for place in range(0, len(values), 2)]
