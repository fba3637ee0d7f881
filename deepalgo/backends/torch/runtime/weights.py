"""`Weights`: the numbers of a heuristic as parameters of a network, shown as a table that says which of them `fit` trains.

>>> from deepalgo.ir import Weight
>>> Weights((Weight("gain", 0.5), Weight("limit", 2.0, frozen="a static `if` needs it")))
name   value  role         place  trainable
gain   0.5    coefficient         yes
limit  2.0    coefficient         no: a static `if` needs it
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from deepalgo.ir import Weight
from deepalgo.ir.standing import why_still


class Weights(torch.nn.Module):
    """A mapping from names to tensors in the order of the program.

    Frozen ones are buffers, so that neither `requires_grad_(True)` on the network nor an optimiser can wake them.
    """

    anchor: Tensor

    def __init__(self, weights: tuple[Weight, ...]) -> None:
        super().__init__()
        self.entries = weights
        self._names = [(bool(weight.frozen), attribute(weight.key)) for weight in weights]
        # Precision and device of a network without weights.
        self.register_buffer("anchor", torch.zeros((), dtype=torch.float64), persistent=False)
        for weight in weights:
            value = torch.tensor(weight.value, dtype=torch.float64)
            if weight.frozen:
                self.register_buffer(attribute(weight.key), value)
            else:
                self.register_parameter(attribute(weight.key), torch.nn.Parameter(value))

    def __getitem__(self, key: str) -> Tensor:
        found: Tensor = getattr(self, attribute(key))
        return found

    def __iter__(self) -> Iterator[str]:
        return (weight.key for weight in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, key: object) -> bool:
        return any(weight.key == key for weight in self.entries)

    def tensors(self) -> list[Tensor]:
        """All of them, in the order of the program."""
        parameters, buffers = self._parameters, self._buffers
        return [buffers[name] if frozen else parameters[name] for frozen, name in self._names]  # type: ignore[misc]

    def __repr__(self) -> str:
        reasons = self.reasons()
        rows = [("name", "value", "role", "place", "trainable"), *(self._row(weight, reasons[weight.key]) for weight in self.entries)]
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)

    def reasons(self) -> dict[str, str]:
        """For each weight why `fit` leaves it alone unless it is told otherwise, or ''."""
        usual = why_still(self.entries)
        return {key: reason or ("" if self[key].requires_grad else "its requires_grad is False") for key, reason in usual.items()}

    def _row(self, weight: Weight, reason: str) -> tuple[str, str, str, str, str]:
        place = weight.span.place if weight.span is not None else ""
        return weight.key, _brief(self[weight.key]), str(weight.role), place, f"no: {reason}" if reason else "yes"


def attribute(key: str) -> str:
    """The name under which torch keeps a weight; torch reserves the dot, and a module has names of its own."""
    name = key.replace(".", "/")
    return f"{name}_" if name in RESERVED else name


def _brief(value: Tensor) -> str:
    if value.dim() == 0:
        return repr(value.item())
    return f"{list(value.shape)} array" if value.numel() > 4 else str(value.tolist())


RESERVED = {*dir(torch.nn.Module()), *vars(Weights), "anchor", "entries"}
