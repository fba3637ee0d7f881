"""Rows that make one number of many, and running totals.

>>> next(row.numpy for row in ROWS if row.name == "amax")
'np.amax({0}, axis={axis})'
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deepalgo.kinds import Kind
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.row import Hazard, Row

NUMPY: dict[str, Any] = {"prod": np.prod, "amin": np.amin, "amax": np.amax, "any": np.any, "all": np.all, "argmin": np.argmin,
                          "argmax": np.argmax, "cumsum": np.cumsum, "cumprod": np.cumprod}


def _reduction(name: str, python: str = "", *, hazard: Hazard, most: Kind = Kind.COMPLEX) -> Row:
    numpy = f"np.{name}({{0}}, axis={{axis}})"
    return Row(name, by_numpy(NUMPY[name], "axis", most=most), f"ops.{name}({{0}}, {{axis}}, {{batch0}})", python or numpy, numpy,
               hazard, broadcasts=False, careful=f"careful.{name}({{0}}, {{axis}}, {{batch0}})" if hazard is Hazard.SPREADS else "")


ROWS = (
    _reduction("prod", "math.prod({0})", hazard=Hazard.SPREADS),
    _reduction("amin", "min({0})", hazard=Hazard.NONE, most=Kind.REAL),
    _reduction("amax", "max({0})", hazard=Hazard.NONE, most=Kind.REAL),
    _reduction("any", "any({0})", hazard=Hazard.NONE),
    _reduction("all", "all({0})", hazard=Hazard.NONE),
    _reduction("argmin", hazard=Hazard.NONE, most=Kind.REAL),
    _reduction("argmax", hazard=Hazard.NONE, most=Kind.REAL),
    _reduction("cumsum", hazard=Hazard.NONE),
    _reduction("cumprod", hazard=Hazard.SPREADS),
)
