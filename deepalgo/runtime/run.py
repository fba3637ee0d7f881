"""`Run`: one call of emitted code, on all samples of a batch or on those that came this way.

>>> run = Run(3, torch.float64, torch.device("cpu"))
>>> double = lambda run, x: (2 * x,)
>>> x = torch.tensor([-1.0, 1.0, 2.0], dtype=torch.float64)
>>> run.branch(x > 0, double, (x,), lambda run: (run.spread(run.tensor(0.0)),), (), 0)[0]
tensor([0., 2., 4.], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import torch
from torch import Tensor

from deepalgo.errors import HeuristicError
from deepalgo.ir import Attr, Check, Statement, While
from deepalgo.ops.forms.operands import Operand
from deepalgo.runtime.gradient import cut, join, pick

Part: TypeAlias = Callable[..., tuple[Tensor, ...]]
KINDS = {bool: torch.bool, int: torch.int64}


class Run:
    """`size` samples with numbers of type `dtype`. `chosen` are their places in the run `parent`, None where it is the first."""

    __slots__ = ("chosen", "device", "dtype", "limit", "parent", "sites", "size", "tables")

    def __init__(self, size: int, dtype: torch.dtype, device: torch.device, sites: Sequence[Statement] = (),
                 tables: Sequence[Attr] = (), limit: int = 10_000) -> None:
        self.size = size
        self.dtype = dtype
        self.device = device
        self.sites = sites
        self.tables = tables
        self.limit = limit
        self.parent: Run | None = None
        self.chosen: Tensor | None = None

    def sub(self, chosen: Tensor) -> Run:
        """A run of some of the samples."""
        run = Run(len(chosen), self.dtype, self.device, self.sites, self.tables, self.limit)
        run.parent, run.chosen = self, chosen
        return run

    def original(self, places: Tensor) -> Tensor:
        """The numbers in the whole batch of the samples at `places` of this run."""
        run: Run | None = self
        while run is not None:
            places = places if run.chosen is None else run.chosen[places]
            run = run.parent
        return places

    @property
    def top(self) -> Run:
        """The run of the whole batch."""
        return self if self.parent is None else self.parent.top

    def tensor(self, value: Operand) -> Tensor:
        """A number as a tensor without axes."""
        if isinstance(value, Tensor):
            return value
        dtype = KINDS.get(type(value), self.dtype if not isinstance(value, complex) else self.dtype.to_complex())
        return torch.tensor(value, dtype=dtype, device=self.device)

    def table(self, number: int) -> Tensor:
        """A constant array."""
        table = self.tables[number]
        first: Attr = table
        while isinstance(first, tuple):
            first = first[0] if first else 0.0
        return torch.tensor(table, dtype=KINDS.get(type(first), self.dtype), device=self.device)

    def spread(self, x: Tensor) -> Tensor:
        """The same value for every sample."""
        return x.expand(self.size, *x.shape)

    def to_bool(self, x: Tensor) -> Tensor:
        """Truth values."""
        return x != 0

    def to_int(self, x: Tensor) -> Tensor:
        """Whole numbers, cut off towards zero."""
        return x.to(torch.int64)

    def to_real(self, x: Tensor) -> Tensor:
        """Real numbers in the network's precision."""
        return x.to(self.dtype)

    def to_complex(self, x: Tensor) -> Tensor:
        """Complex numbers in the network's precision."""
        return x.to(self.dtype.to_complex())

    def cut(self, mask: Tensor, x: Tensor) -> Tensor:
        """`x` without a gradient for samples outside of the mask."""
        return cut(mask, x)

    def check(self, ok: Tensor, site: int, *operands: Operand) -> None:
        """Raise if a sample is not ok."""
        if not bool(ok.all()):
            check = self.sites[site]
            assert isinstance(check, Check)
            self.fail(check, ~ok, operands)

    def fail(self, check: Check, bad: Tensor, operands: Sequence[Operand] = ()) -> None:
        """Raise for the samples in `bad`, with the operands of the first one in the message."""
        places = bad.expand(self.size).nonzero().squeeze(1)
        first = [_number(operand, int(places[0])) for operand in operands]
        message = check.message.format(*first) if first else check.message
        samples = self.original(places).tolist()
        raise HeuristicError(check.error, message, span=check.span, samples=samples, size=self.top.size)

    def branch(self, condition: Tensor, then: Part, then_takes: Sequence[Tensor], orelse: Part, orelse_takes: Sequence[Tensor],
               site: int) -> tuple[Tensor, ...]:
        """Run each arm on the samples that take it."""
        taken = condition.nonzero().squeeze(1)
        if len(taken) == self.size:
            return then(self, *then_takes)
        if len(taken) == 0:
            return orelse(self, *orelse_takes)
        left = (~condition).nonzero().squeeze(1)
        first = then(self.sub(taken), *pick(taken, then_takes))
        second = orelse(self.sub(left), *pick(left, orelse_takes))
        return join(self.size, (taken, left), (first, second))

    def repeat(self, test: Part, body: Part, state: Sequence[Tensor], takes: Sequence[Tensor], batched: Sequence[bool],
               bound: int | None, site: int) -> tuple[Tensor, ...]:
        """Run `body` on each sample as long as its `test` holds."""
        return Rounds(self, site, batched).repeat(test, body, tuple(state), tuple(takes), bound)

    def rounds(self, bound: int | None, site: int) -> Iterator[int]:
        """Round numbers for a loop that is the same for all samples; too many raise."""
        yield from range(self.limit + 1 if bound is None else bound)
        if bound is None:
            loop = self.sites[site]
            assert isinstance(loop, While)
            self.fail(loop_bound(loop, self.limit), torch.ones((), dtype=torch.bool))


