"""Rows of discrete Fourier transforms along one axis.

>>> print(ROWS[0].types((Type(Kind.REAL, (4,)),), {"axis": 0}))
complex[4]
"""

from __future__ import annotations

import numpy as np

from deepalgo.kinds import Kind, Type
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import Adjoint

__all__ = ["ROWS", "Kind", "Type"]


ROWS = (
    Row(
        "fft", types=by_numpy(lambda array, axis: np.fft.fft(array, axis=axis), "axis", least=Kind.REAL), common=Kind.REAL,
        broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=9,
        slope=Adjoint("size(x, axis) * ifft(g, axis=axis)"),
        python="np.fft.fft({0}, axis={axis})", numpy="np.fft.fft({0}, axis={axis})", torch="ops.fft({0}, {axis}, {batch0})",
    ),
    Row(
        "ifft", types=by_numpy(lambda array, axis: np.fft.ifft(array, axis=axis), "axis", least=Kind.REAL), common=Kind.REAL,
        broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=9,
        slope=Adjoint("fft(g, axis=axis) / size(x, axis)"),
        python="np.fft.ifft({0}, axis={axis})", numpy="np.fft.ifft({0}, axis={axis})", torch="ops.ifft({0}, {axis}, {batch0})",
    ),
)
