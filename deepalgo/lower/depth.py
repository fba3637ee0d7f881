"""Raise Python's recursion limit while programs are compiled: a chain of early returns nests one `else` inside the other."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Calls inside of one another that passes over deeply nested programs may make.
CALLS = 20_000


@contextmanager
def deep_calls() -> Iterator[None]:
    """Allow more calls inside of one another than Python does, for a while."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@contextmanager
def compiling() -> Iterator[None]:
    """Deep calls, and no search for cycles: programs are many small objects without any, and the search takes up to a third of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        with deep_calls():
            yield
    finally:
        if collects:
            gc.enable()
