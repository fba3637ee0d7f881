"""Marks that a user may put into a heuristic. In plain Python they do nothing.

>>> 2 * weight(0.5, "alpha")
1.0
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def weight(value: T, name: str | None = None) -> T:
    """Mark a number (or a table of numbers) as a weight, with a name of its own."""
    return value
