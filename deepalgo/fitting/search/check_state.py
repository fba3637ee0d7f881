"""Whether the state of a search, as a file holds it, is one that the search can go on from."""

from __future__ import annotations

import copy
from typing import Any, Protocol

import torch
from torch import Tensor

#: A count beyond this is none.
MOST = 2**62


class Resumable(Protocol):
    """What is known of a run before it is restored."""

    x: Tensor
    optimiser: torch.optim.Optimizer


def check_run(run: Resumable, kept: dict[str, Any]) -> None:
    """Raise ValueError unless points are points of the same space, and counts are counts."""
    for name in ("x", "best_x"):
        check_point(kept[name], run.x)
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
    check_seconds(state["seconds"])
    for row in state["history"]:
        if len(row) != 3 or any(type(number) not in (int, float) for number in row):
            raise ValueError("no history")


def check_point(point: object, like: Tensor) -> None:
    """Raise ValueError unless this is a point of the same space."""
    if not isinstance(point, Tensor) or point.shape != like.shape or point.dtype != like.dtype:
        raise ValueError("no point")


def check_seconds(seconds: object) -> None:
    """Raise ValueError for anything but a time that has passed."""
    if type(seconds) is not float or not 0 <= seconds < MOST:
        raise ValueError("no time")


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
