"""Numbers added at places along an axis, in plain NumPy.

>>> add_at(np.zeros(3), np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 0)[0]
array([1., 0., 5.])
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def add_at(array: Array, index: Array, item: Array, axis: int) -> tuple[Array]:
    """The array with each item added at its place along an axis."""
    total = np.array(array, np.result_type(array, item))
    np.add.at(total, (slice(None),) * (axis % total.ndim) + (index,), item)  # type: ignore[arg-type]  # NumPy takes slices, too
    return (total,)
