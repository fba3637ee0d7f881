"""Complex numbers made of two parts, and their quotients, as Python computes them also where a part is infinite or a negative zero.

>>> complex_of(torch.tensor([torch.inf]), torch.tensor([-0.0]))
tensor([inf-0.j])
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from deepalgo.ops.forms.operands import Operand, apply, spread


def complex_of(real: Operand, imag: Operand) -> Tensor:
    """`complex(real, imag)`."""
    return torch.complex(*(part.contiguous() for part in spread(real, imag)))


def complex_add(a: Operand, b: Operand) -> Tensor:
    """`a + b` part by part; torch multiplies by a complex one on the way, which makes NaN of infinities."""
    a, b = spread(a, b)
    return torch.view_as_complex(torch.view_as_real(_resolved(a)) + torch.view_as_real(_resolved(b)))


def complex_sub(a: Operand, b: Operand) -> Tensor:
    """`a - b` part by part."""
    a, b = spread(a, b)
    return torch.view_as_complex(torch.view_as_real(_resolved(a)) - torch.view_as_real(_resolved(b)))


def complex_neg(a: Tensor) -> Tensor:
    """`-a`; torch subtracts from 0, which loses negative zeros."""
    return torch.view_as_complex(-torch.view_as_real(_resolved(a)))


def _resolved(a: Tensor) -> Tensor:
    """The numbers themselves where torch has only noted that they are conjugate."""
    return a.resolve_conj()


def complex_div(a: Operand, b: Operand) -> Tensor:
    """`a / b` by Smith's method, which Python and NumPy use; by 0 both parts are divided by 0, as in NumPy."""
    result: Tensor = apply(ComplexDivision, *spread(a, b))
    return result


class ComplexDivision(torch.autograd.Function):
    """Derivatives 1 / b and -a / b**2. Operands have one shape."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        ar, ai, br, bi = torch.real(a), torch.imag(a), torch.real(b), torch.imag(b)
        wide = torch.abs(br) >= torch.abs(bi)
        ratio = torch.where(wide, bi / br, br / bi)
        share = torch.where(wide, br + bi * ratio, br * ratio + bi)
        real = torch.where(wide, ar + ai * ratio, ar * ratio + ai) / share
        imag = torch.where(wide, ai - ar * ratio, ai * ratio - ar) / share
        zero = (br == 0) & (bi == 0)
        return torch.complex(torch.where(zero, ar / torch.abs(br), real), torch.where(zero, ai / torch.abs(br), imag))

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[1], output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        b, quotient = ctx.saved_tensors
        by_a = g / b.conj()
        return by_a, -by_a * quotient.conj()
