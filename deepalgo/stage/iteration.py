"""What `for` and unpacking walk over."""

from __future__ import annotations

import ast
import operator
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from deepalgo.stage import iterator_texts
from deepalgo.stage.arrays import indexing
from deepalgo.stage.arrays.box import Array, root_of, shape_of
from deepalgo.stage.arrays.elementwise import Masked, Positions
from deepalgo.stage.endless import refuse_endless
from deepalgo.stage.generators import collect
from deepalgo.stage.machine import Machine
from deepalgo.stage.moments import SPENT, Moment, Walking
from deepalgo.stage.natives import contains_signal
from deepalgo.stage.sifting import REASON, REMEDY, Sifted, on_time, refuse_early, refuse_late, refuse_spent, spend, take
from deepalgo.stage.subscripts import refuse_text
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import Generator, Signal, Union, UserRaise, refuse_again, user_method

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
        found = collect(machine, value, node)
        return found if isinstance(found, list) else iterate(machine, found, node, size)
    if isinstance(value, Sifted):
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
    from deepalgo.stage.calls import call, interpret

    if isinstance(value, (Masked, Positions)):
        from deepalgo.stage.arrays import masked

        found = masked.entries(machine, value)
        return value if found is None else found
    method = user_method(value, "__iter__")
    if method is None:
        return value
    items = run_outside(machine, lambda: value, [value])
    if items is not None:
        return items
    found = call(machine, method, [value], {}, node)
    if user_method(found, "__next__") is None:
        return found
    return interpret(machine, iterator_texts.followed, [found], {}, node, iter)


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


class Walk(Walking):
    """What a `for` runs over. An item is read when its round begins: the rounds before may have written to it.

    At the end `None` is read, by which a list is asked whether it still has the length that it had.
    """

    def __init__(self, items: Iterable[Any], read: Callable[[int], Any], moment: Moment) -> None:
        super().__init__(items)
        self.read = read
        self.moment = moment
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


def made_of(machine: Machine, *values: Any) -> Moment:
    """The moment at which something is made of these iterables."""
    return Moment.joined([_moment(machine, value) for value in values])


def _moment(machine: Machine, value: Any) -> Moment:
    if isinstance(value, Walk):
        return value.moment
    known = machine.streams.get(id(value))
    return Moment.of([value]) if known is None else known[1]


def walk(machine: Machine, value: Any, node: ast.AST) -> Walk:
    """The items of an iterable, one after the other."""
    moment = made_of(machine, value)
    if isinstance(value, Walk):
        refuse_spent(machine, value, node)
        items = list(value)
        read, passed = value.read, value.size - len(value)
        machine.heap.touch(value)
        value[:] = [SPENT]
        return Walk(items, lambda place: read(place + passed), moment)
    items = take(machine, value, node) if id(value) in machine.streams else iterate(machine, value, node)
    return Walk(items, _reader(machine, value, [*items, None], node), moment)


def _reader(machine: Machine, value: Any, items: list[Any], node: ast.AST) -> Callable[[int], Any]:
    if id(value) in machine.streams:
        _, moment = machine.streams[id(value)]
        return lambda place: _of_moment(machine, moment, items, place, node)
    if isinstance(value, Array):
        root = root_of(value)
        held = root.held
        return lambda place: items[place] if root.held is held or place == len(items) - 1 else indexing.get(machine, value, place, node)
    if isinstance(value, deque):
        return lambda place: _of_deque(machine, value, items, place, node)
    if isinstance(value, list):
        return lambda place: _of_list(machine, value, len(items) - 1, place, node)
    return items.__getitem__


def _of_moment(machine: Machine, moment: Moment, items: list[Any], place: int, node: ast.AST) -> Any:
    if moment.is_over() if place < len(items) - 1 else moment.holds_other():
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


def only_item(machine: Machine, value: Signal) -> Signal:
    """The number in an array of one item."""
    size = 1
    for extent in value.shape:
        size *= extent
    if size != 1:
        raise UserRaise(TypeError, "only length-1 arrays can be converted to Python scalars", machine.span)
    return machine.emit("index", value, key=(0,) * len(value.shape))
