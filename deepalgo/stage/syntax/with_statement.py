"""`with`: the manager enters, the body runs, and the manager sees how it ended; it may swallow an exception."""

from __future__ import annotations

import ast
import contextlib
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepalgo.spans import FunctionSource
from deepalgo.stage.rules.python import warnings_as_errors
from deepalgo.stage.rules.registry import handles
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import FALL, Case, Exit, Way
from deepalgo.stage.state.libraries import is_native_module
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import Pending, branch
from deepalgo.stage.state.sequence import sequence
from deepalgo.stage.state.values import Closure, Frame, Signal, StandIn, Union
from deepalgo.stage.syntax import assignment, try_statement
from deepalgo.stage.syntax.bind import BoundParameters, bind
from deepalgo.stage.syntax.exact_exceptions import after_value, follow, keeping_names, leaf, release, united, watching, without
from deepalgo.stage.syntax.frames import assigned, source_of

#: Context managers that change no answer.
SILENT = (np.errstate, warnings.catch_warnings)
#: What `contextlib.contextmanager` makes of every function that it decorates.
DECORATED = contextlib.contextmanager(lambda: iter(())).__code__


def run_with(machine: Machine, node: ast.With) -> Exit | Pending:
    """`with a as x, b as y: ...`."""
    return _items(machine, node, node.items)


def _items(machine: Machine, node: ast.With, items: list[ast.withitem]) -> Exit | Pending:
    if not items:
        return machine.block(node.body)
    item, *rest = items

    def enter(manager: Any) -> Exit | Pending:
        machine.at(item.context_expr)
        return _run(machine, node, item, manager, lambda: sequence(machine, [lambda: _items(machine, node, rest)], node))

    return after_value(machine, lambda: machine.evaluate(item.context_expr), enter, item.context_expr)


def _run(machine: Machine, node: ast.With, item: ast.withitem, manager: Any, body: Callable[[], Exit]) -> Exit | Pending:
    if isinstance(manager, SILENT):
        return _silently(machine, item, manager, body)
    if isinstance(manager, Managed):
        return _around_yield(machine, node, item, manager, body)

    enter, leave = (getattr(type(manager), name, None) for name in ("__enter__", "__exit__"))
    foreign = isinstance(manager, (Union, Signal)) or (is_native_module(type(manager).__module__) and not isinstance(manager, MANAGERS))
    if foreign or not isinstance(enter, types.FunctionType) or not isinstance(leave, types.FunctionType):
        machine.refuse("this context manager cannot be compiled", "Take the `with` out of the heuristic.", item.context_expr)
    last: types.FunctionType = leave

    def inside(value: Any) -> Exit:
        return _watched(machine, node, manager, last, lambda: _bound(machine, item, value, body))

    return after_value(machine, lambda: machine.call(enter, [manager], {}, item.context_expr), inside, item.context_expr)


def _silently(machine: Machine, item: ast.withitem, manager: Any, body: Callable[[], Exit]) -> Exit:
    raises = machine.numpy_raises
    warnings_as_errors.enter(machine, manager)
    try:
        return _bound(machine, item, None, body)
    finally:
        machine.numpy_raises = raises


def _bound(machine: Machine, item: ast.withitem, value: Any, body: Callable[[], Exit]) -> Exit:
    target = item.optional_vars
    if target is None:
        return body()

    def bind_target() -> Exit:
        assignment.assign(machine, target, value)
        return FALL

    bound = bind_target() if machine.exact is None else leaf(machine, bind_target, target)
    return follow(machine, bound, Way.FALL, lambda _: body(), item.context_expr)


