"""Who declares and who reads the numbers that become weights, as staging meets them."""

from __future__ import annotations

import types
from dataclasses import dataclass, field, replace
from typing import Any

from deepalgo.files import package_of
from deepalgo.ir.standing import Declared, Standing
from deepalgo.spans import Span

LIBRARY = "it belongs to an installed package"


@dataclass(slots=True)
class Standings:
    """What is known by the places of weights, and what `da.weight` said by their names. `main` is the function that is compiled."""

    main: types.CodeType | None = None
    readers: dict[Any, dict[str, None]] = field(default_factory=dict)
    reasons: dict[Any, str] = field(default_factory=dict)
    declared: dict[Any, Declared] = field(default_factory=dict)
    marked: dict[str, tuple[float, float]] = field(default_factory=dict)

    def read(self, place: Any, function: Any) -> None:
        """A function reads the number at a place."""
        name = getattr(function, "__qualname__", None)
        if isinstance(name, str):
            self.readers.setdefault(place, {})[name.rpartition("<locals>.")[2]] = None

    def declare(self, place: Any, function: Any) -> None:
        """The number at a place is the default of a function's parameter."""
        own = getattr(function, "__code__", None) is self.main
        self.declared[place] = Declared.FUNCTION if own else Declared.HELPER
        self.read(place, function)

    def of(self, key: str, place: Any, span: Span | None) -> Standing:
        """What is known of the weight at a place."""
        root = _root(place)
        standing = Standing(self.declared.get(root, Declared.NOBODY), tuple(self.readers.get(root, ())), self.reasons.get(root, ""))
        if span is not None and (package := package_of(span.file)) and package != package_of(self.main.co_filename if self.main else ""):
            standing = replace(standing, still=LIBRARY, declared=Declared.NOBODY)
        if key in self.marked:
            low, high = self.marked[key]
            standing = replace(standing, declared=Declared.FUNCTION, still="", low=low, high=high)
        return standing


def _root(place: Any) -> Any:
    """The place of the container that holds a number, or of the number itself."""
    while place[0] == "another" or isinstance(place[0], tuple):
        place = place[2] if place[0] == "another" else place[0]
    return place


def code_of(function: Any) -> types.CodeType | None:
    """The code that a call of something runs first: decorators, methods and partials are looked through."""
    for _ in range(64):
        if isinstance(function, types.FunctionType):
            if not hasattr(function, "__wrapped__"):
                return function.__code__
            function = function.__wrapped__
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif hasattr(function, "func"):
            function = function.func
        elif isinstance(function, type):
            function = function.__init__  # type: ignore[misc]  # asked for on purpose
        else:
            function = getattr(function, "__wrapped__", None) or vars(type(function)).get("__call__")
    return None
