"""`Space`: the weights of a network as one vector, in which a step of the same size means the same to each of them.

A weight is `start + scale * x`, so that the constants 2040 and 1e-6 of one function move by the same part of themselves.

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

import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.ir import Role, Weight
from deepalgo.network import Network

#: Entries of a matrix that are smaller than this part of the typical one are numbers in their own right.
OWN_SIZE = 1e-2


class Space:
    """The trainable weights of a network, and the steps that suit them.

    `rates` are factors of the step by role or by name; 0 leaves weights as they are. Weights that start at 0 have no size of their
    own: `measure` gives them one by their gradient. `lower` and `upper` bound the numbers of a point; a search that honours bounds stays
    between them.
    """

    def __init__(self, net: Network, rates: Mapping[str, float] | None = None) -> None:
        rates = dict(rates or {})
        _check_rates(net, rates)
        self.net = net
        self.weights = [weight for weight in net.weights.entries if not weight.frozen and _factor(weight, rates) != 0]
        self.tensors = [net.weights[weight.key] for weight in self.weights]
        self.starts = [tensor.detach().clone() for tensor in self.tensors]
        self.factors = [_factor(weight, rates) for weight in self.weights]
        self.scales = [factor * _scale(start) for factor, start in zip(self.factors, self.starts, strict=True)]
        self.sizes = [tensor.numel() for tensor in self.tensors]
        self.lower = torch.full((len(self),), -torch.inf, dtype=net.dtype)
        self.upper = torch.full((len(self),), torch.inf, dtype=net.dtype)

    def __len__(self) -> int:
        return sum(self.sizes)

    def put(self, x: Tensor) -> None:
        """Give the network the weights of a point."""
        with torch.no_grad():
            for tensor, start, scale, part in zip(self.tensors, self.starts, self.scales, self._parts(x.detach()), strict=True):
                tensor.copy_(start + scale * part.reshape(start.shape))

    def values(self, x: Tensor) -> list[Tensor]:
        """The weights of points `(points, n)`, differentiable."""
        rows = zip(self.starts, self.scales, self._parts(x), strict=True)
        return [start + scale * part.reshape(len(x), *start.shape) for start, scale, part in rows]

    @property
    def keys(self) -> list[str]:
        """The weights that move, in the order of `values`."""
        return [weight.key for weight in self.weights]

    def chain(self, x: Tensor, derivatives: Tensor) -> Tensor:
        """The derivatives `(..., n)` by a point, from those by the numbers of all weights that move, flat in the order of `keys`."""
        return derivatives * torch.cat([scale.reshape(-1) for scale in self.scales])

    def _parts(self, x: Tensor) -> tuple[Tensor, ...]:
        return torch.split(x, self.sizes, -1)

    def take_gradient(self) -> Tensor:
        """The gradient that the network's weights have collected, by the point; it is cleared."""
        found = []
        for tensor, scale in zip(self.tensors, self.scales, strict=True):
            found.append((scale * tensor.grad if tensor.grad is not None else torch.zeros_like(tensor)).reshape(-1))
            tensor.grad = None
        return torch.cat(found) if found else torch.zeros(0, dtype=self.net.dtype)

    def measure(self, gradient: Tensor) -> None:
        """Choose the steps of weights that start at 0, so that they change the loss as much as the others do at first."""
        grads = [part.reshape(start.shape).abs() for part, start in zip(self._parts(gradient), self.starts, strict=True)]
        known = [grad[start != 0] for grad, start in zip(grads, self.starts, strict=True)]
        known_gradients = torch.cat([*known, torch.zeros(0, dtype=self.net.dtype)])
        usual = known_gradients[known_gradients > 0].median().item() if bool((known_gradients > 0).any()) else math.nan
        for number, (grad, start, factor) in enumerate(zip(grads, self.starts, self.factors, strict=True)):
            if start.dim() == 0 and start == 0 and grad > 0 and math.isfinite(usual):
                self.scales[number] = (factor * self.scales[number] * usual / grad).clamp(1e-12, 1e12)


def _check_rates(net: Network, rates: Mapping[str, float]) -> None:
    roles = [str(role) for role in Role]
    for name, rate in rates.items():
        if name not in net.weights and name not in roles:
            raise InputError(f"rates names '{name}', which is no weight and no role; the roles are {', '.join(roles)}")
        if not (rate >= 0 and math.isfinite(rate)):
            raise InputError(f"the rate of '{name}' must be a factor of at least 0, not {rate}")


def _factor(weight: Weight, rates: Mapping[str, float]) -> float:
    return rates.get(weight.key, rates.get(str(weight.role), 1.0))


def _scale(start: Tensor) -> Tensor:
    """The size of each number; zeros in a table have the typical size of its others, shared among a row."""
    size = start.abs()
    if start.dim() == 0:
        return size if start != 0 else torch.ones_like(size)
    others = size[size > 0]
    typical = others.log().mean().exp() if len(others) else torch.ones((), dtype=start.dtype)
    shared = typical / start.shape[-1] ** 0.5
    if start.dim() == 1:
        return torch.where(size == 0, shared, size)
    return torch.where((size == 0) | (size > OWN_SIZE * typical), torch.maximum(size, shared), size)
