"""Singular values and vectors, eigenvalues and eigenvectors: NumPy's own values, so that order and signs are its own, with derivatives.

What NumPy raises for is NaN. The formula for the derivatives of eigenvectors of length one is that of torch.

>>> eigh_w(torch.tensor([[2.0, 0.0], [1.0, 2.0]], dtype=torch.float64))
tensor([1., 3.], dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.ops.forms.operands import apply


def svd_u(a: Tensor, full: bool) -> Tensor:
    """The left singular vectors, as columns."""
    return _vectors(a, 0, full)


def svd_s(a: Tensor) -> Tensor:
    """The singular values, the largest first."""
    broken, whole = _guarded(a)
    found: Tensor = torch.linalg.svdvals(whole)
    return found.masked_fill(broken.squeeze(-1), torch.nan)


def svd_vh(a: Tensor, full: bool) -> Tensor:
    """The right singular vectors, as rows."""
    return _vectors(a, 2, full)


def eig_w(a: Tensor) -> Tensor:
    """The eigenvalues where all of them are real."""
    found: Tensor = apply(Eigen, a, False)
    return found[..., 0, :]


def eig_v(a: Tensor) -> Tensor:
    """The eigenvectors, as columns, where all eigenvalues are real."""
    found: Tensor = apply(Eigen, a, False)
    return found[..., 1:, :]


def eig_is_real(a: Tensor) -> Tensor:
    """Whether all eigenvalues are real."""
    return ~torch.isnan(eig_w(a.detach())).any(-1)


def eigh_w(a: Tensor) -> Tensor:
    """The eigenvalues of a symmetric matrix, of which only the lower triangle is read."""
    found: Tensor = apply(Eigen, _mirror(a), True)
    return found[..., 0, :]


def eigh_v(a: Tensor) -> Tensor:
    """The eigenvectors of a symmetric matrix, as columns."""
    found: Tensor = apply(Eigen, _mirror(a), True)
    return found[..., 1:, :]


def _mirror(a: Tensor) -> Tensor:
    return torch.tril(a) + torch.tril(a, -1).mT


def _guarded(a: Tensor) -> tuple[Tensor, Tensor]:
    """Which matrices are not finite, and all with zeros in their place."""
    broken = ~torch.isfinite(a).all(-1, keepdim=True).all(-2, keepdim=True)
    return broken, torch.where(broken, 0, a)


def _vectors(a: Tensor, part: int, full: bool) -> Tensor:
    """Singular vectors with the signs of NumPy, which differ by a factor of -1 that no derivative sees."""
    broken, whole = _guarded(a)
    given: Tensor = _of_numpy(whole.detach(), part, full)
    own = torch.linalg.svd(whole, full_matrices=False)[part]
    own = own if part == 0 else own.mT
    kept = (given if part == 0 else given.mT)[..., : own.shape[-1]]
    sign = torch.where((own.detach() * kept).sum(-2, keepdim=True) < 0, -1.0, 1.0)
    value = kept + (own - own.detach()) * sign
    rest = (given if part == 0 else given.mT)[..., own.shape[-1] :]
    if rest.shape[-1]:
        value = torch.cat((value, apply(NullSpace, rest, whole if part == 0 else whole.mT)), -1)
    result: Tensor = value if part == 0 else value.mT
    return result.masked_fill(broken, torch.nan)


class NullSpace(torch.autograd.Function):
    """Vectors that are orthogonal to all columns. One has a derivative; several are not determined: NaN, and where nobody asks for it 0."""

    generate_vmap_rule = True

    @staticmethod
    def forward(rest: Tensor, whole: Tensor) -> Tensor:
        return rest.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[None, Tensor]:
        rest, whole = ctx.saved_tensors
        asked = (g != 0).any(-1, keepdim=True).any(-2, keepdim=True)
        if rest.shape[-1] > 1:
            return None, torch.where(asked, torch.nan, torch.zeros_like(whole))
        u, s, vh = torch.linalg.svd(whole, full_matrices=False)
        slope = -(rest @ g.mT) @ (u / s[..., None, :]) @ vh
        return None, torch.where(asked, slope, 0)


class Eigen(torch.autograd.Function):
    """Eigenvalues in the first row, eigenvectors as columns below them."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: Tensor, symmetric: bool) -> Tensor:
        result: Tensor = _eigen(a, symmetric)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, bool], output: Tensor) -> None:
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        (found,) = ctx.saved_tensors
        w, v, by_w, by_v = found[..., 0, :], found[..., 1:, :], g[..., 0, :], g[..., 1:, :]
        by_v = by_v - v * (v * by_v).sum(-2, keepdim=True)  # they keep their length
        gaps = w[..., None, :] - w[..., :, None]
        turns = v.mT @ by_v
        inner = torch.where(turns == 0, 0, turns / torch.where(gaps == 0, torch.inf, gaps)) + torch.diag_embed(by_w)
        lost = torch.isnan(w).any(-1)[..., None, None]
        unit = torch.eye(v.shape[-1], dtype=v.dtype, device=v.device)
        slope = torch.linalg.solve_ex(torch.where(lost, unit, v).mT, inner @ v.mT).result
        return torch.where(lost, 0, slope), None


