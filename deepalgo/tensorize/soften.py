"""`soften`: thresholds and guards learn. Forward they stay hard; backward a sample feels how its answer would change beyond the guard.

For every guard both ways are computed. The gradient by its margin is that of a sigmoid step between them, whose width is measured
on data: a share of the samples lies within it. A way that fails for a sample gives no gradient to it. Guards of loops stay hard.

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

from collections.abc import Iterable
from typing import Any

import torch

from deepalgo.emit.code_errors import can_fail
from deepalgo.errors import TensorizeError
from deepalgo.ir import Block, Handler, If, Kind, Op, Try, Value, walk
from deepalgo.network import Network
from deepalgo.ops.forms.soft import measured_margins
from deepalgo.source import Span
from deepalgo.tensorize.grow import Grower

#: Of the samples that come to a guard, this share lies within its width.
SHARE = 0.2
SOFTNESS = "softness"


def soften(network: Network, *inputs: Any, guards: Iterable[int] | None = None, softness: float = 0.0, **keywords: Any) -> Network:
    """Let guards learn, all of them or those at these lines; the inputs are a batch on which their widths are measured.

    With `softness` above zero the answers themselves are blended, more so near the guards; `anneal` brings
    it back to zero, where the answers are the heuristic's.
    """
    lines = None if guards is None else set(guards)
    grown = _Soft(network, lines).softened()
    with torch.no_grad(), measured_margins() as found:
        grown.with_errors("nan")(*inputs, **keywords)
    for key in grown.weights:
        if key.endswith("_width"):
            width = _width([torch.cat(margins) for name, margins in found.items() if name == key])
            grown.weights[key].fill_(width)
    anneal(grown, softness)
    return grown


def anneal(network: Network, softness: float) -> None:
    """Set how much a softened network blends: 0 is hard."""
    if SOFTNESS not in network.weights:
        raise TensorizeError(f"{network.program.name} was not softened")
    if softness < 0:
        raise TensorizeError(f"softness is zero or more, not {softness}")
    with torch.no_grad():
        network.weights[SOFTNESS].fill_(softness)


def _width(margins: list[torch.Tensor]) -> float:
    """The margin within which a share of the samples lies."""
    finite = torch.cat([part[torch.isfinite(part)].abs().double() for part in margins]) if margins else torch.zeros(0)
    finite = finite[finite > 0]
    return float(torch.quantile(finite[:: max(1, len(finite) // 100_000)], SHARE)) if len(finite) else 1.0


class _Soft(Grower):
    """Puts a soft choice behind every branch and every selection by a guard."""

    def __init__(self, network: Network, lines: set[int] | None) -> None:
        super().__init__(network)
        self.lines = lines
        self.made = {op.result: op for op in walk(network.program.body) if isinstance(op, Op)}
        self.widths: dict[Value, str] = {}
        self.softness = SOFTNESS if SOFTNESS in self.entries else self.make_weight(SOFTNESS, 0.0, frozen="set by anneal")
        self.met: set[int] = set()

    def softened(self) -> Network:
        """The network with soft guards."""
        grown = self.grow()
        if not self.widths:
            where = f" at line {', '.join(map(str, sorted(self.lines)))}" if self.lines is not None else ""
            raise TensorizeError(f"{self.network.program.name} has no guard{where} that compares real numbers outside the test of a loop")
        if self.lines is not None and self.lines - self.met:
            raise TensorizeError(f"there is no guard that can be softened at line {', '.join(map(str, sorted(self.lines - self.met)))}")
        return grown

    def branch(self, branch: If) -> None:
        """Compute the other way, too, where the condition has a margin."""
        condition = self.see((branch.condition,))[0]
        margin = self._margin(branch.condition) if self._is_wanted(branch.span) else None
        super().branch(branch)
        reals = [value for value in branch.results if value.type.kind == Kind.REAL]
        if margin is None or not reals:
            return
        others = self._other_way(branch, condition)
        for value, other in zip(branch.results, others, strict=True):
            if value.type.kind == Kind.REAL:
                self.env[value] = self._choice(branch.condition, value, other, condition, margin, branch.span)

    def op(self, op: Op) -> None:
        """Look at selections and at truth values that become numbers."""
        super().op(op)
        if op.name not in ("select", "to_real") or op.result.type.kind != Kind.REAL or op.args[0].type.kind != Kind.BOOL:
            return
        margin = self._margin(op.args[0]) if self._is_wanted(op.span) else None
        if margin is None:
            return
        condition, *values = self.see(op.args)
        if values:
            other = self.add("select", condition, values[1], values[0])
            other = other if other.type.kind == Kind.REAL else self.add("to_real", other)
        else:
            other = self.add("sub", self.const(1.0), op.result)
        self.env[op.result] = self._choice(op.args[0], op.result, other, condition, margin, op.span)

    def _is_wanted(self, span: Span | None) -> bool:
        return self.lines is None or (span is not None and span.line in self.lines)

    def _choice(self, guard: Value, taken: Value, other: Value, condition: Value, margin: Value, span: Span | None) -> Value:
        if guard not in self.widths:
            name = f"guard{span.line}_width" if span is not None else "guard_width"
            self.widths[guard] = self.make_weight(name, 1.0, frozen="measured on data", span=span)
            self.met.update(() if span is None else (span.line,))
        key = self.widths[guard]
        args = (taken, other, condition, margin, self.use(key), self.use(self.softness))
        result = self.add("soft_choice", *args, attrs=(("key", key),))
        return self.name_last(taken.name, span) if taken.name else result

    def _other_way(self, branch: If, condition: Value) -> tuple[Value, ...]:
        """What the arm that a sample does not take would give; where that fails, what it gets anyhow."""
        env = dict(self.env)
        outer, self.out = self.out, []
        self.renews, soft = True, self.lines
        self.lines = set()  # the copies stay hard
        then, orelse = self.block(branch.then), self.block(branch.orelse)
        self.renews, self.lines = False, soft
        swapped = tuple(self.fresh.value(value.type) for value in branch.results)
        self.out.append(If(swapped, condition, orelse, then, branch.span))
        body, self.out = Block((), tuple(self.out), swapped), outer
        self.env = env
        if not any(map(can_fail, body.body)):
            self.out.extend(body.body)
            return swapped
        results = tuple(self.fresh.value(value.type) for value in branch.results)
        self.out.append(Try(results, body, (Handler(("Exception",), Block((), (), self.see(branch.results))),), branch.span))
        return results

    def _margin(self, condition: Value) -> Value | None:
        """How far a condition is from turning, positive where it holds; None where nothing real is compared."""
        op = self.made.get(condition)
        if op is None:
            return None
        if op.name in ("lt", "le", "gt", "ge"):
            if all(arg.type.kind < Kind.REAL for arg in op.args):
                return None
            a, b = self.see(op.args)
            return self.add("sub", a, b) if op.name in ("gt", "ge") else self.add("sub", b, a)
        if op.name == "not":
            inner = self._margin(op.args[0])
            return None if inner is None else self.add("neg", inner)
        if op.name in ("and", "or"):
            return self._both(op)
        return None

    def _both(self, op: Op) -> Value | None:
        """The nearer of two margins; one without a margin can only keep the other from mattering."""
        first, second = map(self._margin, op.args)
        if first is None and second is None:
            return None
        if first is not None and second is not None:
            return self.add("min" if op.name == "and" else "max", first, second)
        soft, hard = (first, op.args[1]) if first is not None else (second, op.args[0])
        assert soft is not None
        never = self.const(float("-inf") if op.name == "and" else float("inf"))
        (hard,) = self.see((hard,))
        return self.add("select", hard, soft, never) if op.name == "and" else self.add("select", hard, never, soft)
