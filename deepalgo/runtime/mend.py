"""Gradients of whole programs: the plain ones where they are finite, else those in which 0 times infinity is 0.

Plain derivatives are fast, and where a slope is infinite and nothing asks for it they are NaN. That shows in the gradients of the
inputs and weights at the latest, so `mended` looks at these, and only at them. If one is not finite, it runs the program once more
in careful operations (`ops.forms.careful`) and takes their derivatives.

>>> def run(tensors, careful=False):
...     return [torch.clamp(numbers(torch.exp(tensors[0]), torch.exp, *tensors) if careful else torch.exp(tensors[0]), max=3.0)]
>>> from deepalgo.ops.forms.careful import numbers
>>> x = torch.tensor([1.0, 800.0], dtype=torch.float64, requires_grad=True)
>>> mended(run, Mender(run), [x], [torch.empty(2, dtype=torch.float64)])[0].sum().backward()
>>> x.grad
tensor([2.7183, 0.0000], dtype=torch.float64)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from deepalgo.ops.forms.quick import finite

Run: TypeAlias = Callable[[Sequence[Tensor]], list[Tensor]]


class Repeat(Protocol):
    """The program once more, in plain or in careful operations."""

    def __call__(self, tensors: Sequence[Tensor], careful: bool) -> list[Tensor]: ...


class Mender:
    """How to run a program once more; graphs that are being compiled know it by its number."""

    _numbers = itertools.count()

    def __init__(self, repeat: Repeat) -> None:
        self.repeat = repeat
        self.number = next(self._numbers)
        _menders[self.number] = self


_menders: WeakValueDictionary[int, Mender] = WeakValueDictionary()


def mended(run: Run, mender: Mender, tensors: Sequence[Tensor], like: Sequence[Tensor | None]) -> list[Tensor]:
    """`run(tensors)`; the results look `like` these, None for those that never have a gradient."""
    tokens = [item for item in like if item is not None]
    learning = [place for place, item in enumerate(tensors) if item.requires_grad]
    if torch.compiler.is_compiling():
        made = CompiledEntry.apply(mender.number, len(tokens), learning, *tokens, *tensors)  # type: ignore[no-untyped-call]  # torch
    else:
        made = Entry.apply(mender, learning, tokens, *tensors)  # type: ignore[no-untyped-call]  # torch
    held, left = dict(zip(learning, made, strict=False)), iter(made[len(learning) :])
    results = run([held.get(place, item) for place, item in enumerate(tensors)])
    return [result if item is None else _leave(result, next(left)) for result, item in zip(results, like, strict=True)]


def _leave(result: Tensor, token: Tensor) -> Tensor:
    if not result.requires_grad:
        return result
    left: Tensor = Exit.apply(result, token)  # type: ignore[no-untyped-call]  # torch
    return left


class Exit(torch.autograd.Function):
    """A result; its adjoint goes to the token as well, by which `Entry` learns of it."""

    @staticmethod
    def forward(ctx: Any, result: Tensor, token: Tensor) -> Tensor:
        return result.view_as(result)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        return g, g


class Entry(torch.autograd.Function):
    """The tensors that learn, and a token for each result."""

    @staticmethod
    def forward(ctx: Any, mender: Mender, learning: list[int], tokens: list[Tensor], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.mender, ctx.learning = mender, learning
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)
        return *(tensors[place].view_as(tensors[place]) for place in learning), *tokens

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        count = len(ctx.learning)
        slopes, adjoints = list(grads[:count]), grads[count:]
        if any(adjoint is not None for adjoint in adjoints):
            if torch.is_grad_enabled():
                slopes = _differentiable(ctx, adjoints)
            elif not _are_finite(slopes):
                slopes = repaired(ctx.mender.repeat, ctx.saved_tensors, ctx.learning, slopes, adjoints)
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
        slopes = [slope.clone() for slope in grads[: len(ctx.learning)]]
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
    plain = derivatives(ctx.mender.repeat(tensors, careful=False), asked, adjoints, create_graph=True)
    return plain if _are_finite(plain) else derivatives(ctx.mender.repeat(tensors, careful=True), asked, adjoints, create_graph=True)


def repaired(
    repeat: Repeat, tensors: Sequence[Tensor], learning: Sequence[int], slopes: Sequence[Tensor | None], adjoints: Sequence[Tensor | None]
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
    """No number among them is inf or NaN; single ones are looked at together."""
    found = [item.detach() for item in slopes if item is not None]
    single = [item for item in found if item.dim() == 0]
    return all(finite(item) for item in found if item.dim()) and (not single or finite(torch.stack(single)))