class Rounds:
    """One loop of one run: samples that are done leave, the others go on."""

    def __init__(self, run: Run, site: int, batched: Sequence[bool]) -> None:
        self.whole = self.run = run
        self.site = site
        self.batched = batched
        self.places: Tensor | None = None
        self.done: list[tuple[Tensor, tuple[Tensor, ...]]] = []

    def repeat(self, test: Part, body: Part, state: tuple[Tensor, ...], takes: tuple[Tensor, ...], bound: int | None) -> tuple[Tensor, ...]:
        """All rounds."""
        for number in range(self.run.limit + 1 if bound is None else bound):
            with torch.no_grad():
                (go,) = test(self.run, *state, *takes)
            if not bool(go.all()):
                state, takes = self.leave(go, state, takes)
            if self.run.size == 0:
                break
            if number == self.run.limit and bound is None:
                self.complain(number)
            state = body(self.run, *state, *takes)
        return self.results(state)

    def leave(self, go: Tensor, state: tuple[Tensor, ...], takes: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Put the samples aside that stop here; return what the others carry and take."""
        stop, keep = (~go).nonzero().squeeze(1), go.nonzero().squeeze(1)
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

    def results(self, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The final values in the order of the batch."""
        if self.run.size:
            places = torch.arange(self.whole.size, device=self.whole.device) if self.places is None else self.places
            self.put_aside(places, state)
        if len(self.done) == 1:
            return self.done[0][1]
        return join(self.whole.size, [places for places, _ in self.done], [values for _, values in self.done])

    def complain(self, rounds: int) -> None:
        """Raise for the samples that still run."""
        loop = self.run.sites[self.site]
        assert isinstance(loop, While)
        self.run.fail(loop_bound(loop, rounds), torch.ones((), dtype=torch.bool, device=self.run.device))


def loop_bound(loop: While, rounds: int) -> Check:
    """What a loop that does not end is blamed for."""
    return Check(loop.test.results[0], "LoopBound", f"still running after {rounds} rounds", (), loop.span)


def _number(operand: Operand, sample: int) -> object:
    if not isinstance(operand, Tensor):
        return operand
    return (operand[sample] if operand.dim() else operand).tolist()
