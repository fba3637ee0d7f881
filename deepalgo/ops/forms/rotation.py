"""Rotation of an image about its middle as a sum of four gathers, the same in NumPy and in torch.

>>> places, shares = stencil(90.0, 3, 3)
>>> image = np.arange(9.0)
>>> np.round(sum(image[place] * share for place, share in zip(places, shares))).reshape(3, 3)
array([[6., 3., 0.],
       [7., 4., 1.],
       [8., 5., 2.]])
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@functools.cache
def stencil(angle: float, height: int, width: int) -> tuple[Array, Array]:
    """For each pixel of the rotated image four places of the old one, and their shares; what lies outside has the share 0.

    Pixel u of `Y` rotated by an angle (degrees) is `Y` at `R u`, with the middle as origin, interpolated between neighbours.
    """
    turn = np.deg2rad(angle)
    rows, columns = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    at_rows = np.cos(turn) * rows - np.sin(turn) * columns + (height - 1) / 2
    at_columns = np.sin(turn) * rows + np.cos(turn) * columns + (width - 1) / 2
    places, shares = [], []
    for down in (0, 1):
        for right in (0, 1):
            i, j = np.floor(at_rows) + down, np.floor(at_columns) + right
            share = (1 - abs(at_rows - i)) * (1 - abs(at_columns - j))
            inside = (i >= 0) & (i < height) & (j >= 0) & (j < width)
            places.append(np.where(inside, i * width + j, 0).astype(np.int64).ravel())
            shares.append(np.where(inside, share, 0.0).ravel())
    return np.stack(places), np.stack(shares)
