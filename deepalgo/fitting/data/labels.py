"""What is said of samples beside their inputs and targets: the group of each, and its time.

>>> labels = Labels(groups="site", split="random")
>>> inputs, groups, order = labels.take({"x": [1.0, 2.0, 3.0], "site": ["a", "b", "a"]}, arguments=["x"])
>>> inputs, groups.tolist()
({'x': [1.0, 2.0, 3.0]}, [0, 1, 0])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.fitting.data.samples import is_frame

#: How data are divided, unless a column or numbers say when each sample was taken.
RANDOM, TIME = "random", "time"


@dataclass(frozen=True, slots=True)
class Labels:
    """`groups` and `split` as they are given to `fit`: the name of a column, or one item for each sample."""

    groups: Any = None
    split: Any = RANDOM

    @property
    def in_time(self) -> bool:
        """Whether later samples are held out."""
        return not isinstance(self.split, str) or self.split != RANDOM

    @property
    def is_none(self) -> bool:
        """Whether nothing is said."""
        return self.groups is None and not self.in_time

    def check(self) -> None:
        """Refuse what cannot be done together."""
        if self.groups is not None and self.in_time:
            raise InputError(
                "groups= holds out whole groups and split= later times: give one of them, or validation= and test= as samples of your own"
            )

    def take(self, inputs: Any, arguments: Sequence[str]) -> tuple[Any, Tensor | None, Tensor | None]:
        """The inputs without the columns that are no arguments, the group of each sample, and the samples in the order of time."""
        inputs, groups = _column(inputs, self.groups, arguments, "groups")
        if not self.in_time or (isinstance(self.split, str) and self.split == TIME and TIME not in _names(inputs)):
            return inputs, _codes(groups), None
        inputs, times = _column(inputs, self.split, arguments, "split")
        return inputs, _codes(groups), torch.as_tensor(np.argsort(_items(times, "split"), kind="stable"))


def _codes(groups: Any) -> Tensor | None:
    """The groups as whole numbers."""
    if groups is None:
        return None
    return torch.as_tensor(np.unique(_items(groups, "groups"), return_inverse=True)[1].reshape(-1))


def _items(given: Any, option: str) -> np.ndarray:
    """One item for each sample."""
    items = np.asarray(given)
    if items.ndim != 1:
        raise InputError(f"{option}= must be one item for each sample, or the name of a column, not an array of shape {items.shape}")
    holes = items != items
    if bool(np.any(holes)):
        raise InputError(f"{option}= says nothing of sample {int(np.flatnonzero(holes)[0])}: it is NaN")
    return items


def _names(inputs: Any) -> list[str]:
    if is_frame(inputs):
        return [str(name) for name in inputs.columns]
    return [str(name) for name in inputs] if isinstance(inputs, Mapping) else []


def _column(inputs: Any, given: Any, arguments: Sequence[str], option: str) -> tuple[Any, Any]:
    """A column that is named, and the inputs without it, unless it is an argument, too."""
    if not isinstance(given, str):
        return inputs, given
    names = _names(inputs)
    if given not in names:
        what = f"there are {', '.join(names)}" if names else "the inputs have none: give a dict or a data frame"
        also = ", and split= takes 'random', 'time', the name of a column or times" if option == "split" else ""
        raise InputError(f"{option}='{given}' names no column; {what}{also}")
    rest = {str(name): inputs[name] for name in names if name != given or name in arguments}
    return rest, inputs[given]
