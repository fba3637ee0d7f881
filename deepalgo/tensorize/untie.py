"""`untie`: a weight that is read in every round of a loop, or by every call of a helper, gets a value of its own for each.

>>> import deepalgo as da
>>> def root(s):
...     x = 1.0
...     for _ in range(3):
...         x = x - 0.9 * (x * x - s) / (2 * x)
...     return x
>>> net = untie(da.compile(root))
>>> net.weights["c4"].tolist()
[0.9, 0.9, 0.9]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Kind, Loop, Op, Program, Type, Value, Weight, While, blocks, captured, used
from deepalgo.network import Network
from deepalgo.tensorize.find import all_loops, find_loops
from deepalgo.tensorize.grow import Grower, key_of, weight_ops
from deepalgo.tensorize.suggestion import Suggestion

#: A loop that ends by data gets weights for so many rounds; later rounds share the last.
ROUNDS = 8


def untie(network: Network, where: int | str | None = None, *, weights: Iterable[str] | None = None, rounds: int = ROUNDS) -> Network:
    """Give weights a value of their own in every round and in every call.

    `where` names one loop, by its line or by a variable that it carries, or is "calls"; by default all loops and all calls are
    untied. `weights` names the weights. A loop that ends by data gets values for the first `rounds` rounds, and later ones
    share the last of them.
    """
    if rounds < 1:
        raise TensorizeError(f"rounds must be a positive whole number, not {rounds!r}")
    wanted = _wanted(network, weights)
    before = network
    for number in reversed(_loops(network.program, where)):  # inner ones first: the outer round is the first axis
        network = _untie_loop(network, list(all_loops(network.program))[number], wanted, rounds)
    if where in (None, "calls"):
        network = _Calls(network, wanted | {key for key in network.weights if key not in before.weights}).grow()
    if network.program.weights == before.program.weights:
        raise TensorizeError(_nothing(network, where, wanted))
    return network


def _loops(program: Program, where: int | str | None) -> list[int]:
    """The loops that are meant, by number."""
    if where == "calls":
        return []
    return list(range(len(list(all_loops(program))))) if where is None else find_loops(program, where)


def _nothing(network: Network, where: int | str | None, wanted: set[str]) -> str:
    """Why there is nothing to untie."""
    name = network.program.name
    if not wanted:
        return f"nothing to untie in {name}: it has no trainable weight"
    place = "in a loop or by several calls" if where is None else "by several calls" if where == "calls" else "in that loop"
    which = f"`{next(iter(wanted))}` is not" if len(wanted) == 1 else "no such weight is"
    return f"nothing to untie in {name}: {which} read {place}; suggest(net) lists what can be untied"


def _wanted(network: Network, weights: Iterable[str] | None) -> set[str]:
    trainable = {weight.key for weight in network.program.weights if not weight.frozen}
    if weights is None:
        return trainable
    named = set(weights)
    for key in named - trainable:
        why = "is frozen" if key in network.weights else "is not there"
        raise TensorizeError(f"the weight `{key}` {why}; {network.program.name} has {', '.join(sorted(trainable)) or 'none'}")
    return named


def _untie_loop(network: Network, loop: Loop | While, wanted: set[str], rounds: int) -> Network:
    count = loop.count if isinstance(loop, Loop) else min(rounds, loop.bound or rounds)
    grower = _Rounds(network, loop, wanted, count)
    return grower.grow() if grower.keys and count else network


def weights_of(program: Program, loop: Loop | While) -> list[Op]:
    """The readings of weights that the rounds of a loop make use of, those in front of the loop included."""
    outer = {op.result: op for op in weight_ops(program.body)}
    parts = (loop.body,) if isinstance(loop, Loop) else (loop.test, loop.body)
    inner = [op for part in parts for op in weight_ops(part)]
    return [*inner, *(outer[value] for part in parts for value in captured(part) if value in outer)]


class _Rounds(Grower):
    """Reads the weights of one loop from tables with a row for every round."""

    def __init__(self, network: Network, target: Loop | While, wanted: set[str], rounds: int) -> None:
        super().__init__(network)
        self.target = target
        self.rounds = rounds
        self.inside = False
        self.index: Value | None = None
        self.outer = {op.result: op for op in weight_ops(network.program.body)}
        self.tables: dict[str, str] = {}
        reads = weights_of(network.program, target)
        self.keys = {key_of(op) for op in reads} & wanted
        self.shared = _read_elsewhere(network.program, target, reads)

    def loop(self, loop: Loop) -> None:
        if loop is not self.target:
            super().loop(loop)
            return
        init, env = self.see(loop.init), dict(self.env)
        self.inside = True
        body = self.block(loop.body)
        self.inside, self.env = False, env
        self.out.append(replace(loop, init=init, body=body, results=self.define(loop.results)))

    def repeat(self, loop: While) -> None:
        if loop is not self.target:
            super().repeat(loop)
            return
        init, env = (*self.see(loop.init), self.const(0)), dict(self.env)
        counter = self.fresh.value(Type(Kind.INT), "_rounds")
        self.counter = counter  # the round that a sample is in
        self.inside = True
        test, body = self.block(loop.test), self.block(loop.body)
        self.inside, self.env = False, env
        outer, self.out = self.out, list(body.body)
        after = self.total(counter, self.const(1))
        body = Block((*body.params, counter), tuple(self.out), (*body.results, after))
        self.out = outer
        results = (*self.define(loop.results), self.fresh.value(Type(Kind.INT), "_rounds"))
        self.out.append(replace(loop, init=init, test=replace(test, params=(*test.params, counter)), body=body, results=results))

    def begin(self, block: Block) -> None:
        target = self.target
        super().begin(block)
        if not any(block is part for part in ((target.body,) if isinstance(target, Loop) else (target.test, target.body))):
            return
        if isinstance(target, Loop):
            self.index = target.body.params[0]
        else:
            self.index = self.smaller(self.counter, self.const(self.rounds - 1))
        for value in captured(block):
            if value in self.outer and key_of(self.outer[value]) in self.keys:
                self.env[value] = self._read(self.outer[value])

    def op(self, op: Op) -> None:
        if self.inside and op.is_weight and key_of(op) in self.keys:
            self.env[op.result] = self._read(op)
        else:
            super().op(op)

    def _read(self, op: Op) -> Value:
        key = key_of(op)
        if key not in self.tables:
            self.tables[key] = self._table(key)
        assert self.index is not None
        return self.picked(self.use(self.tables[key], op.span, op.attr("site")), self.index)

    def _table(self, key: str) -> str:
        old = self.entries[key]
        return spread(self, old, self.rounds, f"{key}_rounds" if key in self.shared else key)


class _Calls(Grower):
    """Reads a weight from a table with a row for every place that a helper is called from."""

    def __init__(self, network: Network, wanted: set[str]) -> None:
        super().__init__(network)
        self.sites: dict[str, list[object]] = {}
        for op in weight_ops(network.program.body):
            sites = self.sites.setdefault(key_of(op), [])
            if op.attr("site") not in sites:
                sites.append(op.attr("site"))
        self.split = {key for key, sites in self.sites.items() if len(sites) > 1 and key in wanted}
        for key in self.split:
            spread(self, self.entries[key], len(self.sites[key]), key)

    def op(self, op: Op) -> None:
        if not op.is_weight or key_of(op) not in self.split:
            super().op(op)
            return
        row = self.sites[key_of(op)].index(op.attr("site"))
        self.env[op.result] = self.sliced(self.use(key_of(op), op.span), (row,))


def spread(grower: Grower, old: Weight, count: int, name: str) -> str:
    """A weight with a row for each of so many uses of an old one; under the same name it takes the old one's place."""
    now, birth = grower.values[old.key], grower.birth(old.key)
    if name == old.key:
        order = list(grower.entries)
        del grower.entries[old.key]
    rows, first = now.expand(count, *now.shape), birth.expand(count, *birth.shape)
    key = grower.make_weight(name, rows, birth=first, role=old.role, span=old.span, like=old)
    if name == old.key:
        grower.entries = {known: grower.entries[known] for known in order}
    return key


