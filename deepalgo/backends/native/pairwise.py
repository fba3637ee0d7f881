"""The sum of numbers in NumPy's order: eight sums side by side up to 128 numbers, halves of more.

>>> pairwise(lambda one, other: f"({one}+{other})", list("abcdefghi"))
'((((a+b)+(c+d))+((e+f)+(g+h)))+i)'
>>> pairwise(lambda one, other: f"({one}+{other})", list("abc"))
'((a+b)+c)'
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
#: NumPy's `PW_BLOCKSIZE`, and how many sums it holds at a time.
BLOCK, LANES = 128, 8


def pairwise(add: Callable[[T, T], T], items: Sequence[T]) -> T:
    """The sum of at least one number."""
    if len(items) < LANES:
        return functools.reduce(add, items)
    if len(items) > BLOCK:
        half = len(items) // 2
        half -= half % LANES
        return add(pairwise(add, items[:half]), pairwise(add, items[half:]))
    whole = len(items) - len(items) % LANES
    sums = [functools.reduce(add, items[lane:whole:LANES]) for lane in range(LANES)]
    while len(sums) > 1:
        sums = [add(*sums[place : place + 2]) for place in range(0, len(sums), 2)]
    return functools.reduce(add, items[whole:], sums[0])
