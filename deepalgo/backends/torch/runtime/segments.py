"""Long loops in bounded memory: rounds are computed in segments, and a segment's insides are computed again for its gradient.

A loop keeps what it computes for the backward pass, so a thousand rounds take a thousand times the memory of one. From a segment only
what it takes in is kept. Segments grow by a round each, so that n rounds are about the root of 2n segments of at most as many
rounds, although nobody knows n beforehand. The gradient is the same to the last digit, for one more computation of the rounds.

>>> import torch
>>> x = torch.ones(3, dtype=torch.float64, requires_grad=True)
>>> (y,) = loop(lambda number, x: (x * 1.001,), (x,), 1000)
>>> y.sum().backward()
>>> [round(item, 4) for item in x.grad.tolist()]
[2.7169, 2.7169, 2.7169]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from torch import Tensor

from deepalgo.ops.forms.operands import may_look, wants_gradient

#: Rounds up to which a loop keeps everything, and the rounds of the first segment behind them.
SHORT = 32
FIRST = 8

T = TypeVar("T")


def lengths(rounds: int) -> Iterator[int]:
    """The segments of so many rounds.

    >>> list(lengths(40))
    [8, 9, 10, 11, 2]
    """
    length = FIRST
    while rounds > 0:
        yield min(length, rounds)
        rounds -= length
        length += 1


def pays(state: tuple[Tensor, ...]) -> bool:
    """Whether there is a gradient to save memory for; a graph that is being recorded takes every round as it is."""
    return may_look() and wants_gradient(*state)


def segment(rounds: Callable[..., T], *tensors: Tensor) -> T:
    """Some rounds, of which the backward pass keeps only the tensors that they start from."""
    from torch.utils.checkpoint import checkpoint  # only long loops need it

    result: T = checkpoint(rounds, *tensors, use_reentrant=False, preserve_rng_state=False)
    return result


def loop(body: Callable[..., tuple[Tensor, ...]], state: tuple[Tensor, ...], count: int) -> tuple[Tensor, ...]:
    """`count` rounds of `state = body(number, *state)`."""
    if count <= SHORT:
        return _rounds(body, range(count), state)
    state = _rounds(body, range(SHORT), state)
    if not pays(state):
        return _rounds(body, range(SHORT, count), state)
    start = SHORT
    for length in lengths(count - SHORT):
        numbers = range(start, start + length)
        state = segment(lambda *state, numbers=numbers: _rounds(body, numbers, state), *state)
        start += length
    return state


def _rounds(body: Callable[..., tuple[Tensor, ...]], numbers: range, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    for number in numbers:
        state = body(number, *state)
    return state
