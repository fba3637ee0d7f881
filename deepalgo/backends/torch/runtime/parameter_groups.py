"""The weights in groups for an optimiser, each with a rate in units of their size.

>>> from deepalgo.ir import Role, Weight
>>> weights = Weights((Weight("gain", 0.5), Weight("limit", 2000.0, role=Role.THRESHOLD), Weight("bias", -0.5)))
>>> for group in parameter_groups(weights, 0.01, {"threshold": 0.1}):
...     print(group["lr"], group["role"], group["names"])
0.005 coefficient ['gain', 'bias']
2.0 threshold ['limit']
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from deepalgo.backends.torch.runtime.sizes import step_size
from deepalgo.backends.torch.runtime.weights import Weights
from deepalgo.errors import InputError
from deepalgo.ir import Role, Weight

#: The shortest and the longest step of `torch.optim.Rprop`, in parts of a weight.
RPROP = (1e-6, 50.0)


def parameter_groups(weights: Weights, rate: float, rates: Mapping[str, float]) -> list[dict[str, Any]]:
    """Groups of the trainable weights, one for each role and step.

    No group decays: a pull towards 0 is none towards a better constant, and is in proportion to the rate.
    """
    if not (isinstance(rate, (int, float)) and rate > 0 and math.isfinite(rate)):
        raise InputError(f"the rate is the part of its own size by which a weight moves in a step, such as 0.01, not {rate!r}")
    check_rates(weights, rates)
    groups: dict[tuple[str, float], dict[str, Any]] = {}
    for weight in weights.entries:
        tensor, factor = weights[weight.key], rate_factor(weight, rates)
        if weight.frozen or not tensor.requires_grad or factor == 0:
            continue
        size, role = step_size(tensor), str(weight.role)
        usual = {"params": [], "lr": rate * factor * size, "weight_decay": 0.0, "step_sizes": (RPROP[0] * size, RPROP[1] * size),
                 "role": role, "names": []}
        group = groups.setdefault((role, factor * size), usual)
        group["params"].append(tensor)
        group["names"].append(weight.key)
    return list(groups.values())


def check_rates(weights: Weights, rates: Mapping[str, float]) -> None:
    """Refuse factors of the rate that are none, and names of neither weights nor roles."""
    roles = [str(role) for role in Role]
    for name, rate in rates.items():
        if name not in weights and name not in roles:
            raise InputError(f"rates names '{name}', which is no weight and no role; the roles are {', '.join(roles)}")
        if not (rate >= 0 and math.isfinite(rate)):
            raise InputError(f"the rate of '{name}' must be a factor of at least 0, not {rate}")


def rate_factor(weight: Weight, rates: Mapping[str, float]) -> float:
    """The factor of a weight, by its name or else by its role."""
    return rates.get(weight.key, rates.get(str(weight.role), 1.0))
