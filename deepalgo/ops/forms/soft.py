"""A choice whose guard can learn, and how the margins of guards are measured.

>>> margin = torch.tensor([0.5, -0.5], requires_grad=True)
>>> one, two = torch.tensor([3.0, 1.0]), torch.tensor([1.0, 3.0])
>>> made = soft_choice(one, two, margin > 0, margin, torch.tensor(1.0), torch.tensor(0.0))
>>> made, torch.autograd.grad(made.sum(), margin)[0]
(tensor([3., 1.], grad_fn=<WhereBackward0>), tensor([0.7031, 0.7031]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from deepalgo.ops.forms.operands import Operand

_measured: dict[str, list[Tensor]] | None = None


def soft_choice(
    taken: Operand, other: Operand, condition: Operand, margin: Operand, width: Tensor, softness: Tensor, key: str = ""
) -> Tensor:
    """`taken` with a gradient by the margin, or between `taken` and `other`."""
    taken, other, condition, margin = map(torch.as_tensor, (taken, other, condition, margin))
    note_margins(key, lambda: margin)
    usable = torch.isfinite(other.detach()) & torch.isfinite(taken.detach())
    way = torch.where(condition, 1.0, -1.0).to(margin.dtype)
    gap = torch.where(usable, (taken - other).detach(), 0.0)
    step = smooth_step(margin / width)
    hard = taken + way * gap * (step - step.detach())
    away = smooth_step(-way * margin / (width * torch.where(softness > 0, softness, 1.0)))
    soft = taken + away * torch.where(usable, other - taken, 0.0)
    return torch.where(softness > 0, soft, hard)


def smooth_step(x: Tensor) -> Tensor:
    """From 0 to 1 between -2 and 2, and level beyond: what is far from a guard may be absurd on its other side.

    >>> smooth_step(torch.tensor([-3.0, 0.0, 1.0]))
    tensor([0.0000, 0.5000, 0.8438])
    """
    t = torch.clamp(x / 2, -1, 1)
    return 0.5 + 0.75 * t - 0.25 * t**3


def or_inf(score: Operand) -> Tensor:
    """The score without its gradient, infinite where it is no number.

    >>> or_inf(torch.tensor([1.0, float("nan"), float("-inf")]))
    tensor([1., inf, -inf])
    """
    return torch.nan_to_num(torch.as_tensor(score).detach(), nan=torch.inf, posinf=torch.inf, neginf=-torch.inf)


def note_margins(key: str, margins: Callable[[], Tensor]) -> None:
    """Keep the margins of a soft choice while they are measured."""
    if _measured is not None:
        _measured.setdefault(key, []).append(margins().detach().reshape(-1))


def measures() -> bool:
    """Whether margins are kept at the moment."""
    return _measured is not None


@contextmanager
def measured_margins() -> Iterator[dict[str, list[Tensor]]]:
    """Collect the margins of all soft choices while the `with` lasts, by their guard."""
    global _measured  # noqa: PLW0603  # written code has no other way to hand them out
    _measured = {}
    try:
        yield _measured
    finally:
        _measured = None
