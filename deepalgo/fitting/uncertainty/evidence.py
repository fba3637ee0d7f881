"""`Evidence`: what the training samples of a fit tell of the weights that it trained."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from deepalgo.errors import InputError
from deepalgo.fitting.choice.plan import WeightPlan
from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.objective import Objective
from deepalgo.fitting.search.space import Space
from deepalgo.fitting.uncertainty.bootstrap import Bootstrap, bootstrap
from deepalgo.fitting.uncertainty.estimates import Estimates, Expected, estimate
from deepalgo.fitting.uncertainty.profile import Profile, profile
from deepalgo.fitting.uncertainty.residuals import Residuals
from deepalgo.fitting.uncertainty.undetermined import Undetermined, find_undetermined
from deepalgo.network import Network

#: With more numbers, or more derivatives, nothing is estimated.
MOST, MOST_DERIVATIVES = 200, 50_000_000
#: A number that is so close to its bound, as a part of its size, is there.
NEAR = 1e-9


class Evidence:
    """The residuals of a trained network, its `estimates`, and which weights are `undetermined`, or at one of their `bounds`."""

    def __init__(self, residuals: Residuals, undetermined: Sequence[Undetermined], plan: WeightPlan | None = None) -> None:
        self.residuals = residuals
        #: How many samples there were, and whether they came in groups.
        self.size, self.is_grouped = residuals.samples.size, residuals.samples.groups is not None
        self.undetermined = list(undetermined)
        self.values = residuals.values()
        self.expected = self._expected(plan) if plan is not None and plan.priors else None
        at_end = self._at_end(plan) if plan is not None else np.zeros(len(residuals), dtype=bool)
        self.at_bound = [label for label, held in zip(residuals.labels, at_end, strict=True) if held]
        roots, jacobian = residuals.at(self.values)
        jacobian[:, at_end] = 0.0  # what cannot move further is no least sum of squares
        self.estimates: Estimates = estimate(residuals.labels, self.values, roots, jacobian, self.expected)

    def without_data(self) -> Evidence:
        """The same without the samples: estimates stay, other fits cannot be made."""
        bare, own = copy.copy(self), self.residuals
        nobody = own.samples.pick(torch.zeros(0, dtype=torch.int64))
        bare.residuals = Residuals(own.net, own.objective, nobody, own.keys, own.ties)
        return bare

    def profile(self, label: str) -> Profile:
        """Where a number can lie, with all others fitted again at each place."""
        self._refuse_other_fits()
        return profile(self.residuals, self.values, self._place(label))

    def bootstrap(self, count: int, groups: Any, seed: int) -> Bootstrap:
        """Fits to samples, or groups of them, that are drawn with replacement."""
        self._refuse_other_fits()
        return bootstrap(self.residuals, self.values, count, groups, seed)

    def _expected(self, plan: WeightPlan) -> Expected:
        """What priors say of numbers that train."""
        of = [key for key, size in zip(self.residuals.keys, self.residuals.sizes, strict=True) for _ in range(size)][: len(self.residuals)]
        places = np.array([place for place, key in enumerate(of) if key in plan.priors], dtype=np.int64)
        means, widths = np.array([plan.priors[of[place]] for place in places]).reshape(-1, 2).T
        return Expected(places, means, widths)

    def _at_end(self, plan: WeightPlan) -> NDArray[np.bool_]:
        """Which numbers are at a bound."""
        ends = [plan.bounds[key] for key, size in zip(self.residuals.keys, self.residuals.sizes, strict=True) if key in plan.bounds
                for _ in range(size)][: len(self.residuals)]  # fmt: skip
        low, high = np.array(ends, dtype=float).reshape(-1, 2).T
        near = NEAR * np.maximum(np.abs(self.values), 1e-300)
        return (self.values <= low + near) | (self.values >= high - near)

    def _refuse_other_fits(self) -> None:
        if self.residuals.samples.size != self.size:
            raise InputError("this fit goes without its data, which profiles and bootstraps are made of; fit.estimates has what they told")
        if self.expected is not None:
            raise InputError("fits to other data would have to know the priors: fit.estimates does")

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
        return Evidence(residuals, told, space.plan)
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
