"""`Space`: the weights of a network as one vector, in which a step of the same size means the same to each of them.

A weight is `start + scale * x`, so that the constants 2040 and 1e-6 of one function move by the same part of themselves; on a logarithmic
scale it is `start * exp(x)`. Weights that are tied have one number together.

>>> from deepalgo.compiler import compile
>>> def f(x):
...     return 2040.0 * x + 1e-6
>>> net = compile(f)
>>> space = Space(net)
>>> space.put(torch.tensor([0.1, -0.5], dtype=torch.float64))
>>> [round(weight.item(), 9) for weight in net.weights.tensors()]
[2244.0, 5e-07]
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.backends.torch.runtime.sizes import sizes
from deepalgo.fitting.choice.plan import WeightPlan, plan_weights
from deepalgo.fitting.choice.weight_options import WeightOptions
from deepalgo.network import Network


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A weight that moves: which numbers of a point it has, and how many times as large it is as the weight that they stand for."""

    key: str
    tensor: Tensor
    leader: int
    ratio: Tensor | None


class Space:
    """The weights of a network that train, and the steps that suit them.

    `weights` have numbers of their own in a point, `keys` are these and those that are tied to them. `lower` and `upper` bound the numbers
    of a point; `put` and `values` never leave them, whatever point they are given.
    Weights that start at 0 have no size of their own: `measure` gives them one by their gradient.
    """

    def __init__(self, net: Network, rates: Mapping[str, float] | None = None, plan: WeightPlan | None = None) -> None:
        self.plan = plan if plan is not None else plan_weights(net, WeightOptions(rates=dict(rates or {})))
        self.net = net
        self.weights = list(self.plan.leaders)
        self.tensors = [net.weights[weight.key] for weight in self.weights]
        self.starts = [tensor.detach().clone() for tensor in self.tensors]
        self.factors = [self.plan.factors[weight.key] for weight in self.weights]
        self.kinds = [self.plan.scales[weight.key] for weight in self.weights]
        self.scales = [factor * sizes(start) for factor, start in zip(self.factors, self.starts, strict=True)]
        self.sizes = [tensor.numel() for tensor in self.tensors]
        self.moved = self._moved()
        self.at = torch.zeros(len(self), dtype=net.dtype)

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def keys(self) -> list[str]:
        """All weights that move, in the order of `values`."""
        return [item.key for item in self.moved]

    @property
    def lower(self) -> Tensor:
        """The lowest point."""
        return self._ends(0)

    @property
    def upper(self) -> Tensor:
        """The highest point."""
        return self._ends(1)

    @property
    def is_bounded(self) -> bool:
        """Whether any number of a point is."""
        return any(math.isfinite(end) for weight in self.weights for end in self.plan.bounds[weight.key])

    def within(self, x: Tensor) -> Tensor:
        """The nearest point between the bounds."""
        return torch.clamp(x, self.lower, self.upper) if self.is_bounded else x

    def put(self, x: Tensor) -> None:
        """Give the network the weights of a point."""
        self.at = self.within(x.detach().clone())
        with torch.no_grad():
            for item, value in zip(self.moved, self.values(self.at[None]), strict=True):
                item.tensor.copy_(value[0])

    def values(self, x: Tensor) -> list[Tensor]:
        """The weights of points `(points, n)` in the order of `keys`, differentiable."""
        found = []
        for kind, start, scale, weight, part in zip(
            self.kinds, self.starts, self.scales, self.weights, self._parts(self.within(x)), strict=True
        ):
            value = kind.weight(start, scale, part.reshape(len(x), *start.shape))
            low, high = self.plan.bounds[weight.key]
            found.append(value.clamp(low, high) if math.isfinite(low) or math.isfinite(high) else value)
        return [found[item.leader] if item.ratio is None else item.ratio * found[item.leader] for item in self.moved]

    def chain(self, x: Tensor, derivatives: Tensor) -> Tensor:
        """The derivatives `(..., n)` by a point, from those by the numbers of all weights that move, flat in the order of `keys`."""
        slopes = [kind.slope(start, scale, part.reshape(start.shape)) for kind, start, scale, part in zip(
            self.kinds, self.starts, self.scales, self._parts(x.detach()), strict=True)]
        parts = torch.split(derivatives, [item.tensor.numel() for item in self.moved], -1)
        found: list[Tensor | None] = [None] * len(self.weights)
        for item, part in zip(self.moved, parts, strict=True):
            slope = slopes[item.leader] if item.ratio is None else item.ratio * slopes[item.leader]
            whole, before = part * slope.reshape(-1), found[item.leader]
            found[item.leader] = whole if before is None else before + whole
        return torch.cat([part for part in found if part is not None], -1) if found else derivatives

    def take_gradient(self) -> Tensor:
        """The gradient that the network's weights have collected, by the point that was put last; it is cleared."""
        found = []
        for item in self.moved:
            grad = item.tensor.grad
            found.append((grad if grad is not None else torch.zeros_like(item.tensor)).reshape(-1))
            item.tensor.grad = None
        return self.chain(self.at, torch.cat(found)) if found else torch.zeros(0, dtype=self.net.dtype)

    def measure(self, gradient: Tensor) -> None:
        """Choose the steps of weights that start at 0, so that they change the loss as much as the others do at first."""
        grads = [part.reshape(start.shape).abs() for part, start in zip(self._parts(gradient), self.starts, strict=True)]
        known = [grad[start != 0] for grad, start in zip(grads, self.starts, strict=True)]
        known_gradients = torch.cat([*known, torch.zeros(0, dtype=self.net.dtype)])
        usual = known_gradients[known_gradients > 0].median().item() if bool((known_gradients > 0).any()) else math.nan
        for number, (grad, start, factor) in enumerate(zip(grads, self.starts, self.factors, strict=True)):
            if start.dim() == 0 and start == 0 and grad > 0 and math.isfinite(usual):
                self.scales[number] = (factor * self.scales[number] * usual / grad).clamp(1e-12, 1e12)

    def deviations(self, x: Tensor) -> Tensor:
        """How far the weights of a point are from the means of their priors, in widths: numbers that a prior expects to be like (0, 1)."""
        values = dict(zip(self.keys, self.values(x[None]), strict=True))
        found = [((values[key][0] - mean) / width).reshape(-1) for key, (mean, width) in self.plan.priors.items()]
        return torch.cat([*found, x.new_zeros(0)])

    def deviation_slopes(self, x: Tensor) -> Tensor:
        """The derivatives `(deviations, n)` of `deviations` by the point."""
        if not self.plan.priors:
            return x.new_zeros((0, len(x)))
        sizes = {item.key: item.tensor.numel() for item in self.moved}
        widths = {key: self.plan.priors[key][1] if key in self.plan.priors else math.inf for key in sizes}
        diagonal = torch.cat([x.new_full((size,), 1 / widths[key]) for key, size in sizes.items()])
        rows = dict(zip(sizes, torch.split(torch.diag(diagonal), list(sizes.values())), strict=True))
        return self.chain(x, torch.cat([rows[key] for key in self.plan.priors]))

    def _moved(self) -> list[Moved]:
        places = {weight.key: number for number, weight in enumerate(self.weights)}
        found = [Moved(key, self.tensors[number], number, None) for key, number in places.items()]
        tied = [Moved(tie.follower.key, self.net.weights[tie.follower.key], places[tie.leader], tie.ratio) for tie in self.plan.ties]
        return found + tied

    def _ends(self, side: int) -> Tensor:
        ends = [torch.full((0,), math.inf, dtype=self.net.dtype)]
        for kind, start, scale, weight in zip(self.kinds, self.starts, self.scales, self.weights, strict=True):
            bound = self.plan.bounds[weight.key][side]
            if math.isfinite(bound):
                ends.append(kind.number(start, scale, torch.full_like(start, bound)).reshape(-1))
            else:
                ends.append(torch.full_like(start, bound).reshape(-1))
        return torch.cat(ends)

    def _parts(self, x: Tensor) -> tuple[Tensor, ...]:
        return torch.split(x, self.sizes, -1)
