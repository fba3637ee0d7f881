"""`Search`: a way to better weights, one step at a time.

Whoever runs a search starts it at a point, takes steps until it has ended, and asks what it found. `state()` is everything that decides
the next step, so that a search that is started at the same point and restored goes on as if it had not been interrupted.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from torch import Tensor

from deepalgo.fitting.search.problem import Problem


class Search(ABC):
    """A search on one problem. A new kind is one file with one such class, and one line of the plan."""

    name: ClassVar[str]

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @abstractmethod
    def start(self, x: Tensor) -> None:
        """Begin at a point."""

    @abstractmethod
    def step(self) -> None:
        """Take one step; only while there is no reason to end."""

    @property
    @abstractmethod
    def ended(self) -> str:
        """Why there is no further step, or '' while there is one."""

    @property
    @abstractmethod
    def found(self) -> Tensor:
        """The best point so far, by what this search looks at."""

    @property
    def lowest_loss(self) -> float:
        """The loss of that point, to be shown; NaN where it is not at hand."""
        return math.nan

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Everything that decides how it goes on, as tensors and plain values."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Go to a state, after `start` at the same point; one of UNFIT for a state that is none of this search."""
