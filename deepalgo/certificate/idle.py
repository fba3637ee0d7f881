"""Weights that have no gradient on the samples, and whether moving them changes an answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

from deepalgo.certificate.gradients import totals_of
from deepalgo.certificate.report import Dead
from deepalgo.ir import Weight

if TYPE_CHECKING:
    from deepalgo.network import Network

#: Which samples fail, with what, and the answers of the others.
Answers: TypeAlias = tuple[tuple[str | None, ...], list[Tensor]]

#: How far weights are moved to both sides, as a part of their size.
MOVES = (0.5, 0.05)
#: So many weights are moved, and for so many seconds; the others are said to have no gradient, which is known.
MOST_MOVED, MOST_SECONDS = 20, 5.0


def dead_weights(network: Network, leaves: Sequence[Tensor]) -> tuple[Dead, ...]:
    """The trainable weights that have no gradient on these samples, such as those that are only compared."""
    found = idle_items(network, leaves)
    return tuple(_dead(weight, idle) for weight, idle in found)


def tried_weights(network: Network, leaves: Sequence[Tensor]) -> tuple[Dead, ...]:
    """The same, and whether an answer changes when they move, as far as that was tried."""
    found, start = idle_items(network, leaves), time.process_time()
    if not found:
        return ()
    before = _answers(network, leaves)
    tried = []
    for number, (weight, idle) in enumerate(found):
        dead = _dead(weight, idle)
        if number < MOST_MOVED and time.process_time() - start < MOST_SECONDS:
            dead = replace(dead, tried=True, change=_change(network, leaves, weight, idle, before))
        tried.append(dead)
    return tuple(tried)


def idle_items(network: Network, leaves: Sequence[Tensor]) -> list[tuple[Weight, Tensor]]:
    """The weights of which some items have no gradient, and which items."""
    trainable = [weight for weight in network.program.weights if not weight.frozen]
    tensors = [network.weights[weight.key] for weight in trainable]
    learning = [tensor for tensor in tensors if tensor.requires_grad]
    totals = [total for total in totals_of(network.execute(list(leaves))) if total is not None and total.requires_grad]
    moved = [torch.zeros(weight.shape, dtype=torch.bool) for weight in trainable]
    generator = torch.Generator().manual_seed(0)
    for _ in range(3 if totals and learning else 0):  # sums with other signs, as two samples may cancel
        signs = [torch.randn(len(total), generator=generator, dtype=torch.float64).to(total) for total in totals]
        whole = torch.stack([total @ sign for total, sign in zip(totals, signs, strict=True)]).sum()
        found = iter(torch.autograd.grad(whole, learning, retain_graph=True, allow_unused=True))
        parts = [next(found) if tensor.requires_grad else None for tensor in tensors]
        moved = [mask if part is None else mask | (part != 0).cpu() for mask, part in zip(moved, parts, strict=True)]
        if all(bool(mask.all()) for mask, tensor in zip(moved, tensors, strict=True) if tensor.requires_grad):
            break
    pairs = zip(trainable, tensors, moved, strict=True)
    return [(weight, ~mask) for weight, tensor, mask in pairs if tensor.requires_grad and not bool(mask.all())]


def _dead(weight: Weight, idle: Tensor) -> Dead:
    place = weight.span.place if weight.span is not None else ""
    return Dead(weight.key, str(weight.role), place, int(idle.sum()), idle.numel())


def _change(network: Network, leaves: Sequence[Tensor], weight: Weight, idle: Tensor, before: Answers) -> float | None:
    """The move that changes an answer, as a part of the weight's size; None if none of them does."""
    held, born = network.weights[weight.key].detach().clone(), torch.tensor(weight.value, dtype=network.dtype, device=network.device)
    size, mask = torch.where(held == 0, 1.0, held.abs()), idle.to(network.device)
    moves = [(part, held + side * part * size) for part in MOVES for side in (1, -1)]
    if not torch.equal(held, born):
        moves.append((float(((born - held).abs() / size).max()), born))
    for part, moved in moves:
        with _moved(network.weights[weight.key], torch.where(mask, moved, held)):
            if not _same(before, _answers(network, leaves)):
                return part
    return None


@contextmanager
def _moved(tensor: Tensor, value: Tensor) -> Iterator[None]:
    before = tensor.detach().clone()
    with torch.no_grad():
        tensor.copy_(value)
    try:
        yield
    finally:
        with torch.no_grad():
            tensor.copy_(before)


def _answers(network: Network, leaves: Sequence[Tensor]) -> Answers:
    """The errors of samples, and the numbers of those that have none."""
    results, failures = network.outcomes(list(leaves))
    good = [place for place, failure in enumerate(failures) if failure is None]
    return tuple(failures), [result[good] for result in results]


def _same(first: Answers, second: Answers) -> bool:
    return first[0] == second[0] and all(bool(((a == b) | ((a != a) & (b != b))).all()) for a, b in zip(first[1], second[1], strict=True))
