"""Items with guards: what a comprehension gives that keeps or drops items depending on data.

What comes out of such a comprehension is a `GuardedItems`: every item with the guard under which it was kept. Sums, extremes, counts,
`any`, `all`, `next` and `for` know what to do with it; anything else refuses, as its length depends on data.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from deepalgo.stage.state import generators
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.streams import spend
from deepalgo.stage.state.unions import distribute, resolve
from deepalgo.stage.state.values import UNDEFINED, DataLength, Generator, Leak, Signal

REASON = "how many items this has depends on data"
REMEDY = "Keep every item and use a conditional expression for its value."


@dataclass(frozen=True, slots=True, eq=False)
class GuardedItems(DataLength):
    """Items, each with True or with the Signal that tells whether it is there. `stream` stands for an iterator, which gives them once."""

    python = "list"

    entries: tuple[tuple[Any, Any], ...]
    stream: list[Any] | None = None

    def taken(self, machine: Machine, node: ast.AST) -> tuple[tuple[Any, Any], ...]:
        """The entries, for the one who takes them all."""
        if self.stream is not None:
            spend(machine, self.stream, node)
        return self.entries

    def _leak(self, *_: object, **__: object) -> NoReturn:
        raise Leak(REASON, REMEDY)

    __bool__ = __iter__ = __len__ = __getitem__ = __add__ = __radd__ = _leak


class _Nothing:
    """What the best of no items is."""

    __slots__ = ()


NOTHING = _Nothing()


def kept(machine: Machine, guard: Signal, make: Callable[[], Any], node: ast.AST) -> Any:
    """An item that exists where the guard holds."""
    return choose(machine, guard, make, lambda: UNDEFINED, node)


def fold(machine: Machine, items: GuardedItems | Generator, state: Any, update: Callable[[Any, Any], Any], node: ast.AST) -> Any:
    """Take one item after the other into a state."""
    if isinstance(items, Generator):
        return generators.fold(machine, items, state, update, node)
    for guard, item in items.taken(machine, node):
        state = _step(machine, guard, item, state, update, node)
    return state


def _step(machine: Machine, guard: Any, item: Any, state: Any, update: Callable[[Any, Any], Any], node: ast.AST) -> Any:
    if guard is True:
        return update(state, item)
    return choose(machine, guard, lambda: update(state, resolve(machine, item)), lambda: state, node)


def best(
    machine: Machine, items: GuardedItems | Generator, better: Callable[[Any, Any], Any], none: Callable[[], Any], node: ast.AST
) -> Any:
    """The best of the items that are there; `none` answers where there are none."""

    def update(state: Any, item: Any) -> Any:
        return distribute(machine, state, lambda held: item if held is NOTHING else better(held, item), node)

    found = fold(machine, items, NOTHING, update, node)
    return distribute(machine, found, lambda held: none() if held is NOTHING else held, node)


def first(machine: Machine, entries: tuple[tuple[Any, Any], ...], none: Callable[[], Any], node: ast.AST) -> Any:
    """The first item that is there."""
    if not entries:
        return none()
    (guard, item), rest = entries[0], entries[1:]
    if guard is True:
        return item
    return choose(machine, guard, lambda: resolve(machine, item), lambda: first(machine, rest, none, node), node)
