"""Rows for the two parts of a float: a mantissa in [0.5, 1) and a power of two, as `math.frexp` gives them."""

from __future__ import annotations

from deepalgo.kinds import Kind
from deepalgo.ops.row import Hazard, Row, elementwise

ROWS = (
    Row(
        "mantissa",
        elementwise(least=Kind.REAL, most=Kind.REAL),
        "ops.mantissa({0})",
        "math.frexp({0})[0]",
        "np.frexp({0})[0]",
        Hazard.SPREADS,
        common=Kind.REAL,
    ),
    Row(
        "exponent",
        elementwise(least=Kind.REAL, most=Kind.REAL, result=Kind.INT),
        "ops.exponent({0})",
        "math.frexp({0})[1]",
        "np.frexp({0})[1]",
        Hazard.NONE,
        common=Kind.REAL,
    ),
)
