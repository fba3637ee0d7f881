"""How a block of code may end, sample by sample: fall through, return, break, continue or raise.

No case at all means that the end is never reached: every sample raised before.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from deepalgo.stage.state.values import Signal


class Way(enum.Enum):
    """The ways to leave a block."""

    FALL = "fall through"
    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"
    RAISE = "raise"  # the case carries the exception; only inside of a `try` that looks at it
    HANDLED = "come out of a handler"  # past the `else` of a `try`


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One way out: the guard under which it is taken (None: always) and what it carries along."""

    guard: Signal | None = None
    value: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Exit:
    """The ways out of a stretch of code; their guards are disjoint and complete."""

    cases: dict[Way, Case]

    @property
    def only_falls(self) -> bool:
        return set(self.cases) == {Way.FALL}

    @property
    def falls(self) -> bool:
        return Way.FALL in self.cases

    @property
    def is_dead(self) -> bool:
        return not self.cases

    def rename(self, ways: dict[Way, Way]) -> Exit:
        """Other names for some ways out; `rename` is only asked where no two ways become one."""
        return Exit({ways.get(way, way): case for way, case in self.cases.items()})


FALL = Exit({Way.FALL: Case()})
DEAD = Exit({})


def falling(value: Any) -> Exit:
    """Fall through with a value, as the end of an expression does."""
    return Exit({Way.FALL: Case(None, value)})
