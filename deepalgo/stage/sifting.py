"""Comprehensions that keep or drop items depending on data, and iterators that give one item after the other.

What comes out of such a comprehension is a `Sifted`: every item with the guard under which it was kept. Sums, extremes, counts,
`any`, `all`, `next` and `for` know what to do with it; anything else refuses, as its length depends on data.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from deepalgo.stage.endless import Endless, pull
from deepalgo.stage.exits import Way, falling
from deepalgo.stage.machine import Machine
from deepalgo.stage.moments import SPENT, Moment, Spendable, Walking, is_spent
from deepalgo.stage.natives import Args, Kwargs, handles
from deepalgo.stage.regions import choose, has_effect, resume, run_arm
from deepalgo.stage.unions import distribute, resolve
from deepalgo.stage.values import UNDEFINED, DataLength, Generator, Leak, Signal, UserRaise, user_method

REASON = "how many items this has depends on data"
REMEDY = "Keep every item and use a conditional expression for its value."


@dataclass(frozen=True, slots=True, eq=False)
class Sifted(DataLength):
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


class Given(ast.expr):
    """An expression whose value is there already."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Asked(ast.expr):
    """An expression that a function of ours computes when it is evaluated."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        super().__init__()
        self.ask = ask


class _Nothing:
    """What the best of no items is."""

    __slots__ = ()


NOTHING = _Nothing()


def kept(machine: Machine, guard: Signal, make: Callable[[], Any], node: ast.AST) -> Any:
    """An item that exists where the guard holds."""
    return choose(machine, guard, make, lambda: UNDEFINED, node)


def fold(machine: Machine, sifted: Sifted | Generator, state: Any, update: Callable[[Any, Any], Any], node: ast.AST) -> Any:
    """Take one item after the other into a state."""
    if isinstance(sifted, Generator):
        from deepalgo.stage import generators

        return generators.fold(machine, sifted, state, update, node)
    for guard, item in sifted.taken(machine, node):
        state = _step(machine, guard, item, state, update, node)
    return state


def _step(machine: Machine, guard: Any, item: Any, state: Any, update: Callable[[Any, Any], Any], node: ast.AST) -> Any:
    if guard is True:
        return update(state, item)
    return choose(machine, guard, lambda: update(state, resolve(machine, item)), lambda: state, node)


def best(machine: Machine, sifted: Sifted | Generator, better: Callable[[Any, Any], Any], none: Callable[[], Any], node: ast.AST) -> Any:
    """The best of the items that are there; `none` answers where there are none."""

    def update(state: Any, item: Any) -> Any:
        return distribute(machine, state, lambda held: item if held is NOTHING else better(held, item), node)

    found = fold(machine, sifted, NOTHING, update, node)
    return distribute(machine, found, lambda held: none() if held is NOTHING else held, node)


def first(machine: Machine, entries: tuple[tuple[Any, Any], ...], none: Callable[[], Any], node: ast.AST) -> Any:
    """The first item that is there."""
    if not entries:
        return none()
    (guard, item), rest = entries[0], entries[1:]
    if guard is True:
        return item
    return choose(machine, guard, lambda: resolve(machine, item), lambda: first(machine, rest, none, node), node)


# --- iterators ----------------------------------------------------------------------------------------------------------------


def stream(machine: Machine, items: list[Any], moment: Moment) -> list[Any]:
    """A list that stands for an iterator; its items are those of a moment."""
    made: list[Any] = machine.heap.created(Spendable(items))
    machine.streams[id(made)] = made, moment
    return made


def spend(machine: Machine, value: Any, node: ast.AST) -> list[Any]:
    """The items that an iterator has still to give, all of them."""
    return [on_time(item) for item in take(machine, value, node)]


def take(machine: Machine, value: Any, node: ast.AST) -> list[Any]:
    """The same, those that come late as they are."""
    items = _left(machine, value, node)
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


def late_stream(machine: Machine, makes: Sequence[Callable[[], Any]], moment: Moment, code: Moment) -> list[Any]:
    """An iterator over computed items: computed at once, unless that changes something or may fail. `code` is what they are made by."""
    mark = machine.mark()
    arm = run_arm(machine, machine.constant(True), True, lambda: falling([make() for make in makes]))
    if arm.raised is None and not arm.change.touched and not has_effect(arm.body):
        return stream(machine, resume(machine, arm).cases[Way.FALL].value, Moment.joined([moment, code]))
    changes = bool(arm.change.touched)
    machine.rewind(mark)
    return stream(machine, [Late(make, changes) for make in makes], moment)


def refuse_early(machine: Machine, value: Any, node: ast.AST) -> None:
    """Refuse to run over an iterator before its items are asked for, where that changes something."""
    if id(value) in machine.streams and any(isinstance(item, Late) and item.changes for item in value):
        machine.refuse("an iterator that changes something when it is run over is handed on", "Make a list of it first.", node)


def _left(machine: Machine, value: list[Any], node: ast.AST) -> list[Any]:
    refuse_spent(machine, value, node)
    _, moment = machine.streams[id(value)]
    if moment.is_over():
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


@handles(next, options="default")
def _next(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

    value, *default = args

    def none() -> Any:
        if default:
            return default[0]
        raise UserRaise(StopIteration, "", machine.span)

    if isinstance(value, Sifted) and value.stream is None:
        raise UserRaise(TypeError, "'list' object is not an iterator", machine.span)
    if isinstance(value, Sifted):
        return first(machine, value.taken(machine, node), none, node)
    if isinstance(value, Generator):
        return _next_of_generator(machine, value, none, node)
    if id(value) in machine.streams:
        if not _left(machine, value, node):
            return none()
        machine.heap.touch(value)
        return on_time(value.pop(0))
    if isinstance(value, Endless):
        return pull(machine, value)
    if isinstance(value, Walking):
        return value.step(machine, none, node)
    method = user_method(value, "__next__")
    if method is not None:
        return call(machine, method, [value], {}, node)
    raise UserRaise(TypeError, f"'{type(value).__name__}' object is not an iterator", machine.span)


def _next_of_generator(machine: Machine, value: Any, none: Callable[[], Any], node: ast.AST) -> Any:
    from deepalgo.stage import generators, resuming

    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], (ast.GeneratorExp, ast.Call)):
        return generators.first(machine, value, none, node)  # nobody can ask it again
    found = resuming.following(machine, value, node)
    return found[0] if found else none()
