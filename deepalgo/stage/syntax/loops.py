"""Loops: unrolled where a round's index decides something, a region of the Program otherwise."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from deepalgo.errors import CompileError
from deepalgo.stage.rules.python.builtin_containers import DynamicRange
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.endless import Endless, loop_of
from deepalgo.stage.state.exits import FALL, Case, Exit, Way
from deepalgo.stage.state.generators import STOP, run
from deepalgo.stage.state.given_nodes import Given
from deepalgo.stage.state.guarded_items import GuardedItems
from deepalgo.stage.state.iterator_state import Snapshot
from deepalgo.stage.state.machine import MAX_STATIC_ROUNDS, Machine
from deepalgo.stage.state.regions import branch, resume, run_arm
from deepalgo.stage.state.sequence import Step, going_on, merged_guard, sequence, steps
from deepalgo.stage.state.speculation import trial
from deepalgo.stage.state.streams import Walk
from deepalgo.stage.state.structure import ANYTHING
from deepalgo.stage.state.values import Generator, NeedsUnroll, Signal, Union
from deepalgo.stage.syntax import assignment
from deepalgo.stage.syntax.loop_regions import LoopRegion, Rounds, ways_out


def run_for(machine: Machine, node: ast.For) -> Exit:
    """`for target in iterable`."""
    return over(machine, node, machine.evaluate(node.iter))


def over(machine: Machine, node: ast.For, iterable: Any) -> Exit:
    """The rounds of a `for` over what its iterable is."""
    machine.at(node.iter)
    iterable = machine.opened(iterable, node.iter)
    if isinstance(iterable, Union):
        (guard, first), *others = iterable.cases
        rest = others[0][1] if len(others) == 1 else Union(tuple(others))
        return branch(machine, guard, lambda: over(machine, node, first), lambda: over(machine, node, rest), node)
    if isinstance(iterable, Generator):
        return _over_generator(machine, node, iterable)
    if isinstance(iterable, Endless):
        return run_while(machine, loop_of(node, Given(next), Given(iterable)))
    if isinstance(iterable, DynamicRange):
        return _dynamic_range(machine, node, iterable)
    if isinstance(iterable, range) and len(iterable) > 1:
        staged = _once_for_all_rounds(machine, node, iterable)
        if staged is not None:
            return staged
    if isinstance(iterable, GuardedItems):
        return _over_guarded(machine, node, iterable)
    return _unroll(machine, node, machine.walk(iterable, node.iter))


def _over_generator(machine: Machine, node: ast.For, generator: Generator) -> Exit:
    """The body runs inside of each `yield`; where it leaves the loop, the generator returns."""
    control = machine.heap.namespace({"broken": False, "returned": False, "value": ANYTHING})

    def consume(item: Any) -> Exit:
        assignment.assign(machine, node.target, item)
        outcome = going_on(machine, _body(machine, node))
        if outcome.only_falls or outcome.is_dead:
            return outcome
        machine.heap.touch(control)
        for way, flag in ((Way.BREAK, "broken"), (Way.RETURN, "returned")):
            if way in outcome.cases:
                guard = outcome.cases[way].guard
                control[flag] = True if guard is None else guard
        if Way.RETURN in outcome.cases:
            control["value"] = outcome.cases[Way.RETURN].value
        if not outcome.falls:
            return STOP
        stays = outcome.cases[Way.FALL].guard
        assert stays is not None
        return Exit({Way.FALL: Case(stays), Way.RETURN: Case(machine.negated(stays), ANYTHING)})

    run(machine, generator, consume, node.iter)
    return after(machine, node, ways_out(machine, control))


def _over_guarded(machine: Machine, node: ast.For, items_there: GuardedItems) -> Exit:
    """Rounds for all items, each under the guard of its item."""
    entries = items_there.taken(machine, node.iter)
    items = [item for _, item in entries]
    guards = [guard for guard, _ in entries]
    return _unroll(machine, node, Walk(items, [*items, None].__getitem__, Snapshot.of([])), guards)


def _guarded_body(machine: Machine, node: ast.For, guard: Any, item: Any) -> Exit:
    """The body inside an `if`, with the item that is there only if the guard holds."""
    place = node.iter
    bind = ast.copy_location(ast.Assign([node.target], ast.copy_location(Given(item), place)), place)
    inside = ast.copy_location(ast.If(ast.copy_location(Given(guard), place), [bind, *node.body], []), place)
    return sequence(machine, steps(machine, [inside]), node)


def _once_for_all_rounds(machine: Machine, node: ast.For, iterable: range) -> Exit | None:
    """Stage the body once with the index as a Signal; None if the body needs the index as a plain number."""
    rounds = Rounds(iterable.start, iterable.step, len(iterable))
    try:
        with attempt(machine, len(iterable)):
            return after(machine, node, LoopRegion(machine, node, None, lambda: _body(machine, node), rounds).stage())
    except (NeedsUnroll, CompileError):
        return None


def _dynamic_range(machine: Machine, node: ast.For, iterable: DynamicRange) -> Exit:
    start, stop = machine.signal(iterable.start), machine.signal(iterable.stop)
    span = machine.emit("sub", stop, start) if iterable.step > 0 else machine.emit("sub", start, stop)
    size = abs(iterable.step)
    count = span if size == 1 else machine.emit("floordiv", machine.emit("add", span, size - 1), size)
    rounds = Rounds(iterable.start, iterable.step, count)
    return after(machine, node, LoopRegion(machine, node, None, lambda: _body(machine, node), rounds).stage())


@contextmanager
def attempt(machine: Machine, count: int) -> Iterator[None]:
    """Stage a loop once for all its rounds, if none of them needs its number."""
    before = machine.rounds_at_hand
    machine.attempts += 1
    machine.rounds_at_hand = count
    try:
        with trial(machine, NeedsUnroll, CompileError):
            yield
    finally:
        machine.attempts -= 1
        machine.rounds_at_hand = before


def _body(machine: Machine, node: ast.For | ast.While) -> Exit:
    return sequence(machine, steps(machine, node.body), node)


def _unroll(machine: Machine, node: ast.For, items: Walk, guards: list[Any] | None = None) -> Exit:
    """One copy of the body for every item; `guards` tell which items are there."""
    outer = machine.site

    def round_of(number: int) -> Step:
        def step() -> Exit:
            machine.site = (*outer, f"{node.lineno}#{number}")
            if guards is None or guards[number] is True:
                assignment.assign(machine, node.target, items.read(number))
                outcome = _body(machine, node)
            else:
                outcome = _guarded_body(machine, node, guards[number], items.read(number))
            machine.site = outer
            return going_on(machine, outcome)

        return step

    if len(items) > MAX_STATIC_ROUNDS:
        machine.refuse(
            f"this loop has {len(items):,} rounds and cannot be rolled up", "Shorten it, or do not use its index as a plain number.", node
        )
    def end() -> Exit:
        items.read(len(items))  # there is no further item
        return FALL

    outcome = sequence(machine, [*map(round_of, range(len(items))), end], node)
    return after(machine, node, outcome)


def after(machine: Machine, node: ast.For | ast.While, outcome: Exit) -> Exit:
    """The end of a loop: `else` runs for samples that did not break, and a break is where the loop ends."""
    if Way.BREAK not in outcome.cases:
        if not node.orelse or not outcome.falls:
            return outcome
        return _then(machine, outcome, lambda: machine.block(node.orelse), node)
    broken = outcome.cases[Way.BREAK].guard
    rest: dict[Way, Case] = {way: case for way, case in outcome.cases.items() if way not in (Way.BREAK, Way.FALL)}
    going = [outcome.cases[way].guard for way in (Way.BREAK, Way.FALL) if way in outcome.cases]
    whole = Exit({Way.FALL: Case(None if not rest else merged_guard(machine, going)), **rest})
    if not node.orelse or broken is None:
        return whole
    return _then(machine, whole, lambda: branch(machine, broken, lambda: FALL, lambda: machine.block(node.orelse), node), node)


def _then(machine: Machine, outcome: Exit, follow: Callable[[], Exit], node: ast.stmt) -> Exit:
    return sequence(machine, [lambda: outcome, follow], node)


def run_while(machine: Machine, node: ast.While) -> Exit:
    """`while test`: rounds that depend on no data run here and now, the rest is a region."""
    if any(isinstance(item, ast.NamedExpr) for item in ast.walk(node.test)):
        node = rotated(node)
    for _ in range(MAX_STATIC_ROUNDS):
        outcome = _static_round(machine, node)
        if outcome is None:
            return _region(machine, node)
        if not outcome.only_falls:
            return outcome if Way.BREAK not in outcome.cases else FALL
        if Way.FALL in outcome.cases and outcome.cases[Way.FALL].value is DONE:
            return after(machine, node, FALL)
        machine.peeled[machine.at(node)] = None
    machine.refuse(
        f"this `while` is still running after {MAX_STATIC_ROUNDS:,} rounds that depend on no data",
        "It may never end: check its condition.",
        node,
    )


DONE = "the test was false"


def _static_round(machine: Machine, node: ast.While) -> Exit | None:
    """One round if nothing in its control flow depends on data; None (and no trace) otherwise."""
    mark = machine.mark()
    arm = run_arm(machine, machine.constant(True), True, lambda: _trial(machine, node))
    if arm.raised is not None:
        resume(machine, arm)
        raise arm.raised
    if arm.exit.cases.get(Way.FALL, Case()).value is DYNAMIC:
        machine.rewind(mark)
        return None
    return resume(machine, arm)


DYNAMIC = "data decides"


def _trial(machine: Machine, node: ast.While) -> Exit:
    verdict = machine.truth(machine.evaluate(node.test), node.test)
    certain = _certain(machine, verdict)
    if certain is None:
        return Exit({Way.FALL: Case(None, DYNAMIC)})
    if not certain:
        decide(machine, verdict)
        return Exit({Way.FALL: Case(None, DONE)})
    outcome = going_on(machine, _body(machine, node))
    if len(outcome.cases) > 1:
        return Exit({Way.FALL: Case(None, DYNAMIC)})
    if isinstance(verdict, Signal) and outcome.only_falls:
        again = machine.truth(machine.evaluate(node.test), node.test)
        if _certain(machine, again) is None:  # only the first test was about constants: data decides later
            return Exit({Way.FALL: Case(None, DYNAMIC)})
        decide(machine, verdict)
    return outcome


def _certain(machine: Machine, verdict: Any) -> bool | None:
    if not isinstance(verdict, Signal):
        return bool(verdict)
    told = machine.truth_of(verdict)
    if told is None and verdict.known is not None:
        return bool(verdict.known.value)
    return told


def rotated(node: ast.While) -> ast.While:
    """`while test: body` as `while True: if not test: break; body`, where the test itself assigns."""
    leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
    made = ast.While(ast.Constant(True), [leave, *node.body], node.orelse)
    for item in (leave, leave.test, leave.body[0], made, made.test):
        ast.copy_location(item, node)
    if node.orelse:
        leave.body = [*node.orelse, leave.body[0]]
        made.orelse = []
    return made


def _region(machine: Machine, node: ast.While) -> Exit:

    def test() -> Any:
        return machine.truth(machine.evaluate(node.test), node.test)

    return after(machine, node, LoopRegion(machine, node, test, lambda: _body(machine, node), None).stage())