def _read_elsewhere(program: Program, loop: Loop | While, reads: list[Op]) -> set[str]:
    """The weights that are still read outside the loop when its own reads are gone."""
    inside = {op.result for op in reads}
    uses = _Uses(loop, inside)
    uses.block(program.body)
    found = {key_of(op) for op in weight_ops(program.body) if op.result not in inside}
    return found | {key_of(op) for op in reads if op.result in uses.seen}


class _Uses:
    """Which of some values are read outside a loop."""

    def __init__(self, loop: Loop | While, values: set[Value]) -> None:
        self.loop = loop
        self.values = values
        self.seen: set[Value] = set()

    def block(self, block: Block) -> None:
        """Look through a block."""
        for statement in block.body:
            self.seen.update(self.values.intersection(used(statement)))
            if statement is not self.loop:
                for inner in blocks(statement):
                    self.block(inner)
        self.seen.update(self.values.intersection(block.results))


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Loops that read weights, and weights that several calls share."""
    program = network.program
    trainable = {weight.key for weight in program.weights if not weight.frozen}
    for loop in all_loops(program):
        keys = sorted({key_of(op) for op in weights_of(program, loop)} & trainable)
        if keys and loop.span is not None:
            yield Suggestion(f"untie(net, {loop.span.line})", f"every round reads {_listed(keys)}", loop.span)
    for key in sorted(trainable):
        sites = {op.attr("site") for op in weight_ops(program.body) if key_of(op) == key}
        if len(sites) > 1:
            weight = next(weight for weight in program.weights if weight.key == key)
            yield Suggestion(f"untie(net, 'calls', weights=[{key!r}])", f"{len(sites)} calls share `{key}`", weight.span)


def _listed(keys: list[str]) -> str:
    shown = ", ".join(f"`{key}`" for key in keys[:3])
    return shown + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
