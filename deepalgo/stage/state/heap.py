"""A log of what branches write to containers, so that one arm's writes can be undone before the other arm runs, and both merged afterwards.

A container is a dict (names of a frame, attributes of an object), a list, a deque, a set or an `Array`. The interpreter calls `touch`
before it changes one and `created` when it makes one.

>>> heap, names = Heap(), {"x": 1}
>>> heap.open()
>>> heap.touch(names); names["x"] = 2; names["y"] = 3
>>> change = heap.close()
>>> names, change.after(names)
({'x': 1}, {'x': 2, 'y': 3})
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Box(Protocol):
    """A container of our own that knows how to copy and restore its content."""

    def content(self) -> Any: ...
    def restore(self, content: Any) -> None: ...


def copy_content(container: Any) -> Any:
    """A shallow copy of what a container holds."""
    match container:
        case dict():
            return dict(container)
        case list() | deque():
            return list(container)
        case set():
            return set(container)
        case Box():
            return container.content()
        case _:
            raise TypeError(f"not a container: {type(container).__name__}")


def restore_content(container: Any, content: Any) -> None:
    """Put a copied content back into the same container object."""
    match container:
        case dict():
            container.clear()
            container.update(content)
        case list():
            container[:] = content
        case set():
            container.clear()
            container.update(content)
        case deque():
            container.clear()
            container.extend(content)
        case _:
            container.restore(content)


@dataclass(slots=True)
class Change:
    """What one arm did: the containers it touched with their content before and after, and those it made."""

    touched: dict[int, tuple[Any, Any, Any]]
    made: dict[int, Any]

    def after(self, container: Any) -> Any:
        """The content of a container at the end of the arm; unchanged ones answer with what they hold."""
        entry = self.touched.get(id(container))
        if entry is not None:
            return entry[2]
        return container if isinstance(container, (dict, list, set)) else copy_content(container)


    @contextmanager
    def applied(self) -> Iterator[None]:
        """See the containers as they were at the end of the arm."""
        for container, _, after in self.touched.values():
            restore_content(container, after)
        try:
            yield
        finally:
            for container, before, _ in self.touched.values():
                restore_content(container, before)


@dataclass(slots=True)
class OpenArm:
    """What one open arm has touched, as it was before, and what it has made."""

    before: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    made: dict[int, Any] = field(default_factory=dict)


class Heap:
    """A stack of levels, one for every arm that is being staged."""

    def __init__(self) -> None:
        self.levels = [OpenArm()]
        self.namespaces: dict[int, dict[str, Any]] = {}
        self.inside: dict[int, Any] = {}  # every container that the program itself made

    def touch(self, container: Any) -> None:
        """Remember the content of a container that is about to change, once for each level."""
        level = self.levels[-1]
        key = id(container)
        if key not in level.before and key not in level.made:
            level.before[key] = (container, copy_content(container))

    def created(self, container: Any) -> Any:
        """Note that this level made the container: it needs no undoing, and two arms' fresh containers may be merged."""
        if id(container) not in self.inside:  # one that was there before stays what it is
            self.levels[-1].made[id(container)] = container
            self.inside[id(container)] = container
        return container

    def namespace(self, names: dict[str, Any]) -> dict[str, Any]:
        """Note a dict of names or attributes, where an entry may be missing on some path."""
        self.namespaces[id(names)] = names
        return self.created(names)  # type: ignore[no-any-return]  # the same object

    def keep_names(self, names: dict[str, Any]) -> None:
        """Note a dict of names that was there before the function ran."""
        self.namespaces[id(names)] = names
        self.inside[id(names)] = names

    def is_fresh(self, container: Any) -> bool:
        """Whether the innermost level made this container."""
        return id(container) in self.levels[-1].made

    def open(self) -> None:
        """Begin an arm."""
        self.levels.append(OpenArm())

    def close(self) -> Change:
        """End an arm: undo its writes and return them."""
        level = self.levels.pop()
        touched = {}
        for key, (container, before) in level.before.items():
            touched[key] = (container, before, copy_content(container))
        for container, before in level.before.values():
            restore_content(container, before)
        return Change(touched, level.made)

    def keep(self) -> None:
        """End an arm and let its writes stand, as if the level around it had made them."""
        level = self.levels.pop()
        outer = self.levels[-1]
        for key, entry in level.before.items():
            if key not in outer.before and key not in outer.made:
                outer.before[key] = entry
        outer.made.update(level.made)

    def adopt(self, change: Change) -> None:
        """Count what a finished arm made as made by this level."""
        self.levels[-1].made.update(change.made)
