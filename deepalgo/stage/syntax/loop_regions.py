"""A loop staged once for all rounds: its carried variables are found by staging the body until nothing new changes.

Everything the body writes and the next round or the code after the loop could read is carried: names, items of lists, attributes.
How the rounds end is carried in the same way, in a dict of our own: `live` (nothing has ended the loop yet),
`broken`, `returned` and its `value`, `raised` and its `error`.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from deepalgo.ir import Block, Kind, Loop, Statement, Type, Value, While
from deepalgo.stage.state.aliases import holders, parts, relate
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.exits import Case, Exit, Way
from deepalgo.stage.state.heap import Change
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.sequence import going_on
from deepalgo.stage.state.structure import (
    ANYTHING,
    Alternatives,
    Anything,
    Fixed,
    Number,
    Structure,
    decode,
    encode,
    is_same,
    join,
    numbers,
    structure_of,
)
from deepalgo.stage.state.values import UNDEFINED, NeedsUnroll, Signal, Union, UserRaise, is_number
from deepalgo.stage.syntax import assignment
from deepalgo.stage.syntax.short_circuit import both

#: Each round of discovery widens what is carried; real loops settle after two or three.
MOST_ATTEMPTS = 12


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a `for` over a range: the index is `start + step * round`."""

    start: Any
    step: int
    count: int | Signal


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Something that can be carried: an entry of a dict or an item of a list."""

    container: Any
    key: Any

    @property
    def id(self) -> tuple[int, Any]:
        return id(self.container), self.key

    def write(self, machine: Machine, value: Any) -> None:
        machine.heap.touch(self.container)
        if isinstance(self.container, Array):
            self.container.held = value
        else:
            self.container[self.key] = value


@dataclass(slots=True)
class Draft:
    """One staging of test and body with given carried places."""

    test_body: list[Statement]
    verdict: Signal | None
    body: list[Statement]
    params: list[Value]
    index: Value | None
    change: Change
    outcome: Exit


class LoopRegion:
    """Finds what is carried, then appends a `Loop` or a `While`."""

    def __init__(self, machine: Machine, node: ast.For | ast.While, test: Callable[[], Any] | None,
                 body: Callable[[], Exit], rounds: Rounds | None) -> None:
        self.machine = machine
        self.node = node
        self.test = test
        self.body = body
        self.rounds = rounds
        self.control: dict[str, Any] = {
            "live": True, "broken": False, "returned": False, "value": ANYTHING, "raised": False, "error": ANYTHING,
        }
        machine.heap.namespace(self.control)
        self.carried: dict[tuple[int, Any], tuple[Place, Structure]] = {}
        self.given_up: dict[tuple[int, Any], Place] = {}
        self.kin: dict[frozenset[tuple[int, Any]], dict[int, Any]] = {}
        self.counts = rounds is not None and isinstance(rounds.count, Signal)
        if self.counts:
            self._count_rounds()

    def _count_rounds(self) -> None:
        """Carry the number of the round: samples will not all run the same number of them."""
        self.counts = True
        self.control["round"] = 0
        place = Place(self.control, "round")
        self.carried[place.id] = (place, Number(Type(Kind.INT), "py"))

    def stage(self) -> Exit:
        """Stage the loop and return the ways out of it."""
        machine = self.machine
        for _ in range(MOST_ATTEMPTS):
            mark = machine.mark()
            machine.open_loops += 1
            try:
                draft = self._draft()
            finally:
                machine.open_loops -= 1
            if not self.counts and self.rounds is not None and self._may_stop(draft.outcome):
                self._count_rounds()
            elif not self._widen(draft.change) and not self._find_kin(draft.change) and not self._find_kin(None):
                return self._append(draft)
            machine.rewind(mark)  # the next draft knows less of what it carries, so it decides less
        machine.refuse("the variables of this loop change their type from round to round", "Give each variable one type.", self.node)

    @staticmethod
    def _may_stop(outcome: Exit) -> bool:
        return any(way in outcome.cases for way in (Way.BREAK, Way.RETURN, Way.RAISE))

    def _draft(self) -> Draft:
        machine = self.machine
        machine.heap.open()
        machine.facts.enter()
        prelude: list[Statement] = []
        with machine.builder.into(prelude):
            params = self._install()
        index = None if self.counts or self.rounds is None else machine.builder.fresh(Type(Kind.INT), "round")
        test_body, body = list(prelude), list(prelude)  # test and body both read what is carried
        with machine.builder.into(test_body):
            verdict = self._test()
        with machine.builder.into(body):
            if verdict is not None:
                machine.learn(verdict.value, True)
            outcome = self._round(index)
        machine.facts.leave()
        machine.at(self.node)
        return Draft(test_body, verdict, body, params, index, machine.heap.close(), outcome)

    def _install(self) -> list[Value]:
        """Put a parameter wherever something is carried."""
        params: list[Value] = []
        self.machine.kin_before = dict(self.machine.kin)
        for place, structure in self.carried.values():
            leaves = []
            name = place.key if isinstance(place.key, str) and place.key.isidentifier() and place.container is not self.control else ""
            guards = len(structure.cases) - 1 if isinstance(structure, Alternatives) else 0
            for count, number in enumerate(numbers(structure)):
                value = self.machine.builder.fresh(number.type, name if count >= guards else "")
                params.append(value)
                uniform = place.container is self.control and place.key == "round"
                leaves.append(Signal(value, number.flavour, uniform, None))
            place.write(self.machine, decode(self.machine, structure, iter(leaves)))
        self.machine.kin_before = None
        for place in self.given_up.values():
            place.write(self.machine, UNDEFINED)
        self._relate()
        return params

    def _test(self) -> Signal | None:
        machine = self.machine
        machine.at(self.node)
        if self.rounds is not None and not self.counts:
            return None
        live = self.control["live"]
        test = self.test if self.test is not None else self._more_rounds
        verdict = test() if live is True else both(machine, live, test, self.node)  # type: ignore[arg-type]  # a place to point at
        return machine.signal(machine.truth(verdict, self.node))

    def _more_rounds(self) -> Any:
        assert self.rounds is not None
        return self.machine.emit("lt", self.control["round"], self.rounds.count)

    def _round(self, index: Value | None) -> Exit:
        machine = self.machine
        if self.rounds is not None:
            number = self.control["round"] if index is None else Signal(index, "py", True, None)
            assignment.assign(machine, self.node.target, self._item(number))  # type: ignore[union-attr]  # only a `for` has rounds
        try:
            outcome = self.body()
        except UserRaise as error:
            machine.fail(error)
            outcome = Exit({})
        self._note_ways_out(outcome)
        if self.counts:
            Place(self.control, "round").write(machine, machine.emit("add", self.control["round"], 1))
        return outcome

    def _item(self, number: Any) -> Any:
        assert self.rounds is not None
        scaled = number if self.rounds.step == 1 else self.machine.binary(ast.Mult, number, self.rounds.step, self.node)
        start = self.rounds.start
        return scaled if type(start) is int and start == 0 else self.machine.binary(ast.Add, scaled, start, self.node)

    def _note_ways_out(self, outcome: Exit) -> None:
        """Write into the control dict how each sample left the round."""
        outcome = going_on(self.machine, outcome)
        if outcome.only_falls:
            return
        for way, flag in ((Way.FALL, "live"), (Way.BREAK, "broken"), (Way.RETURN, "returned"), (Way.RAISE, "raised")):
            case = outcome.cases.get(way)
            if case is not None or way is Way.FALL:
                held = False if case is None else True if case.guard is None else case.guard
                Place(self.control, flag).write(self.machine, held)
        for way, slot in ((Way.RETURN, "value"), (Way.RAISE, "error")):
            if way in outcome.cases:
                Place(self.control, slot).write(self.machine, outcome.cases[way].value)

    def _widen(self, change: Change) -> bool:
        """Carry what the draft changed and was not carried yet; whether there was anything."""
        machine = self.machine
        machine.deep_loose, machine.loose = True, change.made
        entries = [
            (Place(container, key), old, new)
            for container, before, after in change.touched.values()
            for key, old, new in self._entries(container, before, after)
        ]
        entries = [entry for entry in entries if self._may_grow(*entry)]
        with change.applied():  # a container is what the draft left in it
            left = [structure_of(new, machine.is_loose, machine.is_made) for _, _, new in entries]
        grown = [self._widen_place(place, old, shape) for (place, old, _), shape in zip(entries, left, strict=True)]
        machine.deep_loose, machine.loose = False, {}
        return any(grown)

    def _may_grow(self, place: Place, old: Any, new: Any) -> bool:
        return place.id not in self.given_up and (place.id in self.carried or not is_same(old, new))

    def _find_kin(self, change: Change | None) -> bool:
        """Note which carried places share a container, before the first round or after one: each will get a copy of its own."""
        machine, sharing, grown = self.machine, dict[int, tuple[Any, set[tuple[int, Any]]]](), False
        with change.applied() if change is not None else nullcontext():
            counts = holders(machine)
            for place, _ in self.carried.values():
                for part in parts(machine, _held(place)):
                    sharing.setdefault(id(part), (part, set()))[1].add(place.id)
        for part, places in sharing.values():
            if counts[id(part)] > 1:
                fresh = change is not None and id(part) in change.made
                known = self.kin.get(frozenset(places))
                grown |= known is None or (not fresh and id(part) not in known)
                self.kin.setdefault(frozenset(places), {}).update({} if fresh else {id(part): part})
        return grown

    def _relate(self) -> None:
        for places, others in self.kin.items():
            held = [_held(self.carried[place][0]) for place in places if place in self.carried]
            relate(self.machine, [*others.values(), *(part for value in held for part in parts(self.machine, value))])

    def _entries(self, container: Any, before: Any, after: Any) -> list[tuple[Any, Any, Any]]:
        if isinstance(container, (list, deque)):
            if len(before) != len(after):
                self._length_changes()
            return [(place, *pair) for place, pair in enumerate(zip(before, after, strict=True))]
        if isinstance(container, dict):
            keys = dict.fromkeys((*before, *after))
            if id(container) not in self.machine.heap.namespaces and list(before) != list(after):
                self._length_changes()
            return [(key, before.get(key, UNDEFINED), after.get(key, UNDEFINED)) for key in keys]
        if isinstance(container, Array):
            return [("held", before, after)]
        if before != after:
            self._length_changes()
        return []

    def _length_changes(self) -> None:
        if self.rounds is not None and isinstance(self.rounds.count, int):
            raise NeedsUnroll
        self.machine.refuse(
            "the length of a list or dict depends on how many rounds this loop runs",
            "Give it its full length before the loop and store into it.",
            self.node,
        )

    def _widen_place(self, place: Place, old: Any, left: Structure) -> bool:
        """Make room for what the draft left at a place."""
        entry, machine = self.carried.get(place.id), self.machine
        known = structure_of(old, machine.is_loose, machine.is_made) if entry is None else entry[1]
        wider = join(known, left)
        if entry is not None and wider == entry[1]:
            return False
        if old is UNDEFINED and not _carries_numbers(wider):
            self.given_up[place.id] = place
            self.carried.pop(place.id, None)
            return True
        self.carried[place.id] = (place, wider)
        return True

    def _append(self, draft: Draft) -> Exit:
        machine = self.machine
        machine.deep_loose, machine.loose = True, draft.change.made
        init, following = [], []
        for place, structure in self.carried.values():
            init += encode(machine, _held(place), structure)
            with machine.builder.into(draft.body), draft.change.applied():
                following += encode(machine, self._after(draft, place), structure)
        machine.deep_loose, machine.loose = False, {}
        results = [machine.builder.fresh(item.type, param.name) for item, param in zip(init, draft.params, strict=True)]
        machine.builder.append(self._statement(draft, init, following, results))
        self._write_results(results, draft)
        return ways_out(machine, self.control)

    def _after(self, draft: Draft, place: Place) -> Any:
        """What the draft left at a place; an untouched place keeps its parameter."""
        content = draft.change.after(place.container)
        if isinstance(place.container, Array):
            return content
        return content[place.key] if isinstance(content, (list, deque)) else content.get(place.key, UNDEFINED)

    def _statement(self, draft: Draft, init: list[Signal], following: list[Signal], results: list[Value]) -> Statement:
        starts = tuple(item.value for item in init)
        nexts = tuple(item.value for item in following)
        params = tuple(draft.params)
        if draft.verdict is None:
            assert self.rounds is not None and isinstance(self.rounds.count, int) and draft.index is not None
            return Loop(
                tuple(results), self.rounds.count, starts, Block((draft.index, *params), tuple(draft.body), nexts), self.machine.span
            )
        test = Block(params, tuple(draft.test_body), (draft.verdict.value,))
        bound = self.rounds.count if self.rounds is not None and isinstance(self.rounds.count, int) else None
        return While(tuple(results), starts, test, Block(params, tuple(draft.body), nexts), bound, self.machine.span)

    def _write_results(self, results: list[Value], draft: Draft) -> None:
        left = iter(results)
        self.machine.kin_before = dict(self.machine.kin)
        for place, structure in self.carried.values():
            leaves = [Signal(next(left), number.flavour, False, None) for number in numbers(structure)]
            value = decode(self.machine, structure, iter(leaves))
            place.write(self.machine, self._as_left(draft, place, value) if self._surely_runs(draft) else value)
        self.machine.kin_before = None
        for place in self.given_up.values():
            place.write(self.machine, UNDEFINED)
        self._relate()

    def _surely_runs(self, draft: Draft) -> bool:
        """Whether some round runs to its end."""
        return draft.verdict is None and self.rounds is not None and isinstance(self.rounds.count, int) and self.rounds.count > 0

    def _as_left(self, draft: Draft, place: Place, value: Any) -> Any:
        """A number of the last round: no longer undefined, and mixed only if the round leaves it so."""
        left = self._after(draft, place)
        if not isinstance(left, Signal):
            return value
        value = _defined(value)
        return replace(value, mixed=left.mixed) if isinstance(value, Signal) else value


def ways_out(machine: Machine, control: dict[str, Any]) -> Exit:
    """How samples leave a loop, by the flags in which its rounds noted it."""
    cases: dict[Way, Case] = {}
    for way, flag, slot in ((Way.BREAK, "broken", ""), (Way.RETURN, "returned", "value"), (Way.RAISE, "raised", "error")):
        left = control.get(flag, False)
        if isinstance(left, Signal) or left is True:
            cases[way] = Case(machine.signal(left), control.get(slot))
    guards = [case.guard for case in cases.values() if case.guard is not None]
    cases[Way.FALL] = Case(machine.none_of(guards) if guards else None)
    return Exit(cases)


def _held(place: Place) -> Any:
    if isinstance(place.container, Array):
        return place.container.held
    if isinstance(place.container, (list, deque)):
        return place.container[place.key]
    return place.container.get(place.key, UNDEFINED)


def _defined(value: Any) -> Any:
    """A value that is known not to be undefined."""
    if not isinstance(value, Union):
        return value
    cases = [case for _, case in value.cases if case is not UNDEFINED]
    return cases[0] if len(cases) == 1 else value


def _carries_numbers(structure: Structure) -> bool:
    """Whether a place that is undefined before the loop can be carried: numbers can, new objects of every round cannot."""
    cases = structure.cases if isinstance(structure, Alternatives) else (structure,)
    return not any(isinstance(case, Fixed) and case.item is not UNDEFINED and not _is_plain(case.item) for case in cases) and not any(
        isinstance(case, Anything) for case in cases
    )


def _is_plain(item: Any) -> bool:
    return item is None or is_number(item) or isinstance(item, (str, type, BaseException))
