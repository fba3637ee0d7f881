"""Hold a compiled function against the function itself: on ordinary inputs values and derivatives, on edges values and errors."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

import deepalgo as da
from tests.support.oracle import Answer, answer, leaves, same

ORDINARY = (0.3, -1.2, 2.5, 1.75, -0.4)
EDGES = (0.0, -0.0, 1.0, 2.0, 3.0, 1e200, math.inf, -math.inf, math.nan)


def assert_like_python(function: Callable[..., Any], edges: Sequence[float] = EDGES) -> None:
    """Compile a function of numbers and compare."""
    network = da.compile(function, errors="nan")
    count = len(inspect.signature(function).parameters)
    ordinary = list(itertools.product(ORDINARY, repeat=count))
    network.verify(*zip(*ordinary, strict=True))
    assert_answers(network, function, [*ordinary, *itertools.product(edges, repeat=count)])


def assert_answers(network: Any, function: Callable[..., Any], rows: Sequence[tuple[float, ...]]) -> None:
    columns = [torch.tensor(column, dtype=torch.float64) for column in zip(*rows, strict=True)]
    _, failures = network.outcomes(columns)
    found = leaves(network(*columns))
    for place, row in enumerate(rows):
        wanted = answer(function, *row)
        if failures[place] == "SameNaN":  # whether two NaN are one object is Python's alone to know
            assert sum(number != number for number in row) > 1, row
        elif wanted.error is not None:
            assert failures[place] == wanted.error, f"{row}: {wanted}, but got {failures[place]}"
        else:
            assert failures[place] is None, f"{row}: {wanted}, but {failures[place]}"
            got = [item[place].item() if isinstance(item, torch.Tensor) else item for item in found]
            assert_same(got, wanted, row)


def assert_same(got: list[Any], wanted: Answer, row: tuple[float, ...]) -> None:
    plain = [item.item() if isinstance(item, np.generic) else item for item in wanted.leaves]
    assert len(got) == len(plain), f"{row}: {wanted.leaves}, but got {got}"
    for one, other in zip(got, plain, strict=True):
        assert same(one, other) and (one != 0 or math.copysign(1, one) == math.copysign(1, other)), f"{row}: {wanted.leaves}, but got {got}"


def refusal(function: Callable[..., Any]) -> str:
    """Why a function is refused."""
    try:
        da.compile(function)
    except da.CompileError as error:
        return error.reason
    raise AssertionError(f"{function.__name__} is compiled")
