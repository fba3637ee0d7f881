"""`SingleCalls`: a network for one sample of numbers at a time, without a gradient; no arrays are made on the way.

>>> from deepalgo.backends.native import engine_of
>>> from deepalgo.ir import parse
>>> program = parse('''
... scale(x: real)
...   weight w = 3.0
...   %w = weight w
...   %y = mul %x %w
...   return %y
... ''')
>>> calls, weight = SingleCalls(program), torch.tensor(3.0, dtype=torch.float64)
>>> [calls.answer(engine_of(program), (2.0,), [weight]) for _ in range(3)]
[None, None, [tensor(6., dtype=torch.float64)]]
>>> calls.answer(engine_of(program), (2.0,), [weight.mul_(2.0)])
[tensor(12., dtype=torch.float64)]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.engine import Engine
from deepalgo.backends.native.one_lane import OneLane, is_plain
from deepalgo.backends.native.text import Unsupported
from deepalgo.ir import Program

#: Code for one lane is compiled for a network that has been called like this so often before.
CALLS_BEFORE = 2
#: Whole numbers up to here are exact as floats.
EXACT = 2**53
DTYPES = {float: torch.float64, int: torch.int64, bool: torch.bool}


def numbers_of(args: Sequence[Any]) -> list[float] | None:
    """The arguments as floats, or None if one of them is something else than a single real number.

    >>> numbers_of((1.5, 2, torch.tensor(3.0, dtype=torch.float64))), numbers_of(([1.0, 2.0],))
    ([1.5, 2.0, 3.0], None)
    """
    numbers = []
    for item in args:
        kind = type(item)
        if kind is float:
            numbers.append(item)
        elif kind is int and -EXACT <= item <= EXACT:
            numbers.append(float(item))
        elif kind is Tensor and item.dtype is torch.float64 and item.ndim == 0 and item.is_cpu and not item.requires_grad:
            numbers.append(item.item())
        else:
            return None
    return numbers


class SingleCalls:
    """Calls of a program for one sample, with the weights that it has at the moment."""

    def __init__(self, program: Program) -> None:
        self.calls = 0
        self.row = WeightRow()
        self._lane: OneLane | None = None
        self._is_short = is_plain(program)

    def answer(self, engine: Engine, numbers: Sequence[float], weights: Sequence[Tensor]) -> list[Tensor] | None:
        """The results, or None if the call has to go another way: the sample fails, or there is no code."""
        if self._lane is None:
            if not self._is_short:
                return None
            self.calls += 1
            if self.calls <= CALLS_BEFORE or not self._compile(engine, weights):
                return None
        assert self._lane is not None
        self.row.read(weights)
        found = self._lane.call(*numbers)
        if found is None:
            return None
        return [*map(_tensor, found)] if type(found) is tuple else [_tensor(found)]

    def _compile(self, engine: Engine, weights: Sequence[Tensor]) -> bool:
        """Compile the code; whether there is one."""
        try:
            self.row.read(weights)
            self._lane = OneLane(engine.forward_program, self.row.numbers, engine.rounds, _nothing, engine.mathematics, read=True)
        except Unsupported:
            self._is_short = False
        return self._is_short


class WeightRow:
    """The numbers of all weights in a row, in an array that stays where it is."""

    def __init__(self) -> None:
        self.numbers: Array = np.zeros(0)
        self._places: list[int] = []
        self._views: list[Array] = []

    def read(self, weights: Sequence[Tensor]) -> None:
        """Take over what the weights are, also where someone wrote into their memory."""
        places = [weight.data_ptr() for weight in weights]
        if places != self._places:
            flat = all(weight.is_contiguous() for weight in weights)
            # These keep the memory, so that no other tensor has its place.
            self._views = [weight.detach().numpy().reshape(-1) for weight in weights]
            self._places = places if flat else []
            if not self.numbers.size:
                self.numbers = np.zeros(sum(view.size for view in self._views))
        if self._views:
            np.concatenate(self._views, out=self.numbers)


def _tensor(number: Any) -> Tensor:
    return torch.scalar_tensor(number, dtype=DTYPES[type(number)], device="cpu")


def _nothing(*_: Any) -> None:
    """Samples that fail, and arguments of another number."""
