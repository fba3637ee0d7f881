"""Memory that calls of native code need while they run, kept for the next call; two calls at once have memory of their own."""

from __future__ import annotations

import numpy as np

from deepalgo.backends.native.columns import Array

#: Bytes beyond which memory goes back to the system after a call, and pieces that are kept.
LARGEST, MOST = 1 << 24, 8
_free: list[Array] = []
NONE = np.empty(0, np.uint8)


def borrow(size: int) -> Array:
    """So many bytes, with anything in them."""
    if not size:
        return NONE
    try:
        found = _free.pop()
    except IndexError:
        return np.empty(size, np.uint8)
    return found[:size] if len(found) >= size else np.empty(size, np.uint8)


def give_back(memory: Array) -> None:
    """For the next call."""
    if memory.base is not None:
        memory = memory.base
    if 0 < len(memory) <= LARGEST and len(_free) < MOST:
        _free.append(memory)
