"""A plain value of the same type as a value that depends on data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.state.array_conversion import representative_array
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.values import Generator, Signal


def iter_of_nothing() -> Iterator[Any]:
    """A generator, to ask for its type."""
    yield from ()


def representative(value: Any) -> Any:
    """A plain number of the same type."""
    if isinstance(value, Array):
        return representative_array(value)
    if isinstance(value, Generator):
        return iter_of_nothing()
    if isinstance(value, Spendable):
        return iter(())
    if not isinstance(value, Signal):
        return value
    plain = {Kind.BOOL: True, Kind.INT: 1, Kind.REAL: 1.0, Kind.COMPLEX: 1j}[value.kind]
    if value.shape:
        return np.full(value.shape, plain)
    return np.asarray(plain)[()] if value.flavour == "np" else plain
