"""`Kind`, `Type` and `Attr`: what a value of a program can be, and what an operation can be told besides its operands.

>>> print(Type(max(Kind.INT, Kind.REAL), (2, 3)))
real[2, 3]
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

#: What an attribute of an operation may hold: data that can be saved as JSON.
Attr: TypeAlias = "bool | int | float | complex | str | tuple[Attr, ...] | None"


class Kind(enum.IntEnum):
    """Number kinds in the order in which Python promotes them."""

    BOOL = 0
    INT = 1
    REAL = 2
    COMPLEX = 3


@dataclass(frozen=True, slots=True)
class Type:
    """The kind and the per-sample shape of a value; a scalar has shape ()."""

    kind: Kind
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.kind.name.lower() + (f"[{', '.join(map(str, self.shape))}]" if self.shape else "")
