"""Names of variables in written code: the user's where there is one, never one twice.

>>> names = Names(("run",))
>>> names.make("x"), names.make("x"), names.make("run"), names.make(""), names.make("self.gain[0]")
('x', 'x_2', 'run_2', 't1', 'self_gain_0')
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable

RESERVED = {"torch", "ops", "quick", "run", "inf", "nan", *keyword.kwlist, *dir(builtins)}


class Names:
    """Hands out names; `taken` are not handed out."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {*RESERVED, *taken}
        #: Those that were handed out, with their number.
        self.made: dict[str, int] = {}
        self.count: dict[str, int] = {}

    def make(self, wish: str) -> str:
        """A free name as near to the wish as can be."""
        stem = unicodedata.normalize("NFKC", re.sub(r"\W+", "_", wish)).strip("_")  # as Python reads identifiers
        if stem and stem[0].isdigit():
            stem = f"v{stem}"
        name = stem or self.number("t")
        while name in self.taken:
            name = self.number(f"{stem}_" if stem else "t", first=2 if stem else 1)
        self.taken.add(name)
        self.made[name] = len(self.made)
        return name

    def keep(self, wish: str) -> str:
        """The wish as it is, if it is a name and free."""
        if not wish.isidentifier() or wish in self.taken:
            return self.make(wish)
        self.taken.add(wish)
        self.made[wish] = len(self.made)
        return wish

    def number(self, stem: str, first: int = 1) -> str:
        """The stem with the next number."""
        self.count[stem] = self.count.get(stem, first - 1) + 1
        return f"{stem}{self.count[stem]}"
