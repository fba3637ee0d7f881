"""`WeightChange`: how far training moved each weight, and how much of the gain is lost when it is put back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from deepalgo.fitting.data.samples import Samples
from deepalgo.fitting.judge.objective import Objective
from deepalgo.ir import Weight
from deepalgo.network import Network

#: Weights that moved less than this part of their size did not move.
STILL = 1e-12


@dataclass(frozen=True, slots=True)
class WeightChange:
    """A weight that was `born` with one value and has another; `loss` is the validation loss with the first put back, `kept` without."""

    weight: Weight
    born: Tensor
    value: Tensor
    loss: float
    kept: float

    @property
    def matters(self) -> bool:
        """Whether the loss is another one when it is put back."""
        return self.loss != self.kept

    @property
    def distance(self) -> float:
        """How far it moved, relative to its size; infinite for a weight that was 0."""
        size = float(self.born.norm())
        return float((self.value - self.born).norm()) / size if size else torch.inf

    @property
    def place(self) -> str:
        """The user's line."""
        return self.weight.span.place if self.weight.span is not None else ""


def weight_changes(net: Network, objective: Objective, validation: Samples, known: Tensor) -> list[WeightChange]:
    """The weights that moved, those first whose move mattered most."""
    kept = _loss(net, objective, validation, known)
    found = [
        WeightChange(weight, born, value, _loss_without(net, weight, born, objective, validation, known), kept)
        for weight in net.weights.entries
        if not weight.frozen and differs(born := birth(net, weight), value := net.weights[weight.key].detach().clone())
    ]
    return sorted(found, key=lambda item: -item.loss)


def birth(net: Network, weight: Weight) -> Tensor:
    """The value that a weight was born with."""
    value: Any = weight.value
    return torch.tensor(value, dtype=net.dtype, device=net.device)


def differs(born: Tensor, value: Tensor) -> bool:
    """Whether a weight moved by more than rounding."""
    return bool((born - value).norm() > STILL * born.norm())


def _loss_without(net: Network, weight: Weight, born: Tensor, objective: Objective, validation: Samples, known: Tensor) -> float:
    tensor = net.weights[weight.key]
    value = tensor.detach().clone()
    with torch.no_grad():
        tensor.copy_(born)
        loss = _loss(net, objective, validation, known)
        tensor.copy_(value)
    return loss


def _loss(net: Network, objective: Objective, validation: Samples, known: Tensor) -> float:
    losses = objective.measure(net, validation)[known]
    return losses.mean().item() if bool(losses.isfinite().all()) else torch.inf
