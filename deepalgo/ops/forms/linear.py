"""Linear algebra, sample by sample and total.

>>> matmul(torch.eye(2), torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 0, 1)
tensor([[1., 2.],
        [3., 4.]])
"""

from __future__ import annotations

import torch
from torch import Tensor


def matmul(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> Tensor:
    """`a @ b` of each sample: vectors, matrices and stacks of matrices."""
    row, column = a.dim() - a_batch == 1, b.dim() - b_batch == 1
    a, b = line_up(a.unsqueeze(-2) if row else a, b.unsqueeze(-1) if column else b, a_batch, b_batch)
    product = (a.long() @ b.long()) != 0 if a.dtype == torch.bool else a @ b
    product = product.squeeze(-1) if column else product
    return product.squeeze(-1 if column else -2) if row else product


def line_up(a: Tensor, b: Tensor, a_batch: int, b_batch: int) -> tuple[Tensor, Tensor]:
    """Both with their sample axis in the same place, so that torch broadcasts the axes after it as NumPy would."""
    rank = max(a.dim() - a_batch, b.dim() - b_batch)
    return _lift(a, a_batch, rank), _lift(b, b_batch, rank)


def _lift(array: Tensor, batch: int, rank: int) -> Tensor:
    return array.reshape((*array.shape[:batch], *[1] * (rank - array.dim() + batch), *array.shape[batch:])) if batch else array
