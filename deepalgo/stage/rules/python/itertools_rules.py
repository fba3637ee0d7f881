"""The module `itertools`. Items are computed at once; what data selects comes out as items with guards."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.native_run import MOST
from deepalgo.stage.rules.python import iteration
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles, register
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.endless import Endless, pull, refuse_endless
from deepalgo.stage.state.guarded_items import GuardedItems
from deepalgo.stage.state.iterator_state import SPENT, Snapshot
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.static_values import static_int
from deepalgo.stage.state.streams import Behind, Walk, late_stream, made_of, spend, stream, take
from deepalgo.stage.state.values import Signal, UserRaise


def _call(machine: Machine, function: Any, args: Args, node: ast.AST) -> Any:
    return machine.call(function, args, {}, node)


def _whole(machine: Machine, value: Any, node: ast.AST, what: str) -> int:
    found = static_int(machine, value, node, what)
    if isinstance(found, bool) or not isinstance(found, int):
        found = run_static(machine, found.__index__)
    return int(found)


@handles(itertools.count, options="start step")
def _count(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = dict(zip(("start", "step"), args, strict=False)) | kwargs
    start, step = given.get("start", 0), given.get("step", 1)
    return machine.heap.created(Endless(start, lambda held: (held, machine.binary(ast.Add, held, step, node))))


@handles(itertools.cycle)
def _cycle(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    items = iteration.early(machine, args[0], node)
    if not items:
        return stream(machine, [], Snapshot.of([]))

    def give(place: Any) -> tuple[Any, Any]:
        following = machine.binary(ast.Mod, machine.binary(ast.Add, place, 1, node), len(items), node)
        return machine.get_item(items, place, node), following

    return machine.heap.created(Endless(0, give))


@handles(itertools.repeat, options="object times")
def _repeat(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = dict(zip(("object", "times"), args, strict=False)) | kwargs
    if "times" not in given:
        return machine.heap.created(Endless(0, lambda place: (given["object"], place)))
    times = _whole(machine, given["times"], node, "how often this is repeated")
    return stream(machine, [given["object"]] * times, Snapshot.of([]))


@handles(itertools.chain)
def _chain(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    snapshot = made_of(machine, *args)
    if any(isinstance(item, GuardedItems) for item in args):
        rows = [item.taken(machine, node) if isinstance(item, GuardedItems) else _certain(machine, item, node) for item in args]
        return GuardedItems(tuple(entry for row in rows for entry in row), stream(machine, [], snapshot))
    return stream(machine, [item for part in args for item in iteration.early(machine, part, node)], snapshot)


def _certain(machine: Machine, value: Any, node: ast.AST) -> list[tuple[Any, Any]]:
    return [(True, item) for item in iteration.early(machine, value, node)]


@handles(itertools.chain.from_iterable)
def _chain_rows(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _chain(machine, iteration.early(machine, args[0], node), {}, node)


def _arranged(native: Callable[..., Any]) -> Handler:
    """Items in other orders, which the number of items alone decides."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        snapshot, items = made_of(machine, args[0]), iteration.early(machine, args[0], node)
        sizes = [None if item is None else _whole(machine, item, node, "how many are taken at a time") for item in args[1:]]
        sizes += [_whole(machine, item, node, "how many are taken at a time") for key, item in kwargs.items() if key in ("r", "n")]
        rows = run_static(machine, lambda: _few(machine, native(range(len(items)), *sizes), node))
        return stream(machine, [tuple(items[place] for place in row) for row in rows], snapshot)

    return handler


def _few(machine: Machine, rows: Any, node: ast.AST) -> list[Any]:
    found = list(itertools.islice(rows, MOST + 1))
    if len(found) > MOST:
        machine.refuse(f"this has more than {MOST:,} items", "Take fewer at a time.", node)
    return found


ARRANGED = [itertools.combinations, itertools.combinations_with_replacement, itertools.permutations, itertools.pairwise]
ARRANGED += [native for native in [getattr(itertools, "batched", None)] if native is not None]
register(_arranged, *ARRANGED, options="r")


