"""Bessel functions of an order that data gives: those of a fixed order, for one order after the other.

The derivative by the order is a difference formula of the sixth power of its step.

>>> jv_of(torch.tensor([0.5, 1.0], dtype=torch.float64), torch.tensor([1.0, 1.0], dtype=torch.float64))
tensor([0.6714, 0.4401], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from deepalgo.ops.forms.bessel_fixed_order import bessel_i, bessel_j, bessel_k
from deepalgo.ops.forms.kernel import kernel
from deepalgo.ops.forms.smooth import smooth

#: Weights of the values at one, two and three steps from the middle.
WEIGHTS = (3 / 4, -3 / 20, 1 / 60)
STEP = 2.0**-7
#: The formulas take long for larger orders, which give NaN; a check catches their samples before.
LARGEST = 62


def _by_order(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def slope(v: Tensor, x: Tensor, y: Tensor) -> Tensor:
        total = torch.zeros_like(x)
        for place, weight in enumerate(WEIGHTS, 1):
            total = total + (function(x, v + place * STEP) - function(x, v - place * STEP)) * weight / STEP
        return torch.where(x <= 0, 0, total)  # there only whole orders have a value, or there are steps at them

    return slope


def _each(function: Callable[[Tensor, float], Tensor], x: Tensor, orders: Tensor) -> Tensor:
    value = torch.full_like(x, torch.nan)
    for order in torch.unique(orders[torch.abs(orders) <= LARGEST]).tolist():
        here = orders == order
        value[here] = function(x[here], order)
    return value


@kernel("bessel_j_of", "Tensor x", "Tensor orders")
def bessel_j_of(x: Tensor, orders: Tensor) -> Tensor:
    """J, number by number."""
    return _each(bessel_j, x, orders)


@kernel("bessel_i_of", "Tensor x", "Tensor orders")
def bessel_i_of(x: Tensor, orders: Tensor) -> Tensor:
    """I, number by number."""
    return _each(bessel_i, x, orders)


@kernel("bessel_k_of", "Tensor x", "Tensor orders")
def bessel_k_of(x: Tensor, orders: Tensor) -> Tensor:
    """K, number by number."""
    return _each(bessel_k, x, orders)


def _finite(slope: Tensor) -> Tensor:
    """The derivative at 0 is infinite for some orders, and counts as 0."""
    return torch.where(torch.isinf(slope), 0, slope)


@smooth(_by_order(bessel_j_of), lambda v, x, y: _finite(jv_of(v - 1, x) - jv_of(v + 1, x)) / 2)
def jv_of(v: Tensor, x: Tensor) -> Tensor:
    """The Bessel function of the first kind."""
    return bessel_j_of(x, v)


@smooth(_by_order(bessel_i_of), lambda v, x, y: _finite(iv_of(v - 1, x) + iv_of(v + 1, x)) / 2)
def iv_of(v: Tensor, x: Tensor) -> Tensor:
    """The modified Bessel function of the first kind."""
    return bessel_i_of(x, v)


@smooth(_by_order(bessel_k_of), lambda v, x, y: _finite(kv_of(v - 1, x) + kv_of(v + 1, x)) / -2)
def kv_of(v: Tensor, x: Tensor) -> Tensor:
    """The modified Bessel function of the second kind."""
    return bessel_k_of(x, v)
