"""`WeightOptions`: what the caller of `fit` says of weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from deepalgo.fitting.choice.patterns import Words

#: The lower and the upper bound; None is an open side.
Bounds: TypeAlias = tuple[float | None, float | None]
#: The weight that another one follows, and how many times as large the follower is; None: as large as it is at first.
Tie: TypeAlias = str | tuple[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightOptions:
    """All by names, patterns, functions, lines or roles of weights, as `patterns.py` understands them; ties by names.

    `rates` are factors of the step. `scales` are "linear", "log" or "positive"; `priors` a mean and a width.
    """

    train: Words = None
    fixed: Words = None
    rates: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    scales: Mapping[str, str] = field(default_factory=dict)
    ties: Mapping[str, Tie] = field(default_factory=dict)
    priors: Mapping[str, tuple[float, float]] = field(default_factory=dict)
