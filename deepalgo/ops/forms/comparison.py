"""Comparisons of whole batches. NumPy's kernels read the numbers two to four times as fast as torch's.

>>> gt(torch.tensor([1.0, 3.0]), 2.0)
tensor([False,  True])
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.ops.forms.loops import FEW, KNOWN
from deepalgo.ops.forms.operands import Operand, may_look

Comparison = Callable[[Operand, Operand], Tensor]


def _comparison(compare: Callable[[Any, Any], Any], quick: np.ufunc) -> Comparison:
    def form(a: Operand, b: Operand) -> Tensor:
        if not may_look() or not _is_plain(a, b):
            found: Tensor = compare(a, b)
            return found
        return torch.from_numpy(quick(_array(a), _array(b)))

    return form


def _is_plain(a: Operand, b: Operand) -> bool:
    """Whether these are many numbers of one type, in memory that NumPy can read; a Python number takes the other's type."""
    x, y = (a, b) if isinstance(a, Tensor) else (b, a)
    if not isinstance(x, Tensor) or x.device.type != "cpu" or x.dtype not in KNOWN:
        return False
    if not isinstance(y, Tensor):
        return x.numel() >= FEW and type(y) is (int if x.dtype == torch.int64 else float)
    return max(x.numel(), y.numel()) >= FEW and x.dtype == y.dtype and y.device.type == "cpu"


def _array(x: Operand) -> Any:
    return x.detach().numpy() if isinstance(x, Tensor) else x


lt = _comparison(operator.lt, np.less)
le = _comparison(operator.le, np.less_equal)
gt = _comparison(operator.gt, np.greater)
ge = _comparison(operator.ge, np.greater_equal)
eq = _comparison(operator.eq, np.equal)
ne = _comparison(operator.ne, np.not_equal)
