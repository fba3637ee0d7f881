"""`Tables`: the constant arrays of a program, made once for each precision and device.

>>> tables = Tables((((1, 2.5), Kind.REAL),))
>>> tables.get(0, torch.float32, torch.device("cpu"))
tensor([1.0000, 2.5000])
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from deepalgo.ir import Attr, Kind
from deepalgo.ops.forms.operands import COMPLEX


class Tables:
    """Nested tuples and the kind of number in each."""

    def __init__(self, tables: Sequence[tuple[Attr, Kind]] = ()) -> None:
        self.tables = tables
        self.made: dict[tuple[int, torch.dtype, torch.device], Tensor] = {}

    def get(self, number: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        """One table as a tensor, in the precision of the network."""
        if torch.compiler.is_compiling():
            return self.make(number, dtype, device)
        key = (number, dtype, device)
        if key not in self.made:
            # A tensor made in inference mode could never be used for training.
            with torch.inference_mode(False):
                self.made[key] = self.make(number, dtype, device)
        return self.made[key]

    def make(self, number: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        """A fresh tensor of a table."""
        value, kind = self.tables[number]
        kinds = {Kind.BOOL: torch.bool, Kind.INT: torch.int64, Kind.REAL: dtype, Kind.COMPLEX: COMPLEX[dtype]}
        return torch.tensor(value, dtype=kinds[kind], device=device)