def _watched(machine: Machine, node: ast.With, manager: Any, leave: types.FunctionType, body: Callable[[], Exit]) -> Exit:
    """Run the body of a `with`, and call `__exit__` on every way out."""

    def ask(kind: Any, error: Any, trace: Any) -> Any:
        return machine.call(leave, [manager, kind, error, trace], {}, node)

    def left() -> Exit:
        return sequence(machine, [lambda: after_value(machine, lambda: ask(None, None, None), lambda _: FALL, node)], node)

    def raised(error: Any) -> Exit:
        def swallowed() -> Any:
            return decide(machine, machine.truth(ask(machine.call(type, [error], {}, node), error, TRACE), node))

        def end(verdict: Any) -> Exit:
            on = Exit({Way.RAISE: Case(None, error)})
            if not isinstance(verdict, Signal):
                return Exit({Way.HANDLED: Case()}) if verdict else on
            return branch(machine, verdict, lambda: Exit({Way.HANDLED: Case()}), lambda: on, node)

        return sequence(machine, [lambda: after_value(machine, swallowed, end, node)], node)

    if not (try_statement.is_watched(machine) or _may_swallow(machine, leave)):
        with keeping_names(machine):
            outcome = body()
        return follow(machine, left(), Way.FALL, lambda _: outcome, node)
    with keeping_names(machine), watching(machine, (BaseException,)):
        outcome = body()
    if Way.RAISE not in outcome.cases:
        return follow(machine, left(), Way.FALL, lambda _: outcome, node)
    return release(machine, united(machine, _either(machine, outcome, raised, left, node), Way.HANDLED), node)


def _either(machine: Machine, outcome: Exit, raised: Callable[[Any], Exit], left: Callable[[], Exit], node: ast.AST) -> Exit:
    """One thing for samples that raised, another for all others, which then go their ways."""
    failed, others = outcome.cases[Way.RAISE], without(outcome, Way.RAISE)
    if others.is_dead:
        return raised(failed.value)
    assert failed.guard is not None
    with watching(machine, (BaseException,)):
        return branch(
            machine, failed.guard, lambda: raised(failed.value), lambda: follow(machine, left(), Way.FALL, lambda _: others, node), node
        )


def _may_swallow(machine: Machine, leave: types.FunctionType) -> bool:
    """Whether `__exit__` may answer True, or raise something else."""
    tree = source_of(machine, leave, None).node
    answers = [item.value for item in ast.walk(tree) if isinstance(item, ast.Return) and item.value is not None]
    plain = all(isinstance(value, ast.Constant) and not value.value for value in answers)
    return not plain or any(isinstance(item, (ast.Raise, ast.Assert)) for item in ast.walk(tree))


class Trace(StandIn):
    """The traceback that `__exit__` is handed: it is there, and that is all that can be said of it."""

    python = "traceback"

    __slots__ = ()


TRACE = Trace()


@dataclass(frozen=True, slots=True, eq=False)
class ManagerFactory(StandIn):
    """A function that interpreted code decorated with `contextlib.contextmanager`."""

    python = "function"

    function: Closure


@dataclass(frozen=True, slots=True, eq=False)
class Managed(StandIn):
    """A call of a function that was decorated with `contextlib.contextmanager`."""

    python = "contextlib._GeneratorContextManager"

    function: Any
    args: list[Any]
    kwargs: dict[str, Any]


