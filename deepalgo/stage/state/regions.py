"""Branches: stage each arm on its own, undo what it wrote, and merge both where they meet.

Used for every choice on data: `if`, conditional expressions, `and`/`or`, operations on a Union. An arm is a thunk that returns an
`Exit`; its writes are kept apart by the heap.
"""

from __future__ import annotations

import ast
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from deepalgo.ir import Block, Check, If, Kind, Op, Statement, Type, Value, While, blocks
from deepalgo.stage.state.aliases import holders, parts, relate
from deepalgo.stage.state.arrays import own_content
from deepalgo.stage.state.exits import DEAD, Case, Exit, Way, falling
from deepalgo.stage.state.heap import Change, restore_content
from deepalgo.stage.state.iterator_state import SPENT, Spendable, is_spent
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.messages import message_of
from deepalgo.stage.state.structure import ANYTHING, Structure, decode, encode, is_same, join, structure_of
from deepalgo.stage.state.values import UNDEFINED, Signal, UserRaise

Thunk = Callable[[], Exit]


@dataclass(slots=True)
class Arm:
    """A staged arm: its statements, what it wrote, how it ends, and the exception that ends it if there is one."""

    body: list[Statement]
    change: Change
    exit: Exit
    raised: UserRaise | None = None
    facts: dict[Value, bool] = field(default_factory=dict)  # what held inside of it
    start: int = 0  # values with a smaller number were there before


@dataclass(slots=True)
class Pending:
    """An `if` one arm of which has left; the rest of the block is being staged inside the other arm."""

    condition: Signal
    left: Arm
    left_truth: bool  # the condition's value in the arm that has left
    body: list[Statement]
    outer: list[Statement]
    node: ast.AST


def run_arm(machine: Machine, condition: Signal, truth: bool, thunk: Thunk) -> Arm:
    """Stage one arm and undo its writes."""
    body: list[Statement] = []
    raised = None
    machine.heap.open()
    span, start = machine.span, machine.builder.count
    with machine.assuming(condition, truth), machine.builder.into(body):
        try:
            way_out = thunk()
        except UserRaise as error:
            machine.note_dirty_check()
            way_out, raised = DEAD, error
        facts = machine.facts.learned()
    machine.builder.span = span
    return Arm(body, machine.heap.close(), way_out, raised, facts, start)


def branch(machine: Machine, condition: Signal, yes: Thunk, no: Thunk, node: ast.AST) -> Exit:
    """Stage both arms of a choice and merge them."""
    first = run_arm(machine, condition, True, yes)
    second = run_arm(machine, condition, False, no)
    return meet(machine, condition, first, second, node)


def choose(machine: Machine, condition: Signal, yes: Callable[[], Any], no: Callable[[], Any], node: ast.AST) -> Any:
    """The value of a conditional expression."""
    way_out = branch(machine, condition, lambda: falling(yes()), lambda: falling(no()), node)
    if way_out.is_dead:
        raise UserRaise(RuntimeError, "every path raises", machine.span)
    return way_out.cases[Way.FALL].value


def meet(machine: Machine, condition: Signal, yes: Arm, no: Arm, node: ast.AST) -> Exit:
    """The state and the way out after both arms."""
    machine.at(node)
    if yes.exit.is_dead and no.exit.is_dead:
        return _both_raise(machine, condition, yes, no)
    if yes.exit.is_dead:
        raise_under(machine, condition, True, yes)
        return resume(machine, no)
    if no.exit.is_dead:
        raise_under(machine, condition, False, no)
        return resume(machine, yes)
    span = machine.span
    return Meeting(machine, [yes, no], condition).conclude(lambda results, arms: If(results, condition.value, arms[0], arms[1], span))


def _both_raise(machine: Machine, condition: Signal, yes: Arm, no: Arm) -> Exit:
    raise_under(machine, condition, True, yes)
    resume(machine, no)
    if no.raised is not None:
        raise no.raised
    return DEAD


