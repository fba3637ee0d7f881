"""The small functions by name.

>>> catalogue()["math_sqrt"](4.0)
2.0
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

from tests.small import functions


@functools.cache
def catalogue() -> dict[str, Callable[..., Any]]:
    """Every function of the list, family by family."""
    found: dict[str, Callable[..., Any]] = {}
    for family in pkgutil.iter_modules(functions.__path__):
        module = importlib.import_module(f"{functions.__name__}.{family.name}")
        own = [item for item in vars(module).values() if inspect.isfunction(item) and item.__module__ == module.__name__]
        found |= {item.__name__: item for item in own}
    return found
