"""One word about a program, and what it rests on."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

#: In order of how bad they are.
WORDS = ("ok", "refused", "slow", "crashed", "nan-gradient", "wrong-gradient", "wrong")
FAILURES = frozenset(WORDS) - {"ok", "refused", "slow"}


@dataclass(frozen=True)
class Verdict:
    """`reason` is a class of refusals or failures; `detail` names numbers; `facts` counts what was compared."""

    word: str
    reason: str = ""
    detail: str = ""
    sample: int | None = None
    facts: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        return self.word in FAILURES


class Mismatch(Exception):
    """The network and Python disagree."""

    def __init__(self, word: str, reason: str, detail: str = "", sample: int | None = None) -> None:
        super().__init__(f"{word}: {reason}: {detail}")
        self.word = word
        self.reason = reason
        self.detail = detail
        self.sample = sample


def generalise(text: str) -> str:
    """A message without the names and numbers of one program; names of the standard library are nobody's.

    >>> generalise("`rate2` is bound in one arm only, 3 rounds at line 14")
    '`...` is bound in one arm only, N rounds at line N'
    """
    line = text.strip().splitlines()[0] if text.strip() else ""
    line = re.sub(r"^\S+\.py:\d+:\d+: ", "", line)
    line = re.sub(r"`(?!math\.|functools\.)[^`]*`", "`...`", line)
    line = re.sub(r"'[^']*'", "'...'", line)
    return re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "N", line)
