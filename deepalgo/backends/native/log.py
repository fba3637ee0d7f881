"""`NoteLog`: memory for what native code notes while it computes some samples, and what stands there afterwards.

>>> log = NoteLog(2)
>>> address = log.begin()
>>> log.words[COUNT] = 1                                          # as native code does
>>> log.words[HEAD : HEAD + ENTRY] = 7 + (1 << 32), 0b101, -1
>>> log.is_full(), log.entries(16, 8)
(False, array([[12884901895,           5,          -1]]))
"""

from __future__ import annotations

import numpy as np

from deepalgo.backends.native.columns import Array
from deepalgo.backends.native.notes import COUNT, ENTRY, HEAD, ROOM


class NoteLog:
    """The log of a thread, with room for so many entries at first."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.words: Array = np.empty(HEAD + ENTRY * room, np.int64)

    def begin(self) -> int:
        """Make it empty; returns where it is."""
        self.words[ROOM], self.words[COUNT] = self.room, 0
        return int(self.words.ctypes.data)

    @property
    def count(self) -> int:
        """How many entries there are."""
        return int(self.words[COUNT])

    def is_full(self) -> bool:
        """Whether entries were left out; the log has room for them then, and is empty."""
        count = self.count
        if count <= self.room:
            return False
        self.room = count + count // 4
        self.words = np.empty(HEAD + ENTRY * self.room, np.int64)
        return True

    def entries(self, first: int, lanes: int) -> Array:
        """A row for each entry; groups of lanes are counted from the first sample of the batch on, where `first` was the first here."""
        count = self.count
        found = self.words[HEAD : HEAD + ENTRY * count].reshape(count, ENTRY).copy()
        found[:, 0] += (first // lanes) << 32
        return found
