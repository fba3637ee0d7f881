"""What goes into ONNX: formulas in place of functions for which torch's exporter writes constants of 32 bits, or none that is exact.

>>> x = torch.tensor([1e-9, 10.0], dtype=torch.float64)
>>> with InDoubles():
...     torch.log1p(x), torch.log10(x)
(tensor([1.0000e-09, 2.3979e+00], dtype=torch.float64), tensor([-9.0000,  1.0000], dtype=torch.float64))
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


def is_for_onnx() -> bool:
    """Whether the graph that is being recorded goes into ONNX."""
    return "torch.onnx._internal.exporter._flags" in sys.modules and torch.onnx.is_in_onnx_export()


class InDoubles(TorchFunctionMode):
    """Functions in `FORMULAS` are computed by these, and numbers that 32 bits do not hold are tensors: the exporter would round them."""

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if func in FORMULAS and not kwargs and not args[0].is_complex():
            return FORMULAS[func](*args)
        wide = [_tensor(item) if _is_rounded(item) else item for item in args]
        try:
            return func(*wide, **{name: _tensor(item) if _is_rounded(item) else item for name, item in kwargs.items()})
        except TypeError:  # it takes numbers alone
            return func(*args, **kwargs)


def _is_rounded(item: object) -> bool:
    return isinstance(item, float) and math.isfinite(item) and _tensor(item).float().double().item() != item


def _tensor(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def _log1p(x: Tensor) -> Tensor:
    """Kahan's way: the error of the sum leaves again with the quotient."""
    whole = 1 + x
    rest = whole - 1
    return torch.where((rest == 0) | (x == math.inf), x, torch.log(whole) * (x / rest))


def _expm1(x: Tensor) -> Tensor:
    """The same way back."""
    power = torch.exp(x)
    rest = power - 1
    return torch.where(power == 1, x, torch.where((rest == -1) | (power == math.inf), rest, rest * (x / torch.log(power))))


def _times(factor: float) -> Callable[[Tensor], Tensor]:
    return lambda x: x * _tensor(factor).to(x.dtype)


#: By the function that torch's exporter writes less exactly.
FORMULAS: Mapping[Callable[..., Tensor], Callable[..., Tensor]] = {
    torch.log10: lambda x: torch.log(x) / _tensor(math.log(10)).to(x.dtype),
    torch.log2: lambda x: torch.log(x) / _tensor(math.log(2)).to(x.dtype),
    torch.log1p: _log1p,
    torch.expm1: _expm1,
    torch.rad2deg: _times(180 / math.pi),
    torch.deg2rad: _times(math.pi / 180),
}
