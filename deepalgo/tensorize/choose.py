"""`choose`: several candidates for a value, of which the one wins that a criterion likes best.

>>> import deepalgo as da
>>> def root(s):
...     x = 1.0
...     for _ in range(3):
...         x = x - (x * x - s) / (2 * x)
...     return x
>>> def root_with_line_search(s):
...     x = 1.0
...     for _ in range(3):
...         step = -(x * x - s) / (2 * x)
...         x = min([x + 0.5 * step, x + step, x + 1.5 * step], key=lambda x: abs(x * x - s))
...     return x
>>> net = choose(da.compile(root), "x", steps=(0.5, 1.0, 1.5), by=lambda x, s: abs(x * x - s), heuristic=root_with_line_search)
>>> abs(net(5.0).item() - root_with_line_search(5.0)) < 1e-15
True
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import torch

from deepalgo.compiler import takes_network
from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Kind, Op, Statement, Type, Value, defined, walk
from deepalgo.network import Network
from deepalgo.tensorize.attempt import attempt
from deepalgo.tensorize.find import Spot, carried_reals, find_signal, find_spots
from deepalgo.tensorize.grow import Grower, key_of
from deepalgo.tensorize.inline import as_criterion, as_program, hidden, inline, parameters
from deepalgo.tensorize.replace_weights import ReplaceWeights
from deepalgo.tensorize.slices import depending, home, leading, private
from deepalgo.tensorize.suggestion import Suggestion, applies


class NewHeuristic(UserWarning):
    """The candidates have values of their own: the network is another heuristic than the one that was compiled."""


@dataclass(frozen=True)
class Scales:
    """Candidates that multiply a signal on the way, or the result itself, by these factors."""

    signal: str
    factors: tuple[float, ...]

    trivial = 1.0


@dataclass(frozen=True)
class Adds:
    """Candidates that add a signal times these factors to the result."""

    signal: str
    factors: tuple[float, ...]

    trivial = 0.0


@dataclass(frozen=True)
class Steps:
    """Candidates on the way from the value that a round starts with to the one it ends with, and beyond."""

    factors: tuple[float, ...]

    trivial = 1.0


Set = Scales | Adds | Steps | Callable[..., Any]


@takes_network
def choose(
    network: Network,
    signal: str,
    *sets: Set,
    by: Callable[..., Any],
    steps: Iterable[float] | None = None,
    line: int | None = None,
    keep: bool = True,
    heuristic: Callable[..., Any] | None = None,
) -> Network:
    """Make several candidates for a variable, in every round of the loop that carries it or at the line where it is computed.

    `by` is a function of the candidate, and of inputs and other signals by their names, that returns a number: the smallest wins.
    A candidate that fails or has no number loses. `steps` are lengths along the step of a round; `Scales`, `Adds` and functions
    make other candidates, several sets their Cartesian product. The value that the heuristic itself would take, with its own
    constants, stays a candidate unless `keep=False`. Of equally good candidates the first wins, the heuristic's own being the last.
    `line` is that of the loop or of the assignment, where several have the variable.

    Where the factors are not all trivial the network is a new heuristic; `heuristic` is the same written out by hand, with which
    `verify` then compares.
    """
    if steps is not None:
        sets = (*sets, Steps(tuple(steps)))
    _check(sets)
    grown, keys = network, None
    for spot in find_spots(network.program, signal, line):
        here = replace(spot, block=home(grown.program, spot.value)[0])
        choice = _Choice(grown, here, signal, sets, by, keep, keys)
        grown, keys = choice.grow(), choice.keys
    if any(callable(item) or set(item.factors) - {item.trivial} for item in sets):
        grown.heuristic, grown.function = grown.program, heuristic
        if heuristic is None:
            warnings.warn(
                f"the candidates for `{signal}` have values of their own, so this is a new heuristic: "
                "choose(..., heuristic=...) takes it written out by hand, and verify compares with that",
                NewHeuristic, stacklevel=2,
            )
    return grown


def _check(sets: Sequence[Set]) -> None:
    if not sets:
        raise TensorizeError("choose needs candidates: steps=(0.5, 1.0, 1.5), Scales, Adds or functions")
    for item in sets:
        if not isinstance(item, (Scales, Adds, Steps)) and not callable(item):
            raise TensorizeError(f"{item!r} is no set of candidates; there are Steps, Scales, Adds and functions")
        if not callable(item) and not item.factors:
            raise TensorizeError(f"a set of candidates must not be empty: {item}")


class _Choice(Grower):
    """Writes the candidates where a value is defined, and picks one.

    The heuristic's own value is computed where it stands, with the constants of its birth. What depends on trainable weights or on a
    scaled signal is written once more for each candidate; the rest is shared.
    """

    def __init__(
        self, network: Network, spot: Spot, name: str, sets: Sequence[Set], by: Callable[..., Any], keep: bool, keys: list[str] | None
    ) -> None:
        super().__init__(network)
        self.spot, self.name, self.keep, self.by = spot, name, keep, by
        self.functions = [item for item in sets if callable(item)]
        self.sets = [item for item in sets if not callable(item)]
        if spot.start is None and any(isinstance(item, Steps) for item in self.sets):
            raise TensorizeError(f"no loop carries `{name}`, so it has no steps; use Scales, Adds or functions")
        self.keys = [self._make(item) for item in self.sets] if keys is None else keys
        chain = leading(spot.block.body, spot.value, spot.block.results)
        self.scaled = {value: number for number, item in enumerate(self.sets) if isinstance(item, Scales) and item.signal != name
                       for value in self._scaled(item, chain)}
        own = private(spot.block, spot.value)
        self.constants = ReplaceWeights(self, own, lambda op: self.const(self.entries[key_of(op)].value))
        fixed = depending(own, self.constants.outer, self.constants.is_trainable)
        self.fixed = {id(statement) for statement in fixed}
        varying = {*self.scaled, *(value for statement in fixed for value in defined(statement))}
        self.copied = [item for item in chain if id(item) in self.fixed or item in depending(chain, varying, self._scales)]
        self.rows: tuple[int | None, ...] | None = None
        self.after[spot.value] = self._decide

    def _make(self, item: Scales | Adds | Steps) -> str:
        kinds = {Steps: "steps", Scales: "scales", Adds: "shares"}
        name = self.name if isinstance(item, Steps) else item.signal
        return self.make_weight(f"{name}_{kinds[type(item)]}", torch.tensor(item.factors, dtype=self.network.dtype))

    def _scaled(self, item: Scales, chain: Sequence[Statement]) -> list[Value]:
        values = find_signal(self.network.program, item.signal)
        inner = {value for statement in walk(Block((), tuple(chain), ())) for value in defined(statement)}
        found = [value for value in values if value in inner and value != self.spot.value]
        if not found:
            raise TensorizeError(f"`{item.signal}` is not on the way to `{self.name}` in the block where that is computed")
        return found

    def _scales(self, statement: Statement) -> bool:
        """Whether a signal that is to be scaled is defined inside a statement."""
        inner = list(walk(Block((), (statement,), ())))[1:]
        return any(value in self.scaled for item in inner for value in defined(item))

    def statement(self, statement: Statement) -> None:
        if self.rows is None and id(statement) in self.fixed:
            self.constants.rebuild(statement)
            self.out[-1] = hidden(self.out[-1])
            self._attend(defined(statement))
            return
        super().statement(statement)
        for value in defined(statement):
            self._scale(value)

    def op(self, op: Op) -> None:
        if not self.constants.replaces(op):
            super().op(op)

    def _scale(self, value: Value) -> None:
        number = self.scaled.get(value)
        row = self.rows[number] if self.rows is not None and number is not None else None
        if number is not None and row is not None:
            self.env[value] = self.times(self._factor(number, row), self.see((value,))[0])

    def _decide(self, value: Value) -> Value:
        (original,) = self.see((value,))
        criterion = _Criterion(self, self.by, value.type)
        copies: dict[tuple[int | None, ...], _Copy] = {}
        found: list[tuple[Value, Value]] = []
        for combination in self._combinations():
            rows = tuple(row if number in self.scaled.values() else None for number, row in enumerate(combination))
            copy = copies[rows] = copies[rows] if rows in copies else self._copy(rows, original)
            candidate = self._shaped(copy, combination)
            found.append((candidate, criterion.score(candidate, copy.penalty)))
        for function in self.functions:
            rows = (None,) * len(self.sets)
            copy = copies[rows] = copies[rows] if rows in copies else self._copy(rows, original)
            (candidate,), penalty = attempt(self, partial(self._called, function, copy.value), lambda: (original,))
            found.append((candidate, criterion.score(candidate, penalty)))
        if self.keep:  # the last: of equally good ones the first wins, and it should be one that can learn
            found.append((original, self.smaller(criterion.score(original, None), self.const(sys.float_info.max))))
        values, scores = zip(*found, strict=True)
        best = self.add("argmin", self.stacked(*scores), attrs=(("axis", 0),))
        self.picked(self.stacked(*values), best)
        return self.name_last(self.name, self.spot.span)

    def _combinations(self) -> list[tuple[int, ...]]:
        """A row of each set for every candidate; with no sets the one that the current weights make, where there are any."""
        if not self.sets and not (self.copied and self.keep):
            return []
        return list(product(*(range(len(item.factors)) for item in self.sets)))

    def _copy(self, rows: tuple[int | None, ...], original: Value) -> _Copy:
        """The value as the program computes it with its current weights, and the signals that are to be added to it."""
        if not self.copied:
            return _Copy(original, self._added(), None)
        (value, *added), penalty = attempt(self, lambda: self._evaluated(rows), lambda: (original, *self._added()))
        return _Copy(value, tuple(added), penalty)

    def _evaluated(self, rows: tuple[int | None, ...]) -> tuple[Value, ...]:
        env, self.env = self.env, dict(self.env)
        self.rows, self.renews = rows, True
        made = {value for item in walk(Block((), tuple(self.copied), ())) for value in defined(item)}
        for value in self.scaled.keys() - made:
            self._scale(value)
        self.statements(self.copied)
        self.rows, self.renews = None, False
        results = (*self.see((self.spot.value,)), *self._added())
        self.env = env
        return results

    def _added(self) -> tuple[Value, ...]:
        return tuple(self._real(item.signal) for item in self.sets if isinstance(item, Adds))

    def _real(self, name: str) -> Value:
        value = self.visible(name, "the set of candidates")
        return self.fit(value, self.spot.value.type)

    def _shaped(self, copy: _Copy, combination: tuple[int, ...]) -> Value:
        """The value with what steps, shares and scales of its own do to it; factors that are trivial leave it bit for bit."""
        value, added = copy.value, iter(copy.added)
        for number, (item, row) in enumerate(zip(self.sets, combination, strict=True)):
            if isinstance(item, Steps):
                assert self.spot.start is not None
                further = self.difference(self._factor(number, row), self.const(1.0))
                value = self.total(value, self.product(further, self.difference(value, *self.see((self.spot.start,)))))
            elif isinstance(item, Adds):
                value = self.total(value, self.product(self._factor(number, row), next(added)))
            elif item.signal == self.name:
                value = self.times(self._factor(number, row), value)
        return value

    def _factor(self, number: int, row: int) -> Value:
        return self.sliced(self.use(self.keys[number]), (row,))

    def _called(self, function: Callable[..., Any], value: Value) -> tuple[Value, ...]:
        names = parameters(function, "a candidate")
        args = [value if name == self.name else self.fit(self.visible(name, "a candidate"), value.type) for name in names]
        program = as_program(function, [arg.type for arg in args], "a candidate")
        results = inline(self, program, args)
        if [result.type for result in results] != [value.type]:
            found = ", ".join(str(result.type) for result in results)
            raise TensorizeError(f"a candidate for `{self.name}` must be {value.type}, not {found or 'nothing'}")
        return results


@dataclass(frozen=True)
class _Copy:
    """A value as it is computed with the current weights, the signals to be added to it, and infinity where computing it fails."""

    value: Value
    added: tuple[Value, ...]
    penalty: Value | None


class _Criterion:
    """Scores candidates; one that fails, or whose score is no number, is infinitely bad."""

    def __init__(self, grower: Grower, by: Callable[..., Any], type: Type) -> None:
        self.grower = grower
        _, *names = parameters(by, "the criterion")
        self.others = tuple(grower.fit(value, Type(Kind.REAL)) for value in (grower.visible(name, "the criterion") for name in names))
        self.program = as_criterion(by, [type, *(other.type for other in self.others)], "the criterion")

    def score(self, candidate: Value, penalty: Value | None) -> Value:
        """How bad a candidate is."""
        grower = self.grower
        (score,), _ = attempt(grower, lambda: (self._plain(candidate),), lambda: (grower.const(math.inf),))
        score = grower.add("or_inf", score)
        return score if penalty is None else grower.total(score, penalty)

    def _plain(self, candidate: Value) -> Value:
        (score,) = inline(self.grower, self.program, (candidate, *self.others))
        return self.grower.fit(score, Type(Kind.REAL))


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Signals of a loop whose step could be searched."""
    program = network.program
    for loop, value in carried_reals(program):
        if loop.span is not None and applies(find_spots, program, value.name, loop.span.line):
            line = "" if applies(find_spots, program, value.name) else f", line={loop.span.line}"
            call = f"choose(net, {value.name!r}, steps=(0.5, 1.0, 1.5), by=...{line})"
            yield Suggestion(call, f"the step of `{value.name}` can be searched", loop.span)