def raise_under(machine: Machine, condition: Signal, truth: bool, arm: Arm) -> None:
    """An arm that always raises is a check; if it could raise something else before, the arm stays."""
    effects = [statement for statement in arm.body if isinstance(statement, Check) or blocks(statement)]
    ok = machine.negated(condition) if truth else condition
    if arm.raised is not None and not effects:
        machine.builder.body.extend(arm.body)  # what its message is made of
        span = machine.span
        machine.builder.span = arm.raised.span or span
        _check_raised(machine, ok, arm.raised)
        machine.builder.span = span
    else:
        if arm.raised is not None:
            with machine.builder.into(arm.body):
                machine.fail(arm.raised)
        stays, other = Block((), tuple(arm.body), ()), Block((), (), ())
        machine.builder.append(If((), condition.value, *((stays, other) if truth else (other, stays)), machine.span))
    machine.learn(condition.value, not truth)


def _check_raised(machine: Machine, ok: Signal, error: UserRaise) -> None:
    message, operands = message_of(error)
    values = tuple(item.value for item in operands)
    machine.note_dirty_check()
    name, bases = machine.error_names(error.kind)
    machine.append_raise(Check(ok.value, name, message, values, machine.span, bases), error)


def resume(machine: Machine, arm: Arm) -> Exit:
    """Continue after an arm as if it had been staged in place."""
    machine.builder.body.extend(arm.body)
    for container, _, after in arm.change.touched.values():
        machine.heap.touch(container)
        restore_content(container, after)
    machine.heap.adopt(arm.change)
    return arm.exit


Later = Callable[[], Any]


