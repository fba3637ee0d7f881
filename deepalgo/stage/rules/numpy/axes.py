"""Axes as NumPy counts them: negative ones from the end, and none that is not there."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import UserRaise


def axis_of(machine: Machine, axis: Any, rank: int) -> int:
    """One axis, counted from the front.

    >>> from deepalgo.stage.syntax.interpreter import SyntaxInterpreter
    >>> axis_of(SyntaxInterpreter(), -1, 3)
    2
    """
    try:
        place = operator.index(axis)
    except TypeError as error:
        raise UserRaise(error, None, machine.span) from None
    if not -rank <= place < rank:
        raise UserRaise(np.exceptions.AxisError(place, rank), None, machine.span)
    return place % rank


def axes_of(machine: Machine, axis: Any, rank: int) -> list[int]:
    """The axes that a reduction removes, last first.

    >>> from deepalgo.stage.syntax.interpreter import SyntaxInterpreter
    >>> axes_of(SyntaxInterpreter(), None, 3), axes_of(SyntaxInterpreter(), (0, -1), 3)
    ([2, 1, 0], [2, 0])
    """
    if axis is None:
        return list(reversed(range(rank)))
    chosen = axis if isinstance(axis, tuple) else (axis,)
    if rank == 0 and chosen in ((0,), (-1,)):  # NumPy takes a number for its own first axis
        return []
    found = [axis_of(machine, item, rank) for item in chosen]
    if len(set(found)) < len(found):
        raise UserRaise(ValueError, "duplicate value in 'axis'", machine.span)
    return sorted(found, reverse=True)
