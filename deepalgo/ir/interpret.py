"""What a program means: its answer for one sample, in Python's own arithmetic, or the check that fails.

An operation on single numbers is Python's own (`math` by CPython) or NumPy's, as its `by` says; one on arrays is NumPy's. The first check
that fails ends the run, unless a `try` around it takes its error. A loop without a bound may take `max_rounds` rounds. Networks, source and
native code are compared with this.

>>> from deepalgo.ir.parse import parse
>>> interpret(parse('''
... twice(x: real)
...   %y = add %x %x
...   return %y
... '''), [1.5]).output
3.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deepalgo.ir.catches import catches
from deepalgo.ir.compute import bring
from deepalgo.ir.program import Program
from deepalgo.ir.rebuild import rebuild
from deepalgo.ir.steps import MOST_ROUNDS, STACK, Env, Failed, ProgramSteps
from deepalgo.kinds import Kind, Type

__all__ = ["Failed", "Interpreter", "Kind", "Outcome", "interpret"]

#: Rounds of a loop without a bound, where nobody says how many it may take.
ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program returns, and what it leaves in the arguments that it changes in place, by their paths."""

    output: Any
    changes: dict[str, Any] = field(default_factory=dict)


def interpret(
    program: Program, inputs: Mapping[str, Any] | Sequence[Any], weights: Mapping[str, Any] | None = None, max_rounds: int = ROUNDS
) -> Outcome:
    """Run a program on the inputs of one sample, by their paths or in order; raise `Failed` where a check fails.

    `weights` replace those of the program, by their keys.
    """
    return Interpreter(program).run(inputs, weights, max_rounds)


class Interpreter:
    """A program that is made ready once, to be run on many samples."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.code = ProgramSteps(program)
        self.weights = {weight.key: bring(weight.value, Type(Kind.REAL, weight.shape)) for weight in program.weights}

    def run(self, inputs: Mapping[str, Any] | Sequence[Any], weights: Mapping[str, Any] | None = None, max_rounds: int = ROUNDS) -> Outcome:
        """The outcome for one sample."""
        env = self.code.start.copy()
        env[MOST_ROUNDS] = max_rounds
        env[STACK] = []
        held = self._held(weights) if weights else self.weights
        for slot, key in self.code.weights:
            env[slot] = held[key]
        given = [inputs[item.path] for item in self.program.inputs] if isinstance(inputs, Mapping) else inputs
        for slot, item, value in zip(self.code.inputs, self.program.inputs, given, strict=True):
            env[slot] = _copied(bring(value, item.value.type))
        with np.errstate(all="ignore"):
            self._execute(env)
        found = [_copied(bring(env[slot], value.type)) for slot, value in zip(self.code.results, self.program.body.results, strict=True)]
        count = len(found) - len(self.program.changes)
        changes = dict(zip(self.program.changes, found[count:], strict=True))
        return Outcome(rebuild(self.program.output, found[:count]), changes)

    def _held(self, weights: Mapping[str, Any]) -> dict[str, Any]:
        types = {weight.key: Type(Kind.REAL, weight.shape) for weight in self.program.weights}
        return self.weights | {key: bring(value, types[key]) for key, value in weights.items()}

    def _execute(self, env: Env) -> None:
        steps, place = self.code.steps, 0
        end = len(steps)
        while True:
            try:
                while place < end:
                    target = steps[place](env)
                    place = place + 1 if target is None else target
                return
            except Failed as failed:
                handler = self._handler(place, failed)
                if handler is None:
                    raise
                place = handler

    def _handler(self, place: int, failed: Failed) -> int | None:
        """Where the handler begins that takes what failed at a step."""
        for part in self.code.guarded:
            if part.first <= place < part.last:
                for handler, entry in part.handlers:
                    if catches(handler.catches, failed.error, failed.bases):
                        return entry
        return None


def _copied(value: Any) -> Any:
    """An array of its own."""
    return value.copy() if isinstance(value, np.ndarray) else value
