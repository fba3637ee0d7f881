"""Python's built-in functions that make and walk containers, and what wraps functions and texts."""

from __future__ import annotations

import ast
import copy
import functools
import typing
import warnings
from typing import Any

import numpy as np

from deepalgo import marks
from deepalgo.ir import Kind
from deepalgo.stage.rules.python import attributes, exceptions, functools_replacements, iteration, iterator_replacements
from deepalgo.stage.rules.python.builtin_numbers import pointwise
from deepalgo.stage.rules.registry import HANDLERS, Args, Kwargs, handles
from deepalgo.stage.state import guarded_items, lookup
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.endless import Endless, pull
from deepalgo.stage.state.iterator_state import Snapshot, Spendable
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.messages import concatenate
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.streams import Walk, late_stream, made_of, stream
from deepalgo.stage.state.structure import is_plain_object
from deepalgo.stage.state.values import DataText, Generator, Partial, Signal, StandIn, Union, UserRaise, user_method
from deepalgo.stage.state.weight_marks import declare


class DynamicRange(StandIn):
    """`range` with a bound that depends on data."""

    python = "range"
    fields = ("start", "stop", "step")

    def __init__(self, start: Any, stop: Any, step: int) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def length(self, machine: Machine, node: ast.AST) -> Any:
        """How many numbers it has: never fewer than none."""
        width = machine.binary(ast.Sub, self.stop, self.start, node)
        steps = machine.unary(ast.USub, machine.binary(ast.FloorDiv, width, -self.step, node), node)
        return pointwise(machine, "max", max, steps, 0)


