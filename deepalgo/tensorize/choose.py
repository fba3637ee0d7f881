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
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import torch

from deepalgo.emit.code_errors import can_fail
from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Handler, Kind, Op, Program, Statement, Try, Value, defined
from deepalgo.network import Network
from deepalgo.tensorize.find import Spot, find_signal, find_spot
from deepalgo.tensorize.grow import Grower, key_of, weight_ops
from deepalgo.tensorize.inline import as_criterion, as_program, inline, parameters
from deepalgo.tensorize.stretch import private


class NewHeuristic(UserWarning):
    """The candidates have values of their own: the network is another heuristic than the one that was compiled."""


@dataclass(frozen=True)
class Scales:
    """Candidates that multiply a signal on the way by these factors."""

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
    constants, stays a candidate unless `keep=False`.

    Where the factors are not all trivial the network is a new heuristic; `heuristic` is the same written out by hand, with which
    `verify` then compares.
    """
    if steps is not None:
        sets = (*sets, Steps(tuple(steps)))
    if not sets:
        raise TensorizeError("choose needs candidates: steps=(0.5, 1.0, 1.5), Scales, Adds or functions")
    grown = _Choice(network, find_spot(network.program, signal, line), signal, sets, by, keep).grow()
    if any(not callable(item) and set(item.factors) - {item.trivial} for item in sets) or any(callable(item) for item in sets):
        grown.heuristic, grown.function = grown.program, heuristic
        if heuristic is None:
            warnings.warn(
                f"the candidates for `{signal}` have values of their own, so this is a new heuristic: "
                "choose(..., heuristic=...) takes it written out by hand, and verify compares with that",
                NewHeuristic, stacklevel=2,
            )
    return grown


class _Choice(Grower):
    """Writes the candidates where a value is defined, and picks one."""

    def __init__(self, network: Network, spot: Spot, name: str, sets: Sequence[Set], by: Callable[..., Any], keep: bool) -> None:
        super().__init__(network)
        self.spot, self.name, self.keep, self.by = spot, name, keep, by
        self.functions = [item for item in sets if callable(item)]
        self.sets = [item for item in sets if not callable(item)]
        if spot.start is None and any(isinstance(item, Steps) for item in self.sets):
            raise TensorizeError(f"no loop carries `{name}`, so it has no steps; use Scales, Adds or functions")
        self.keys = [self._make(item) for item in self.sets]
        self.stretch = private(network.program, spot.block, spot.value)
        self.scaled = {value: number for number, item in enumerate(self.sets) if isinstance(item, Scales)
                       for value in self._inside(item)}
        self.trained = any(not self.entries[key_of(op)].frozen for op in weight_ops(Block((), self.stretch, ())))
        self.fixed = False
        self.combination: tuple[int, ...] | None = None
        self.after[spot.value] = self._decide

    def _make(self, item: Scales | Adds | Steps) -> str:
        if not item.factors:
            raise TensorizeError(f"a set of candidates must not be empty: {item}")
        kinds = {Steps: "steps", Scales: "scales", Adds: "shares"}
        name = self.name if isinstance(item, Steps) else item.signal
        return self.make_weight(f"{name}_{kinds[type(item)]}", torch.tensor(item.factors, dtype=self.network.dtype))

    def _inside(self, item: Scales) -> list[Value]:
        values = find_signal(self.network.program, item.signal)
        inner = {value for statement in self.stretch for value in defined(statement)}
        found = [value for value in values if value in inner]
        if not found:
            raise TensorizeError(f"`{item.signal}` is not on the way to `{self.name}` alone, so scaling it would change other values")
        return found

    def statement(self, statement: Statement) -> None:
        if self.combination is None and not self.fixed and any(statement is item for item in self.stretch):
            self._attend(defined(statement))
            return
        super().statement(statement)
        if self.combination is None:
            return
        for value in defined(statement):
            if value in self.scaled:
                number = self.scaled[value]
                self.env[value] = self.add("mul", self._factor(number, self.combination[number]), self.see((value,))[0])

    def op(self, op: Op) -> None:
        if self.fixed and op.name == "weight":
            (result,) = self.define((op.result,))
            self.out.append(Op(result, "const", (), (("value", self.entries[key_of(op)].value),), op.span))
        else:
            super().op(op)

    def _decide(self, value: Value) -> Value:
        criterion, others = self._criterion(value)
        simple = not self.trained and not self.scaled
        original = self._evaluated(fixed=True)
        found = []
        combinations = product(*(range(len(item.factors)) for item in self.sets)) if self.sets else ()
        make = partial(self._shaped, original) if simple else self._copied
        makers: list[Callable[[], Value]] = [*(partial(make, combination) for combination in combinations),
                                              *(partial(self._called, function, original) for function in self.functions)]
        if self.keep:  # the last: of equally good ones the first wins, and it should be one that can learn
            makers.append(lambda: original)
        found = [self._scored(maker, criterion, others, original) for maker in makers]
        values, scores = zip(*found, strict=True)
        best = self.add("argmin", self.add("stack", *scores), attrs=(("axis", 0),))
        self.add("pick_at", self.add("stack", *values), best, attrs=(("axis", 0),))
        return self.name_last(self.name, self.spot.span)

    def _criterion(self, value: Value) -> tuple[Program, tuple[Value, ...]]:
        _, *names = [*parameters(self.by)]
        others = tuple(self.visible(name, "the criterion") for name in names)
        return as_criterion(self.by, [value.type, *(other.type for other in others)], "the criterion"), others

    def _evaluated(self, *, fixed: bool = False) -> Value:
        """The value as the program computes it, from copies of the statements that nothing else needs."""
        env, self.env = self.env, dict(self.env)
        self.fixed, self.renews = fixed, True
        for key, value in self._outer_weights():
            if fixed:
                self.env[value] = self.const(self.entries[key].value)
        self.statements(self.stretch)
        self.fixed, self.renews = False, False
        (result,) = self.see((self.spot.value,))
        self.env = env
        return result

    def _outer_weights(self) -> list[tuple[str, Value]]:
        inner = {op.result for op in weight_ops(Block((), self.stretch, ()))}
        return [(key_of(op), op.result) for op in weight_ops(self.network.program.body)
                if op.result not in inner and not self.entries[key_of(op)].frozen]

    def _copied(self, combination: tuple[int, ...]) -> Value:
        self.combination = combination
        value = self._evaluated()
        self.combination = None
        return self._shaped(value, combination)

    def _shaped(self, value: Value, combination: tuple[int, ...]) -> Value:
        """The value with what steps and shares do to it."""
        for number, item in enumerate(self.sets):
            if isinstance(item, Steps):
                assert self.spot.start is not None
                (start,) = self.see((self.spot.start,))
                step = self.add("sub", value, start)
                value = self.add("add", start, self.add("mul", self._factor(number, combination[number]), step))
            elif isinstance(item, Adds):
                other = self.visible(item.signal, "the set of candidates")
                value = self.add("add", value, self.add("mul", self._factor(number, combination[number]), other))
        return value

    def _factor(self, number: int, row: int) -> Value:
        return self.add("take", self.use(self.keys[number]), attrs=(("key", (row,)),))

    def _called(self, function: Callable[..., Any], original: Value) -> Value:
        names = parameters(function)
        args = [original if name == self.name else self.visible(name, "the candidate") for name in names]
        program = as_program(function, [arg.type for arg in args], "the candidate")
        (result,) = inline(self, program, args)
        if result.type != original.type:
            raise TensorizeError(f"a candidate for `{self.name}` must be {original.type}, not {result.type}")
        return result

    def _scored(self, make: Callable[[], Value], criterion: Program, others: Sequence[Value], original: Value) -> tuple[Value, Value]:
        """A candidate and its score; one that fails, or whose score is no number, is infinitely bad."""
        outer, self.out = self.out, []
        candidate = make()
        (score,) = inline(self, criterion, (candidate, *others))
        score = score if score.type.kind == Kind.REAL else self.add("to_real", score)
        is_number = self.add("eq", score, score)
        score = self.add("select", is_number, score, self.const(math.inf))
        body, self.out = Block((), tuple(self.out), (candidate, score)), outer
        if not any(map(can_fail, body.body)):
            self.out.extend(body.body)
            return candidate, score
        self.out, outer = [], self.out
        worst = self.const(math.inf)
        handler = Handler(("Exception",), Block((), tuple(self.out), (original, worst)))
        self.out = outer
        results = self.fresh.value(candidate.type), self.fresh.value(score.type)
        self.out.append(Try(results, body, (handler,), self.spot.span))
        return results
