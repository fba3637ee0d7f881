"""A loop that ends by data: each sample runs its own number of rounds, and only as many samples are computed as still run.

>>> from deepalgo.runtime.run import Run
>>> x = torch.tensor([5.0, 1.0, 9.0])
>>> Rounds(Run(3, x.dtype, x.device), 0, (True,)).repeat(lambda run, x: (x > 2,), lambda run, x: (x / 2,), (x,), (), None)[0]
tensor([1.2500, 1.0000, 1.1250])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

from deepalgo.ir import Check, Statement, While
from deepalgo.runtime.gradient import join, pick, positions

if TYPE_CHECKING:
    from deepalgo.runtime.run import Run

Part: TypeAlias = Callable[..., tuple[Tensor, ...]]


class Rounds:
    """One loop of one run: samples that are done leave, the others go on."""

    def __init__(self, run: Run, site: int, batched: Sequence[bool]) -> None:
        self.whole = self.run = run
        self.site = site
        self.batched = batched
        self.places: Tensor | None = None
        self.number = 0
        self.done: list[tuple[Tensor, tuple[Tensor, ...]]] = []

    def repeat(self, test: Part, body: Part, state: tuple[Tensor, ...], takes: tuple[Tensor, ...], bound: int | None) -> tuple[Tensor, ...]:
        """All rounds."""
        for number in range(self.run.limit + 1 if bound is None else bound):
            self.number = number
            with torch.no_grad():
                (go,) = test(self.run, *state, *takes)
            if int(torch.count_nonzero(go)) < self.run.size:
                state, takes = self.leave(go, state, takes)
            if self.run.size == 0:
                break
            if number == self.run.limit and bound is None:
                self.complain(number)
            state = body(self.run, *state, *takes)
        else:
            self.number = bound or 0
        return self.results(state)

    def leave(self, go: Tensor, state: tuple[Tensor, ...], takes: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Put the samples aside that stop here; return what the others carry and take."""
        stop, keep = positions(~go), positions(go)
        if len(keep) == 0:
            self.put_aside(stop if self.places is None else self.places, state)
            self.run = self.run.sub(keep)
            return state, takes
        self.put_aside(stop if self.places is None else self.places[stop], self.choose(stop, state))
        self.places = keep if self.places is None else self.places[keep]
        self.run = self.whole.sub(self.places)
        return self.choose(keep, state), pick(keep, takes)

    def choose(self, index: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Some samples of the carried values; what is the same for all samples stays as it is."""
        picked = iter(pick(index, [value for value, batched in zip(state, self.batched, strict=True) if batched]))
        return tuple(next(picked) if batched else value for value, batched in zip(state, self.batched, strict=True))

    def put_aside(self, places: Tensor, state: tuple[Tensor, ...]) -> None:
        """These samples have their final values."""
        pairs = zip(state, self.batched, strict=True)
        final = tuple(value if batched else value.expand(len(places), *value.shape) for value, batched in pairs)
        self.done.append((places, final))
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


def loop_bound(loop: Statement, rounds: int) -> Check:
    """What a loop that does not end is blamed for."""
    assert isinstance(loop, While)
    return Check(loop.test.results[0], "LoopBound", f"still running after {rounds} rounds", (), loop.span)
