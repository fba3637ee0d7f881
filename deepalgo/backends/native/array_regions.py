"""Arrays in memory through branches and loops: where arms meet, and what rounds hand on."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deepalgo.backends.native.array_loops import is_large
from deepalgo.backends.native.held_values import HeldValues
from deepalgo.backends.native.memory import Extent
from deepalgo.ir import Block, If, Loop, Rewind, Value, While


class ArraysMeet:
    """The arrays that the arms of a branch leave: where both are in one place they stay there, else each arm copies its own to a third."""

    def __init__(self, held: HeldValues, branch: If) -> None:
        self.held, self.memory, self.branch = held, held.memory, branch
        self.large = [place for place, result in enumerate(branch.results) if is_large(result)]
        self.targets = {place: self.memory.rooms.take(math.prod(branch.results[place].type.shape), branch.results[place].type.kind)
                        for place in self.large}
        #: Rooms that are no arm's own: one arm has free again what another had.
        self.outside = self.memory.rooms.in_use()
        #: For each arm the place in the text where it ends, its lanes, and what it leaves.
        self.ends: list[tuple[int, str, dict[int, Extent]]] = []

    def leave(self, arm: Block, lanes: str) -> None:
        """The arm ends here."""
        left = {place: self.held.extent(arm.results[place], self.branch.results[place].type.kind) for place in self.large}
        self.ends.append((len(self.held.code.lines), lanes, left))

    def done(self) -> None:
        """Both arms have ended."""
        rooms = self.memory.rooms
        moving = []
        for place, target in self.targets.items():
            one, other = (left[place] for _, _, left in self.ends)
            if one == other and one.root in self.outside:
                rooms.release(target)
                rooms.hold(one)
                self.held.bind(self.branch.results[place], one)
            else:
                moving.append(place)
                self.held.bind(self.branch.results[place], target)
        for line, lanes, left in sorted(self.ends, key=lambda end: -end[0]):
            self.insert(line, lanes, [(self.targets[place], left[place]) for place in moving])

    def insert(self, line: int, lanes: str, pairs: Sequence[tuple[Extent, Extent]]) -> None:
        """Copies at an earlier place of the text."""
        lines = self.held.code.lines
        behind = lines[line:]
        del lines[line:]
        for target, source in pairs:
            self.memory.copied(target, source, lanes)
        lines += behind


class CarriedArrays:
    """The arrays that a loop carries: each has rooms that all rounds share, those of its start if nobody else reads them."""

    def __init__(self, held: HeldValues, loop: Loop | Rewind | While, params: Sequence[Value]) -> None:
        self.held, self.memory = held, held.memory
        self.rooms = {place: self.begin(loop, place, param) for place, param in enumerate(params) if is_large(param)}

    def begin(self, loop: Loop | Rewind | While, place: int, param: Value) -> Extent:
        """The rooms of an array, with what it starts with in them."""
        rooms, value = self.memory.rooms, loop.init[place]
        found = self.held.values[value]
        if not isinstance(found, Extent) or found.kind is not param.type.kind:
            return self.memory.stored(self.held.fitted(value, param.type), param.type.kind)
        if value in self.held.lifetimes.ending(loop) and loop.init.count(value) == 1 and rooms.users[found.root] == 1:
            self.held.handed_on.add(value)
            if value in self.held.locals:
                return self.held.locals.pop(value)
            rooms.keep(found)
            self.held.spent.append(found)
            rooms.hold(found)
            return found
        target = rooms.take(found.count, found.kind)
        self.memory.copied(target, found)
        return target

    def bind(self, params: Sequence[Value]) -> None:
        """Parameters lie there."""
        for place, extent in self.rooms.items():
            self.held.values[params[place]] = extent

    def go_on(self, results: Sequence[Value], lanes: str) -> None:
        """Put there what a round left, for its lanes."""
        left = {place: self.held.extent(results[place], extent.kind) for place, extent in self.rooms.items()}
        moving = {place: extent for place, extent in left.items() if extent != self.rooms[place]}
        written = {self.rooms[place].root for place in moving}
        aside = {}
        for place, extent in moving.items():
            if extent.root in written:
                aside[place] = self.memory.rooms.take(extent.count, extent.kind)
                self.memory.copied(aside[place], extent)
        for place, extent in moving.items():
            self.memory.copied(self.rooms[place], aside.get(place, extent), lanes)
        for extent in aside.values():
            self.memory.rooms.release(extent)

    def leave(self, results: Sequence[Value]) -> None:
        """The results of the loop lie there."""
        for place, extent in self.rooms.items():
            self.held.bind(results[place], extent)
