"""Lists of passes, each from a program to a program, and the function that runs them in order.

>>> from deepalgo.lower.merge_equal import merge_equal
>>> from deepalgo.lower.prune import prune
>>> names((merge_equal, prune, WithRounds(merge_equal)))
['merge_equal', 'prune', 'merge_equal']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from deepalgo.ir import Program


@dataclass(frozen=True, slots=True)
class WithRounds:
    """A pass that has to know how many rounds a loop may take whose end depends on data."""

    apply: Callable[[Program, int], Program]


@dataclass(frozen=True, slots=True)
class WithWeights:
    """A pass that has to know the numbers that the weights are."""

    apply: Callable[[Program, Mapping[str, Any]], Program]


@dataclass(frozen=True, slots=True)
class Where:
    """Passes that follow another one where it `found` something: asked of the programs before and after it."""

    apply: Callable[[Program], Program]
    found: Callable[[Program, Program], bool]
    then: Passes


Pass: TypeAlias = Callable[[Program], Program] | WithRounds | WithWeights | Where
Passes: TypeAlias = tuple[Pass, ...]


@dataclass(frozen=True, slots=True)
class PassSettings:
    """What passes are told besides the program."""

    rounds: int = 10_000
    weights: Mapping[str, Any] = field(default_factory=dict)


#: Called with the name of each pass and the program behind it, while tests ask for it.
_watchers: list[Callable[[str, Program], None]] = []


def run(passes: Passes, program: Program, settings: PassSettings | None = None) -> Program:
    """The program after all passes, from the first to the last."""
    settings = PassSettings() if settings is None else settings
    for each in passes:
        before, program = program, _applied(each, program, settings)
        for watch in _watchers:
            watch(name(each), program)
        if isinstance(each, Where) and each.found(before, program):
            program = run(each.then, program, settings)
    return program


def _applied(each: Pass, program: Program, settings: PassSettings) -> Program:
    match each:
        case WithRounds(apply):
            return apply(program, settings.rounds)
        case WithWeights(apply_weights):
            return apply_weights(program, settings.weights)
        case Where(apply_plain):
            return apply_plain(program)
        case _:
            return each(program)


def name(each: Pass) -> str:
    """What a pass is called."""
    function: Any = each.apply if isinstance(each, (WithRounds, WithWeights, Where)) else each
    while isinstance(function, partial):
        function = function.func
    return str(function.__name__)


def names(passes: Passes) -> list[str]:
    """What passes are called, those that follow only where another found something included."""
    return [word for each in passes for word in (name(each), *(names(each.then) if isinstance(each, Where) else ()))]


@contextmanager
def watching(watch: Callable[[str, Program], None]) -> Iterator[None]:
    """Let a function see the program behind each pass, for a while."""
    _watchers.append(watch)
    try:
        yield
    finally:
        _watchers.remove(watch)
