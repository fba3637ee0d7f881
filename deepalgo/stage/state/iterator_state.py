"""Snapshots of what an iterator depends on: its items are computed early, which is correct as long as nothing of that has changed.

>>> items, names = [1, 2], {"k": 3}
>>> snapshot = Snapshot.of([items], names, "k")
>>> snapshot.is_stale()
False
>>> items[0] = 5; snapshot.is_stale()
True
"""

from __future__ import annotations

import ast
import types
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deepalgo.stage.state.arrays import Array, root_of
from deepalgo.stage.state.heap import copy_content
from deepalgo.stage.state.values import UNDEFINED, BoundMethod, Closure, Frame, Partial, StandIn

Content = tuple[Any, ...]


class Spendable(list[Any], StandIn):
    """The items of an iterator: whoever takes them leaves `SPENT`, as maybe not all of them were taken."""

    python = "iterator"


class Walking(Spendable):
    """Items that are read one after the other."""

    def step(self, machine: Any, none: Any, node: ast.AST) -> Any:
        """The next item, or what `none` answers."""
        raise NotImplementedError


class _Spent:
    __slots__ = ()


SPENT = _Spent()


def is_spent(items: list[Any]) -> bool:
    """Whether someone has taken the items of an iterator."""
    return bool(items) and items[0] is SPENT


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Containers with what they held, and names with what they meant."""

    contents: tuple[tuple[Any, Content], ...]
    names: tuple[tuple[dict[str, Any], str, Any], ...] = ()

    @classmethod
    def of(cls, values: Iterable[Any], names: dict[str, Any] | None = None, *used: str) -> Snapshot:
        """Now."""
        known = {} if names is None else names
        meant = tuple((known, name, known.get(name, UNDEFINED)) for name in used)
        return cls(tuple(_contents([*values, *(value for _, _, value in meant)])), meant)

    @classmethod
    def of_tree(cls, tree: ast.AST, frame: Frame | None) -> Snapshot:
        """Now, for all that a piece of code reads in its frame and those around it."""
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        own = {node.id for node in found if not isinstance(node.ctx, ast.Load)}
        names = {node.id for node in found} - own
        parts = []
        while frame is not None:
            parts.append(cls.of((), frame.names, *sorted(names & frame.names.keys())))
            frame = frame.enclosing
        return cls.joined(parts)

    @classmethod
    def of_call(cls, function: Any) -> Snapshot:
        """Now, for a function that is going to be called."""
        match function:
            case Closure():
                return cls.of_tree(function.node, function.frame)
            case BoundMethod():
                return cls.joined([cls.of_call(function.function), cls.of([function.instance])])
            case Partial():
                return cls.joined([cls.of_call(function.function), cls.of([*function.args, *function.keywords.values()])])
            case _:
                return cls.of([])

    @classmethod
    def joined(cls, parts: list[Snapshot]) -> Snapshot:
        """All of them at once."""
        return cls(tuple(item for part in parts for item in part.contents), tuple(item for part in parts for item in part.names))

    def is_stale(self) -> bool:
        """Whether something has changed since."""
        return self.holds_other() or any(names.get(name, UNDEFINED) is not value for names, name, value in self.names)

    def holds_other(self) -> bool:
        """Whether a container has changed since."""
        return any(not _are_same(_content(box), before) for box, before in self.contents)


def _contents(values: Iterable[Any]) -> Iterable[tuple[Any, Content]]:
    for value in values:
        if isinstance(value, Array):
            box: Any = root_of(value)
        elif isinstance(value, Spendable):
            continue
        elif isinstance(value, (list, dict, set, deque)):
            box = value
        elif isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, (types.ModuleType, types.FunctionType)):
            box = vars(value)
        else:
            continue
        yield box, _content(box)


def _content(box: Any) -> Content:
    content = copy_content(box)
    match content:
        case dict():
            return tuple(part for item in content.items() for part in item)
        case list() | set():
            return tuple(content)
        case _:
            return (content,)


def _are_same(one: Content, other: Content) -> bool:
    return len(one) == len(other) and all(first is second for first, second in zip(one, other, strict=True))
