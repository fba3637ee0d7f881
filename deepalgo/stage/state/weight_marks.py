"""What `da.weight` says of a weight besides its name: that it is a parameter, and between which bounds it stays."""

from __future__ import annotations

import ast
import linecache
import math
from collections.abc import Iterator
from typing import Any

from deepalgo.errors import CompileError
from deepalgo.spans import Span
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.marked_texts import marked_at
from deepalgo.stage.state.values import Signal

WAY_OUT = "Write two numbers, the lower first, or None for an open side: da.weight(0.5, bounds=(0.0, 1.0))."


def declare(machine: Machine, marked: Any, bounds: Any, node: ast.AST) -> None:
    """Note that these weights are parameters, and their bounds."""
    low, high = (-math.inf, math.inf) if bounds is None else _read(machine, bounds, node)
    for signal in _signals(marked):
        for key in _keys(machine, signal):
            value = machine.weights.found[key].value
            if not all(low <= number <= high for number in _numbers(value)):
                machine.refuse(f"the weight `{key}` starts outside of its bounds", WAY_OUT, node)
            machine.weights.standings.marked[key] = low, high


def note_text(machine: Machine, key: str, span: Span | None) -> None:
    """The same for a number whose mark Python ran before the function was compiled."""
    if span is None or not any("weight(" in line for line in span.lines):
        return
    try:
        bounds = marked_at("".join(linecache.getlines(span.file)), span.line, span.column)
    except (ValueError, TypeError):
        raise CompileError("bounds that are no lower and upper number", span=span, remedy=WAY_OUT) from None
    if bounds is not None:
        low, high = bounds
        if not all(low <= number <= high for number in _numbers(machine.weights.found[key].value)):
            raise CompileError(f"the weight `{key}` starts outside of its bounds", span=span, remedy=WAY_OUT)
        machine.weights.standings.marked[key] = low, high


def _read(machine: Machine, bounds: Any, node: ast.AST) -> tuple[float, float]:
    sides = [machine.demand(side, "it is a bound of `da.weight`") if isinstance(side, Signal) else side for side in _items(bounds)]
    known = [default if side is None else side for side, default in zip(sides, (-math.inf, math.inf), strict=False)]
    if len(sides) != 2 or any(isinstance(side, bool) or not isinstance(side, (int, float)) for side in known) or not known[0] < known[1]:
        machine.refuse("bounds that are no lower and upper number", WAY_OUT, node)
    return float(known[0]), float(known[1])


def _items(bounds: Any) -> tuple[Any, ...]:
    return tuple(bounds) if isinstance(bounds, (list, tuple)) else ()


def _signals(marked: Any) -> Iterator[Signal]:
    match marked:
        case Signal():
            yield marked
        case Array():
            yield from _signals(marked.held)
        case list() | tuple():
            for item in marked:
                yield from _signals(item)
        case _:
            return


def _keys(machine: Machine, signal: Signal) -> set[str]:
    """The weights that a number or a table is made of."""
    keys, waiting = set[str](), [signal.value]
    while waiting:
        op = machine.facts.ops.get(waiting.pop())
        if op is not None and op.is_weight:
            keys.add(str(op.attr("key")))
        elif op is not None:
            waiting += op.args
    return keys


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, tuple):
        for item in value:
            yield from _numbers(item)
    else:
        yield value
