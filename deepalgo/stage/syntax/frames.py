"""The body of a function, run in a frame of its own."""

from __future__ import annotations

import ast
import functools
import types
import weakref
from typing import Any

from deepalgo.errors import CompileError
from deepalgo.spans import FunctionSource, SourceUnavailable, read_function
from deepalgo.stage.state.exits import Case, Exit, Way
from deepalgo.stage.state.machine import MAX_DEPTH, MAX_LEVELS, Machine
from deepalgo.stage.state.sequence import sequence, steps
from deepalgo.stage.state.values import (
    Frame,
    RecursionBound,
    UserRaise,
)

#: By code and file, as equal code may stand in two files; what is known of code goes with it.
_SOURCES: weakref.WeakKeyDictionary[types.CodeType, dict[str, FunctionSource]] = weakref.WeakKeyDictionary()


def source_of(machine: Machine, function: types.FunctionType, node: ast.AST | None) -> FunctionSource:
    """The text of a function, or a refusal at the call."""
    file = function.__code__.co_filename
    known = _SOURCES.setdefault(function.__code__, {})
    if file not in known:
        try:
            known[file] = read_function(function)
        except SourceUnavailable as error:
            raise CompileError(
                error.reason, span=machine.at(node) if node is not None and machine.frames else None, remedy=error.remedy
            ) from None
    return known[file]


@functools.lru_cache(maxsize=4096)
def assigned(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a nested function binds itself."""
    if isinstance(node, ast.Lambda):
        return frozenset()
    found: set[str] = set()
    free: set[str] = set()
    todo: list[ast.AST] = list(node.body)
    while todo:
        item = todo.pop()
        if isinstance(item, (ast.Nonlocal, ast.Global)):
            free.update(item.names)
        elif isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
            found.add(item.id)
        elif isinstance(item, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)) and item.name is not None:
            found.add(item.name)
        elif isinstance(item, ast.MatchMapping) and item.rest is not None:
            found.add(item.rest)
        elif isinstance(item, ast.alias):
            found.add((item.asname or item.name).partition(".")[0])
        elif isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            found.add(item.name)
            continue
        elif isinstance(item, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        todo.extend(ast.iter_child_nodes(item))
    return frozenset(found - free)


def run_frame(machine: Machine, frame: Frame, node: ast.AST | None) -> Any:
    """Run a function's body to its return value."""
    assert machine.exact is None, "calls stand inside of a leaf"
    _refuse_kinds(machine, frame, node)
    site = machine.site
    if node is not None and machine.frames:
        span = machine.at(node)
        machine.site = (*site, f"{span.line}:{span.column}")
    machine.heap.namespace(frame.names)
    machine.frames.append(frame)
    definition = frame.source.node
    pinned = machine.unpin() if not str(frame.globals.get("__name__")).startswith(("numpy.", "deepalgo.")) else None
    try:
        if isinstance(definition, ast.Lambda):
            return machine.evaluate(definition.body)
        done = Exit({Way.RETURN: Case(None, None)})
        outcome = sequence(machine, [*steps(machine, definition.body), lambda: done], definition)
    finally:
        machine.frames.pop()
        machine.site = site
        if pinned is not None:
            machine.pin(pinned)
        if node is not None and machine.frames:
            machine.at(node)
    if outcome.is_dead:
        raise UserRaise(RuntimeError, "every path of the function raises", machine.span)
    return outcome.cases[Way.RETURN].value


def _refuse_kinds(machine: Machine, frame: Frame, node: ast.AST | None) -> None:
    """Functions that are not functions in the sense of a signal-flow graph."""
    levels, counts = levels_on_data(machine, frame)
    if levels > MAX_LEVELS and not counts:
        raise UserRaise(RecursionBound, f"still recursing after {MAX_LEVELS} levels", machine.span)
    if len(machine.frames) > MAX_DEPTH:
        machine.refuse(
            f"the calls nest deeper than {MAX_DEPTH}: recursion that data must end, or that never ends",
            "Write it as a loop, or bound the depth by a static argument.",
            node,
        )


def levels_on_data(machine: Machine, frame: Frame) -> tuple[int, bool]:
    """How many times the function has called itself so far with data deciding whether to go on, and whether it counts its calls."""
    levels, facts, inner, counts = 0, machine.facts.depth, frame, False
    frame.depth, frame.given = facts, dict(frame.names)
    for outer in reversed(machine.frames):
        if outer.source.node is frame.source.node:
            counts = counts or _counts(outer, inner)
            if outer.depth < facts:
                levels, facts = levels + 1, outer.depth
            inner = outer
    return levels, counts


def _counts(outer: Frame, inner: Frame) -> bool:
    """Whether a plain number changes from call to call, so that the recursion may end whatever the data."""
    pairs = [(value, outer.given.get(name)) for name, value in inner.given.items()]
    return any(isinstance(new, int) and isinstance(old, int) and new != old for new, old in pairs)
