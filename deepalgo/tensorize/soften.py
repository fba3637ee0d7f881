"""`soften`: thresholds and guards learn. Forward they stay hard; their gradient is how a sample's answer would change on the other side.

For every guard both ways are computed. The gradient by its margin is that of a smooth step between them, whose width is measured
on data: a share of the samples lies within it. A way that fails for a sample gives no gradient to it. Guards of loops stay hard.
The least distance of `deepalgo.cluster.match` has a gradient as it is; with a positive softness it is a smooth minimum.

>>> import deepalgo as da, torch
>>> def tariff(use):
...     if use > 100.0:
...         return 0.25 * use
...     return 0.3 * use
>>> use = torch.linspace(0, 200, 101)
>>> net = soften(da.compile(tariff), use)
>>> net(use).sum().backward()
>>> net.weights["c2"].grad.item() > 0
True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from deepalgo.compiler import takes_network
from deepalgo.errors import TensorizeError
from deepalgo.ir import If, Kind, Op, Program, Value, walk
from deepalgo.ir.append import CASTS
from deepalgo.ir.facts.truths import is_conjunction, is_disjunction, is_negation
from deepalgo.network import Network
from deepalgo.ops.forms.soft import measured_margins
from deepalgo.ops.ranges import ABOVE, BELOW, EQUAL
from deepalgo.ops.table import TABLE
from deepalgo.spans import Span
from deepalgo.tensorize.attempt import attempt
from deepalgo.tensorize.grow import Grower
from deepalgo.tensorize.inline import hidden
from deepalgo.tensorize.suggestion import Suggestion

#: Of the samples on the emptier side of a guard, this share lies within its width; a side needs so many to be measured by.
SHARE, FEWEST = 0.1, 5
#: Why the weight that blends cannot be trained.
BY_ANNEAL = "set by anneal"


@takes_network
def soften(network: Network, /, *inputs: Any, guards: Iterable[int] | None = None, softness: float = 0.0, **keywords: Any) -> Network:
    """Let guards learn, all of them or those at these lines; the inputs are a batch on which their widths are measured.

    With `softness` above zero the answers themselves are blended, more so near the guards; `anneal` brings
    it back to zero, where the answers are the heuristic's.
    """
    lines = None if guards is None else set(guards)
    growth = _Soft(network, lines)
    grown = growth.softened()
    with torch.no_grad(), measured_margins() as found:
        grown.with_errors("nan")(*inputs, **keywords)
    for key in growth.widths.values():
        grown.weights[key].fill_(_width(found.get(key, [])))
    anneal(grown, softness)
    return grown


def soft_lines(network: Network) -> dict[int, tuple[Span, str]]:
    """The lines of guards and minima that can be softened, and why."""
    growth = _Soft(network, None)
    growth.program(network.program)
    return growth.met


def anneal(network: Network, softness: float) -> None:
    """Set how much a softened network blends: 0 is hard."""
    key = _softness(network.program)
    if key is None:
        raise TensorizeError(f"{network.program.name} was not softened: call soften(net, *inputs) first")
    if not softness >= 0:
        raise TensorizeError(f"softness is zero or more, not {softness}")
    with torch.no_grad():
        network.weights[key].fill_(softness)


def _softness(program: Program) -> str | None:
    """The weight that `anneal` sets, whatever it is called."""
    return next((weight.key for weight in program.weights if weight.frozen == BY_ANNEAL), None)


def _width(margins: list[torch.Tensor]) -> float:
    """The margin within which a share of the samples lies, on the side that fewer of them take: that is where the guard can move."""
    found = torch.cat([part[torch.isfinite(part)].double() for part in margins]) if margins else torch.zeros(0)
    sides = sorted((found[found > 0], -found[found < 0]), key=len)
    side, share = (sides[0], SHARE) if len(sides[0]) >= FEWEST else (sides[1], SHARE / 4)
    return float(torch.quantile(side[:: max(1, len(side) // 100_000)], share)) if len(side) else 1.0


class _Soft(Grower):
    """Puts a soft choice behind every branch and every selection by a guard."""

    def __init__(self, network: Network, lines: set[int] | None) -> None:
        super().__init__(network)
        self.lines = lines
        self.made = {op.result: op for op in walk(network.program.body) if isinstance(op, Op)}
        self.widths: dict[Value, str] = {}
        self.softness = _softness(network.program) or self.make_weight("softness", 0.0, frozen=BY_ANNEAL)
        self.done = {arg for op in self.made.values() if op.name == "soft_choice" for arg in op.args[:1]}
        self.met: dict[int, tuple[Span, str]] = {}

    def softened(self) -> Network:
        """The network with soft guards."""
        grown = self.grow()
        if not self.widths:
            where = f" at line {', '.join(map(str, sorted(self.lines)))}" if self.lines is not None else ""
            name = self.network.program.name
            raise TensorizeError(f"{name} has no guard{where} that chooses between real values by comparing real numbers and is still hard")
        missing = sorted((self.lines or set()) - self.met.keys())
        if missing:
            raise TensorizeError(f"there is no guard that can be softened at line {', '.join(map(str, missing))}")
        return grown

    def branch(self, branch: If) -> None:
        """Compute the other way, too, where the condition has a margin."""
        condition = self.see((branch.condition,))[0]
        reals = {value for value in branch.results if value.type.kind == Kind.REAL} - self.done
        margin = self._margin(branch.condition) if reals and self._is_wanted(branch.span) else None
        super().branch(branch)
        if margin is None:
            return
        others = self._other_way(branch, condition)
        for value, other in zip(branch.results, others, strict=True):
            if value in reals:
                self.env[value] = self._choice(branch.condition, value, other, condition, margin, branch.span)

    def op(self, op: Op) -> None:
        """Look at selections, at truth values that become numbers, and at least distances."""
        super().op(op)
        if (softened := TABLE[op.name].softened) and self._is_wanted(op.span):
            self.env[op.result] = self._smooth(op, softened)
        if not (op.is_choice or op.name == CASTS[Kind.REAL]) or op.result.type.kind != Kind.REAL or op.args[0].type.kind != Kind.BOOL:
            return
        if op.result in self.done:
            return
        margin = self._margin(op.args[0]) if self._is_wanted(op.span) else None
        if margin is None:
            return
        condition, *values = self.see(op.args)
        if values:
            other = self.fit(self.where(condition, values[1], values[0]), op.result.type)
        else:
            other = self.difference(self.const(1.0), op.result)
        self.env[op.result] = self._choice(op.args[0], op.result, other, condition, margin, op.span)

    def _is_wanted(self, span: Span | None) -> bool:
        return span is not None and (self.lines is None or span.line in self.lines)

    def _choice(self, guard: Value, taken: Value, other: Value, condition: Value, margin: Value, span: Span | None) -> Value:
        if guard not in self.widths:
            self._meet(guard, "guard", span, "its guard has a threshold")
        key = self.widths[guard]
        args = (taken, other, condition, margin, self.use(key), self.use(self.softness))
        result = self.add("soft_choice", *args, attrs=(("key", key),))
        return self.name_last(taken.name, span) if taken.name else result

    def _meet(self, chooser: Value, what: str, span: Span | None, why: str) -> None:
        """Make the width of a guard or a minimum."""
        name = f"{what}{span.line}_width" if span is not None else f"{what}_width"
        self.widths[chooser] = self.make_weight(name, 1.0, frozen="measured on data", span=span)
        self.met |= {} if span is None else {span.line: (span, why)}

    def _smooth(self, op: Op, softened: str) -> Value:
        """The smooth minimum in the place of the least distance: its softness counts in widths."""
        self._meet(op.result, op.name, op.span, "it takes the least of several distances")
        key = self.widths[op.result]
        softness = self.product(self.use(key), self.use(self.softness))
        result = self.add(softened, *self.see(op.args), softness, attrs=(*op.attrs, ("key", key)))
        return self.name_last(op.result.name, op.span) if op.result.name else result

    def _other_way(self, branch: If, condition: Value) -> tuple[Value, ...]:
        """What the arm that a sample does not take would give; where that fails, what it gets anyhow."""
        env = dict(self.env)
        taken = self.see(branch.results)
        results, _ = attempt(self, lambda: self._swapped(branch, condition), lambda: taken)
        self.env = env
        return results

    def _swapped(self, branch: If, condition: Value) -> tuple[Value, ...]:
        self.renews, soft = True, self.lines
        self.lines = set()  # the copies stay hard
        then, orelse = self.block(branch.then), self.block(branch.orelse)
        self.renews, self.lines = False, soft
        swapped = tuple(self.fresh.value(value.type) for value in branch.results)
        self.out.append(hidden(If(swapped, condition, orelse, then)))
        return swapped

    def _margin(self, condition: Value) -> Value | None:
        """How far a condition is from turning, positive where it holds; None where nothing real is compared."""
        op = self.made.get(condition)
        if op is None:
            return None
        order = TABLE[op.name].order & ~EQUAL
        if order in (BELOW, ABOVE):
            if all(arg.type.kind < Kind.REAL for arg in op.args):
                return None
            a, b = self.see(op.args)
            return self.difference(a, b) if order == ABOVE else self.difference(b, a)
        if is_negation(op):
            inner = self._margin(op.args[0])
            return None if inner is None else self.negative(inner)
        return self._nearer(op) if is_conjunction(op) or is_disjunction(op) else None

    def _nearer(self, op: Op) -> Value | None:
        """The nearer of two margins; one without a margin can only keep the other from mattering."""
        first, second = map(self._margin, op.args)
        both = is_conjunction(op)
        if first is None and second is None:
            return None
        if first is not None and second is not None:
            return self.smaller(first, second) if both else self.larger(first, second)
        soft, hard = (first, op.args[1]) if first is not None else (second, op.args[0])
        assert soft is not None
        never = self.const(-math.inf if both else math.inf)
        (hard,) = self.see((hard,))
        return self.where(hard, soft, never) if both else self.where(hard, never, soft)


def suggestions(network: Network) -> Iterator[Suggestion]:
    """Lines with a guard."""
    for line, (span, why) in soft_lines(network).items():
        yield Suggestion(f"soften(net, *inputs, guards=[{line}])", why, span)
