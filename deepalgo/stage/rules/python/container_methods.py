"""Methods of lists, tuples, dicts, sets, deques and strings."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import ItemsView, KeysView, ValuesView
from typing import Any

from deepalgo.stage.rules.native_run import run, taken
from deepalgo.stage.rules.python.sequence_methods import METHODS, PLACES
from deepalgo.stage.rules.python.subscripts import chosen_or
from deepalgo.stage.state.contents import contains_signal
from deepalgo.stage.state.libraries import label
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.shared_objects import refuse_shared
from deepalgo.stage.state.static_values import static_key
from deepalgo.stage.state.streams import Walk
from deepalgo.stage.state.values import DataText, Leak, Signal, UserRaise

OWNERS = (list, dict, set, str, tuple, bytes, deque)
#: Methods that leave a list, a dict, a set or a deque as it is.
READING = frozenset(
    "copy count index get items keys values difference intersection isdisjoint issubset issuperset symmetric_difference union "
    "most_common elements total fromkeys __class__ __sizeof__ __repr__ __str__ __format__ __hash__ __dir__ __copy__".split()
)
#: Methods that only move items, never look at them.
MOVING = frozenset(
    "append extend insert pop clear reverse update setdefault get items keys values copy appendleft popleft popitem extendleft rotate "
    "move_to_end __copy__".split()
)
#: Methods that run over their arguments.
TAKING = frozenset(
    "extend extendleft update union intersection difference symmetric_difference intersection_update difference_update "
    "symmetric_difference_update isdisjoint issubset issuperset join".split()
)
#: Methods that hand out what the container holds, not something new.
HANDING = frozenset("get pop setdefault popitem popleft".split())
#: What native code can run over by itself.
PLAIN: tuple[type, ...] = (list, tuple, dict, set, frozenset, deque, range, str, bytes, KeysView, ValuesView, ItemsView)


def call_method(machine: Machine, function: Any, owner: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`owner.name(*args, **kwargs)`."""
    if name in TAKING:
        args = [_items_of(machine, item, node) for item in args]
    if isinstance(owner, str):
        return _call_string(machine, function, name, args, kwargs, node)
    special = _special(machine, name)
    if special is not None:
        return special(machine, [owner, *args], kwargs, node)
    if isinstance(owner, (list, dict, set, deque)) and name not in READING:
        refuse_shared(machine, owner, node)
        machine.heap.touch(owner)
    return _with_data(machine, function, owner, name, args, kwargs, node)


def _with_data(machine: Machine, function: Any, owner: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """A method whose items, or whose place among them, may depend on data."""
    signals = contains_signal(args) or contains_signal(kwargs) or contains_signal(owner)
    if signals and isinstance(owner, (list, tuple, deque)) and name in METHODS:
        return METHODS[name](machine, owner, args, kwargs, node)
    if signals and name not in MOVING:
        machine.refuse(f"`.{name}` compares items that depend on data", "Write the loop out.", node)
    if args and isinstance(args[0], Signal) and args[0].known is None and (rule := _by_place(owner, name)) is not None:
        return rule(machine, owner, args, kwargs, node)
    if args and _holds_data(args[0]) and name in ("insert", "pop", "get", "setdefault", "rotate", "move_to_end"):
        args = [static_key(machine, args[0], node), *args[1:]]
    return _move(machine, function, name, args, kwargs, node)


def _by_place(owner: Any, name: str) -> Any:
    """The rule of a method whose first argument is a place, or a key, that data chooses."""
    if isinstance(owner, (list, deque)):
        return PLACES.get(name)
    return _get if name == "get" and isinstance(owner, dict) else None


def _get(machine: Machine, owner: dict[Any, Any], args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    return chosen_or(machine, owner, args[0], *args[1:2], node=node)


def _holds_data(value: Any) -> bool:
    return isinstance(value, Signal) or (isinstance(value, tuple) and any(map(_holds_data, value)))


def _special(machine: Machine, name: str) -> Any:
    """The rule of a method such as `__setitem__`: that of the operator."""
    if not name.startswith("__"):
        return None
    function = {"__len__": len, "__iter__": iter, "__reversed__": reversed}.get(name) or getattr(operator, name, None)
    return None if function is None else machine.find_rule(function)


def _items_of(machine: Machine, value: Any, node: ast.AST) -> Any:
    """What a method runs over, in a form that native code knows; an iterator gives its items away."""
    own = isinstance(value, PLAIN) and not isinstance(value, Walk) and id(value) not in machine.streams
    return value if own or hasattr(value, "keys") else machine.iterate(value, node)


def _call_string(machine: Machine, function: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    args = [list(item) if name == "join" and isinstance(item, dict) else item for item in taken(machine, args, node)]
    if contains_signal(args) or contains_signal(kwargs):
        if name in ("format", "join"):
            return DataText("...", ())
        machine.refuse("a string made from data is used", "Strings made from data are only good for messages.", node)
    return run(machine, function, args, kwargs, node)


def _move(machine: Machine, function: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """Run a method on items as they are, data or not."""
    try:
        result = function(*args, **kwargs)
    except Leak as error:
        machine.refuse(f"`{label(function)}`: {error}", "Write it out in Python.", node)
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None
    return machine.heap.created(result) if isinstance(result, (list, dict, set, deque)) and name not in HANDING else result
