"""Iteration: the items that `for` and unpacking take from a value."""

from __future__ import annotations

import ast
import operator
import types
from collections import deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from itertools import islice
from typing import Any

from deepalgo.stage.rules.numpy import indexing, masked
from deepalgo.stage.rules.python import iterator_replacements
from deepalgo.stage.state.arrays import Array, root_of, shape_of
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.endless import refuse_endless
from deepalgo.stage.state.guarded_items import REASON, REMEDY, GuardedItems
from deepalgo.stage.state.iterator_state import SPENT, Snapshot
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions
from deepalgo.stage.state.static_values import refuse_text
from deepalgo.stage.state.streams import Walk, made_of, on_time, refuse_early, refuse_late, refuse_spent, spend, take
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import Generator, Signal, Union, UserRaise, refuse_again, user_method

#: Longer iterators of the user may never end.
MOST = 10_000


def iterate(machine: Machine, value: Any, node: ast.AST, size: int | None = None) -> list[Any]:
    """The items of an iterable as a list; its length must not depend on data."""
    refuse_again(value)
    if isinstance(value, Array):
        extent = shape_of(value)
        if not extent:
            raise UserRaise(TypeError, "iteration over a 0-d array", machine.at(node))
        return [indexing.get(machine, value, place, node) for place in range(extent[0])]
    if isinstance(value, Signal):
        if value.shape:
            return [machine.emit("index", value, key=(n,), flavour=value.flavour) for n in range(value.shape[0])]
        raise UserRaise(
            TypeError, "cannot unpack non-iterable float object" if size else "'float' object is not iterable", machine.at(node)
        )
    if isinstance(value, Generator):
        found = machine.collect(value, node)
        return found if isinstance(found, list) else iterate(machine, found, node, size)
    if isinstance(value, GuardedItems):
        machine.refuse(REASON, REMEDY, node)
    refuse_endless(machine, value, node)
    if id(value) in machine.streams:
        return spend(machine, value, node)
    if isinstance(value, Walk):
        run = walk(machine, value, node)
        return [run.read(place) for place in range(len(run) + 1)][:-1]
    refuse_text(machine, "is taken apart", value, node)
    if isinstance(value, Union):
        return _iterate_union(machine, value, node)
    if user_method(value, "__iter__") is not None:
        return iterate(machine, opened(machine, value, node), node, size)
    if isinstance(value, types.GeneratorType):
        machine.refuse("this runs over a generator that was made outside of the function", "Make it inside, or pass a list.", node)
    try:
        return list(value)
    except Exception as error:
        raise UserRaise(error, None, machine.at(node)) from None


def opened(machine: Machine, value: Any, node: ast.AST) -> Any:
    """What the `__iter__` of an object of the user's hands out; an iterator of theirs as a generator that asks it again and again."""
    if isinstance(value, (Masked, Positions)):
        found = masked.entries(machine, value)
        return value if found is None else found
    method = user_method(value, "__iter__")
    if method is None:
        return value
    items = run_outside(machine, lambda: value, [value])
    if items is not None:
        return items
    found = machine.call(method, [value], {}, node)
    if user_method(found, "__next__") is None:
        return found
    return machine.interpret(iterator_replacements.followed, [found], {}, node, iter)


def early(machine: Machine, value: Any, node: ast.AST) -> list[Any]:
    """The items of an iterable for an iterator that is made of them and not run over yet."""
    refuse_early(machine, value, node)
    return iterate(machine, value, node)


def one_by_one(machine: Machine, value: Any, node: ast.AST) -> Iterator[Any]:
    """The items of an iterable, each read when it is asked for."""
    run = walk(machine, value, node)
    for place in range(len(run)):
        yield run.read(place)
    run.read(len(run))


def run_outside(machine: Machine, start: Callable[[], Iterable[Any]], given: list[Any]) -> list[Any] | None:
    """The items of the user's own iterator, run as it is; None where data, or a number that may be a weight, has a say in it."""
    if contains_signal(given) or any(id(item) in machine.heap.inside for item in given):
        return None
    try:
        items = list(islice(start(), MOST + 1))
    except Exception:  # staging, or a refusal, says more about it
        return None
    return items if len(items) <= MOST and all(_is_fixed(item) for item in items) else None


