"""The row that asks whether a result left the range of floats, as Python does before it raises OverflowError."""

from __future__ import annotations

from deepalgo.kinds import Kind
from deepalgo.ops.ranges import FINITE
from deepalgo.ops.row import Hazard, Row, elementwise
from deepalgo.ops.slope import FLAT

ROWS = (
    Row(
        "no_overflow", types=elementwise(least=Kind.REAL, result=Kind.BOOL), common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=3,
        slope=FLAT,
        python="(math.isfinite({0}) or not all(map(math.isfinite, ({*},)[1:])))",
        numpy="(np.isfinite({0}) | ~np.all(np.isfinite([{*}][1:]), axis=0))", torch="ops.no_overflow({*})",
        sorts=(FINITE, 0),
    ),
)
