"""The torch optimiser that takes the steps, and how its rate changes over a run.

>>> [round(one_cycle(part), 3) for part in (0.0, 0.25, 0.6, 1.0)]
[0.1, 1.0, 0.553, 0.001]
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from deepalgo.errors import InputError

Optimiser: TypeAlias = "str | Callable[..., torch.optim.Optimizer]"

WARM_UP = 0.25
NAMED: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": functools.partial(torch.optim.Adam, betas=(0.9, 0.99)),
    "lbfgs": functools.partial(torch.optim.LBFGS, line_search_fn="strong_wolfe", max_iter=5, history_size=20),
}


def make(optimiser: Optimiser, x: Tensor, rate: float) -> torch.optim.Optimizer:
    """The optimiser by its name, or what a class of `torch.optim` makes of the point and a rate."""
    if isinstance(optimiser, str):
        if optimiser not in NAMED:
            raise InputError(f"there is no optimiser '{optimiser}'; there are {', '.join(NAMED)}, or any class of torch.optim")
        optimiser = NAMED[optimiser]
    made: Any = optimiser([x], lr=1.0) if is_second_order(optimiser) else optimiser([x], lr=rate)
    if not isinstance(made, torch.optim.Optimizer):
        raise InputError(f"optimiser= must make a torch.optim.Optimizer of its parameters, not {type(made).__name__}")
    return made


def check(optimiser: Optimiser, rate: float) -> None:
    """Refuse what makes no optimiser; one that is known by its name is not made, as torch imports much for the first one."""
    if not isinstance(optimiser, str) or optimiser not in NAMED:
        make(optimiser, torch.zeros(1, requires_grad=True), rate)


def is_second_order(optimiser: Optimiser) -> bool:
    """Whether the optimiser asks for the loss several times in a step, all on the same samples."""
    if isinstance(optimiser, str):
        return optimiser == "lbfgs"
    inner = optimiser.func if isinstance(optimiser, functools.partial) else optimiser
    return isinstance(inner, type) and issubclass(inner, torch.optim.LBFGS)


def one_cycle(part: float) -> float:
    """The factor of the rate when `part` of the run is over: up from a tenth, then down to a thousandth."""
    if part < WARM_UP:
        return 0.1 + 0.9 * (1 - math.cos(math.pi * part / WARM_UP)) / 2
    return 0.001 + 0.999 * (1 + math.cos(math.pi * (part - WARM_UP) / (1 - WARM_UP))) / 2
