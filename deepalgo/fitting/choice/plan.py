"""`WeightPlan`: what a search may do with each weight of a network: who moves, between which bounds, on which scale, tied to whom.

>>> from deepalgo.compiler import compile
>>> def decay(t, size=2.0, rate=0.5, other=0.5):
...     return size * (rate ** t + other ** t)
>>> plan = plan_weights(compile(decay), WeightOptions(bounds={"rate": (0, 1)}, ties={"other": "rate"}, fixed="size"))
>>> [weight.key for weight in plan.leaders], [(tie.follower.key, tie.leader) for tie in plan.ties], plan.bounds["rate"]
(['rate'], [('other', 'rate')], (0.0, 1.0))
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.parameter_groups import check_rates, rate_factor
from deepalgo.errors import InputError
from deepalgo.fitting.choice.patterns import Rank, check_words, closest
from deepalgo.fitting.choice.scales import Scale
from deepalgo.fitting.choice.ties import TiedWeight, read_ties
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.fitting.choice.what_trains import what_trains
from deepalgo.ir import Weight
from deepalgo.network import Network

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WeightPlan:
    """`reasons` say for each weight of the network why it stays, or ''. `leaders` have numbers of their own in a search; those in `ties`
    follow one of them. `bounds`, `scales` and `factors` of steps are there for every leader, `priors` where one was given.
    """

    reasons: dict[str, str]
    leaders: tuple[Weight, ...]
    ties: tuple[TiedWeight, ...]
    bounds: dict[str, tuple[float, float]]
    scales: dict[str, Scale]
    factors: dict[str, float]
    priors: dict[str, tuple[float, float]]

    @property
    def text(self) -> str:
        """What tells this plan from another one of the same network."""
        ties = [(tie.follower.key, tie.leader, tie.ratio.tolist()) for tie in self.ties]
        return f"{[weight.key for weight in self.leaders]} {ties} {self.bounds} {self.scales} {self.factors} {self.priors}"


def plan_weights(net: Network, options: WeightOptions, *, strict: bool = True, positive: Collection[str] = ()) -> WeightPlan:
    """Apply what the caller says to a network; `strict` refuses words that mean none of its weights.

    `positive` are weights that have a logarithmic scale where nothing else is said.
    """
    if strict:
        check_rates(net.weights, options.rates)
    reasons = what_trains(net, options, strict=strict)
    ties = read_ties(net, options, reasons, strict=strict)
    following = {tie.follower.key for tie in ties}
    leaders = tuple(weight for weight in net.weights.entries if not reasons[weight.key] and weight.key not in following)
    said = _Said(net, reasons, strict)
    bounds = {key: _bounds(key, pair) for key, pair in said.find(options.bounds, "bounds").items()}
    scales = {key: _scale(key, name, net.weights[key]) for key, name in said.find(options.scales, "scales").items()}
    priors = {key: _prior(key, pair) for key, pair in said.find(options.priors, "priors").items()}
    limits = {weight.key: bounds.get(weight.key, (weight.standing.low, weight.standing.high)) for weight in net.weights.entries}
    shared = {weight.key: _shared(weight.key, limits, ties) for weight in leaders}
    if strict:
        for key, pair in shared.items():
            _check_start(key, net.weights[key], *pair)
    return WeightPlan(
        reasons, leaders, ties, shared,
        {weight.key: scales.get(weight.key, Scale.LOG if weight.key in positive else Scale.LINEAR) for weight in leaders},
        {weight.key: rate_factor(weight, options.rates) for weight in leaders}, priors
    )


class _Said:
    """Looks up what options say of the weights that train."""

    def __init__(self, net: Network, reasons: dict[str, str], strict: bool) -> None:
        self.net = net
        self.reasons = reasons
        self.strict = strict

    def find(self, words: Mapping[str, T], option: str) -> dict[str, T]:
        """For each weight what the closest word says; refuse a word that means only weights that stay."""
        weights = self.net.weights.entries
        if self.strict:
            check_words(tuple(words), weights, option, self.net.program.name)
        found = {weight.key: closest(tuple(words), weight, shared=True) for weight in weights}
        for word in words if self.strict else ():
            meant = [key for key, (close, best) in found.items() if close and best == word]
            if meant and all(self.reasons[key] for key in meant):
                raise InputError(f"{option} names {word!r}, which does not train: {self.reasons[meant[0]]}")
        return {key: words[word] for key, (close, word) in found.items() if close is not Rank.NONE and not self.reasons[key]}


def _bounds(key: str, pair: Any) -> tuple[float, float]:
    try:
        low, high = pair
        low, high = -math.inf if low is None else float(low), math.inf if high is None else float(high)
    except (TypeError, ValueError):
        raise InputError(f"the bounds of '{key}' must be two numbers, or None for an open side, not {pair!r}") from None
    if not low < high:
        raise InputError(f"the bounds of '{key}' leave it no room: {pair!r}")
    return low, high


def _scale(key: str, name: str, value: Tensor) -> Scale:
    if name not in list(Scale):
        raise InputError(f"the scale of '{key}' must be one of {', '.join(Scale)}, not {name!r}")
    if name != Scale.LINEAR and not bool((value > 0).all()):
        raise InputError(f"'{key}' cannot have a {name} scale: it starts at {value.tolist()}, and must start above 0")
    return Scale(name)


def _prior(key: str, pair: Any) -> tuple[float, float]:
    try:
        mean, width = map(float, pair)
    except (TypeError, ValueError):
        raise InputError(f"the prior of '{key}' must be a mean and a width, not {pair!r}") from None
    if not (math.isfinite(mean) and 0 < width < math.inf):
        raise InputError(f"the prior of '{key}' must have a mean, and a width above 0, not {pair!r}")
    return mean, width


def _check_start(key: str, value: Tensor, low: float, high: float) -> None:
    if not bool(((value >= low) & (value <= high)).all()):
        raise InputError(f"'{key}' starts at {value.tolist()}, outside of its bounds {low:g} .. {high:g}")


def _shared(leader: str, limits: Mapping[str, tuple[float, float]], ties: tuple[TiedWeight, ...]) -> tuple[float, float]:
    """The bounds of a leader, and those of its followers as they are for it."""
    low, high = limits[leader]
    for tie in ties:
        if tie.leader == leader and any(map(math.isfinite, limits[tie.follower.key])):
            for ratio in torch.unique(tie.ratio).tolist():
                ends = sorted(limit / ratio for limit in limits[tie.follower.key])
                low, high = max(low, ends[0]), min(high, ends[1])
    if not low < high:
        raise InputError(f"the bounds of '{leader}' and of what is tied to it leave no room")
    return low, high

