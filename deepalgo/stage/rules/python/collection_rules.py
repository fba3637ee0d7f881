"""The module `collections`: deques, dicts that make their entries, counters."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from typing import Any, NoReturn

from deepalgo.stage.rules.registry import HANDLERS, Args, Handler, Kwargs, handles
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.static_values import static_int, static_key
from deepalgo.stage.state.values import Leak, UserRaise


@dataclass(frozen=True, slots=True, eq=False)
class EntryFactory:
    """What makes the entries of a `defaultdict`, as an object that Python takes for a function."""

    interpreted: Any

    def __call__(self) -> NoReturn:
        raise Leak("an entry of a defaultdict is made by native code", "Read it with a subscript.")


@handles(deque, options="iterable maxlen")
def _deque(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = dict(zip(("iterable", "maxlen"), args, strict=False)) | kwargs
    items = machine.iterate(given["iterable"], node) if "iterable" in given else []
    longest = static_int(machine, given.get("maxlen"), node, "the longest length of a deque")
    try:
        return machine.heap.created(deque(items, longest))
    except (TypeError, ValueError) as error:
        raise UserRaise(error, None, machine.span) from None


@handles(defaultdict, options="*")
def _defaultdict(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    factory, *rest = args or [None]
    if factory is not None and contains_signal(factory):
        factory = EntryFactory(factory)
    content = HANDLERS[dict](machine, rest, kwargs, node)
    try:
        return machine.heap.created(defaultdict(factory, content))
    except TypeError as error:
        raise UserRaise(error, None, machine.span) from None


@handles(OrderedDict, options="*")
def _ordered(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.heap.created(OrderedDict(HANDLERS[dict](machine, args, kwargs, node)))


@handles(Counter, options="*")
def _counter(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    made = machine.heap.created(Counter())
    given = [item if isinstance(item, dict) or item is None else machine.iterate(item, node) for item in args]
    machine.call(Counter.update, [made, *given], kwargs, node)
    return made


def _from_keys(kind: type) -> Handler:
    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        keys = [static_key(machine, key, node) for key in machine.iterate(args[0], node)]
        return machine.heap.created(kind(dict.fromkeys(keys, *args[1:], *kwargs.values())))

    return handler


handles(dict.fromkeys, options="value")(_from_keys(dict))
handles(OrderedDict.fromkeys, options="value")(_from_keys(OrderedDict))
