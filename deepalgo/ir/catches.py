"""Which errors an `except` takes: by the classes that it names, and those above the error."""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from deepalgo.errors import LIMITS


def catches(names: Iterable[str], error: str, bases: Iterable[str] = ()) -> bool:
    """Whether an `except` with these classes takes an error, whose `bases` are the classes above it where it is no class of Python's own.

    >>> catches(["ArithmeticError"], "ZeroDivisionError"), catches(["Exception"], "Unstable"), catches(["Exception"], "LoopBound")
    (True, True, False)
    >>> catches(["ValueError"], "Unstable", ("ValueError", "Exception"))
    True
    """
    if error in LIMITS:  # no exception of the user's program: only what a transformation attempts is saved from it
        return "LoopBound" in names
    above = (error, *bases)
    return any(_takes(name, each) for name in names for each in above)


def _takes(name: str, error: str) -> bool:
    wide, narrow = getattr(builtins, name, None), getattr(builtins, error, None)
    if isinstance(wide, type) and isinstance(narrow, type):
        return issubclass(narrow, wide)
    return name == error or name in ("Exception", "BaseException")
