"""`Suggestion`: a transformation that applies to a network, as the call that a user would write.

>>> Suggestion("untie(net, 3)", "every round reads `gain`", None).call
'untie(net, 3)'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deepalgo.errors import TensorizeError
from deepalgo.spans import Span


@dataclass(frozen=True)
class Suggestion:
    """A transformation that applies: the call, why, and where."""

    call: str
    why: str
    span: Span | None

    @property
    def place(self) -> str:
        """The file and the line."""
        return self.span.place if self.span is not None else ""


def applies(find: Callable[..., object], *args: object) -> bool:
    """Whether a place is found."""
    try:
        find(*args)
    except TensorizeError:
        return False
    return True
