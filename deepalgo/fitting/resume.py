"""Whether the state of a training, as a file holds it, is one that the training can go on from."""

from __future__ import annotations

import copy
from typing import Any, Protocol

import torch
from torch import Tensor

#: What reading a state that is none may raise.
UNFIT = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, ArithmeticError)
#: A count beyond this is none.
MOST = 2**62


class Seed(Protocol):
    """What is known of a run before it is restored."""

    x: Tensor
    optimiser: torch.optim.Optimizer


def check_run(run: Seed, kept: dict[str, Any]) -> None:
    """Raise ValueError unless points are points of the same space, and counts are counts."""
    for name in ("x", "best_x"):
        point = kept[name]
        if not isinstance(point, Tensor) or point.shape != run.x.shape or point.dtype != run.x.dtype:
            raise ValueError(f"{name} is no point")
    if type(kept["best"]) is not float or type(kept["ended"]) is not str:
        raise ValueError("a run without a best loss")
    for name in ("stale", "in_a_row", "high"):
        check_count(kept[name])
    check_groups(run.optimiser.state_dict()["param_groups"], kept["optimiser"]["param_groups"])


def check_groups(groups: list[dict[str, Any]], kept: list[dict[str, Any]]) -> None:
    """Raise ValueError unless the settings of an optimiser are those of this training; only the rate changes on the way."""
    for group, other in zip(groups, kept, strict=True):
        if type(other["lr"]) is not type(group["lr"]) or not 0 <= other["lr"] < MOST or group | {"lr": 0} != other | {"lr": 0}:
            raise ValueError("an optimiser with other settings")


def check_progress(state: dict[str, Any]) -> None:
    """Raise ValueError unless the steps are counted, and every row of the history has three numbers."""
    check_count(state["step"])
    check_count(state["skipped"])
    if type(state["seconds"]) is not float or not 0 <= state["seconds"] < MOST:
        raise ValueError("no time")
    for row in state["history"]:
        if len(row) != 3 or any(type(number) not in (int, float) for number in row):
            raise ValueError("no history")


def check_count(number: object) -> None:
    """Raise ValueError for anything but a whole number from 0 on."""
    if type(number) is not int or not 0 <= number < MOST:
        raise ValueError(f"{number!r:.40} is no count")


def rehearse(optimiser: torch.optim.Optimizer, kept: dict[str, Any]) -> None:
    """Let an optimiser take one step from a state, so that one with which it cannot is found before training. Its points move."""
    optimiser.load_state_dict(copy.deepcopy(kept))
    points = [point for group in optimiser.param_groups for point in group["params"]]

    def loss() -> Tensor:
        optimiser.zero_grad()
        total = torch.stack([(point * point).sum() + point.sum() for point in points]).sum()
        total.backward()  # type: ignore[no-untyped-call]  # torch
        return total.detach()

    with torch.enable_grad():
        loss()
        optimiser.step(loss)  # type: ignore[arg-type]  # torch
    optimiser.zero_grad()
