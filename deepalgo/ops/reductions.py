"""Rows that make one number of many, and running totals.

>>> next(row.numpy for row in ROWS if row.name == "amax")
'np.amax({0}, axis={axis})'
"""

from __future__ import annotations

import numpy as np

from deepalgo.kinds import Kind
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.ranges import ABOVE, BELOW, Range
from deepalgo.ops.row import Hazard, Row
from deepalgo.ops.slope import FLAT, Adjoint

ROWS = (
    Row(
        "prod", types=by_numpy(np.prod, "axis"), broadcasts=False, repeats="mul",
        hazard=Hazard.SPREADS, exact=False, cost=5,
        slope=Adjoint("along(g, x, axis) * others(x, axis)"),
        python="math.prod({0})", numpy="np.prod({0}, axis={axis})", torch="ops.prod({0}, {axis}, {batch0})",
        careful="careful.prod({0}, {axis}, {batch0})",
        drawn="reduction Π",
    ),
    Row(
        "amin", types=by_numpy(np.amin, "axis", most=Kind.REAL), broadcasts=False, extreme=BELOW,
        hazard=Hazard.NONE, exact=True, cost=25,
        slope=Adjoint("select(counted(x, axis) == along(argmin(x, axis=axis), x, axis), along(g, x, axis), 0.0)"),
        python="min({0})", numpy="np.amin({0}, axis={axis})", torch="ops.amin({0}, {axis}, {batch0})",
        drawn="name min",
    ),
    Row(
        "amax", types=by_numpy(np.amax, "axis", most=Kind.REAL), broadcasts=False, extreme=ABOVE,
        hazard=Hazard.NONE, exact=True, cost=25,
        slope=Adjoint("select(counted(x, axis) == along(argmax(x, axis=axis), x, axis), along(g, x, axis), 0.0)"),
        python="max({0})", numpy="np.amax({0}, axis={axis})", torch="ops.amax({0}, {axis}, {batch0})",
        drawn="name max",
    ),
    Row(
        "any", types=by_numpy(np.any, "axis"), broadcasts=False, repeats="or",
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=12,
        slope=FLAT,
        python="any({0})", numpy="np.any({0}, axis={axis})", torch="ops.any({0}, {axis}, {batch0})",
    ),
    Row(
        "all", types=by_numpy(np.all, "axis"), broadcasts=False, repeats="and",
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=15,
        slope=FLAT,
        python="all({0})", numpy="np.all({0}, axis={axis})", torch="ops.all({0}, {axis}, {batch0})",
    ),
    Row(
        "argmin", types=by_numpy(np.argmin, "axis", most=Kind.REAL), broadcasts=False, extreme=BELOW,
        hazard=Hazard.NONE, exact=True, cost=15, range=Range(0.0, nan=False),
        slope=FLAT,
        python="np.argmin({0}, axis={axis})", numpy="np.argmin({0}, axis={axis})", torch="ops.argmin({0}, {axis}, {batch0})",
        drawn="name arg min",
    ),
    Row(
        "argmax", types=by_numpy(np.argmax, "axis", most=Kind.REAL), broadcasts=False, extreme=ABOVE,
        hazard=Hazard.NONE, exact=True, cost=15, range=Range(0.0, nan=False),
        slope=FLAT,
        python="np.argmax({0}, axis={axis})", numpy="np.argmax({0}, axis={axis})", torch="ops.argmax({0}, {axis}, {batch0})",
        drawn="name arg max",
    ),
    Row(
        "cumsum", types=by_numpy(np.cumsum, "axis"), broadcasts=False,
        hazard=Hazard.NONE, exact=False, cost=6,
        slope=Adjoint("reshape(take(cumsum(take(g, key=backwards(g, axis)), axis=axis), key=backwards(g, axis)), shape=shape(x))"),
        python="np.cumsum({0}, axis={axis})", numpy="np.cumsum({0}, axis={axis})", torch="ops.cumsum({0}, {axis}, {batch0})",
    ),
    Row(
        "cumprod", types=by_numpy(np.cumprod, "axis"), broadcasts=False,
        hazard=Hazard.SPREADS, exact=False, cost=2,
        slope=Adjoint("before(x, axis) * running(g, x, axis)"),
        python="np.cumprod({0}, axis={axis})", numpy="np.cumprod({0}, axis={axis})", torch="ops.cumprod({0}, {axis}, {batch0})",
        careful="careful.cumprod({0}, {axis}, {batch0})",
    ),
)
