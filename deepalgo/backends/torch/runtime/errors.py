"""What becomes of samples that fail: an exception that names them, or a count.

In a fixed graph nothing can raise half-way. There an operator that torch cannot look into does, at the end.

>>> raise_first(torch.tensor([0, 1, 0]), [Failure("ValueError", "math domain error")])
Traceback (most recent call last):
deepalgo.errors.HeuristicError: the heuristic raises ValueError: math domain error
Sample 1 (1 of 3). Leave them out, or compile with errors='nan' to get NaN for them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.gradient import join, positions
from deepalgo.errors import HeuristicError
from deepalgo.ir import Failure


def raise_first(code: Tensor, failures: Sequence[Failure]) -> None:
    """Raise for the samples that meet the first of the failures; the message's operands are not known any more."""
    if not bool((code > 0).any()):
        raise RuntimeError(
            "the compiled graph finds samples that fail, and the network itself finds none: they lie within rounding of an error. "
            "Call the network without torch.compile for this batch."
        )
    first = int(code[code > 0].min())
    failure = failures[first - 1]
    samples = (code == first).nonzero().squeeze(1).tolist()
    raise HeuristicError(failure.error, _without_operands(failure), span=failure.span, samples=samples, size=len(code))


def _without_operands(failure: Failure) -> str:
    return failure.message.format(*[UnknownOperand()] * failure.operands)


class UnknownOperand:
    """An operand that is not known any more, in any format."""

    def __format__(self, spec: str) -> str:
        return "..."

    __repr__ = __str__ = lambda self: "..."


def count(code: Tensor, failures: Sequence[Failure]) -> Counter[str]:
    """How many samples met which failure."""
    numbers, counts = torch.unique(code[code > 0], return_counts=True)
    return Counter({describe(failures[number - 1]): many for number, many in zip(numbers.tolist(), counts.tolist(), strict=True)})


def join_failed(code: Tensor, results: Sequence[Tensor]) -> list[Tensor]:
    """The results of the samples that do not fail, together with those that do, which get NaN, the smallest integer, or False."""
    bad, good = positions(code), positions(code == 0)
    return list(join(len(code), (good, bad), (results, [_nothing(result, len(bad)) for result in results])))


def _nothing(like: Tensor, size: int) -> Tensor:
    inexact = like.is_floating_point() or like.is_complex()
    value = torch.nan if inexact else False if like.dtype == torch.bool else torch.iinfo(like.dtype).min
    return torch.full((size, *like.shape[1:]), value, dtype=like.dtype, device=like.device)


def describe(failure: Failure) -> str:
    """A failure as tables name it."""
    place = f"{failure.span.place}: " if failure.span is not None else ""
    return f"{place}{failure.error}: {failure.message}" if failure.message else f"{place}{failure.error}"


class Complaint:
    """What to call when a fixed graph has found failing samples; graphs know it by its number."""

    _numbers = itertools.count()

    def __init__(self, raises: Callable[[list[Tensor]], None]) -> None:
        self.raises = raises
        self.number = next(self._numbers)
        _complaints[self.number] = self


_complaints: WeakValueDictionary[int, Complaint] = WeakValueDictionary()


#: Operations are declared here and not by `torch.library.custom_op`, whose layers take longer than a small network.
_LIBRARY = torch.library.Library("deepalgo", "FRAGMENT")  # type: ignore[no-untyped-call]  # torch
_LIBRARY.define("raise_if(Tensor failed, Tensor(a!) told, Tensor[] leaves, int complaint) -> ()")  # type: ignore[no-untyped-call]  # torch


def _raise_if(failed: Tensor, told: Tensor, leaves: list[Tensor], complaint: int) -> None:
    """An exception if `failed`. That `told` may change keeps a graph from leaving this out; results need not pass through it."""
    if bool(failed):
        _complaints[complaint].raises(leaves)


def _no_numbers(failed: Tensor, told: Tensor, leaves: list[Tensor], complaint: int) -> None:
    return None


_LIBRARY.impl("raise_if", _raise_if, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]  # torch
torch.library.register_fake("deepalgo::raise_if", _no_numbers, lib=_LIBRARY)
raise_if = torch.ops.deepalgo.raise_if.default
