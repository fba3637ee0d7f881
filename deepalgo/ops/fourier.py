"""Rows of discrete Fourier transforms along one axis.

>>> print(ROWS[0].infer((Type(Kind.REAL, (4,)),), {"axis": 0}))
complex[4]
"""

from __future__ import annotations

import numpy as np

from deepalgo.kinds import Kind, Type
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.row import Hazard, Row

__all__ = ["ROWS", "Kind", "Type"]


def _transform(name: str) -> Row:
    text = f"np.fft.{name}({{0}}, axis={{axis}})"
    infer = by_numpy(lambda array, axis: getattr(np.fft, name)(array, axis=axis), "axis", least=Kind.REAL)
    return Row(name, infer, f"ops.{name}({{0}}, {{axis}}, {{batch0}})", text, text, Hazard.NONE, common=Kind.REAL, broadcasts=False)


ROWS = (_transform("fft"), _transform("ifft"))
