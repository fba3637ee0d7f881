"""`Evidence`: what the training samples of a fit tell of the weights that it trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.search.space import Space
from deepalgo.fitting.uncertainty.bootstrap import Bootstrap, bootstrap
from deepalgo.fitting.uncertainty.estimates import Estimates, estimate
from deepalgo.fitting.uncertainty.profile import Profile, profile
from deepalgo.fitting.uncertainty.residuals import Residuals
from deepalgo.fitting.uncertainty.undetermined import Undetermined, find_undetermined
from deepalgo.network import Network

#: With more numbers, or more derivatives, nothing is estimated.
MOST, MOST_DERIVATIVES = 200, 50_000_000


class Evidence:
    """The residuals of a trained network, its `estimates`, and which weights are `undetermined`."""

    def __init__(self, residuals: Residuals, undetermined: Sequence[Undetermined]) -> None:
        self.residuals = residuals
        self.undetermined = list(undetermined)
        self.values = residuals.values()
        self.estimates: Estimates = estimate(residuals.labels, self.values, *residuals.at(self.values))

    def profile(self, label: str) -> Profile:
        """Where a number can lie, with all others fitted again at each place."""
        return profile(self.residuals, self.values, self._place(label))

    def bootstrap(self, count: int, groups: Any, seed: int) -> Bootstrap:
        """Fits to samples, or groups of them, that are drawn with replacement."""
        return bootstrap(self.residuals, self.values, count, groups, seed)

    def _place(self, label: str) -> int:
        if label not in self.residuals.labels:
            raise InputError(f"'{label}' was not trained; there are {', '.join(self.residuals.labels)}")
        return self.residuals.labels.index(label)


def evidence(
    space: Space | None, net: Network, objective: Objective, samples: Samples, told: Sequence[Undetermined]
) -> Evidence | None:
    """What samples tell of the weights that a space moves; None where the loss is no sum of squares, or there is too much to compute."""
    if space is None or not len(space) or not objective.is_squares or net.dtype is not torch.float64:
        return None
    residuals = Residuals.of_space(space, net, objective, samples)
    if len(residuals) > MOST or len(residuals) * samples.size > MOST_DERIVATIVES:
        return None
    try:
        return Evidence(residuals, told)
    except RuntimeError:
        return None  # an operation of torch that takes no batch of weights


def undetermined_weights(space: Space, objective: Objective, samples: Samples) -> list[Undetermined]:
    """The weights of a space that samples of this kind cannot tell apart; whole weights are held rather than numbers of tables."""
    if space.net.dtype is not torch.float64:
        return []
    residuals = Residuals.of_space(space, space.net, objective, samples)
    try:
        return find_undetermined(residuals, {weight.key for weight in space.weights if not weight.shape})
    except RuntimeError:
        return []  # as above


def has_derivatives(told: Evidence | None, key: str) -> bool:
    """Whether some residual has a derivative by each number of a weight, as far as that is known."""
    if told is None or key not in told.residuals.keys:
        return False
    place = told.residuals.keys.index(key)
    before = sum(told.residuals.sizes[:place])
    if before >= len(told.residuals):
        return True  # it follows another
    return not np.isnan(told.estimates.errors[before : before + told.residuals.sizes[place]]).any()
