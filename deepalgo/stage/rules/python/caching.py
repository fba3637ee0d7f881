"""`functools.lru_cache` and `cache`: a function that only computes answers the same without them."""

from __future__ import annotations

import ast
import functools
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.iterator_state import Snapshot
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Partial, UserRaise


@dataclass(frozen=True, slots=True, eq=False)
class Cached:
    """A function that interpreted code gave a memory; `begun` is what it saw at its first call."""

    function: Any
    begun: list[Snapshot] = field(default_factory=list)


def remembered(function: Any) -> Cached:
    """A function with a memory."""
    return Cached(function)


@handles(functools.cache)
def _cache(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Cached(args[0])


@handles(functools.lru_cache, options="maxsize typed")
def _lru_cache(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    first = kwargs.get("maxsize")
    if first is None or isinstance(first, int):
        return Partial(remembered, (), {})
    if not isinstance(kwargs.get("typed", False), bool):
        raise UserRaise(TypeError, "Expected first argument to be an integer, a callable, or None", machine.span)
    return Cached(first)


@handles(remembered)
def _remembered(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Cached(args[0])


def call_cached(machine: Machine, cached: Cached, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The answer of a function with a memory; one that changes something, or sees something that has changed, is refused."""
    for item in (*args, *kwargs.values()):
        if isinstance(item, (list, dict, set, deque, Array)):
            name = "numpy.ndarray" if isinstance(item, Array) else type(item).__name__
            raise UserRaise(TypeError, f"unhashable type: '{name}'", machine.span)
    if cached.begun and cached.begun[0].is_stale():
        machine.refuse("a function with a cache reads something that has changed since", "Pass it as an argument.", node)
    cached.begun[:] = cached.begun or [Snapshot.of_call(cached.function)]
    machine.heap.open()
    try:
        answer = machine.call(cached.function, args, kwargs, node)
        changes = bool(machine.heap.levels[-1].before)
    finally:
        machine.heap.keep()
    if changes:
        remedy = "Take the cache off, or let it return what changed."
        machine.refuse("a function with a cache changes something outside of it", remedy, node)
    return answer
