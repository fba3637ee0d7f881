"""Recursion whose end depends on data: a loop where the call is a tail call, unrolled to a bound where not.

The function is staged once with its parameters as what a loop carries. A call of itself is then noted, not entered: it says with
which arguments to go on, and answers `AGAIN`. If the function returns that very answer, the recursion is a loop.
"""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.stage.state.exits import FALL, Exit
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.speculation import trial
from deepalgo.stage.state.structure import ANYTHING
from deepalgo.stage.state.values import AGAIN, Frame, NeedsStack, Signal, Union
from deepalgo.stage.syntax.frames import levels_on_data
from deepalgo.stage.syntax.loop_regions import LoopRegion

#: A function that has called itself this often, with data deciding each time, is staged as a loop.
LEVELS_BEFORE_LOOP = 2
#: One that passes a counter along may end by it, so it gets more levels.
LONGEST_COUNT = 40


class RecursesOnData(Exception):
    """Unwinds to the outermost call of a function that calls itself as long as data says so."""

    def __init__(self, definition: ast.AST) -> None:
        super().__init__(definition)
        self.definition = definition


def enter(machine: Machine, frame: Frame, node: ast.AST | None) -> Any:
    """Run a function; one that calls itself on data becomes a loop if it can."""
    definition = frame.source.node
    state = machine.recursions.get(id(definition))
    if state is not None:
        machine.heap.touch(state)
        state.update({f"argument {name}": value for name, value in frame.names.items()})
        return AGAIN
    if id(definition) in machine.unrolled:
        return machine.run_frame(frame, node)
    if any(outer.source.node is definition for outer in machine.frames):
        levels, counts = levels_on_data(machine, frame)
        if levels >= (LONGEST_COUNT if counts else LEVELS_BEFORE_LOOP):
            raise RecursesOnData(definition)
        return machine.run_frame(frame, node)
    return _outermost(machine, frame, node)


def _outermost(machine: Machine, frame: Frame, node: ast.AST | None) -> Any:
    definition = frame.source.node
    names = dict(frame.names)
    try:
        with trial(machine, RecursesOnData):
            return machine.run_frame(frame, node)
    except RecursesOnData as error:
        if error.definition is not definition:
            raise
    try:
        with trial(machine, NeedsStack):
            return _as_loop(machine, _restarted(frame, names), node)
    except NeedsStack:
        machine.unrolled[id(definition)] = definition
    finally:
        machine.recursions.pop(id(definition), None)
    return machine.run_frame(_restarted(frame, names), node)


def _restarted(frame: Frame, names: dict[str, Any]) -> Frame:
    return Frame(frame.source, dict(names), frame.globals, frame.enclosing, frame.cells, {}, frame.function, local_names=frame.local_names)


def _as_loop(machine: Machine, frame: Frame, node: ast.AST | None) -> Any:
    names = list(frame.names)
    state: dict[str, Any] = {"again": True, "result": ANYTHING} | {f"argument {name}": frame.names[name] for name in names}
    machine.heap.namespace(state)
    machine.recursions[id(frame.source.node)] = state

    def once() -> Exit:
        value = machine.run_frame(_restarted(frame, {name: state[f"argument {name}"] for name in names}), node)
        again, result = _split(value)
        machine.heap.touch(state)
        state["again"], state["result"] = again, result
        return FALL

    loop = ast.copy_location(ast.While(ast.Constant(True), [], []), frame.source.node)
    machine.frames.append(frame)
    try:
        LoopRegion(machine, loop, lambda: state["again"], once, None).stage()
    finally:
        machine.frames.pop()
    return state["result"]


def _split(value: Any) -> tuple[Any, Any]:
    """Where a value says to go on, and what it is where not."""
    if value is AGAIN:
        return True, ANYTHING
    if not isinstance(value, Union):
        return False, value
    again: Signal | bool = next((guard for guard, item in value.cases if item is AGAIN), False)
    rest = [(guard, item) for guard, item in value.cases if item is not AGAIN]
    return again, rest[0][1] if len(rest) == 1 else Union(tuple(rest))
