"""Lists of passes, each from a program to a program, and the function that runs them in order.

>>> from deepalgo.lower.merge_equal import merge_equal
>>> from deepalgo.lower.prune import prune
>>> names((merge_equal, prune, WithRounds(merge_equal)))
['merge_equal', 'prune', 'merge_equal']
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
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

    apply: Callable[[Program], Program] | WithRounds | WithWeights
    found: Callable[[Program, Program], bool]
    then: Passes


@dataclass(frozen=True, slots=True)
class Repeated:
    """Passes in turn, again and again, until `size` says the same of the program as before; `most` times at most."""

    passes: Passes
    size: Callable[[Program], Hashable]
    most: int = 8


Pass: TypeAlias = Callable[[Program], Program] | WithRounds | WithWeights | Where | Repeated
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
        if isinstance(each, Repeated):
            program = _repeated(each, program, settings)
            continue
        before, program = program, _applied(each, program, settings)
        for watch in _watchers:
            watch(name(each), program)
        if isinstance(each, Where) and each.found(before, program):
            program = run(each.then, program, settings)
    return program


def _repeated(each: Repeated, program: Program, settings: PassSettings) -> Program:
    size = each.size(program)
    for _ in range(each.most):
        program = run(each.passes, program, settings)
        if size == (size := each.size(program)):
            break
    return program


def _applied(each: Callable[[Program], Program] | WithRounds | WithWeights | Where, program: Program, settings: PassSettings) -> Program:
    match each:
        case WithRounds(apply):
            return apply(program, settings.rounds)
        case WithWeights(apply_weights):
            return apply_weights(program, settings.weights)
        case Where(asked):
            return _applied(asked, program, settings)
        case _:
            return each(program)


def changed(before: Program, after: Program) -> bool:
    """Whether a pass did anything; it gives the program itself back where there is nothing to do."""
    return before is not after


def function_of(each: Pass) -> Any:
    """The function that a pass is, without what it has to be told."""
    function: Any = each
    while not hasattr(function, "__name__"):
        function = function.func if isinstance(function, partial) else function.apply
    return function


def name(each: Pass) -> str:
    """What a pass is called."""
    return str(function_of(each).__name__)


def flat(passes: Passes) -> Iterator[Pass]:
    """All passes in order: those that are repeated once, and those that follow only where another found something included."""
    for each in passes:
        if isinstance(each, Repeated):
            yield from flat(each.passes)
        else:
            yield each
            yield from flat(each.then) if isinstance(each, Where) else ()


def names(passes: Passes) -> list[str]:
    """What all passes are called."""
    return [name(each) for each in flat(passes)]


@contextmanager
def watching(watch: Callable[[str, Program], None]) -> Iterator[None]:
    """Let a function see the program behind each pass, for a while."""
    _watchers.append(watch)
    try:
        yield
    finally:
        _watchers.remove(watch)
