"""Python's `sum` and `math.fsum` on Signals.

Since Python 3.12 `sum` of floats carries the error of every addition along and adds it at the end (Neumaier's method). Which of the two
the running interpreter does is what a network does.
"""

from __future__ import annotations

import ast
import math
import sys
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.rules.python.mathematics import real
from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.guarded_items import GuardedItems, fold
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Generator, Signal

#: Whether `sum` of floats is compensated.
COMPENSATED = sys.version_info >= (3, 12)


@handles(sum, options="start")
def _sum(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    total = args[1] if len(args) > 1 else kwargs.get("start", 0)
    if isinstance(args[0], (GuardedItems, Generator)):
        if COMPENSATED:
            pair = fold(machine, args[0], (total, 0.0), lambda held, item: _step(machine, held[0], held[1], item, node), node)
            return _settled(machine, *pair)
        return fold(machine, args[0], total, lambda held, item: machine.binary(ast.Add, held, item, node), node)
    lost: Any = 0.0
    for item in machine.iterate(args[0], node):
        total, lost = _step(machine, total, lost, item, node)
    return _settled(machine, total, lost)


def _step(machine: Machine, total: Any, lost: Any, item: Any, node: ast.AST) -> tuple[Any, Any]:
    """The sum after one more item, and what its roundings have lost so far."""
    if COMPENSATED and _is_float(total) and _is_float(item) and (isinstance(total, Signal) or isinstance(item, Signal)):
        return _compensated(machine, total, lost, item)
    if not (_is_float(total) and _is_whole(item)):  # the sum goes on among numbers of another kind
        total, lost = _settled(machine, total, lost), 0.0
    return machine.binary(ast.Add, total, item, node), lost


def _compensated(machine: Machine, total: Any, lost: Any, item: Any) -> tuple[Signal, Signal]:
    after = machine.emit("add", total, item)
    larger = machine.emit("ge", machine.emit("abs", total), machine.emit("abs", item))
    small = machine.emit("select", larger, machine.emit("add", machine.emit("sub", total, after), item),
                         machine.emit("add", machine.emit("sub", item, after), total))
    return after, machine.emit("add", lost, small)


def _settled(machine: Machine, total: Any, lost: Any) -> Any:
    """The sum with what was lost, unless that is zero or not finite."""
    if not isinstance(lost, Signal):
        return total
    matters = machine.emit("and", machine.emit("ne", lost, 0.0), machine.emit("isfinite", lost))
    return machine.emit("select", matters, machine.emit("add", total, lost), total)


def _is_float(value: Any) -> bool:
    return type(value) is float or isinstance(value, Signal) and value.kind is Kind.REAL and value.flavour == "py" and not value.shape


def _is_whole(value: Any) -> bool:
    return type(value) in (int, bool) or isinstance(value, Signal) and value.kind <= Kind.INT and value.flavour == "py" and not value.shape


@handles(math.fsum)
def _fsum(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The exact sum; infinities of both signs raise, and so do finite numbers whose sum so far overflows."""
    items = machine.iterate(args[0], node)
    if not contains_signal(items):
        return machine.call_native(math.fsum, [items], {}, node)
    numbers = [real(machine, item) for item in items]
    signals = [machine.signal(number) for number in numbers]
    machine.check(_stays_finite(machine, signals), OverflowError, "intermediate overflow in fsum")
    infinite = _added(machine, [machine.emit("select", machine.emit("isinf", item), item, 0.0) for item in signals])
    machine.check(machine.negated(machine.emit("isnan", infinite)), ValueError, "-inf + inf in fsum")
    return machine.emit("fsum", *numbers)


def _stays_finite(machine: Machine, items: list[Signal]) -> Signal:
    """Whether no sum of finite numbers overflows on the way; one that is not finite starts anew."""
    total, fine = machine.constant(0.0), machine.constant(True)
    for item in items:
        total = machine.emit("select", machine.emit("isfinite", item), machine.emit("add", total, item), 0.0)
        fine = machine.both(fine, machine.emit("isfinite", total))
    return fine


def _added(machine: Machine, items: list[Signal]) -> Signal:
    total = items[0]
    for item in items[1:]:
        total = machine.emit("add", total, item)
    return total