def _batched(function: Callable[..., np.ndarray], a: Tensor, shape: tuple[int, ...], *options: Any) -> Tensor:
    """A function of one matrix for a stack of them, in double precision."""
    matrices = a.detach().double().cpu().numpy().reshape(-1, *a.shape[-2:])
    found = np.stack([function(matrix, *options) for matrix in matrices]) if len(matrices) else np.empty((0, *shape))
    return torch.as_tensor(found, dtype=a.dtype, device=a.device).reshape(*a.shape[:-2], *shape)


def _one_part(matrix: np.ndarray, part: int, full: bool) -> np.ndarray:
    found: np.ndarray = np.linalg.svd(matrix, full_matrices=full)[part]
    return found


def _one_system(matrix: np.ndarray, symmetric: bool) -> np.ndarray:
    """Values and vectors; NaN where they are complex, or where there are none."""
    try:
        w, v = (np.linalg.eigh if symmetric else np.linalg.eig)(matrix)
    except np.linalg.LinAlgError:
        return np.full((len(matrix) + 1, len(matrix)), np.nan)
    return np.concatenate((w[None], v)) if w.dtype.kind == "f" else np.full((len(matrix) + 1, len(matrix)), np.nan)


def _shape(a: Tensor, part: int, full: bool) -> tuple[int, int]:
    rows, columns = a.shape[-2:]
    least = min(rows, columns)
    return (rows, rows if full else least) if part == 0 else (columns if full else least, columns)


@torch.library.custom_op("deepalgo::svd_of_numpy", mutates_args=(), schema="(Tensor a, int part, bool full) -> Tensor")
def _of_numpy(a: Tensor, part: int, full: bool) -> Tensor:
    return _batched(_one_part, a, _shape(a, part, full), part, full)


@_of_numpy.register_fake
def _(a: Tensor, part: int, full: bool) -> Tensor:
    return a.new_empty((*a.shape[:-2], *_shape(a, part, full)))


@_of_numpy.register_vmap
def _(info: Any, in_dims: Any, a: Tensor, part: int, full: bool) -> tuple[Tensor, int]:
    result: Tensor = _of_numpy(a.movedim(in_dims[0], 0), part, full)
    return result, 0


@torch.library.custom_op("deepalgo::eigen_of_numpy", mutates_args=(), schema="(Tensor a, bool symmetric) -> Tensor")
def _eigen(a: Tensor, symmetric: bool) -> Tensor:
    size = a.shape[-1]
    return _batched(_one_system, a, (size + 1, size), symmetric)


@_eigen.register_fake
def _(a: Tensor, symmetric: bool) -> Tensor:
    return a.new_empty((*a.shape[:-2], a.shape[-1] + 1, a.shape[-1]))


@_eigen.register_vmap
def _(info: Any, in_dims: Any, a: Tensor, symmetric: bool) -> tuple[Tensor, int]:
    result: Tensor = _eigen(a.movedim(in_dims[0], 0), symmetric)
    return result, 0
