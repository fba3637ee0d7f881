"""Loops over a whole batch for which torch's own functions branch at every number; compiled at first use.

A processor mispredicts half of the branches on mixed data. These loops have none, so that one instruction works on several numbers.

>>> blend(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), torch.tensor([7.0, 8.0]))
tensor([1., 8.])
>>> [part.tolist() for part in split(torch.tensor([True, False, True]))]
[[0, 2], [1]]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

#: Below so many numbers the calls cost more than the mispredictions.
FEW = 4096
KNOWN = (torch.float64, torch.float32, torch.int64)


def are_many(*operands: Tensor) -> bool:
    """Whether a loop is worth its call, and can read the operands: on the processor, the first of them the largest."""
    return operands[0].numel() >= FEW and all(item.device.type == "cpu" for item in operands)


def blend(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """`a` where the condition holds, else `b`."""
    if not condition.shape == a.shape == b.shape:
        condition, a, b = torch.broadcast_tensors(condition, a, b)  # type: ignore[no-untyped-call]  # torch
    result = torch.empty(condition.shape, dtype=a.dtype)
    _compiled("blend")(_row(condition), _row(a), _row(b), _row(result))
    return result


def part(condition: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    """`g` where the condition holds and where it does not, elsewhere 0."""
    first, second = torch.empty(g.shape, dtype=g.dtype), torch.empty(g.shape, dtype=g.dtype)
    _compiled("part")(_row(condition), _row(g), _row(first), _row(second))
    return first, second


def table_entries(index: Tensor, numbers: Tensor) -> Tensor:
    """The number at each index."""
    result = torch.empty(index.shape, dtype=numbers.dtype)
    _compiled("table_entries")(_row(index), _row(numbers), _row(result))
    return result


def split(condition: Tensor) -> tuple[Tensor, Tensor]:
    """Where the condition holds, and where it does not."""
    size = len(condition)
    first, second = torch.empty(size + 1, dtype=torch.int64), torch.empty(size + 1, dtype=torch.int64)
    count = _compiled("split")(_row(condition).view(np.uint8), _row(first), _row(second))
    return first[:count], second[: size - count]


def _row(x: Tensor) -> Any:
    return x.detach().numpy().ravel()


def _blend(condition: Any, a: Any, b: Any, result: Any) -> None:
    for k in range(len(result)):
        one, other = a[k], b[k]
        result[k] = one if condition[k] else other


def _part(condition: Any, g: Any, first: Any, second: Any) -> None:
    for k in range(len(g)):
        value, holds = g[k], condition[k]
        first[k] = value if holds else 0
        second[k] = 0 if holds else value


def _table_entries(index: Any, numbers: Any, result: Any) -> None:
    for k in range(len(index)):
        result[k] = numbers[index[k]]


def _split(condition: Any, first: Any, second: Any) -> int:
    yes = no = 0
    for k in range(len(condition)):
        first[yes], second[no] = k, k
        yes += condition[k]
        no += 1 - condition[k]
    return yes


LOOPS: dict[str, Callable[..., Any]] = {"blend": _blend, "part": _part, "table_entries": _table_entries, "split": _split}


@functools.cache
def _compiled(name: str) -> Callable[..., Any]:
    import numba

    compiled: Callable[..., Any] = numba.njit(boundscheck=False, error_model="numpy")(LOOPS[name])
    return compiled