class Meeting:
    """Merges living arms: first the numbers of every value are collected, then the region is appended, then values are rebuilt."""

    def __init__(self, machine: Machine, arms: list[Arm], condition: Signal | None = None) -> None:
        self.machine = machine
        self.arms = arms
        self.condition = condition
        self.rows: dict[tuple[int, ...], tuple[list[Signal], Signal]] = {}
        self.rebuild: list[Callable[[], None]] = []
        self.holders: dict[int, Counter[int]] = {}
        self.machine.loose = {key: item for arm in arms for key, item in arm.change.made.items()}

    def conclude(self, region: Callable[[tuple[Value, ...], list[Block]], Statement]) -> Exit:
        """Append the region, write the merged state back and return the merged way out."""
        machine = self.machine
        for key in {key: None for arm in self.arms for key in arm.change.touched}:
            self._merge_container(key)
        outcome = self._merge_exits()
        columns = [tuple(row[place].value for row, _ in self.rows.values()) for place in range(len(self.arms))]
        blocks_of = [Block((), tuple(arm.body), column) for arm, column in zip(self.arms, columns, strict=True)]
        results = tuple(result.value for _, result in self.rows.values())
        if results or any(has_effect(arm.body) for arm in self.arms):
            machine.builder.append(region(results, blocks_of))
        machine.loose = {}
        for arm in self.arms:
            machine.heap.adopt(arm.change)
        for step in self.rebuild:
            step()
        return Exit({way: Case(guard() if guard else None, value()) for way, (guard, value) in outcome.items()})

    def _merge_container(self, key: int) -> None:
        container = next(arm.change.touched[key][0] for arm in self.arms if key in arm.change.touched)
        if self._is_forgotten(container):
            return
        contents = [arm.change.after(container) for arm in self.arms if not arm.exit.is_dead]
        if isinstance(container, (list, deque)):
            merged = self._merge_items(contents, isinstance(container, Spendable))
        elif isinstance(container, dict):
            merged = self._merge_entries(container, contents)
        elif isinstance(container, set):
            merged = self._merge_sets(contents)
        else:
            merged = self.merge(self._spread(contents))
        self.rebuild.append(lambda: self._write(container, merged()))

    def _write(self, container: Any, content: Any) -> None:
        self.machine.heap.touch(container)
        restore_content(container, content)

    def _is_forgotten(self, container: Any) -> bool:
        """The names of a function that all arms have left."""
        if self.machine.keeps_names:
            return False
        return container is self.machine.frame.names and all(set(arm.exit.cases) <= {Way.RETURN} for arm in self.arms)

    def _spread(self, values: list[Any]) -> list[Any]:
        """The values of the living arms in their places; an arm that always raises may hold anything."""
        living = iter(values)
        return [ANYTHING if arm.exit.is_dead else next(living) for arm in self.arms]

    def _merge_items(self, contents: list[list[Any]], once: bool) -> Later:
        if once and (any(map(is_spent, contents)) or len({len(content) for content in contents}) != 1):
            return lambda: [SPENT]  # what is left of an iterator depends on data
        if len({len(content) for content in contents}) != 1:
            lengths = " and ".join(str(len(content)) for content in contents)
            self.machine.refuse(
                f"the length of a list depends on data: {lengths} items on different paths",
                "Give the list its full length before the `if` and store into it, or compute a number instead of appending.",
            )
        items = [self.merge(self._spread(list(row))) for row in zip(*contents, strict=True)]
        return lambda: [item() for item in items]

    def _merge_entries(self, container: dict[Any, Any], contents: list[dict[Any, Any]]) -> Later:
        keys = list(dict.fromkeys(key for content in contents for key in content))
        if id(container) not in self.machine.heap.namespaces and any(set(content) != set(keys) for content in contents):
            self.machine.refuse("the keys of a dict depend on data", "Give it all its keys before the `if`.")
        if id(container) not in self.machine.heap.namespaces and any(list(content) != keys for content in contents):
            self.machine.refuse("the order of the keys of a dict depends on data", "Give it all its keys before the `if`.")
        missing = [self._missing(container, arm) for arm in self.arms if not arm.exit.is_dead]
        held = [{} if absent is ANYTHING else content for absent, content in zip(missing, contents, strict=True)]
        rows = {key: [content.get(key, absent) for content, absent in zip(held, missing, strict=True)] for key in keys}
        entries = {key: self._kept(container, key, row) or self.merge(self._spread(row)) for key, row in rows.items()}
        if container is not self.machine.frame.names:
            return lambda: {key: entry() for key, entry in entries.items()}
        return lambda: self._named({key: entry() for key, entry in entries.items()})

    def _kept(self, container: dict[Any, Any], key: Any, row: list[Any]) -> Later | None:
        """An entry that every arm left alone, but for those that left the function."""
        before = container.get(key, ANYTHING)
        return (lambda: before) if before is not ANYTHING and all(item is before or item is ANYTHING for item in row) else None

    def _named(self, variables: dict[str, Any]) -> dict[str, Any]:
        """Remember the user's names for what comes out of the region."""
        made = {result.value.id for _, result in self.rows.values()}
        for name, value in variables.items():
            held = own_content(value)
            if isinstance(held, Signal) and held.value.id in made:
                self.machine.builder.name(held.value, name)
        return variables

    def _missing(self, container: dict[Any, Any], arm: Arm) -> Any:
        """What an absent name stands for: undefined, or in an arm that left the function a value that is ignored."""
        left = container is self.machine.frame.names and set(arm.exit.cases) == {Way.RETURN} and not self.machine.keeps_names
        return ANYTHING if left else UNDEFINED

    def _merge_sets(self, contents: list[set[Any]]) -> Later:
        if any(content != contents[0] for content in contents):
            self.machine.refuse("the members of a set depend on data", "Use numbers or a list of fixed length.")
        return lambda: contents[0]

    def _merge_exits(self) -> dict[Way, tuple[Callable[[], Signal] | None, Later]]:
        ways = [way for way in Way if any(way in arm.exit.cases for arm in self.arms)]
        outcome: dict[Way, tuple[Callable[[], Signal] | None, Later]] = {}
        for way in ways:
            guard = None if len(ways) == 1 else self._as_signal(self.merge([_guard(arm, way) for arm in self.arms]))
            outcome[way] = (guard, self.merge([_value(arm, way) for arm in self.arms], slots=0))
        return outcome

    def _as_signal(self, guard: Later) -> Callable[[], Signal]:
        return lambda: self.machine.signal(guard())

    def merge(self, values: list[Any], slots: int = 1) -> Later:
        """Note the numbers of all values; the answer, asked after the region stands, is the merged value.

        `slots` is how many places refer to the values at hand: a name or an item does, the value of an expression has none.
        """
        first = values[0]
        if all(is_same(first, value) for value in values[1:]):
            return lambda: first
        structure: Structure = ANYTHING
        for arm, value in zip(self.arms, values, strict=True):
            with arm.change.applied():  # a container is what the arm left in it
                structure = join(structure, structure_of(value, self.machine.is_loose, self.machine.is_made))
        leaves = self._line_up(values, structure)
        shared = self._shared(values, slots)
        return lambda: self._decoded(structure, leaves, shared)

    def _decoded(self, structure: Structure, leaves: list[Callable[[], Signal]], shared: list[Any]) -> Any:
        value = decode(self.machine, structure, iter([leaf() for leaf in leaves]))
        if shared:
            relate(self.machine, [*shared, *parts(self.machine, value)])
        return value

    def _shared(self, values: list[Any], slots: int) -> list[Any]:
        """Containers among the values that are merged by value although other places of their arm refer to them as well."""
        found = []
        for place, (arm, value) in enumerate(zip(self.arms, values, strict=True)):
            with arm.change.applied():
                held = [part for part in parts(self.machine, value) if self.machine.is_loose(part)]
            if held and place not in self.holders:
                gone = self.machine.frame if set(arm.exit.cases) == {Way.RETURN} else None
                self.holders[place] = holders(self.machine, arm.change, gone)
            found += [item for item in held if self.holders[place][id(item)] > slots]
        return found

    def _line_up(self, values: list[Any], structure: Structure) -> list[Callable[[], Signal]]:
        columns = []
        for arm, value in zip(self.arms, values, strict=True):
            with self.machine.builder.into(arm.body), arm.change.applied():
                columns.append(encode(self.machine, value, structure))
        return [self._row(list(row)) for row in zip(*columns, strict=True)]

    def _row(self, row: list[Signal]) -> Callable[[], Signal]:
        machine, first = self.machine, row[0]
        if all(leaf.value == first.value for leaf in row[1:]):
            return lambda: first
        shortcut = self._truth_row(row)
        if shortcut is not None:
            return shortcut
        key = tuple(leaf.value.id for leaf in row)
        if key not in self.rows:
            value = machine.builder.fresh(Type(first.kind, first.shape))
            uniform = all(leaf.uniform for leaf in row) and self.condition is not None and self.condition.uniform
            self.rows[key] = (row, Signal(value, first.flavour, uniform, None))
        return lambda: self.rows[key][1]

    def _truth_row(self, row: list[Signal]) -> Callable[[], Signal] | None:
        """True in one arm and false in the other is the condition itself."""
        machine, condition = self.machine, self.condition
        if any(leaf.type != Type(Kind.BOOL) for leaf in row):
            return None
        truths = [machine.constant_truth(leaf) for leaf in row]
        if None not in truths and len(set(truths)) == 1:
            return lambda: machine.constant(truths[0])
        if condition is None:
            return None
        if None in truths:
            return self._fact_row(row, truths)
        return (lambda: condition) if truths[0] else (lambda: machine.negated(condition))


    def _fact_row(self, row: list[Signal], truths: list[bool | None]) -> Callable[[], Signal] | None:
        """A constant in one arm is the other arm's truth value, if that was there before and is known to be so in this arm."""
        for place, other in ((0, 1), (1, 0)):
            held, arm = row[other], self.arms[place]
            old = truths[other] is None and 0 < arm.start > held.value.id
            if truths[place] is not None and old and arm.facts.get(held.value) is truths[place]:
                return lambda: held
        return None


def _guard(arm: Arm, way: Way) -> Any:
    case = arm.exit.cases.get(way)
    return False if case is None else True if case.guard is None else case.guard


def _value(arm: Arm, way: Way) -> Any:
    case = arm.exit.cases.get(way)
    return ANYTHING if case is None else case.value


def has_effect(body: Iterable[Statement]) -> bool:
    """Whether statements can raise; a loop may reach its bound."""
    return any(
        isinstance(item, (Check, While)) or any(has_effect(block.body) for block in blocks(item)) for item in body
    )


def only_computes(arm: Arm, besides: Any = None) -> bool:
    """Whether an arm has no checks, loops or writes (but to `besides`), so that it can be computed for every sample."""
    written = [container for container, _, _ in arm.change.touched.values() if container is not besides]
    return not written and not arm.exit.is_dead and all(isinstance(item, Op) for item in arm.body)
