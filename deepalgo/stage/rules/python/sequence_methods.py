"""Python's `sorted` and the methods of sequences that compare items or choose a place, where that depends on data."""

from __future__ import annotations

import ast
from collections import deque
from typing import Any

from deepalgo.ir import Kind
from deepalgo.stage.rules.python.builtin_numbers import pointwise
from deepalgo.stage.rules.python.comparisons import same_item
from deepalgo.stage.rules.registry import HANDLERS, Args, Kwargs, handles
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.flavours import flavour_of_choice
from deepalgo.stage.state.heap import restore_content
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.messages import concatenate
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.structure import is_plain_object
from deepalgo.stage.state.unions import merge_cases
from deepalgo.stage.state.values import DataText, Signal, UserRaise, is_number

#: More numbers than these are sorted as an array.
FEW = 8


@handles(sorted, options="key reverse")
def _sorted(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.heap.created(ordered(machine, machine.iterate(args[0], node), node, **kwargs))


def ordered(machine: Machine, items: list[Any], node: ast.AST, key: Any = None, reverse: Any = False) -> list[Any]:
    """The items in order; equal ones stay as they are."""
    keys = items if key is None else [machine.call(key, [item], {}, node) for item in items]
    backwards = bool(run_static(machine, bool, reverse))
    if not contains_signal(keys):
        places = run_static(machine, lambda: sorted(range(len(keys)), key=keys.__getitem__, reverse=backwards))
        return [items[place] for place in places]
    if key is None and all(isinstance(item, Signal) or is_number(item) for item in items):
        return _ordered_numbers(machine, items, backwards, node)
    return _by_rank(machine, items, keys, backwards, node)


def _ordered_numbers(machine: Machine, items: list[Any], backwards: bool, node: ast.AST) -> list[Any]:
    signals = [machine.signal(item) for item in items]
    if len(items) > 1:
        _refuse_nan(machine, signals)
    if len(items) > FEW and all(item.kind is Kind.REAL and not item.shape for item in signals):
        flavour, stack = flavour_of_choice(*items), machine.emit("stack", *signals)
        if backwards:  # equal ones stay as they are, so this is no reversal
            stack = machine.emit("neg", machine.emit("sort", machine.emit("neg", stack), axis=0), flavour=flavour)
        else:
            stack = machine.emit("sort", stack, axis=0, flavour=flavour)
        return machine.iterate(stack, node)
    result: list[Any] = []
    for item in items:  # insertion, item by item
        result = _insert(machine, result, item, backwards)
    return result


def _insert(machine: Machine, held: list[Any], item: Any, backwards: bool) -> list[Any]:
    first, second = (max, min) if backwards else (min, max)
    result, carried = [], item
    for other in held:
        flavour = flavour_of_choice(other, carried)
        result.append(pointwise(machine, first.__name__, first, other, carried, flavour=flavour))
        carried = pointwise(machine, second.__name__, second, carried, other, flavour=flavour)  # of equal ones the first comes first
    return [*result, carried]


def _by_rank(machine: Machine, items: list[Any], keys: list[Any], backwards: bool, node: ast.AST) -> list[Any]:
    """Each item goes to the place that counts the items before it."""
    _refuse_nan(machine, keys)
    ranks: list[Any] = [0] * len(items)
    for later, key in enumerate(keys):
        for earlier in range(later):
            pair = (keys[earlier], key) if backwards else (key, keys[earlier])
            overtakes = _verdict(machine, ast.Lt, *pair, node)
            ranks[earlier] = machine.binary(ast.Add, ranks[earlier], _as_int(machine, overtakes), node)
            ranks[later] = machine.binary(ast.Add, ranks[later], _as_int(machine, _negated(machine, overtakes)), node)
    if any(is_plain_object(key) for key in keys):
        _refuse_contradictions(machine, ranks, node)
    return [_at_rank(machine, items, ranks, place, node) for place in range(len(items))]


def _refuse_contradictions(machine: Machine, ranks: list[Any], node: ast.AST) -> None:
    """Comparisons of the user's that form a circle, as those with NaN do, put two items at one place."""
    pairs = [machine.compare(ast.Eq, one, other, node) for place, one in enumerate(ranks) for other in ranks[:place]]
    ties = [pair for pair in pairs if isinstance(pair, Signal)]
    if ties:
        machine.check(machine.none_of(ties), "OrderOfNaN", "the comparisons of these items contradict each other")


def _at_rank(machine: Machine, items: list[Any], ranks: list[Any], place: int, node: ast.AST) -> Any:
    cases = [(machine.compare(ast.Eq, rank, place, node), item) for rank, item in zip(ranks, items, strict=True)]
    certain = [item for guard, item in cases if guard is True]
    if certain:
        return certain[0]
    return merge_cases(machine, [(guard, item) for guard, item in cases if guard is not False], node)


def _refuse_nan(machine: Machine, keys: list[Any]) -> None:
    """What Python makes of an order with NaN in it depends on how it sorts."""
    parts = [part for key in keys for part in (key if isinstance(key, (list, tuple)) else [key])]
    missing = [machine.emit("isnan", part) for part in parts if isinstance(part, Signal) and part.kind is Kind.REAL and not part.shape]
    if missing:
        machine.check(machine.none_of(missing), "OrderOfNaN", "NaN has no place in an order")


def _verdict(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    return decide(machine, machine.truth(machine.compare(op, left, right, node), node))


def _negated(machine: Machine, verdict: Any) -> Any:
    return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict


def _as_int(machine: Machine, verdict: Any) -> Any:
    return HANDLERS[int](machine, [verdict], {}, ast.Pass())


def sort(machine: Machine, owner: list[Any], args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`owner.sort()`."""
    if args:
        raise UserRaise(TypeError, "sort() takes no positional arguments", machine.span)
    owner[:] = ordered(machine, list(owner), node, **kwargs)


def index(machine: Machine, owner: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`owner.index(item)`: the first place at which an item is equal."""
    item, *limits = args
    bounds = [static_int(machine, limit, node) for limit in limits]
    start, stop, _ = slice(*bounds, *[None] * (2 - len(bounds))).indices(len(owner))
    if isinstance(owner, tuple):
        return first(machine, owner[:stop], item, start, "tuple.index(x): x not in tuple", node)
    missing = concatenate([item, f" is not in {type(owner).__name__}"])
    return first(machine, list(owner)[:stop], item, start, missing, node)


def first(machine: Machine, items: Any, item: Any, place: int, missing: str | DataText, node: ast.AST) -> Any:
    """The first place at which an item is equal, from a place on; `missing` tells where there is none."""
    if place >= len(items):
        raise UserRaise(ValueError, missing, machine.span)
    found = decide(machine, same_item(machine, items[place], item, node))
    if not isinstance(found, Signal):
        return place if found else first(machine, items, item, place + 1, missing, node)
    return choose(machine, found, lambda: place, lambda: first(machine, items, item, place + 1, missing, node), node)


def count(machine: Machine, owner: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`owner.count(item)`."""
    total: Any = 0
    for held in owner:
        total = machine.binary(ast.Add, total, _as_int(machine, decide(machine, same_item(machine, held, args[0], node))), node)
    return total


def remove(machine: Machine, owner: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`owner.remove(item)`: what comes behind the first equal item moves up."""
    name = type(owner).__name__
    place = first(machine, owner, args[0], 0, f"{name}.remove(x): x not in {name}", node)
    _close_up(machine, owner, place, node)


def pop(machine: Machine, owner: list[Any], args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """`owner.pop(place)` at a place that data chooses."""
    if not owner:
        raise UserRaise(IndexError, "pop from empty list", machine.span)
    return take_out(machine, owner, args[0], "pop index out of range", node)


def take_out(machine: Machine, owner: Any, place: Signal, beyond: str, node: ast.AST) -> Any:
    """Take the item at a place that data chooses out of a sequence."""
    if place.kind > Kind.INT:
        raise UserRaise(TypeError, "list indices must be integers or slices, not float", machine.span)
    size = len(owner)
    machine.check(machine.emit("and", machine.emit("ge", place, -size), machine.emit("lt", place, size)), IndexError, beyond)
    if not size:
        raise UserRaise(IndexError, beyond, machine.span)
    place = machine.emit("select", machine.emit("lt", place, 0), machine.emit("add", place, size), place)
    machine.heap.touch(owner)
    item = machine.get_item(list(owner), place, node)
    _close_up(machine, owner, place, node)
    return item


def _close_up(machine: Machine, owner: Any, place: Any, node: ast.AST) -> None:
    """What comes behind a place moves up."""
    items = list(owner)
    restore_content(owner, [_moved_up(machine, place, items, number, node) for number in range(len(items) - 1)])


def insert(machine: Machine, owner: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> None:
    """`owner.insert(place, item)` at a place that data chooses: what is there and behind it makes room."""
    place, item = args
    size = len(owner)
    if place.kind > Kind.INT:
        raise UserRaise(TypeError, "'float' object cannot be interpreted as an integer", machine.span)
    if isinstance(owner, deque) and owner.maxlen == size:
        raise UserRaise(IndexError, "deque already at its maximum size", machine.span)
    place = machine.emit("select", machine.emit("lt", place, 0), machine.emit("add", place, size), place)
    place = pointwise(machine, "min", min, pointwise(machine, "max", max, place, 0), size)
    items = list(owner)
    restore_content(owner, [_making_room(machine, place, items, item, number, node) for number in range(size + 1)])


def _making_room(machine: Machine, place: Signal, items: list[Any], item: Any, number: int, node: ast.AST) -> Any:
    cases = [(machine.emit("eq", place, number), item)]
    if number < len(items):
        cases.append((machine.emit("gt", place, number), items[number]))
    if number > 0:
        cases.append((machine.emit("lt", place, number), items[number - 1]))
    return merge_cases(machine, cases, node) if len(cases) > 1 else item


def _moved_up(machine: Machine, place: Any, items: list[Any], number: int, node: ast.AST) -> Any:
    behind = _verdict(machine, ast.LtE, place, number, node)
    if not isinstance(behind, Signal):
        return items[number + bool(behind)]
    return choose(machine, behind, lambda: items[number + 1], lambda: items[number], node)


#: Methods of lists, deques and tuples that compare items.
METHODS = {"sort": sort, "index": index, "count": count, "remove": remove}
#: Those that may have their place from data.
PLACES = {"pop": pop, "insert": insert}
