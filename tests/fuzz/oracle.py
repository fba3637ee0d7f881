"""What is true of a program: values and errors of its calls, and derivatives by finite differences where these can be trusted.

A difference quotient counts only if both sides took the path of the sample itself, for two step sizes that agree.

>>> from tests.fuzz.program import Program
>>> program = Program(0, "def f(x):\\n    return 2.0 * x if x > 1.0 else x * x\\n", "f", ({"x": 0.5}, {"x": 1.0}), {})
>>> oracle = Oracle(program)
>>> slope = oracle.input_slope(0, "x")
>>> round(slope.value, 8), oracle.input_slope(1, "x") is None
(1.0, True)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tests.fuzz.instrument import Instrumented, Literal, Result, flat
from tests.fuzz.program import Place, Program

STEP = 1e-4
BLURRED = 32
#: So many different answers among them are chaos.
SCATTERED = 4


@dataclass(frozen=True, slots=True)
class Slope:
    """A derivative and how far it may be off."""

    value: float
    error: float


class Oracle:
    """Runs a program and answers questions about it."""

    def __init__(self, program: Program, file: str = "<program>") -> None:
        self.program = program
        self.runs = Instrumented(program, file)
        self._blurred: dict[int, list[Result]] = {}

    @cached_property
    def results(self) -> list[Result]:
        """What Python does with each sample."""
        return [self.runs.run(sample) for sample in range(len(self.program.samples))]

    @cached_property
    def raising(self) -> list[int]:
        """The samples on which Python raises."""
        return [number for number, result in enumerate(self.results) if result.error]

    @cached_property
    def unspecified(self) -> set[int]:
        """Samples outside of what a network of reals can answer: complex numbers and values that are not finite."""
        return {number for number, result in enumerate(self.results) if not result.error and not _is_real(result.value)}

    @cached_property
    def rounds(self) -> int:
        """No `while` makes more rounds than this, on any sample."""
        most = 0
        for result in self.results:
            count = dict.fromkeys(self.runs.loops, 0)
            for place, event in result.path:
                if place in count:
                    count[place] = count[place] + 1 if event else 0
                    most = max(most, count[place])
        return most

    def input_slope(self, sample: int, place: str | Place, brief: bool = False) -> Slope | None:
        """The derivative of the sample's objective by an input, or None where differences are not to be trusted.

        A brief answer is a single quotient: enough to agree with, not enough to contradict.
        """
        at = Place(place) if isinstance(place, str) else place
        values = self.program.samples[sample]
        return self._slope(sample, at.read(values), lambda value: self.runs.run(sample, change=at.changed(values, value)), brief)

    def literal_slope(self, sample: int, literal: Literal, brief: bool = False) -> Slope | None:
        """The derivative by a literal: the program is executed with that number changed in its text."""
        return self._slope(sample, literal.value, lambda value: self.runs.run(sample, literals={literal.index: value}), brief)

    def _slope(self, sample: int, at: float, run: Callable[[float], Result], brief: bool) -> Slope | None:
        here = self.results[sample]
        if here.error or sample in self.unspecified:
            return None
        rounding = 1e-13 * (1.0 + abs(objective(here.value))) / STEP
        if brief:
            quotient = self._quotient(here, at, 0.1 * STEP * max(1.0, abs(at)), run)
            return None if quotient is None or not math.isfinite(quotient) else Slope(quotient, 10.0 * rounding)
        coarse = self._quotient(here, at, STEP * max(1.0, abs(at)), run)
        if coarse is None:
            return None
        fine = self._quotient(here, at, 0.5 * STEP * max(1.0, abs(at)), run)
        if fine is None:
            return None
        value = (4.0 * fine - coarse) / 3.0
        spread = abs(fine - coarse)
        if not math.isfinite(value) or spread > 1e-3 * (1.0 + abs(value)):
            return None
        # Two steps can agree by chance where the function oscillates between them; a much finer one then does not.
        finest = self._quotient(here, at, 1e-2 * STEP * max(1.0, abs(at)), run)
        if finest is None or abs(finest - value) > 1e-6 * (1.0 + abs(value)) + spread + 1e3 * rounding:
            return None
        return Slope(value, 0.05 * spread + 2.0 * abs(finest - value) + 10.0 * rounding)

    @staticmethod
    def _quotient(here: Result, at: float, step: float, run: Callable[[float], Result]) -> float | None:
        sides = []
        for at_side in (at + step, at - step):
            side = run(at_side)
            if side.error or side.path != here.path or not _is_real(side.value):
                return None
            sides.append(objective(side.value))
        return (sides[0] - sides[1]) / (2.0 * step)

    def noise(self, sample: int) -> float:
        """How far a difference quotient moves when the last places do: much, where large numbers cancel or a loop amplifies."""
        tolerance = self.tolerance(sample)
        return math.fsum(abs(weight(place)) * item for place, item in enumerate(tolerance)) / STEP

    def blurred(self, sample: int) -> list[Result]:
        """What the program does when inputs and library functions are off by an ulp, in several ways."""
        if sample not in self._blurred:
            self._blurred[sample] = [self._blur(sample, noise) for noise in range(BLURRED)]
        return self._blurred[sample]

    def _blur(self, sample: int, noise: int) -> Result:
        rng = random.Random(noise)
        change = {name: _shaken(value, rng) for name, value in self.program.samples[sample].items()}
        return self.runs.run(sample, change=change if noise % 2 else None, noise=noise)

    def others(self, sample: int) -> list[Result]:
        """The runs among the blurred ones that took another path, or ended otherwise."""
        here = self.results[sample]
        return [other for other in self.blurred(sample) if other.error != here.error or other.path != here.path]

    def is_chaotic(self, sample: int) -> bool:
        """Whether the last places of the inputs lead to many different answers, on many paths: no one can say which is right."""
        answers = [[float(f"{leaf:.6g}") for leaf in flat(other.value)] for other in self.others(sample) if not other.error]
        return len(set(map(tuple, answers))) >= SCATTERED

    def tolerance(self, sample: int) -> list[float]:
        """How far each leaf moves when the last places do, on the path that the sample takes.

        This is what justifies a difference: cancellation magnifies the last place.
        """
        here = self.results[sample]
        if here.error:
            return []
        same = [other for other in self.blurred(sample) if other.path == here.path and other.error == here.error]
        columns = zip(flat(here.value), *(flat(other.value) for other in same), strict=True)
        return [16.0 * max((abs(other - first) for other in others), default=0.0) for first, *others in columns]


def _shaken(value: Any, rng: random.Random) -> Any:
    """An input with the last place of each number up or down."""
    if isinstance(value, np.ndarray):
        return np.array([_shaken(item, rng) for item in value.ravel()]).reshape(value.shape)
    if isinstance(value, list):
        return [_shaken(item, rng) for item in value]
    return value * (1.0 + rng.choice((-1, 0, 1)) * 2.0**-52)


def objective(value: Any) -> float:
    """One number of all leaves, with weights that keep them apart."""
    return math.fsum(weight(place) * float(leaf) for place, leaf in enumerate(flat(value)))


def weight(place: int) -> float:
    """The weight of a leaf in the objective."""
    return (1.0, -0.75, 0.5, 1.25, -0.375, 0.625)[place % 6]


def _is_real(value: Any) -> bool:
    return all(isinstance(leaf, (int, float)) and math.isfinite(leaf) for leaf in flat(value))
