"""Gradients of whole programs: the plain ones where they are finite, else those in which 0 times infinity is 0.

Plain derivatives are fast, and where a slope is infinite and nothing asks for it they are NaN. That shows in the gradients of the
inputs and weights at the latest, so `mended` looks at these, and only at them. If one is not finite, it runs the program once more
in careful operations (`ops.forms.careful`) and takes their derivatives.

>>> def run(tensors, careful=False):
...     return [torch.clamp(numbers(torch.exp(tensors[0]), torch.exp, *tensors) if careful else torch.exp(tensors[0]), max=3.0)]
>>> from deepalgo.ops.forms.careful import numbers
>>> x = torch.tensor([1.0, 800.0], dtype=torch.float64, requires_grad=True)
>>> mended(run, run, [x], [-torch.zeros(2, dtype=torch.float64)])[0].sum().backward()
>>> x.grad
tensor([2.7183, 0.0000], dtype=torch.float64)
"""

from __future__ import annotations

import cmath
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from deepalgo.ops.forms.complexes import complex_add
from deepalgo.ops.forms.quick import finite

Run: TypeAlias = Callable[[Sequence[Tensor]], list[Tensor]]


class Rerun(Protocol):
    """The program once more, in plain or in careful operations."""

    def __call__(self, tensors: Sequence[Tensor], careful: bool) -> list[Tensor]: ...


class Mender:
    """How to run a program once more, for graphs that are being compiled: they know it by its number."""

    _numbers = itertools.count()

    def __init__(self, repeat: Rerun) -> None:
        self.repeat = repeat
        self.number = next(self._numbers)
        _menders[self.number] = self


_menders: WeakValueDictionary[int, Mender] = WeakValueDictionary()


def mended(run: Run, repeat: Rerun | Mender, tensors: Sequence[Tensor], tokens: Sequence[Tensor | None]) -> list[Tensor]:
    """`run(tensors)`. Each result has a token of its shape, which is -0.0; None for those that never have a gradient.

    A token is added to its result, which changes no number, and so gets the result's adjoint, by which `Entry` learns of it.
    """
    given = [token for token in tokens if token is not None]
    learning = [place for place, item in enumerate(tensors) if item.requires_grad]
    if isinstance(repeat, Mender):
        made = CompiledEntry.apply(repeat.number, len(given), learning, *given, *tensors)  # type: ignore[no-untyped-call]  # torch
    else:
        made = Entry.apply(repeat, learning, given, *tensors)  # type: ignore[no-untyped-call]  # torch
    held, left = dict(zip(learning, made, strict=False)), iter(made[len(learning) :])
    results = run([held.get(place, item) for place, item in enumerate(tensors)])
    return [result if token is None else _leave(result, next(left)) for result, token in zip(results, tokens, strict=True)]


def _leave(result: Tensor, token: Tensor) -> Tensor:
    if not result.requires_grad:
        return result
    return complex_add(result, token) if result.is_complex() else result + token  # torch's own loses infinities and signs of zero


