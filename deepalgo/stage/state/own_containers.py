"""Lists and dicts of classes that are written in Python, such as `class Results(dict)` with attributes or methods of its own.

>>> class Results(dict):
...     def total(self):
...         return sum(self.values())
>>> base_of(Results)
<class 'dict'>
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from deepalgo.stage.state.libraries import is_native_module

if TYPE_CHECKING:
    from deepalgo.stage.state.machine import Machine

#: What such a class may define although lists and dicts have it, too: it changes nothing about the items.
FREE = frozenset(
    "__init__ __doc__ __module__ __dict__ __weakref__ __repr__ __str__ __dir__ __reduce__ __reduce_ex__ __annotations__".split()
)
#: What makes the entries of a dict its attributes.
ENTRIES = {"__setattr__": dict.__setitem__, "__delattr__": dict.__delitem__}


def base_of(cls: Any) -> type | None:
    """The class whose items these are: list or dict, if Python's own methods are left as they are."""
    return _base_of(cls)


@functools.lru_cache(maxsize=1024)
def _base_of(cls: Any) -> type | None:
    if cls in (list, dict) or type(cls) is not type:
        return None
    base = next((item for item in (list, dict) if issubclass(cls, item)), None)
    if base is None or cls.__new__ is not base.__new__ or not cls.__dictoffset__:
        return None
    own = [item for item in cls.__mro__ if item not in (base, object)]
    return base if all(_leaves_alone(item, base) for item in own) else None


def _leaves_alone(cls: type, base: type) -> bool:
    if is_native_module(cls.__module__) or "__missing__" in vars(cls):
        return False
    changed = {name for name in vars(cls) if hasattr(base, name)} - FREE
    return all(vars(cls)[name] is ENTRIES.get(name) for name in changed)


def has_entries_as_attributes(value: object) -> bool:
    """Whether `value.name = item` is `value["name"] = item`."""
    return type(value).__setattr__ is dict.__setitem__


def construct(machine: Machine, cls: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`cls(*args, **kwargs)`."""
    instance = _empty(machine, cls)
    if hasattr(cls.__init__, "__code__"):
        machine.call(cls.__init__, [instance, *args], kwargs, node)
    else:
        fill(machine, instance, args, kwargs, node)
    return instance


def _empty(machine: Machine, cls: Any) -> Any:
    instance = cls.__new__(cls)
    machine.heap.namespace(vars(instance))
    return machine.heap.created(instance)


def fill(machine: Machine, instance: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    """What `list.__init__` and `dict.__init__` do."""
    found = machine.call(list if isinstance(instance, list) else dict, args, kwargs, node)
    if type(found) not in (list, dict):
        machine.refuse("what this list or dict is made of depends on data", "Build it item by item.", node)
    machine.heap.touch(instance)
    if isinstance(instance, list):
        instance[:] = found
    else:
        instance.update(found)


def parts_of(value: Any) -> dict[Any, Any]:
    """The items and the attributes."""
    items = dict(enumerate(value)) if isinstance(value, list) else value
    return {("item", key): item for key, item in items.items()} | {("attribute", name): item for name, item in vars(value).items()}


def remade(machine: Machine, cls: type, parts: dict[Any, Any]) -> Any:
    """One with the given items and attributes."""
    instance = _empty(machine, cls)
    for (what, key), item in parts.items():
        if what == "attribute":
            vars(instance)[key] = item
        elif isinstance(instance, list):
            instance.append(item)
        else:
            instance[key] = item
    return instance
