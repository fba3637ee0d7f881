"""Programs of a few statements, each of which is tried out in Python while it is written: what it gives is what the next may use.

>>> draft = Draft(random.Random(0), {"x": [2.0, 3.0]}, "import math")
>>> draft.add("math.sqrt(x)"), draft.add("math.sqrt(-x)")
('a', None)
>>> print(draft.text("f"))
import math
<BLANKLINE>
def f(x):
    a = math.sqrt(x)
    return a
<BLANKLINE>
"""

from __future__ import annotations

import copy
import itertools
import random
import warnings
from typing import Any

import numpy as np

NAMES = "abcdefghij"


class Draft:
    """A function under construction: its inputs with the values of a few samples, and what its names hold on each."""

    def __init__(self, rng: random.Random, inputs: dict[str, list[Any]], preamble: str) -> None:
        self.rng = rng
        self.inputs = list(inputs)
        self.preamble = preamble
        self.lines: list[str] = []
        self.made: list[str] = []
        self.values = dict(inputs)
        self._names = itertools.cycle(NAMES)
        self._space: dict[str, Any] = {}
        exec(preamble, self._space)

    def of(self, *kinds: str) -> list[str]:
        """The names that hold a value of one of these kinds on the first sample."""
        return [name for name, values in self.values.items() if kind_of(values[0]) in kinds]

    def add(self, text: str) -> str | None:
        """Bind the expression to a name, if it gives the same kind of value on every sample; None if it does not."""
        results = self.tried(text)
        if results is None or not results or len({signature(item) for item in results}) > 1 or kind_of(results[0]) == "other":
            return None
        name = next(item for item in self._names if item not in self.values)
        self.lines.append(f"{name} = {text}")
        self.made.append(name)
        self.values[name] = results
        return name

    def tried(self, text: str) -> list[Any] | None:
        """What the expression gives on each sample, or None where it raises."""
        code = compile(text, "<draft>", "eval")
        results = []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for number in range(len(next(iter(self.values.values())))):
                space = {**self._space, **{name: copy.deepcopy(values[number]) for name, values in self.values.items()}}
                try:
                    results.append(eval(code, space))
                except Exception:  # it is a draft
                    return None
        return results

    def text(self, name: str) -> str:
        """The module: imports and a function that returns all that was computed."""
        body = [*self.lines, f"return {', '.join(self.made)}"]
        return f"{self.preamble}\n\ndef {name}({', '.join(self.inputs)}):\n" + "".join(f"    {line}\n" for line in body)


def signature(value: Any) -> Any:
    """What a network must know of a value before it sees data."""
    match value:
        case list() | tuple():
            return (type(value).__name__, *(signature(item) for item in value))
        case np.ndarray():
            return ("array", value.shape, value.dtype.kind)
        case _:
            return type(value).__name__


def kind_of(value: Any) -> str:
    """One word for what a value is good for."""
    match value:
        case bool() | np.bool_():
            return "bool"
        case int() | np.integer():
            return "int"
        case float() | np.floating():
            return "float"
        case complex() | np.complexfloating():
            return "complex"
        case np.ndarray() if value.dtype.kind == "f" and value.size:
            return ("number", "vector", "matrix", "block")[min(value.ndim, 3)]
        case np.ndarray() if value.dtype.kind in "bi" and value.size:
            return "whole"
        case list() | tuple() if value and all(type(item) is float for item in value):
            return "floats"
        case list() | tuple() if value and all(kind_of(item) != "other" for item in value):
            return "several"
        case _:
            return "other"
