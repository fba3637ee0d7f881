"""`TiedWeight`: a weight that is another one, or a fixed multiple of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.ir import Weight
from deepalgo.network import Network


@dataclass(frozen=True, slots=True, eq=False)
class TiedWeight:
    """`follower` is `ratio` times the weight that is called `leader`."""

    follower: Weight
    leader: str
    ratio: Tensor


def read_ties(net: Network, options: WeightOptions, reasons: dict[str, str], *, strict: bool) -> tuple[TiedWeight, ...]:
    """The ties between weights of a network that train; a weight that is tied to one that trains does, too."""
    found = []
    for key, said in options.ties.items():
        leader, ratio = (said, 1.0) if isinstance(said, str) else _pair(key, said)
        if not strict and (key not in net.weights or leader not in net.weights or reasons[leader]):
            continue
        _check(net, key, leader, options, reasons)
        reasons[key] = ""
        follower = next(weight for weight in net.weights.entries if weight.key == key)
        found.append(TiedWeight(follower, leader, _ratio(net, key, leader, ratio)))
    return tuple(found)


def _pair(key: str, said: Any) -> tuple[str, float | None]:
    match said:
        case (str() as leader, None | float() | int() as ratio) if not isinstance(ratio, bool):
            return leader, ratio
        case _:
            raise InputError(f"the tie of '{key}' must be a name, or a name and a ratio, not {said!r}")


def _check(net: Network, key: str, leader: str, options: WeightOptions, reasons: dict[str, str]) -> None:
    for name in (key, leader):
        if name not in net.weights:
            raise InputError(f"ties names '{name}', which is no weight of {net.program.name}()")
    if key == leader or leader in options.ties:
        raise InputError(f"'{key}' is tied to '{leader}', which is itself tied: tie both to one weight")
    if reasons[leader]:
        raise InputError(f"'{key}' is tied to '{leader}', which does not train: {reasons[leader]}")
    entry = next(weight for weight in net.weights.entries if weight.key == key)
    if entry.frozen or not net.weights[key].requires_grad:
        raise InputError(f"'{key}' cannot follow '{leader}': {reasons[key]}")
    if net.weights[key].shape != net.weights[leader].shape:
        raise InputError(f"'{key}' cannot follow '{leader}': they are of different shapes")


def _ratio(net: Network, key: str, leader: str, ratio: float | None) -> Tensor:
    one, other = net.weights[leader].detach(), net.weights[key].detach()
    if ratio is None and not bool((one != 0).all() and (other != 0).all()):
        raise InputError(f"'{key}' and '{leader}' have no ratio: one of them is 0")
    if ratio == 0:
        raise InputError(f"'{key}' cannot be 0 times '{leader}'")
    return other / one if ratio is None else torch.full_like(one, ratio)
