"""Whether a number is Python's or NumPy's, and of which kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.state.builder import kind_of
from deepalgo.stage.state.values import Signal


def flavour_of(value: Any) -> str:
    """Whether a number is Python's or NumPy's."""
    return value.flavour if isinstance(value, Signal) else "np" if isinstance(value, np.generic) else "py"


def flavour_of_result(*operands: Any) -> str:
    """NumPy's where one operand is, Python's where all are, and else one that data decides."""
    flavours = {flavour_of(item) for item in operands}
    return "np" if "np" in flavours else "either" if "either" in flavours else "py"


def flavour_of_choice(*values: Any) -> str:
    """The flavour of one of several numbers."""
    flavours = {flavour_of(item) for item in values}
    return flavours.pop() if len(flavours) == 1 else "either"


def number_kind(value: Any) -> Kind:
    """The kind of a number."""
    return value.kind if isinstance(value, Signal) else kind_of(value)


def may_be_whole(value: Any) -> bool:
    """Whether a number is an int, on some path at least."""
    return number_kind(value) <= Kind.INT or (isinstance(value, Signal) and value.mixed)
