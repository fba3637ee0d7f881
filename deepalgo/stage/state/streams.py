"""Iterators as lists: every item is given once, and late items are computed when they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from deepalgo.stage.state.exits import Way, falling
from deepalgo.stage.state.iterator_state import SPENT, Snapshot, Spendable, Walking, is_spent
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import has_effect, resume, run_arm


def stream(machine: Machine, items: list[Any], snapshot: Snapshot) -> list[Any]:
    """A list that stands for an iterator; its items are those of a snapshot."""
    made: list[Any] = machine.heap.created(Spendable(items))
    machine.streams[id(made)] = made, snapshot
    return made


def spend(machine: Machine, value: Any, node: ast.AST) -> list[Any]:
    """The items that an iterator has still to give, all of them."""
    return [on_time(item) for item in take(machine, value, node)]


def take(machine: Machine, value: Any, node: ast.AST) -> list[Any]:
    """The same, those that come late as they are."""
    items = left_items(machine, value, node)
    machine.heap.touch(value)
    value[:] = [SPENT]
    return items


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """Stands before the items that an iterator gives once another one has given all of its own."""

    other: list[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Late:
    """An item that is computed when it is asked for, as that `changes` something or may fail."""

    make: Callable[[], Any]
    changes: bool


def on_time(item: Any) -> Any:
    """An item that is asked for now."""
    return item.make() if isinstance(item, Late) else item


def late_stream(machine: Machine, makes: Sequence[Callable[[], Any]], snapshot: Snapshot, code: Snapshot) -> list[Any]:
    """An iterator over computed items: computed at once, unless that changes something or may fail. `code` is what they are made by."""
    mark = machine.mark()
    arm = run_arm(machine, machine.constant(True), True, lambda: falling([make() for make in makes]))
    if arm.raised is None and not arm.change.touched and not has_effect(arm.body):
        return stream(machine, resume(machine, arm).cases[Way.FALL].value, Snapshot.joined([snapshot, code]))
    changes = bool(arm.change.touched)
    machine.rewind(mark)
    return stream(machine, [Late(make, changes) for make in makes], snapshot)


def refuse_early(machine: Machine, value: Any, node: ast.AST) -> None:
    """Refuse to run over an iterator before its items are asked for, where that changes something."""
    if id(value) in machine.streams and any(isinstance(item, Late) and item.changes for item in value):
        machine.refuse("an iterator that changes something when it is run over is handed on", "Make a list of it first.", node)


def left_items(machine: Machine, value: list[Any], node: ast.AST) -> list[Any]:
    """The items that an iterator has still to give, without taking them."""
    refuse_spent(machine, value, node)
    _, snapshot = machine.streams[id(value)]
    if snapshot.is_stale():
        refuse_late(machine, node)
    items = list(value)
    if items and isinstance(items[0], Behind):
        if items[0].other and not is_spent(items[0].other):
            machine.refuse("this goes on with an iterator while a slice of it is in use", "Make a list of the slice first.", node)
        machine.heap.touch(value)
        del value[0], items[0]
    return items


def refuse_spent(machine: Machine, value: list[Any], node: ast.AST) -> None:
    """Refuse an iterator that has given its items to someone else."""
    if is_spent(value):
        machine.refuse("this goes on with an iterator that was run over before", "Make a list of it first.", node)


def refuse_late(machine: Machine, node: ast.AST) -> NoReturn:
    """Refuse an iterator whose items would be others by now."""
    machine.refuse("what this iterator is made of has changed since", "Make a list of it where it is made.", node)


class Walk(Walking):
    """What a `for` runs over. An item is read when its round begins: the rounds before may have written to it.

    At the end `None` is read, by which a list is asked whether it still has the length that it had.
    """

    def __init__(self, items: Iterable[Any], read: Callable[[int], Any], snapshot: Snapshot) -> None:
        super().__init__(items)
        self.read = read
        self.snapshot = snapshot
        self.size = len(self)

    def step(self, machine: Machine, none: Callable[[], Any], node: ast.AST) -> Any:
        """The next item, or what `none` answers."""
        refuse_spent(machine, self, node)
        item = self.read(self.size - len(self))
        if not self:
            return none()
        machine.heap.touch(self)
        del self[0]
        return item


def made_of(machine: Machine, *values: Any) -> Snapshot:
    """A snapshot of what these iterables are made of."""
    return Snapshot.joined([_snapshot(machine, value) for value in values])


def _snapshot(machine: Machine, value: Any) -> Snapshot:
    if isinstance(value, Walk):
        return value.snapshot
    known = machine.streams.get(id(value))
    return Snapshot.of([value]) if known is None else known[1]
