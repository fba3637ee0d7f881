"""`Deadline`: when a call of `fit` has to be over, its report included.

>>> Deadline(None).left() is None
True
>>> deadline = Deadline(100.0)
>>> 99 < deadline.left() <= 100, deadline.is_over
(True, False)
>>> deadline.keep(60.0)  # at most a part of the whole
>>> 69 < deadline.left_for_training() <= 70
True
"""

from __future__ import annotations

import time

#: The part of the time that a report may have.
MOST_KEPT = 0.3


class Deadline:
    """So many seconds from now on; None is no limit. Some of them are kept for the report."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.begun = time.monotonic()
        self.kept = 0.0

    def keep(self, seconds: float) -> None:
        """Keep some time for the report."""
        if self.seconds is not None:
            self.kept = min(seconds, MOST_KEPT * self.seconds)

    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.seconds is None else self.seconds - (time.monotonic() - self.begun)

    def left_for_training(self) -> float | None:
        """Those that are not kept."""
        left = self.left()
        return None if left is None else max(left - self.kept, 0.0)

    @property
    def is_over(self) -> bool:
        """Whether none is left."""
        left = self.left()
        return left is not None and left <= 0
