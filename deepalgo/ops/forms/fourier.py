"""Discrete Fourier transforms along one axis. `batch` counts the leading axes that number samples (0 or 1).

>>> fft(torch.tensor([3.0, 1.0]), 0, 0).real
tensor([4., 2.])
"""

from __future__ import annotations

import torch
from torch import Tensor

from deepalgo.ops.forms.reductions import lay


def fft(array: Tensor, axis: int, batch: int) -> Tensor:
    """`np.fft.fft(array, axis=axis)`."""
    array, axis = lay(array, axis, batch)
    result: Tensor = torch.fft.fft(array, dim=axis).resolve_conj()
    return result


def ifft(array: Tensor, axis: int, batch: int) -> Tensor:
    """`np.fft.ifft(array, axis=axis)`."""
    array, axis = lay(array, axis, batch)
    result: Tensor = torch.fft.ifft(array, dim=axis).resolve_conj()
    return result
