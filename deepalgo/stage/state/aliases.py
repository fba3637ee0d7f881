"""Aliases: lists, dicts and objects with two names, where the merge of two branches gives each name a copy.

Where two arms meet, a list that differs between them is replaced by a merged copy, and so is every list that a loop hands from round to
round. That is no difference as long as nobody changes one of the copies while another name still sees what it was made from.
`relate` remembers such containers; changing one of them is refused while another one can be reached.
"""

from __future__ import annotations

import ast
import functools
import types
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from deepalgo.stage.state.arrays import Array, root_of
from deepalgo.stage.state.structure import is_plain_object
from deepalgo.stage.state.values import BoundMethod, Closure, Frame, Generator, Partial, Signal, Union

if TYPE_CHECKING:
    from deepalgo.stage.state.heap import Change
    from deepalgo.stage.state.machine import Machine


def parts(machine: Machine, value: Any) -> Iterator[Any]:
    """The containers that the program made in a value, itself included."""
    for item in _held_by(value):
        if id(item) in machine.heap.inside:
            yield item
            for inner in _items(item):
                yield from parts(machine, inner)


def _items(container: Any) -> list[Any]:
    """What a container holds; an array holds numbers only."""
    if isinstance(container, Array):
        return []
    content = vars(container) if is_plain_object(container) else container
    return list(content.values() if isinstance(content, dict) else content)


def _held_by(value: Any) -> Iterator[Any]:
    """The containers that a slot with this value refers to directly."""
    match value:
        case Signal():
            return
        case list() | dict() | set() | deque():
            yield value
        case Array():
            yield root_of(value)
        case tuple():
            for item in value:
                yield from _held_by(item)
        case Union():
            for _, item in value.cases:
                yield from _held_by(item)
        case BoundMethod():
            yield from _held_by(value.instance)
        case types.MethodType() | types.BuiltinMethodType():
            yield from _held_by(value.__self__)
        case functools.partial():
            yield from _held_by((value.func, *value.args, *value.keywords.values()))
        case Partial():
            yield from _held_by((value.function, *value.args, *value.keywords.values()))
        case Generator():
            yield from _held_by((*value.frame.names.values(), value.source))
        case Closure():
            yield from _held_by((*value.defaults, *value.kw_defaults.values()))
        case _:
            if is_plain_object(value):
                yield value


def holders(machine: Machine, change: Change | None = None, gone: Frame | None = None) -> Counter[int]:
    """How many places refer to each container of the program, as `change` leaves them; the names of a frame that is left are none."""
    counts: Counter[int] = Counter(id(array) for array in machine.arguments)
    waiting: list[Any] = [names for frame in machine.frames if frame is not gone for names in _names(frame)]
    seen: set[int] = set()
    while waiting:
        container = waiting.pop()
        if id(container) in seen:
            continue
        seen.add(id(container))
        content = container if change is None else change.after(container)
        for value in list(content.values() if isinstance(content, dict) else content):
            if isinstance(value, Closure):
                waiting.extend(_names(value.frame))
            for item in _held_by(value):
                if id(item) in machine.heap.inside:
                    counts[id(item)] += 1
                    if not isinstance(item, Array):
                        waiting.append(vars(item) if is_plain_object(item) else item)
    return counts


def _names(frame: Frame | None) -> Iterator[dict[str, Any]]:
    while frame is not None:
        yield frame.names
        frame = frame.enclosing


def relate(machine: Machine, containers: Iterable[Any]) -> None:
    """Remember that these containers are, on some path, one."""
    group = {id(item): item for item in containers}
    for key in list(group):
        group.update((id(other), other) for other in machine.kin.get(key, ()))
    for key in group:
        machine.kin[key] = tuple(group.values())


def has_kin(machine: Machine, container: Any) -> bool:
    """Whether another name may stand for the same container."""
    group = machine.kin.get(id(container), ())
    if len(group) < 2:
        return False
    held = holders(machine)
    return any(other is not container and held[id(other)] for other in group)


def refuse_kin(machine: Machine, container: Any, node: ast.AST) -> None:
    """Refuse to change a container while another name may stand for the same one."""
    if has_kin(machine, container):
        machine.refuse(
            f"this changes a {type(container).__name__} that has two names on some path, depending on data",
            "Make a copy first, or change it before it gets its second name.",
            node,
        )


def refuse_identity(machine: Machine, left: Any, right: Any, node: ast.AST) -> None:
    """Refuse to tell whether two containers are one, where that depends on data."""
    if left is not right and any(other is right for other in machine.kin.get(id(left), ())):
        machine.refuse("whether these two are the same object depends on data", "Compare with `==`, or keep a flag.", node)
