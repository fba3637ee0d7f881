"""`Run`: one call of written torch code, on all samples of a batch or on those that take an arm or a round.

>>> run = Run(3, torch.float64, torch.device("cpu"))
>>> double = lambda run, x: (2 * x,)
>>> x = torch.tensor([-1.0, 1.0, 2.0], dtype=torch.float64)
>>> run.branch(x > 0, double, (x,), lambda run: (run.spread(run.tensor(0.0)),), (), 0)[0]
tensor([0., 2., 4.], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime import segments
from deepalgo.backends.torch.runtime.gradient import cut, join, pick, positions, split
from deepalgo.backends.torch.runtime.record import PlaceVisit, Record, is_near
from deepalgo.backends.torch.runtime.rounds import LoopRun, Part, loop_bound
from deepalgo.backends.torch.runtime.tables import Tables
from deepalgo.errors import HeuristicError
from deepalgo.ir import Check, Statement
from deepalgo.ops.forms.operands import COMPLEX, Operand
from deepalgo.ops.forms.quick import holds

KINDS = {bool: torch.bool, int: torch.int64}


class Run:
    """`size` samples with numbers of type `dtype`. `chosen` are their places in the run `parent`, None where it is the first."""

    __slots__ = ("chosen", "device", "dtype", "limit", "parent", "record", "sites", "size", "sorting", "tables")

    def __init__(self, size: int, dtype: torch.dtype, device: torch.device, sites: Sequence[Statement] = (),
                 tables: Tables | None = None, limit: int = 10_000, record: Record | None = None) -> None:
        self.size = size
        self.dtype = dtype
        self.device = device
        self.sites = sites
        self.tables = Tables() if tables is None else tables
        self.limit = limit
        self.record = record
        self.parent: Run | None = None
        self.chosen: Tensor | None = None
        self.sorting: Sorting | None = None

    def sub(self, chosen: Tensor) -> Run:
        """A run of some of the samples."""
        run = Run(len(chosen), self.dtype, self.device, self.sites, self.tables, self.limit, self.record)
        run.parent, run.chosen = self, chosen
        return run

    def original(self, here: Tensor) -> Tensor:
        """The numbers in the whole batch of samples that have the numbers `here` in this run."""
        run: Run | None = self
        while run is not None:
            here = here if run.chosen is None else run.chosen[here]
            run = run.parent
        return here

    @property
    def top(self) -> Run:
        """The run of the whole batch."""
        return self if self.parent is None else self.parent.top

    def tensor(self, value: Operand) -> Tensor:
        """A number as a tensor without axes."""
        if isinstance(value, Tensor):
            return value
        dtype = KINDS.get(type(value), self.dtype if not isinstance(value, complex) else COMPLEX[self.dtype])
        return torch.tensor(value, dtype=dtype, device=self.device)

    def table(self, number: int) -> Tensor:
        """A constant array."""
        return self.tables.get(number, self.dtype, self.device)

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
        return x.to(COMPLEX[self.dtype])

    def cut(self, mask: Tensor | bool, x: Tensor) -> Tensor:
        """`x` without a gradient for samples outside of the mask."""
        return cut(mask, x)

    def check(self, ok: Tensor, site: int, *operands: Operand) -> None:
        """Raise if a sample is not ok."""
        if not holds(ok):
            check = self.sites[site]
            assert isinstance(check, Check)
            self.fail(check, ~ok, operands)

    def fail(self, check: Check, bad: Tensor, operands: Sequence[Operand] = ()) -> None:
        """Raise for the samples in `bad`, with the operands of the first one in the message."""
        failed = positions(bad.expand(self.size))
        first = [_number(operand, int(failed[0])) for operand in operands]
        message = check.message.format(*first)
        samples = self.original(failed).tolist()
        raise HeuristicError(check.error, message, span=check.span, samples=samples, size=self.top.size)

    def branch(self, condition: Tensor, then: Part, then_takes: Sequence[Tensor], orelse: Part, orelse_takes: Sequence[Tensor],
               site: int) -> tuple[Tensor, ...]:
        """Run each arm on the samples that take it."""
        self.note_branch(condition, site)
        if self.sorting is None or self.sorting.condition is not condition:
            self.sorting = Sorting(condition)
        sorting = self.sorting
        if len(sorting.left) == 0:
            return then(self, *then_takes)
        if len(sorting.taken) == 0:
            return orelse(self, *orelse_takes)
        first = then(self.sub(sorting.taken), *sorting.pick(sorting.taken, then_takes))
        second = orelse(self.sub(sorting.left), *sorting.pick(sorting.left, orelse_takes))
        return join(self.size, (sorting.taken, sorting.left), (first, second))

    def repeat(self, test: Part, body: Part, state: Sequence[Tensor], takes: Sequence[Tensor], batched: Sequence[bool],
               wanted: Sequence[bool], bound: int | None, site: int) -> tuple[Tensor, ...]:
        """Run `body` on each sample as long as its `test` holds; return the carried values that are `wanted`."""
        return LoopRun(self, site, batched, wanted).repeat(test, body, tuple(state), tuple(takes), bound)

    def loop(self, body: Part, state: Sequence[Tensor], count: int) -> tuple[Tensor, ...]:
        """A long counted loop: rounds of `body`, which takes the number of the round and what is carried."""
        return segments.loop(partial(body, self), tuple(state), count)

    def rounds(self, bound: int | None, site: int) -> Iterator[int]:
        """Round numbers for a loop that is the same for all samples; too many raise."""
        number = 0
        try:
            for number in range(self.limit + 1 if bound is None else bound):
                yield number
            number = bound or 0
        finally:
            self.note("trips", site, torch.tensor(number))
        if bound is None:
            self.fail(loop_bound(self.sites[site], self.limit), torch.ones((), dtype=torch.bool))

    def note(self, table: str, site: int, did: Tensor, here: Tensor | None = None) -> None:
        """Add a visit to a table of the record, if there is one."""
        if self.record is None:
            return
        here = torch.arange(self.size, device=self.device) if here is None else here
        visits = self.record.table(table)[self.sites[site].span]
        visits.append(PlaceVisit(self.original(here), did.detach().expand(len(here))))

    def note_branch(self, condition: Tensor, site: int) -> None:
        """Record which samples take the first arm."""
        self.note("branches", site, condition)

    def note_loop(self, count: int, site: int) -> None:
        """Record the rounds of a counted loop."""
        self.note("rounds", site, torch.tensor(count))

    def note_tie(self, a: Operand, b: Operand, site: int, batched: bool = True) -> None:
        """Record whether the last digits decide a comparison."""
        self.note("ties", site, _any(is_near(self.to_real(self.tensor(a)), self.to_real(self.tensor(b))), batched))

    def note_endpoint(self, hit: Tensor, site: int, batched: bool = True) -> None:
        """Record where an infinite derivative was replaced by 0."""
        self.note("endpoints", site, _any(hit, batched))


class Sorting:
    """Samples sorted by a condition, for one branch or for several by the same condition, with what they took along."""

    __slots__ = ("condition", "left", "picked", "taken")

    def __init__(self, condition: Tensor) -> None:
        self.condition = condition
        self.taken, self.left = split(condition)
        self.picked: dict[tuple[int, int, bool], tuple[Tensor, Tensor]] = {}

    def pick(self, index: Tensor, values: Sequence[Tensor]) -> list[Tensor]:
        """The samples `index` of each value. What is picked for a gradient is not picked for a test."""
        learns = torch.is_grad_enabled()
        keys = [(id(index), id(value), learns) for value in values]
        missing = [(key, value) for key, value in zip(keys, values, strict=True) if key not in self.picked]
        for (key, value), part in zip(missing, pick(index, [value for _, value in missing]), strict=True):
            self.picked[key] = (value, part)
        return [self.picked[key][1] for key in keys]


def _any(hit: Tensor, batched: bool) -> Tensor:
    """Whether it is true of any item, for each sample or for all of them alike."""
    if not batched:
        return hit.any()
    return hit.reshape(len(hit), -1).any(1) if hit.dim() > 1 else hit


def _number(operand: Operand, sample: int) -> object:
    if not isinstance(operand, Tensor):
        return operand
    return (operand[sample] if operand.dim() else operand).tolist()