class Entry(torch.autograd.Function):
    """The tensors that learn, and a token for each result."""

    @staticmethod
    def forward(ctx: Any, repeat: Rerun, learning: list[int], tokens: list[Tensor], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.repeat, ctx.learning = repeat, learning
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        return *(tensors[place] for place in learning), *tokens

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        count = len(ctx.learning)
        slopes, adjoints = list(grads[:count]), grads[count:]
        if any(adjoint is not None for adjoint in adjoints):
            if torch.is_grad_enabled():
                slopes = _differentiable(ctx, adjoints)
            elif not _are_finite(slopes):
                slopes = repaired(ctx.repeat, ctx.saved_tensors, ctx.learning, slopes, adjoints)
        found = dict(zip(ctx.learning, slopes, strict=True))
        return None, None, None, *(found.get(place) for place in range(len(ctx.needs_input_grad) - 3))


class CompiledEntry(torch.autograd.Function):
    """The same in a graph that is being compiled, where an operation that torch cannot look into does the looking."""

    @staticmethod
    def forward(ctx: Any, mender: int, count: int, learning: list[int], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.mender, ctx.count, ctx.learning = mender, count, learning
        tokens, tensors = tensors[:count], tensors[count:]
        ctx.save_for_backward(*tensors)
        return *(tensors[place].view_as(tensors[place]) for place in learning), *(token.view_as(token) for token in tokens)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        tensors = ctx.saved_tensors
        slopes = list(grads[: len(ctx.learning)])
        torch.ops.deepalgo.mend(slopes, grads[len(ctx.learning) :], tensors, ctx.learning, ctx.mender)
        found = dict(zip(ctx.learning, slopes, strict=True))
        return *[None] * (3 + ctx.count), *(found.get(place) for place in range(len(tensors)))


_LIBRARY = torch.library.Library("deepalgo", "FRAGMENT")  # type: ignore[no-untyped-call]  # torch
_LIBRARY.define(  # type: ignore[no-untyped-call]  # torch
    "mend(Tensor(a!)[] slopes, Tensor[] adjoints, Tensor[] tensors, int[] learning, int mender) -> ()"
)


def _mend(slopes: list[Tensor], adjoints: list[Tensor], tensors: list[Tensor], learning: list[int], mender: int) -> None:
    """Write careful gradients over those that are not finite."""
    if not _are_finite(slopes):
        for old, new in zip(slopes, repaired(_menders[mender].repeat, tensors, learning, slopes, adjoints), strict=True):
            old.copy_(torch.zeros_like(old) if new is None else new)


def _no_numbers(slopes: list[Tensor], adjoints: list[Tensor], tensors: list[Tensor], learning: list[int], mender: int) -> None:
    return None


_LIBRARY.impl("mend", _mend, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]  # torch
torch.library.register_fake("deepalgo::mend", _no_numbers, lib=_LIBRARY)


def _differentiable(ctx: Any, adjoints: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Gradients that have gradients: of the program run from the tensors themselves."""
    tensors = ctx.saved_tensors
    asked = [tensors[place] for place in ctx.learning]
    plain = derivatives(ctx.repeat(tensors, careful=False), asked, adjoints, create_graph=True)
    return plain if _are_finite(plain) else derivatives(ctx.repeat(tensors, careful=True), asked, adjoints, create_graph=True)


def repaired(
    repeat: Rerun, tensors: Sequence[Tensor], learning: Sequence[int], slopes: Sequence[Tensor | None], adjoints: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """Gradients by the `learning` tensors: the careful ones where the plain ones are not finite."""
    with torch.enable_grad():
        copies = [item.detach() for item in tensors]
        asked = [copies[place].requires_grad_() for place in learning]
        careful = derivatives(repeat(copies, careful=True), asked, adjoints, create_graph=False)
    return [old if old is None or finite(old) else new for old, new in zip(slopes, careful, strict=True)]


def derivatives(
    results: Sequence[Tensor], asked: Sequence[Tensor], adjoints: Sequence[Tensor | None], create_graph: bool
) -> list[Tensor | None]:
    """The gradient of the results that have one, weighed by their adjoints."""
    inexact = [item for item in results if item.is_floating_point() or item.is_complex()]
    pairs = [(item, g) for item, g in zip(inexact, adjoints, strict=True) if g is not None and item.requires_grad]
    if not pairs:
        return [None] * len(asked)
    values, weights = zip(*pairs, strict=True)
    return list(torch.autograd.grad(values, asked, weights, create_graph=create_graph, allow_unused=True))


def _are_finite(slopes: Sequence[Tensor | None]) -> bool:
    """No number among them is inf or NaN."""
    found = [item.detach() for item in slopes if item is not None]
    single = [item for item in found if item.dim() == 0]
    if single and single[0].device.type != "cpu":  # one look for all of them
        single = [torch.stack(single).sum()]
    return all(cmath.isfinite(item.item()) for item in single) and all(finite(item) for item in found if item.dim())
