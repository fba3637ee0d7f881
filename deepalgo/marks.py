"""Marks that a user may put into a heuristic. In plain Python they do nothing.

>>> 2 * weight(0.5, "alpha")
1.0
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def weight(value: T, name: str | None = None, *, bounds: tuple[float | None, float | None] | None = None) -> T:
    """Mark a number (or a table of numbers) as a weight, with a name of its own.

    Where a function has such marks, `fit` trains what they mark and the float defaults, and leaves other constants alone. Training keeps
    the number within `bounds`; None stands for an open side.
    """
    return value
