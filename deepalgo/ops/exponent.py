"""Rows for the two parts of a float: a mantissa in [0.5, 1) and a power of two, as `math.frexp` gives them."""

from __future__ import annotations

from deepalgo.kinds import Kind
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Row, elementwise
from deepalgo.ops.slope import FLAT, Slope

ROWS = (
    Row(
        "mantissa", types=elementwise(least=Kind.REAL, most=Kind.REAL), common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=True, cost=26,
        slope=Slope("exp2(-to_real(exponent(x)))"),
        python="math.frexp({0})[0]", numpy="np.frexp({0})[0]", torch="ops.mantissa({0})",
    ),
    Row(
        "exponent", types=elementwise(least=Kind.REAL, most=Kind.REAL, result=Kind.INT), common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, cost=2.8, range=Range(-1073, 1024, nan=False),
        slope=FLAT,
        python="math.frexp({0})[1]", numpy="np.frexp({0})[1]", torch="ops.exponent({0})",
    ),
)
