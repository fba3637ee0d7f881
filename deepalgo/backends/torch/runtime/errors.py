"""What becomes of samples that fail: an exception that names them, or a count.

In a fixed graph nothing can raise half-way. There an operator that torch cannot look into does, at the end.

>>> raise_first(torch.tensor([0, 1, 0]), [Failure("ValueError", "math domain error")])
Traceback (most recent call last):
deepalgo.errors.HeuristicError: the heuristic raises ValueError: math domain error
Sample 1 (1 of 3). Leave them out, or compile with errors='nan' to get NaN for them.
"""

from __future__ import annotations

import itertools
import json
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.gradient import join, positions
from deepalgo.errors import HeuristicError
from deepalgo.ir import Failure
from deepalgo.ops.forms.kernel import lead


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


def _placed(failure: Failure) -> str:
    """The message, and the line that a reader without the source could look for."""
    message = _without_operands(failure)
    return f"{message} ({failure.span.place})" if failure.span is not None else message


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
    """What to call when a fixed graph has found failing samples.

    Graphs know it by its `key`, which no other process gives to another network. Where a graph has been taken to another process,
    it speaks from the `table` that it brings.
    """

    def __init__(self, raises: Callable[[list[Tensor]], None]) -> None:
        self.raises = raises
        self.key = f"{_PROCESS}-{next(_numbers)}"
        self.table = "[]"
        _complaints[self.key] = self

    def describe(self, failures: Sequence[Failure]) -> None:
        """Say what the codes mean."""
        self.table = json.dumps([(failure.error, _placed(failure)) for failure in failures])


_PROCESS = secrets.token_hex(8)
_numbers = itertools.count()
_complaints: WeakValueDictionary[str, Complaint] = WeakValueDictionary()


#: Operations are declared here and not by `torch.library.custom_op`, whose layers take longer than a small network.
_LIBRARY = torch.library.Library("deepalgo", "FRAGMENT")  # type: ignore[no-untyped-call]  # torch
_LIBRARY.define(  # type: ignore[no-untyped-call]  # torch
    "raise_if(Tensor code, Tensor(a!) told, Tensor[] tensors, str complaint, str table) -> ()"
)


def _raise_if(code: Tensor, told: Tensor, tensors: list[Tensor], complaint: str, table: str) -> None:
    """An exception if a sample has a code. That `told` may change keeps a graph from leaving this out.

    Under `vmap` there are many batches: the first that has such a sample is told of.
    """
    if not bool(code.any()):
        return None
    if code.dim() > 1:
        bad = int(code.flatten(1).any(1).nonzero()[0])
        return _raise_if(code[bad], told, [tensor[bad] for tensor in tensors], complaint, table)
    if complaint in _complaints:
        _complaints[complaint].raises(tensors)
    first = int(code[code > 0].min())
    error, message = json.loads(table)[first - 1]
    raise HeuristicError(error, message, span=None, samples=(code == first).nonzero().squeeze(1).tolist(), size=len(code))


def _no_numbers(code: Tensor, told: Tensor, tensors: list[Tensor], complaint: str, table: str) -> None:
    return None


def _lead(info: Any, in_dims: Any, code: Tensor, told: Tensor, tensors: list[Tensor], complaint: str, table: str) -> tuple[None, None]:
    """Under `vmap`: all tensors with the axis that is mapped in front."""
    (code,) = lead(info.batch_size, in_dims[:1], [code])
    raise_if(code, told, lead(info.batch_size, in_dims[2], tensors), complaint, table)
    return None, None


_LIBRARY.impl("raise_if", _raise_if, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]  # torch
torch.library.register_fake("deepalgo::raise_if", _no_numbers, lib=_LIBRARY)
torch.library.register_vmap("deepalgo::raise_if", _lead, lib=_LIBRARY)
raise_if = torch.ops.deepalgo.raise_if.default
