"""Objects with `__slots__`: while compiling their attributes are kept in a dict, where arms can undo what they wrote.

>>> class Point:
...     __slots__ = ("x",)
>>> point = object.__new__(with_dict(Point))
>>> point.y = 1.0
>>> class_of(point) is Point
True
"""

from __future__ import annotations

import functools
from typing import Any

_MADE: dict[type, type] = {}


@functools.lru_cache(maxsize=1024)
def with_dict(cls: Any) -> Any:
    """The class itself, or a subclass whose objects keep what would be in slots in a dict."""
    if cls.__dictoffset__:
        return cls
    made = type(cls)(cls.__name__, (cls,), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})
    _MADE[made] = cls
    return made


def has_slots(kind: type) -> bool:
    """Whether a class is one that was made here."""
    return kind in _MADE


def class_of(value: object) -> type:
    """The class that Python would say an object has."""
    return _MADE.get(type(value), type(value))
