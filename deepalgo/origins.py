"""Where a function holds the numbers that became weights: what the certificate needs to run it with one of them replaced.

Holders are live objects of the user's. They stay in the process: a copy of a network that is pickled or saved knows none.

>>> import pickle
>>> origins = Origins({"gain": Origin((Holder("name", globals(), "GAIN"),))})
>>> "gain" in origins.found, "gain" in pickle.loads(pickle.dumps(origins)).found
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["literal", "mark", "default", "cell", "name", "attribute", "class", "partial"]


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """One object that holds a number, and under which name.

    `literal` and `mark`: a function whose text says it. `default`: a function and its parameter. `cell`: a closure's. `name`: the dict
    of a module. `attribute` and `class`: an object or a class. `partial`: with a keyword or a position. `path` leads to the number where
    this one holds it in a container, and others do not.
    """

    kind: Kind
    owner: Any
    name: str | int = ""
    path: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """All that hold one number, and the keys that lead to it where they hold containers."""

    holders: tuple[Holder, ...]
    path: tuple[Any, ...] = ()


class Origins:
    """The origins of a network's weights by their keys; `remembering` names what keeps answers of earlier calls."""

    __slots__ = ("found", "remembering")

    def __init__(self, found: Mapping[str, Origin] | None = None, remembering: tuple[str, ...] = ()) -> None:
        self.found = dict(found or {})
        self.remembering = remembering

    def __reduce__(self) -> tuple[type[Origins], tuple[()]]:
        return Origins, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Origins:
        return self