@handles(range, options="stop step")
def _range(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    args = [item if not isinstance(item, Signal) or item.known is None else machine.demand(item, "bounds a `range`") for item in args]
    if not any(isinstance(item, (Signal, Union)) for item in args):
        return run_static(machine, range, *args)
    if any(isinstance(item, Signal) and item.kind > Kind.INT for item in args):
        raise UserRaise(TypeError, "'float' object cannot be interpreted as an integer", machine.span)
    start, stop = (0, args[0]) if len(args) == 1 else args[:2]
    step = static_int(machine, args[2], node, "the step of a `range`") if len(args) == 3 else 1
    if step == 0:
        raise UserRaise(ValueError, "range() arg 3 must not be zero", machine.span)
    return DynamicRange(start, stop, step)


@handles(list, options="iterable")
def _list(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if args and isinstance(args[0], guarded_items.GuardedItems):
        return guarded_items.GuardedItems(args[0].taken(machine, node))
    return machine.heap.created(machine.iterate(args[0], node) if args else [])


@handles(tuple, options="iterable")
def _tuple(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if args and isinstance(args[0], guarded_items.GuardedItems):
        return guarded_items.GuardedItems(args[0].taken(machine, node))
    return tuple(machine.iterate(args[0], node)) if args else ()


@handles(dict, options="*")
def _dict(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if args and (isinstance(args[0], Walk) or id(args[0]) in machine.streams):
        args = [machine.iterate(args[0], node)]
    return machine.heap.created(dict(*args, **kwargs))


@handles(zip, options="strict")
def _zip(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if any(isinstance(item, Generator) for item in args):
        return _zip_generators(machine, args, kwargs, node)
    if any(isinstance(item, Endless) for item in args) and not all(isinstance(item, Endless) for item in args):
        args = _bounded(machine, args, node)
    snapshot = made_of(machine, *args)
    columns = [machine.walk(item, node) for item in args]
    rows = run_static(machine, lambda: list(zip(*columns, strict=bool(kwargs.get("strict")))))
    return machine.heap.created(Walk(rows, lambda place: tuple(column.read(place) for column in columns), snapshot))


def _zip_generators(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """One generator beside sequences is run over; several would take turns."""
    places = [place for place, item in enumerate(args) if isinstance(item, Generator)]
    if len(places) > 1 or kwargs.get("strict"):
        machine.refuse("`zip` asks generators for their items in turns", "Make lists of them first.", node)
    others = [machine.iterate(item, node) for place, item in enumerate(args) if place != places[0]]
    return machine.interpret(iterator_replacements.zipped, [args[places[0]], places[0], others], {}, node, zip)


def _bounded(machine: Machine, args: Args, node: ast.AST) -> Args:
    """As many items of iterators without end as the shortest of the others has; those before it give one more."""
    ending = {place: machine.walk(item, node) for place, item in enumerate(args) if not isinstance(item, Endless)}
    size = min(map(len, ending.values()))
    shortest = min(place for place, item in ending.items() if len(item) == size)
    found = []
    for place, item in enumerate(args):
        taken = None if place in ending else [pull(machine, item) for _ in range(size + (place < shortest))]
        found.append(ending[place] if taken is None else stream(machine, taken[:size], Snapshot.of([])))
    return found


@handles(enumerate, options="start")
def _enumerate(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    if isinstance(args[0], Generator):
        return machine.interpret(iterator_replacements.enumerated, [args[0], start], {}, node, enumerate)
    first, items = static_int(machine, start, node), machine.walk(args[0], node)
    return machine.heap.created(Walk(enumerate(items, first), lambda place: (first + place, items.read(place)), items.snapshot))


#: What Python asks of whatever is reversed.
BACKWARDS = ("__reversed__", "__getitem__")


@handles(reversed)
def _reversed(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = args[0]
    method = user_method(value, "__reversed__")
    if method is not None:
        return machine.call(method, [value], {}, node)
    if isinstance(value, list):
        machine.refuse_stand_in(node, value)
    if isinstance(value, Walk) or id(value) in machine.streams:
        machine.refuse("an iterator is reversed, for which Python raises TypeError", "Make a list of it first.", node)
    if (isinstance(value, (set, frozenset)) or is_plain_object(value)) and not any(hasattr(type(value), name) for name in BACKWARDS):
        raise UserRaise(TypeError, f"'{type(value).__name__}' object is not reversible", machine.span)
    items = machine.walk(args[0], node)
    return machine.heap.created(Walk(items[::-1], lambda place: items.read(len(items) - 1 - place), items.snapshot))


def refuse_uncallable(machine: Machine, function: Any, node: ast.AST) -> None:
    """What is no function is an error when the first item is asked for, which may be never."""
    if function is not None and not isinstance(function, StandIn) and not callable(function):
        machine.refuse("what is called for each item is no function", "Give it a function.", node)


@handles(map)
def _map(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    refuse_uncallable(machine, args[0], node)
    if len(args) == 2 and isinstance(args[1], Generator):
        return machine.interpret(iterator_replacements.mapped, args, {}, node, map)
    if any(isinstance(item, Endless) for item in args[1:]):
        rows = machine.iterate(HANDLERS[zip](machine, args[1:], {}, node), node)
        snapshot = made_of(machine, *(item for item in args[1:] if not isinstance(item, Endless)))
    else:
        snapshot = made_of(machine, *args[1:])
        rows = list(zip(*[iteration.early(machine, item, node) for item in args[1:]], strict=False))
    makes = [functools.partial(machine.call, args[0], list(row), {}, node) for row in rows]
    return late_stream(machine, makes, snapshot, Snapshot.of_call(args[0]))


@handles(filter)
def _filter(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    refuse_uncallable(machine, args[0], node)
    if len(args) == 2 and isinstance(args[1], Generator):
        return machine.interpret(iterator_replacements.filtered, args, {}, node, filter)
    found = []
    snapshot = Snapshot.joined([Snapshot.of_call(args[0]), made_of(machine, args[1])])
    for item in iteration.early(machine, args[1], node):
        verdict = decide(machine, machine.truth(item if args[0] is None else machine.call(args[0], [item], {}, node), node))
        if verdict is not False:
            found.append((verdict if isinstance(verdict, Signal) else True, item))
    if all(guard is True for guard, _ in found):
        return stream(machine, [item for _, item in found], snapshot)
    return guarded_items.GuardedItems(tuple(found), stream(machine, [], snapshot))


@handles(iter, options="sentinel")
def _iter(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) == 2:
        return machine.call(functools_replacements.until, args, {}, node)
    if len(args) == 1 and user_method(args[0], "__iter__") is not None:
        found = machine.opened(args[0], node)
        return stream(machine, found, Snapshot.of([])) if isinstance(found, list) else found
    if isinstance(args[0], (guarded_items.GuardedItems, Generator, Spendable)):
        return args[0]
    snapshot = made_of(machine, args[0])
    return stream(machine, machine.iterate(args[0], node), snapshot)


@handles(str, options="object encoding errors")
def _str(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if "object" in kwargs:
        args, kwargs = [kwargs["object"]], {name: item for name, item in kwargs.items() if name != "object"}
    if not args:
        return machine.call_native(str, args, kwargs, node)
    if isinstance(args[0], BaseException):
        return exceptions.text_of(machine, args[0], node)
    if not contains_signal(args[0]):
        return machine.call_native(str, args, kwargs, node)
    return concatenate([args[0] if isinstance(args[0], (Signal, DataText)) else DataText("...", ())])


@handles(repr)
def _repr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if args and isinstance(args[0], BaseException):
        return exceptions.representation_of(machine, args[0], node)
    if not contains_signal(args):
        return machine.call_native(repr, args, kwargs, node)
    return concatenate([args[0] if isinstance(args[0], Signal) else DataText("...", ())])


@handles(format, options="format_spec")
def _format(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) == 1:
        return _str(machine, args, kwargs, node)
    if not contains_signal(args):
        return machine.call_native(format, args, kwargs, node)
    return DataText("...", ())


@handles(super, options="type instance")
def _super(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if args:
        return attributes.Super(args[0], args[1])
    frame = machine.frame
    first = next(iter(frame.names.values()))
    return attributes.Super(frame.cells["__class__"].cell_contents, first)


@handles(copy.copy)
def _copy(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = args[0]
    if isinstance(value, (list, Generator)):
        machine.refuse_stand_in(node, value)
    if isinstance(value, Array):
        return HANDLERS[np.copy](machine, [value], {}, node)
    if isinstance(value, (list, dict, set)):
        return machine.heap.created(value.copy())
    return value if isinstance(value, (Signal, Union, tuple)) else machine.call_native(copy.copy, args, kwargs, node)


@handles(copy.deepcopy)
def _deepcopy(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = args[0]
    if isinstance(value, (list, Generator)):
        machine.refuse_stand_in(node, value)
    if isinstance(value, Array):
        return HANDLERS[np.copy](machine, [value], {}, node)
    if isinstance(value, list):
        return machine.heap.created([_deepcopy(machine, [item], {}, node) for item in value])
    if isinstance(value, dict):
        return machine.heap.created({key: _deepcopy(machine, [item], {}, node) for key, item in value.items()})
    if isinstance(value, tuple):
        return tuple(_deepcopy(machine, [item], {}, node) for item in value)
    return value if isinstance(value, (Signal, Union)) else machine.call_native(copy.deepcopy, args, kwargs, node)


@handles(functools.reduce, options="initial")
def _reduce(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    function, items, *start = args

    def combine(total: Any, item: Any) -> Any:
        return machine.call(function, [total, item], {}, node)

    def none() -> Any:
        raise UserRaise(TypeError, "reduce() of empty iterable with no initial value", machine.span)

    if isinstance(items, (guarded_items.GuardedItems, Generator)):
        if start:
            return guarded_items.fold(machine, items, start[0], combine, node)
        return guarded_items.best(machine, items, combine, none, node)
    found = [*start, *machine.iterate(items, node)]
    return functools.reduce(combine, found) if found else none()


@handles(functools.partial, options="*")
def _partial(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Partial(args[0], tuple(args[1:]), kwargs)


@handles(marks.weight, options="name bounds")
def _weight(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    marked = lookup.mark(machine, args[0], args[1] if len(args) > 1 else kwargs.get("name"), node)
    declare(machine, marked, kwargs.get("bounds"), node)
    return marked


@handles(typing.cast)
def _cast(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A word to type checkers only."""
    return args[1]


@handles(warnings.warn, options="category stacklevel source")
def _warn(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A warning changes no answer; the network does not repeat it."""
    if not isinstance(kwargs.get("stacklevel", 1), int):
        raise UserRaise(TypeError, "'float' object cannot be interpreted as an integer", machine.span)
    machine.note("the warning given here is left out")
