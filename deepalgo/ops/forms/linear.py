"""Linear algebra, sample by sample and total: what NumPy raises for is NaN, and sends no gradient.

>>> matmul(torch.eye(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 0, 1)
tensor([[1., 2.],
        [3., 4.]])
>>> solve(torch.tensor([[[2.0]], [[0.0]]]), torch.ones(1), 1, 0)
tensor([[0.5000],
        [   nan]])
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from deepalgo.ops.forms.endpoints import sqrt
from deepalgo.ops.forms.operands import apply
from deepalgo.ops.forms.reductions import lay


def matmul(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> Tensor:
    """`a @ b` of each sample: vectors, matrices and stacks of matrices."""
    row, column = a.dim() - a_batch == 1, b.dim() - b_batch == 1
    a, b = line_up(a.unsqueeze(-2) if row else a, b.unsqueeze(-1) if column else b, a_batch, b_batch)
    product = (a.long() @ b.long()) != 0 if a.dtype == torch.bool else a @ b
    product = product.squeeze(-1) if column else product
    return product.squeeze(-1 if column else -2) if row else product


def solve(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> Tensor:
    """`np.linalg.solve(a, b)` of each sample; b is one vector, or a matrix of columns."""
    column = b.dim() - b_batch == 1
    a, b = line_up(a, b.unsqueeze(-1) if column else b, a_batch, b_batch)
    x = _solve(a, b)
    return x.squeeze(-1) if column else x


def inv(a: Tensor) -> Tensor:
    """The inverse, as NumPy finds it: the solution for the columns of the unit matrix."""
    return _solve(a, torch.eye(a.shape[-1], dtype=a.dtype, device=a.device))


def is_singular(a: Tensor) -> Tensor:
    """Whether elimination meets a pivot of exactly 0."""
    found: Tensor = torch.linalg.lu_factor_ex(a.detach()).info
    return found != 0


def is_positive(a: Tensor) -> Tensor:
    """Whether a symmetric matrix has a Cholesky factor."""
    found: Tensor = torch.linalg.cholesky_ex(a.detach()).info
    return found == 0


def det(a: Tensor) -> Tensor:
    """The determinant, from the logarithms of the pivots as NumPy has it."""
    result: Tensor = apply(Det, a)
    return result


def det_sign(a: Tensor) -> Tensor:
    """The sign of the determinant, also of one that no float can hold."""
    sign: Tensor = torch.linalg.slogdet(a.detach()).sign
    return sign


def det_log(a: Tensor) -> Tensor:
    """The logarithm of the size of the determinant; singular matrices have no slope."""
    result: Tensor = apply(DetLog, a)
    return result


def pinv(a: Tensor) -> Tensor:
    """The pseudo-inverse; NaN for matrices that are not finite."""
    broken = ~torch.isfinite(a).all(-1, keepdim=True).all(-2, keepdim=True)
    inverse: Tensor = torch.linalg.pinv(torch.where(broken, 0, a), rtol=1e-15)
    return inverse.masked_fill(broken, torch.nan)


def eigvalsh(a: Tensor) -> Tensor:
    """The eigenvalues of a symmetric matrix, of which only the lower triangle is read; NaN for matrices that are not finite."""
    broken = ~torch.isfinite(a).all(-1, keepdim=True).all(-2, keepdim=True)
    found: Tensor = torch.linalg.eigvalsh(_mirror(torch.where(broken, 0, a)))
    return found.masked_fill(broken.squeeze(-1), torch.nan)


def cholesky(a: Tensor) -> Tensor:
    """The lower factor of a positive symmetric matrix, of which only the lower triangle is read; NaN for others."""
    broken = ~is_positive(a)[..., None, None]
    unit = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    factor: Tensor = torch.linalg.cholesky_ex(_mirror(torch.where(broken, unit, a))).L
    return factor.masked_fill(broken, torch.nan)


def cross(a: Tensor, b: Tensor) -> Tensor:
    """The vector product of vectors of three."""
    (x, y, z), (u, v, w) = a.unbind(-1), b.unbind(-1)
    return torch.stack(torch.broadcast_tensors(y * w - z * v, z * u - x * w, x * v - y * u), -1)  # type: ignore[no-untyped-call]  # torch


def norm2(array: Tensor, axis: int | None, batch: int) -> Tensor:
    """The Euclidean length; its gradient at 0 is 0."""
    array, axis = lay(array, axis, batch)
    square = (array.conj() * array).real if array.is_complex() else array * array
    return sqrt(square.sum(axis))


class Det(torch.autograd.Function):
    """The derivative is the matrix of cofactors, which singular matrices have too."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor) -> Tensor:
        sign, log = torch.linalg.slogdet(a)
        value: Tensor = sign * torch.exp(log)
        return value

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (a,) = ctx.saved_tensors
        return g[..., None, None] * _cofactors(a).conj()


class DetLog(torch.autograd.Function):
    """The derivative is the transposed inverse."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor) -> Tensor:
        log: Tensor = torch.linalg.slogdet(a).logabsdet
        return log

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (a,) = ctx.saved_tensors
        singular = is_singular(a)[..., None, None]
        inverse = inv(a).mH.masked_fill(singular, 0)
        return torch.where(singular, 0, g[..., None, None] * inverse)


def _cofactors(a: Tensor) -> Tensor:
    """Determinants of what is left without one row and one column, with alternating signs."""
    size = a.shape[-1]
    if size == 1:
        return torch.ones_like(a)
    if size == 2:
        return a.flip(-1, -2) * torch.tensor([[1, -1], [-1, 1]], dtype=a.dtype, device=a.device)
    if size == 3:
        x, y, z = a.unbind(-2)
        return torch.stack((cross(y, z), cross(z, x), cross(x, y)), -2)
    finite = torch.isfinite(a).all(-1, keepdim=True).all(-2, keepdim=True)
    u, s, v = torch.linalg.svd(torch.where(finite, a, 0))
    ones = torch.ones_like(s[..., :1])
    before, after = torch.cat((ones, s[..., :-1]), -1).cumprod(-1), torch.cat((ones, s.flip(-1)[..., :-1]), -1).cumprod(-1).flip(-1)
    sign = (torch.linalg.det(u) * torch.linalg.det(v))[..., None, None]
    found: Tensor = sign * (u * (before * after)[..., None, :]) @ v
    return torch.where(finite, found, torch.nan)


def _solve(a: Tensor, b: Tensor) -> Tensor:
    """The solution for a matrix of columns; a unit matrix stands in for singular ones, so that no gradient of theirs is NaN."""
    singular = is_singular(a)[..., None, None]
    unit = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    # torch takes b for a stack of vectors if it has an axis less than a.
    stack = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # type: ignore[no-untyped-call]  # torch
    b = b.expand(*stack, *b.shape[-2:])
    x: Tensor = torch.linalg.solve_ex(torch.where(singular, unit, a), b).result
    return x.masked_fill(singular, torch.nan)


def _mirror(a: Tensor) -> Tensor:
    """The symmetric matrix with the lower triangle of a."""
    return torch.tril(a) + torch.tril(a, -1).mH


def line_up(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> tuple[Tensor, Tensor]:
    """Both with their sample axis in the same place, so that torch broadcasts the axes after it as NumPy would."""
    rank = max(a.dim() - a_batch, b.dim() - b_batch)
    return _lift(a, a_batch, rank), _lift(b, b_batch, rank)


def _lift(array: Tensor, batch: int, rank: int) -> Tensor:
    return array.reshape((*array.shape[:batch], *[1] * (rank - array.dim() + batch), *array.shape[batch:])) if batch else array
