"""`NamedLoss`: the losses that `fit` knows by name, each a function of the errors, with its slope and its curvature.

A step of least squares takes the loss of an error as `slope * step + curvature * step**2 / 2`, which lies above it (the method of
reweighting). Losses with a kink, and the largest error, are rounded off by a `blur` that a search lets go to zero.

>>> loss = named("huber(0.5)")
>>> loss.value(torch.tensor([0.25, 2.0])).tolist()
[0.03125, 0.875]
>>> loss.bend(torch.tensor([2.0], dtype=torch.float64), 0.0)
(tensor([0.5000], dtype=torch.float64), tensor([0.2500], dtype=torch.float64))
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from deepalgo.errors import InputError

#: Targets of less than this part of the typical one are near zero.
NEAR_ZERO = 1e-3
#: Slope and curvature of each error, for a blur.
Bend = Callable[[Tensor, float], tuple[Tensor, Tensor]]


@dataclass(frozen=True, slots=True)
class NamedLoss:
    """A loss by name. `errors` are what it is a function of, linear in the output; `rounded` is its value with a blur.

    `is_squares`: its root is an error. `is_whole`: it is one number for a set of samples. `has_kink`: it needs a blur.
    """

    name: str
    errors: Callable[[Tensor, Tensor], Tensor]
    value: Callable[[Tensor], Tensor]
    rounded: Callable[[Tensor, float], Tensor]
    bend: Bend
    is_squares: bool = False
    is_whole: bool = False
    has_kink: bool = False
    is_relative: bool = False

    def __reduce__(self) -> tuple[Callable[[str], NamedLoss], tuple[str]]:
        return named, (self.name,)

    def check(self, targets: Sequence[Tensor]) -> None:
        """Refuse targets that the loss does not know, and warn of those that decide all of it."""
        if self.errors is _against and not all(bool(((target == 0) | (target == 1)).all()) for target in targets):
            raise InputError("loss='logistic' is that of log-odds: the targets must be 0 or 1")
        if self.is_relative:
            small = sum(int((target.abs() < NEAR_ZERO * target.abs().median()).sum()) for target in targets if target.numel())
            if small:
                message = f"{small} targets are near zero, where relative errors are large whatever the answer: loss='squared' may be meant"
                warnings.warn(message, stacklevel=2)


def named(text: str) -> NamedLoss:
    """The loss that a text names, with its number in brackets where it has one."""
    match = re.fullmatch(r"(\w+)(?:\(([^()]*)\))?", text.strip())
    name, number = match.groups() if match else (text, None)
    if name in PLAIN and number is None:
        return PLAIN[name]
    if name in NUMBERED:
        make, usual, least, most = NUMBERED[name]
        found = usual if number is None else _number(number)
        if least < found < most:
            return make(found)
        raise InputError(f"the number of '{text}' must lie between {least:g} and {most:g}")
    names = ", ".join(f"'{known}'" for known in (*PLAIN, *(f"{known}({usual:g})" for known, (_, usual, *_) in NUMBERED.items())))
    raise InputError(f"there is no loss '{text}'; there are {names}, or any function of torch")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _difference(output: Tensor, target: Tensor) -> Tensor:
    return output - target


def _relative(output: Tensor, target: Tensor) -> Tensor:
    return (output - target) / target.abs()


def _against(output: Tensor, target: Tensor) -> Tensor:
    """Log-odds with the sign that makes a large number wrong."""
    return (1 - 2 * target) * output


def _bend_square(error: Tensor, blur: float) -> tuple[Tensor, Tensor]:
    return 2 * error, torch.full_like(error, 2.0)


def _bend_size(error: Tensor, blur: float) -> tuple[Tensor, Tensor]:
    length = (error.square() + blur * blur).sqrt().clamp(min=1e-300)
    return error / length, 1 / length


def _bend_logistic(error: Tensor, blur: float) -> tuple[Tensor, Tensor]:
    chance = torch.sigmoid(error)
    above = torch.where(error.abs() < 1e-4, 0.25, torch.tanh(error / 2) / (2 * error))  # Jaakkola and Jordan 2000: lies above everywhere
    return chance, torch.maximum(chance * (1 - chance), 0.1 * above)


def _bend_largest(error: Tensor, blur: float) -> tuple[Tensor, Tensor]:
    """The slopes and curvatures of `blur * log(sum(exp(error / blur) + exp(-error / blur)))`; those of one set of samples."""
    both = torch.stack([error, -error]) / max(blur, 1e-300)
    up, down = torch.softmax(both.reshape(-1), 0).reshape(both.shape)
    return up - down, (up + down) / max(blur, 1e-300)


def _rounded_largest(error: Tensor, blur: float) -> Tensor:
    if blur == 0:
        return error.abs().max()
    return blur * torch.logsumexp((torch.stack([error, -error]) / blur).reshape(-1), 0)


def _huber(width: float) -> NamedLoss:
    def value(error: Tensor) -> Tensor:
        size = error.abs()
        return torch.where(size <= width, size.square() / 2, width * (size - width / 2))

    def bend(error: Tensor, blur: float) -> tuple[Tensor, Tensor]:
        return error.clamp(-width, width), width / error.abs().clamp(min=width)

    return NamedLoss(f"huber({width!r})", _difference, value, lambda error, blur: value(error), bend)


def _quantile(level: float) -> NamedLoss:
    """What an output costs that should lie above this part of the targets."""

    def rounded(error: Tensor, blur: float) -> Tensor:
        return (error.square() + blur * blur).sqrt() / 2 + (0.5 - level) * error

    def bend(error: Tensor, blur: float) -> tuple[Tensor, Tensor]:
        slope, curvature = _bend_size(error, blur)
        return slope / 2 + 0.5 - level, curvature / 2

    return NamedLoss(f"quantile({level!r})", _difference, lambda error: error.abs() / 2 + (0.5 - level) * error, rounded, bend,
                     has_kink=True)


def _unblurred(value: Callable[[Tensor], Tensor]) -> Callable[[Tensor, float], Tensor]:
    return lambda error, blur: value(error)


PLAIN = {
    loss.name: loss
    for loss in (
        NamedLoss("squared", _difference, torch.square, _unblurred(torch.square), _bend_square, is_squares=True),
        NamedLoss("absolute", _difference, torch.abs, lambda error, blur: (error.square() + blur * blur).sqrt(), _bend_size, has_kink=True),
        NamedLoss("relative", _relative, torch.square, _unblurred(torch.square), _bend_square, is_squares=True, is_relative=True),
        NamedLoss("logistic", _against, torch.nn.functional.softplus, _unblurred(torch.nn.functional.softplus), _bend_logistic),
        NamedLoss("max", _difference, torch.abs, _rounded_largest, _bend_largest, is_whole=True, has_kink=True),
    )
}
#: What makes a loss with a number, the number unless another is given, and between which it lies.
NUMBERED: dict[str, tuple[Callable[[float], NamedLoss], float, float, float]] = {
    "huber": (_huber, 1.0, 0.0, math.inf),
    "quantile": (_quantile, 0.5, 0.0, 1.0),
}