def _is_fixed(item: Any) -> bool:
    return all(map(_is_fixed, item)) if isinstance(item, tuple) else isinstance(item, (str, int, type(None)))


def walk(machine: Machine, value: Any, node: ast.AST) -> Walk:
    """The items of an iterable, one after the other."""
    snapshot = made_of(machine, value)
    if isinstance(value, Walk):
        refuse_spent(machine, value, node)
        items = list(value)
        read, passed = value.read, value.size - len(value)
        machine.heap.touch(value)
        value[:] = [SPENT]
        return Walk(items, lambda place: read(place + passed), snapshot)
    items = take(machine, value, node) if id(value) in machine.streams else iterate(machine, value, node)
    return Walk(items, _reader(machine, value, [*items, None], node), snapshot)


def _reader(machine: Machine, value: Any, items: list[Any], node: ast.AST) -> Callable[[int], Any]:
    if id(value) in machine.streams:
        _, snapshot = machine.streams[id(value)]
        return lambda place: _of_snapshot(machine, snapshot, items, place, node)
    if isinstance(value, Array):
        root = root_of(value)
        held = root.held
        return lambda place: items[place] if root.held is held or place == len(items) - 1 else indexing.get(machine, value, place, node)
    if isinstance(value, deque):
        return lambda place: _of_deque(machine, value, items, place, node)
    if isinstance(value, list):
        return lambda place: _of_list(machine, value, len(items) - 1, place, node)
    if isinstance(value, (dict, set, KeysView, ValuesView, ItemsView)):
        return _reader_of_keys(machine, value, node)
    return items.__getitem__


def _reader_of_keys(machine: Machine, value: Any, node: ast.AST) -> Callable[[int], Any]:
    """What a dict or a set holds when its item is asked for: Python raises if there are more or fewer by then."""
    held = value if isinstance(value, (dict, set)) else getattr(value, "mapping", ())
    before = list(held)

    def read(place: int) -> Any:
        if len(held) != len(before):
            kind = "Set" if isinstance(held, set) else "dictionary"
            raise UserRaise(RuntimeError, f"{kind} changed size during iteration", machine.at(node))
        if any(now is not then for now, then in zip(held, before, strict=True)):
            machine.refuse("this loop changes the keys that it runs over", "Run over a copy: list(...).", node)
        return next(islice(value, place, None), None) if place >= 0 else None

    return read


def _of_snapshot(machine: Machine, snapshot: Snapshot, items: list[Any], place: int, node: ast.AST) -> Any:
    if snapshot.is_stale() if place < len(items) - 1 else snapshot.holds_other():
        refuse_late(machine, node)
    return on_time(items[place])


def _of_list(machine: Machine, value: list[Any], size: int, place: int, node: ast.AST) -> Any:
    if len(value) != size:
        machine.refuse("this loop changes the length of the list that it runs over", "Run over a copy: list(items).", node)
    return value[place] if place < size else None


def _of_deque(machine: Machine, value: deque[Any], items: list[Any], place: int, node: ast.AST) -> Any:
    if len(value) != len(items) - 1 or any(held is not item for held, item in zip(value, items, strict=False)):
        machine.refuse("this loop changes the deque that it runs over", "Run over a copy: list(items).", node)
    return items[place]


def _iterate_union(machine: Machine, value: Union, node: ast.AST) -> list[Any]:
    """The items of one of several sequences, if all of them have the same length."""
    lengths = {len(case) if isinstance(case, (list, tuple, deque)) else -1 for _, case in value.cases}
    if lengths == {-1} or len(lengths) != 1:
        machine.refuse("what is iterated over depends on data", "Make both alternatives sequences of the same length.", node)
    return [distribute(machine, value, operator.itemgetter(place), node) for place in range(lengths.pop())]
