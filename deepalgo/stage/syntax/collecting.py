"""Run a generator to its end and collect its items."""

from __future__ import annotations

import ast
import itertools
from typing import Any

from deepalgo.errors import CompileError
from deepalgo.stage.state.exits import FALL, Exit
from deepalgo.stage.state.generators import DONE, begin, fresh_frame, run
from deepalgo.stage.state.guarded_items import GuardedItems
from deepalgo.stage.state.iterator_state import Snapshot
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.speculation import trial
from deepalgo.stage.state.streams import stream
from deepalgo.stage.state.values import UNDEFINED, DataLength, Generator, NeedsUnroll, Union
from deepalgo.stage.syntax.comprehensions import collected


def collect(machine: Machine, generator: Generator, node: ast.AST) -> Any:
    """All items of a generator, here and now; with their guards where data decides which there are."""
    if isinstance(generator.code, ast.GeneratorExp) and not isinstance(generator.source, Generator):
        frame = fresh_frame(generator, None)
        return collected(machine, generator.code, frame, generator.source) if begin(machine, generator, DONE, node) else []
    entries = _entries(machine, generator, node)
    if all(guard is True for guard, _ in entries):
        return [item for _, item in entries]
    return GuardedItems(tuple(entries))


def given(machine: Machine, value: Any, folding: bool, node: ast.AST) -> Any:
    """What a rule gets for an argument: the items of a generator, or itself where their number depends on data and the rule can fold."""
    if not isinstance(value, Generator):
        return machine.opened(value, node) if folding and isinstance(value, DataLength) else value
    if not folding:
        return _as_stream(machine, value, node)
    try:
        with trial(machine, CompileError):
            return _as_stream(machine, value, node)
    except CompileError:
        return value


def _as_stream(machine: Machine, generator: Generator, node: ast.AST) -> Any:
    found = collect(machine, generator, node)
    return stream(machine, found, Snapshot.of([])) if isinstance(found, list) else found


def _entries(machine: Machine, generator: Generator, node: ast.AST) -> list[tuple[Any, Any]]:
    """Every item with its guard. An item that is missing on some path is undefined there, as a name would be."""
    found: dict[str, Any] = machine.heap.namespace({})
    numbers, loops = itertools.count(), machine.open_loops

    def consume(item: Any) -> Exit:
        if machine.open_loops > loops:
            if machine.attempts:
                raise NeedsUnroll
            machine.refuse("how many items this generator gives depends on data", "Run over it with `for`.", node)
        machine.heap.touch(found)
        found[str(next(numbers))] = item
        return FALL

    run(machine, generator, consume, node)
    return [_entry(machine, found[key]) for key in sorted(found, key=int)]


def _entry(machine: Machine, item: Any) -> tuple[Any, Any]:
    if not isinstance(item, Union):
        return True, item
    absent = [guard for guard, case in item.cases if case is UNDEFINED]
    if not absent:
        return True, item
    guard = machine.none_of(absent)
    told = machine.truth_of(guard)
    return guard if told is None else told, item