@handles(contextlib.contextmanager)
def _contextmanager(machine: Machine, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if isinstance(args[0], Closure):
        return ManagerFactory(args[0])
    return contextlib.contextmanager(args[0])


@dataclass(slots=True, eq=False)
class Visit:
    """The body that runs at the `yield`, and how it ended."""

    frame: Frame
    node: ast.With
    item: ast.withitem
    body: Callable[[], Exit]
    outcome: Exit | None = None


def _around_yield(machine: Machine, node: ast.With, item: ast.withitem, managed: Managed, body: Callable[[], Exit]) -> Exit:
    """Run the generator with the body in the place of its `yield`."""
    visit = Visit(machine.frame, node, item, body)
    frame = _frame(machine, managed, node)
    frame.managing = visit
    definition = frame.source.node
    assert isinstance(definition, ast.FunctionDef)
    _refuse_yields(machine, definition, item.context_expr)
    machine.heap.namespace(frame.names)
    machine.frames.append(frame)
    try:
        with keeping_names(machine), watching(machine, (BaseException,)):
            ended = machine.block(definition.body)
    finally:
        machine.frames.pop()
    machine.at(node)
    ended = united(machine, ended, Way.RETURN)
    outcome = visit.outcome
    if outcome is None:
        return release(machine, ended, node)

    def rest(_: Any) -> Exit:
        others = without(outcome, Way.RAISE)
        if Way.RAISE not in outcome.cases or others.is_dead:
            return FALL if others.is_dead else others
        guard = outcome.cases[Way.RAISE].guard
        assert guard is not None
        return branch(machine, guard, lambda: FALL, lambda: others, node)

    return release(machine, follow(machine, ended, Way.FALL, rest, node), node)


def _frame(machine: Machine, managed: Managed, node: ast.AST) -> Frame:
    function = managed.function
    if isinstance(function, Closure):
        names = bind(machine, BoundParameters.of_closure(function), managed.args, managed.kwargs)
        outer = function.frame
        source = FunctionSource(function.node, outer.source.file, outer.source.lines, function.name)
        return Frame(source, names, outer.globals, outer, local_names=assigned(function.node) | frozenset(names))
    source = source_of(machine, function, node)
    names = bind(machine, BoundParameters.of_function(machine, function, source), managed.args, managed.kwargs)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    local = frozenset(function.__code__.co_varnames + function.__code__.co_cellvars)
    return Frame(source, names, function.__globals__, None, cells, {}, function, local_names=local)


def _refuse_yields(machine: Machine, definition: ast.FunctionDef, node: ast.AST) -> None:
    """Refuse a manager that does not yield exactly once, whatever the data."""
    yields = [item for item in ast.walk(definition) if isinstance(item, (ast.Yield, ast.YieldFrom))]
    if len(yields) != 1 or not _stands(definition.body, yields[0]):
        machine.refuse(
            f"`{definition.name}` yields more than once, or in a loop or a branch", "Let it yield once, in a statement of its own.", node
        )


def _stands(statements: list[ast.stmt], wanted: ast.expr) -> bool:
    for item in statements:
        match item:
            case ast.Expr(value=value) | ast.Assign(value=value) if value is wanted:
                return True
            case ast.Try() if _stands([*item.body, *item.orelse], wanted):
                return True
            case ast.With() if _stands(item.body, wanted):
                return True
    return False


def at_yield(machine: Machine, node: ast.stmt, found: ast.Yield, targets: list[ast.expr]) -> Exit:
    """The `yield` of a generator that manages a context: here the body of the `with` runs."""
    visit = machine.frame.managing

    def run(value: Any) -> Exit:
        machine.frames.append(visit.frame)
        try:
            outcome = _bound(machine, visit.item, value, visit.body)
        finally:
            machine.frames.pop()
        visit.outcome = outcome
        failed = outcome.cases.get(Way.RAISE)
        if failed is None:
            return FALL
        if failed.guard is None:
            return Exit({Way.RAISE: failed})
        return Exit({Way.FALL: Case(machine.negated(failed.guard)), Way.RAISE: failed})

    def assign_none(_: Any) -> Exit:
        for target in targets:
            assignment.assign(machine, target, None)
        return FALL

    step = after_value(machine, lambda: machine.evaluate(found.value) if found.value else None, run, node)
    assert isinstance(step, Exit)
    return follow(machine, step, Way.FALL, assign_none, node)


def decorated(function: Any) -> Any:
    """The generator function behind one that `contextlib.contextmanager` decorated, or None."""
    if isinstance(function, ManagerFactory):
        return function.function
    made = isinstance(function, types.FunctionType) and function.__code__ is DECORATED
    return getattr(function, "__wrapped__", None) if made else None


#: Managers of the standard library that are run by their text.
MANAGERS = (contextlib.suppress, contextlib.nullcontext, contextlib.closing)
MANAGER_NAMES = frozenset(item.__qualname__ for item in MANAGERS)
