"""Rows of linear algebra."""

from __future__ import annotations

import numpy as np

from deepalgo.ir import Kind
from deepalgo.ops.by_numpy import by_numpy
from deepalgo.ops.row import Row

ROWS = (
    Row("matmul", by_numpy(np.matmul), "ops.matmul({0}, {1}, {batch0}, {batch1})", "np.matmul({0}, {1})", "np.matmul({0}, {1})",
        common=Kind.BOOL, broadcasts=False),
)
