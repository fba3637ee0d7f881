"""A loop that ends by data: each sample runs its own number of rounds, and only as many samples are computed as still run.

>>> from deepalgo.backends.torch.runtime.run import Run
>>> x = torch.tensor([5.0, 1.0, 9.0])
>>> LoopRun(Run(3, x.dtype, x.device), 0, (True,), (True,)).repeat(lambda run, x: (x > 2,), lambda run, x: (x / 2,), (x,), (), None)[0]
tensor([1.2500, 1.0000, 1.1250])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime import segments
from deepalgo.backends.torch.runtime.gradient import join, pick, split
from deepalgo.ir import Check, Statement, While
from deepalgo.ops.forms.quick import holds

if TYPE_CHECKING:
    from deepalgo.backends.torch.runtime.run import Run

Part: TypeAlias = Callable[..., tuple[Tensor, ...]]


class LoopRun:
    """One loop of one run: samples that are done leave, the others go on."""

    def __init__(self, run: Run, site: int, batched: Sequence[bool], wanted: Sequence[bool]) -> None:
        self.whole = self.run = run
        self.site = site
        self.batched = batched
        self.wanted = wanted
        self.places: Tensor | None = None
        self.number = 0
        self.done: list[tuple[Tensor, tuple[Tensor, ...]]] = []

    def repeat(self, test: Part, body: Part, state: tuple[Tensor, ...], takes: tuple[Tensor, ...], bound: int | None) -> tuple[Tensor, ...]:
        """All rounds; many of them in segments."""
        most = self.run.limit if bound is None else bound
        state, takes = self.advance(test, body, state, takes, min(most, segments.SHORT))
        if self.whole.record is None and segments.pays(state):
            for length in segments.lengths(most - self.number):
                if self.run.size == 0:
                    break
                state, takes = self.segment(test, body, state, takes, length)
        else:
            state, takes = self.advance(test, body, state, takes, most - self.number)
        if self.run.size and bound is None:
            state, takes = self.stop(test, state, takes)
            if self.run.size:
                self.complain(most)
        return self.results(state)

    def advance(self, test: Part, body: Part, state: tuple[Tensor, ...], takes: tuple[Tensor, ...],
                rounds: int) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Some rounds; return what the samples that still run carry and take."""
        for _ in range(rounds if self.run.size else 0):
            state, takes = self.stop(test, state, takes)
            if self.run.size == 0:
                break
            state = body(self.run, *state, *takes)
            self.number += 1
        return state, takes

    def segment(self, test: Part, body: Part, state: tuple[Tensor, ...], takes: tuple[Tensor, ...],
                rounds: int) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Some rounds of which the backward pass keeps the beginning only."""
        parts: list[LoopRun] = []
        start = self.continued()  # the backward pass comes back to it when this loop has long ended

        def part(*tensors: Tensor) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...], list[tuple[Tensor, ...]]]:
            inner = start.continued()
            state, takes = inner.advance(test, body, tensors[: len(self.batched)], tensors[len(self.batched) :], rounds)
            values = [values for _, values in inner.done]
            inner.done = [(places, ()) for places, _ in inner.done]
            parts.append(inner)
            return state, takes, values

        state, takes, values = segments.segment(part, *state, *takes)
        inner = parts[0]
        self.run, self.places, self.number = inner.run, inner.places, inner.number
        self.done += [(places, final) for (places, _), final in zip(inner.done, values, strict=True)]
        return state, takes

    def continued(self) -> LoopRun:
        """The loop as it stands, with nobody put aside."""
        twin = LoopRun(self.whole, self.site, self.batched, self.wanted)
        twin.run, twin.places, twin.number = self.run, self.places, self.number
        return twin

    def stop(self, test: Part, state: tuple[Tensor, ...], takes: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Ask each sample whether it goes on."""
        with torch.no_grad():
            (go,) = test(self.run, *state, *takes)
        return (state, takes) if holds(go) else self.leave(go, state, takes)

    def leave(self, go: Tensor, state: tuple[Tensor, ...], takes: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Put the samples aside that stop here; return what the others carry and take."""
        keep, stop = split(go)
        if len(keep) == 0:
            self.put_aside(stop if self.places is None else self.places, state)
            self.run = self.run.sub(keep)
            return state, takes
        self.put_aside(stop if self.places is None else self.places[stop], state, stop)
        self.places = keep if self.places is None else self.places[keep]
        self.run = self.whole.sub(self.places)
        return choose(keep, state, self.batched), pick(keep, takes)

    def put_aside(self, places: Tensor, state: tuple[Tensor, ...], index: Tensor | None = None) -> None:
        """All samples that are here, or those of the `index`, have their final values."""
        values, batched = tuple(compress(state, self.wanted)), tuple(compress(self.batched, self.wanted))
        values = values if index is None else choose(index, values, batched)
        pairs = zip(values, batched, strict=True)
        self.done.append((places, tuple(value if each else value.expand(len(places), *value.shape) for value, each in pairs)))
        if self.whole.record is not None:
            self.whole.note("trips", self.site, torch.tensor(self.number), places)

    def results(self, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The final values in the order of the batch."""
        if self.run.size or not self.done:
            places = torch.arange(self.whole.size, device=self.whole.device) if self.places is None else self.places
            self.put_aside(places, state)
        if len(self.done) == 1:
            return self.done[0][1]
        return join(self.whole.size, [places for places, _ in self.done], [values for _, values in self.done])

    def complain(self, rounds: int) -> None:
        """Raise for the samples that still run."""
        self.run.fail(loop_bound(self.run.sites[self.site], rounds), torch.ones((), dtype=torch.bool, device=self.run.device))


def choose(index: Tensor, values: Sequence[Tensor], batched: Sequence[bool]) -> tuple[Tensor, ...]:
    """Some samples of the values; what is the same for all samples stays as it is."""
    picked = iter(pick(index, list(compress(values, batched))))
    return tuple(next(picked) if each else value for value, each in zip(values, batched, strict=True))


def loop_bound(loop: Statement, rounds: int) -> Check:
    """What a loop that does not end is blamed for."""
    assert isinstance(loop, While)
    return Check(loop.test.results[0], "LoopBound", f"still running after {rounds} rounds", (), loop.span)