@handles(itertools.product, options="repeat")
def _product(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    snapshot = made_of(machine, *args)
    columns = [machine.iterate(item, node) for item in args]
    repeat = _whole(machine, kwargs.get("repeat", 1), node, "how often the product is repeated")
    return stream(machine, _few(machine, itertools.product(*columns, repeat=repeat), node), snapshot)


@handles(itertools.zip_longest, options="fillvalue")
def _zip_longest(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    snapshot = made_of(machine, *args)
    columns = [iteration.early(machine, item, node) for item in args]
    return stream(machine, list(itertools.zip_longest(*columns, fillvalue=kwargs.get("fillvalue"))), snapshot)


@handles(itertools.tee, options="n")
def _tee(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    number = _whole(machine, args[1] if len(args) > 1 else kwargs.get("n", 2), node, "the number of copies of an iterator")
    snapshot, items = made_of(machine, args[0]), iteration.early(machine, args[0], node)
    return tuple(stream(machine, items, snapshot) for _ in range(number))


@handles(itertools.islice, options="stop step")
def _islice(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value, *bounds = args
    limits = [None if item is None else _whole(machine, item, node, "a bound of this slice") for item in bounds]
    for limit in limits:
        if limit is not None and limit < 0:
            raise UserRaise(ValueError, "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.", machine.span)
    asked = slice(*limits)
    if isinstance(value, Endless):
        if asked.stop is None:
            refuse_endless(machine, value, node)
        return stream(machine, [pull(machine, value) for _ in range(asked.stop or 0)][asked], Snapshot.of([]))
    snapshot = made_of(machine, value)
    if not (isinstance(value, Walk) or id(value) in machine.streams):
        return stream(machine, iteration.early(machine, value, node)[asked], snapshot)
    items = take(machine, value, node) if id(value) in machine.streams else iteration.early(machine, value, node)
    made = stream(machine, items[asked], snapshot)
    if asked.stop is not None and id(value) in machine.streams:  # the rest is there for whoever comes after this one
        value[:] = [Behind(made), *items[asked.stop :]]
    return made


@handles(itertools.accumulate, options="func initial")
def _accumulate(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    snapshot, items = made_of(machine, args[0]), iteration.early(machine, args[0], node)
    function, initial = args[1] if len(args) > 1 else kwargs.get("func"), kwargs.get("initial")
    snapshot = Snapshot.joined([snapshot, Snapshot.of_call(function)])
    found = [] if initial is None else [initial]
    for item in items:
        if not found:
            found.append(item)
        elif function is None:
            found.append(machine.binary(ast.Add, found[-1], item, node))
        else:
            found.append(_call(machine, function, [found[-1], item], node))
    return stream(machine, found, snapshot)


@handles(itertools.starmap)
def _starmap(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    function, rows = args
    snapshot = made_of(machine, rows)
    found = [iteration.early(machine, row, node) for row in iteration.early(machine, rows, node)]
    makes = [functools.partial(_call, machine, function, row, node) for row in found]
    return late_stream(machine, makes, snapshot, Snapshot.of_call(function))


def _selected(machine: Machine, entries: list[tuple[Any, Any]], snapshot: Snapshot) -> Any:
    """Items with True, or with the guard under which they are there."""
    if all(guard is True for guard, _ in entries):
        return stream(machine, [item for _, item in entries], snapshot)
    return GuardedItems(tuple(entries), stream(machine, [], snapshot))


def _verdict(machine: Machine, value: Any, node: ast.AST) -> Any:
    return decide(machine, machine.truth(value, node))


def _negated(machine: Machine, verdict: Any) -> Any:
    return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict


@handles(itertools.compress, options="data selectors")
def _compress(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = dict(zip(("data", "selectors"), args, strict=False)) | kwargs
    data, selectors = given["data"], given["selectors"]
    snapshot = made_of(machine, data, selectors)
    pairs = zip(iteration.early(machine, data, node), iteration.early(machine, selectors, node), strict=False)
    entries = [(_verdict(machine, asked, node), item) for item, asked in pairs]
    return _selected(machine, [entry for entry in entries if entry[0] is not False], snapshot)


@handles(itertools.filterfalse)
def _filterfalse(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    function, items = args
    snapshot = Snapshot.joined([Snapshot.of_call(function), made_of(machine, items)])
    entries = []
    for item in iteration.early(machine, items, node):
        guard = _negated(machine, _verdict(machine, item if function is None else _call(machine, function, [item], node), node))
        if guard is not False:
            entries.append((guard, item))
    return _selected(machine, entries, snapshot)


def _while_true(machine: Machine, args: Args, node: ast.AST) -> tuple[list[tuple[Any, Any]], Snapshot]:
    """The items, each with whether all up to it pass a test; the test is asked as long as they do."""
    function, items = args
    snapshot = Snapshot.joined([Snapshot.of_call(function), made_of(machine, items)])
    passing: Any = True
    entries = []

    def ask(item: Any) -> Any:
        return _verdict(machine, _call(machine, function, [item], node), node)

    for item in _until(machine, function, items, node):
        if passing is True:
            passing = ask(item)
        elif passing is not False:
            passing = decide(machine, choose(machine, passing, lambda: ask(item), lambda: False, node))  # noqa: B023 - called at once
        entries.append((passing, item))
    return entries, snapshot


def _until(machine: Machine, function: Any, items: Any, node: ast.AST) -> list[Any]:
    refuse_endless(machine, items, node)
    return iteration.early(machine, items, node)


@handles(itertools.takewhile)
def _takewhile(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if isinstance(args[1], Endless):
        return _taken_from_endless(machine, args, node)
    entries, snapshot = _while_true(machine, args, node)
    return _selected(machine, [entry for entry in entries if entry[0] is not False], snapshot)


def _taken_from_endless(machine: Machine, args: Args, node: ast.AST) -> Any:
    found: list[Any] = []
    for _ in range(MOST):
        item = pull(machine, args[1])
        verdict = _verdict(machine, _call(machine, args[0], [item], node), node)
        if isinstance(verdict, Signal):
            machine.refuse("how many items are taken from an iterator that never ends depends on data", "Write the loop out.", node)
        if not verdict:
            return stream(machine, found, Snapshot.of_call(args[0]))
        found.append(item)
    refuse_endless(machine, args[1], node)


@handles(itertools.dropwhile)
def _dropwhile(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    entries, snapshot = _while_true(machine, args, node)
    kept = [(_negated(machine, passing), item) for passing, item in entries if passing is not True]
    return _selected(machine, kept, snapshot)


@handles(itertools.groupby, options="iterable key")
def _groupby(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = dict(zip(("iterable", "key"), args, strict=False)) | kwargs
    items, key = given["iterable"], given.get("key")
    snapshot, held = made_of(machine, items), iteration.early(machine, items, node)
    keys = held if key is None else [_call(machine, key, [item], node) for item in held]
    rows: list[tuple[Any, list[Any]]] = []
    for found, item in zip(keys, held, strict=True):
        same = bool(rows) and _verdict(machine, machine.compare(ast.Eq, rows[-1][0], found, node), node)
        if isinstance(same, Signal):
            machine.refuse("how many groups there are depends on data", "Group by something that does not depend on data.", node)
        if same:
            rows[-1][1].append(item)
        else:
            rows.append((found, [item]))
    groups = [(found, stream(machine, row, snapshot)) for found, row in rows]
    return machine.heap.created(Walk(groups, lambda place: _group_at(machine, groups, place, node), snapshot))


def _group_at(machine: Machine, groups: list[tuple[Any, Any]], place: int, node: ast.AST) -> Any:
    """Going on to a group takes what is left of those before it."""
    for _, group in groups[:place]:
        if group and group[0] is not SPENT:
            spend(machine, group, node)
    return groups[place] if place < len(groups) else None
