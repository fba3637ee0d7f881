"""An operation that the package does not know, as a contributor would add it: in one row.

`softsign` is what a user would call; the row says that calls of it are this operation.
"""

from __future__ import annotations

from deepalgo.kinds import Kind
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Row, elementwise
from deepalgo.ops.slope import Slope


def softsign(x: float) -> float:
    """A step from -1 to 1 without an exponential."""
    return x / (1.0 + abs(x))


SOFTSIGN = Row(
    "softsign", types=elementwise(least=Kind.REAL, most=Kind.REAL), common=Kind.REAL,
    means=("tests.support.new_operation.softsign",),
    hazard=Hazard.SPREADS, exact=True, cost=4, range=Range(-1.0, 1.0),
    slope=Slope("1 / ((1 + abs(x)) * (1 + abs(x)))"),
    python="({0} / (1.0 + abs({0})))", numpy="({0} / (1.0 + np.abs({0})))", torch="torch.nn.functional.softsign({0})",
    drawn="name softsign",
)
