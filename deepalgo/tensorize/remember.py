"""`remember`: the values that a loop carried in earlier rounds enter the update, with weight zero at birth.

Before the first round there is no history: every remembered value is then the one that the loop starts from. What is not finite is
not remembered: an infinite value, with which many searches begin, counts as zero.

>>> import deepalgo as da
>>> def root(s):
...     x = 1.0
...     for _ in range(3):
...         x = 0.5 * (x + s / x)
...     return x
>>> remember(da.compile(root), "x", depth=2).weights["x_memory"].tolist()
[0.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from deepalgo.compiler import takes_network
from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Kind, Loop, Value, While
from deepalgo.network import Network
from deepalgo.tensorize.find import all_loops, carried, carried_reals, find_loops, slot_of
from deepalgo.tensorize.grow import Grower
from deepalgo.tensorize.structures import finite, multiply
from deepalgo.tensorize.suggestion import Suggestion


@takes_network
def remember(network: Network, where: int | str | None = None, depth: int = 1, *, signal: str | None = None) -> Network:
    """Add `sum over l of memory_l @ (the value l rounds ago)` to the value that a round hands on.

    `where` names the loop, by its line or by the variable that it carries; `signal` is the variable, if the loop carries several.
    A number gets one weight for each of the last `depth` rounds, a vector a matrix for each.
    """
    if depth < 1:
        raise TensorizeError(f"depth must be a positive whole number, not {depth!r}")
    named = signal or (where if isinstance(where, str) else None)
    for number in find_loops(network.program, where, named):
        loop = list(all_loops(network.program))[number]
        network = _Memory(network, loop, slot_of(loop, named), depth).grow()
    return network


class _Memory(Grower):
    """Carries the last values along."""

    def __init__(self, network: Network, target: Loop | While, slot: int, depth: int) -> None:
        super().__init__(network)
        self.target, self.slot, self.depth = target, slot, depth
        self.value = carried(target)[slot]
        if self.value.type.kind != Kind.REAL or len(self.value.type.shape) > 1:
            way = f"; for an array there is widen(net, {self.value.name!r}, ...)" if self.value.type.kind == Kind.REAL else ""
            raise TensorizeError(f"`{self.value.name}` is {self.value.type}: only real numbers and vectors are remembered{way}")
        shape = self.value.type.shape
        self.key = self.make_weight(f"{self.value.name}_memory", torch.zeros(depth, *shape, *shape, dtype=network.dtype), span=target.span)
        self.past = [self.fresh.value(self.value.type, f"{self.value.name}_ago{back + 1}") for back in range(depth)]

    def loop(self, loop: Loop) -> None:
        if loop is not self.target:
            super().loop(loop)
            return
        init, body = self.see(loop.init), self._updated(self.block(loop.body))
        self.out.append(replace(loop, init=self._longer(init), body=body, results=self._results(loop)))

    def repeat(self, loop: While) -> None:
        if loop is not self.target:
            super().repeat(loop)
            return
        init, test, body = self.see(loop.init), self.block(loop.test), self._updated(self.block(loop.body))
        test = replace(test, params=(*test.params, *self.past))
        self.out.append(replace(loop, init=self._longer(init), test=test, body=body, results=self._results(loop)))

    def _longer(self, init: tuple[Value, ...]) -> tuple[Value, ...]:
        return (*init, *[init[self.slot]] * self.depth)

    def _results(self, loop: Loop | While) -> tuple[Value, ...]:
        return (*self.define(loop.results), *(self.fresh.value(value.type, value.name) for value in self.past))

    def _updated(self, body: Block) -> Block:
        """The body with the memory added to the value that it hands on."""
        outer, self.out = self.out, list(body.body)
        table = self.use(self.key, self.target.span)
        new = body.results[self.slot]
        for back, value in enumerate(self.past):
            weight = self.sliced(table, (back,))
            past = finite(self, value)
            new = self.total(new, multiply(self, weight, past) if value.type.shape else self.product(weight, past))
        named = self.name_last(self.value.name)
        results = (*body.results[: self.slot], named, *body.results[self.slot + 1 :], self.value, *self.past[:-1])
        result = Block((*body.params, *self.past), tuple(self.out), results)
        self.out = outer
        return result


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Numbers and vectors that go from round to round."""
    for loop, value in carried_reals(network.program):
        if loop.span is not None and len(value.type.shape) <= 1:
            call = f"remember(net, {loop.span.line}, signal={value.name!r})"
            yield Suggestion(call, f"`{value.name}` goes from round to round", loop.span)
