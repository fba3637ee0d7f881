"""The original function as the oracle: what it answers or raises, and whether a network says the same.

>>> answer(lambda x: (1.0, {"a": x}), 2.0)
Answer(leaves=[1.0, 2.0], error=None)
>>> answer(lambda x: 1 / x, 0)
Answer(leaves=[], error='ZeroDivisionError')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True)
class Answer:
    leaves: list[Any]
    error: str | None = None
    message: str = field(default="", repr=False)


def answer(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Answer:
    try:
        return Answer(leaves(function(*args, **kwargs)))
    except Exception as error:
        return Answer([], type(error).__name__, str(error))


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def sample(results: Any, place: int) -> list[Any]:
    """The leaves of one sample of a batch as plain numbers."""
    return [leaf[place].item() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves(results)]


def same(got: Any, wanted: Any, rtol: float = 1e-10) -> bool:
    """Equal kinds, and values that agree as far as `rtol` says.

    >>> same(1, 1), same(1.0, 1), same(math.nan, math.nan), same(1.0, 1.0 + 1e-9)
    (True, False, True, False)
    """
    if type(got) is not type(wanted):
        return False
    if not isinstance(wanted, float):
        return got == wanted
    return got == wanted or (math.isnan(got) and math.isnan(wanted)) or abs(got - wanted) <= rtol * abs(wanted)


def assert_answers(results: Any, wanted: Sequence[Answer], rows: Sequence[Any], rtol: float = 1e-10) -> None:
    """Each sample of a batch has the original's answer; where the original raises it is NaN."""
    for place, (expected, row) in enumerate(zip(wanted, rows, strict=True)):
        found = sample(results, place)
        if expected.error is not None:
            assert all(math.isnan(item) for item in found if isinstance(item, float)), f"{row}: {expected.error}, but got {found}"
        else:
            assert len(found) == len(expected.leaves), f"{row}: {expected.leaves} has another structure than {found}"
            assert all(same(a, b, rtol) for a, b in zip(found, expected.leaves, strict=True)), f"{row}: {expected.leaves}, but got {found}"


def columns(rows: Sequence[Sequence[float]]) -> list[torch.Tensor]:
    """Rows of numbers as one batch for each input."""
    return [torch.tensor(column, dtype=torch.float64) for column in zip(*rows, strict=True)]
