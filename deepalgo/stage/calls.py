"""Calls: the one place where a function of any kind is entered."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.signature import parameters_of
from deepalgo.spans import FunctionSource, SourceUnavailable, attribute_span, definition_span, read_function
from deepalgo.stage import generators, iteration, natives, own_containers, recursion
from deepalgo.stage.arrays.methods import ArrayMethod
from deepalgo.stage.attributes import refuse_computed_attributes, write_attribute
from deepalgo.stage.bind import Parameters, bind
from deepalgo.stage.exits import Case, Exit, Way
from deepalgo.stage.machine import MAX_DEPTH, MAX_LEVELS, Machine
from deepalgo.stage.moments import Moment
from deepalgo.stage.names import lift
from deepalgo.stage.sifting import stream
from deepalgo.stage.signal_methods import METHODS
from deepalgo.stage.structure import METACLASSES
from deepalgo.stage.unions import distribute, distribute_first
from deepalgo.stage.values import (
    POLYNOMIALS,
    BoundMethod,
    Closure,
    DataLength,
    Frame,
    Partial,
    RecursionBound,
    Text,
    Union,
    UserRaise,
    refuse_again,
    refuse_ours,
    user_method,
)

#: Managers of the standard library that are run by their text.
MANAGERS = (contextlib.suppress, contextlib.nullcontext, contextlib.closing)
MANAGER_NAMES = frozenset(item.__qualname__ for item in MANAGERS)
NO_TEXT = ", and cannot compile its text: "
#: By file and code, as equal code may stand in two files.
_SOURCES: dict[tuple[str, types.CodeType], FunctionSource] = {}


def call(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`function(*args, **kwargs)`."""
    from deepalgo.stage import managers
    from deepalgo.stage.arrays import vectorizing

    if isinstance(function, Union):
        return distribute(machine, function, lambda case: call(machine, case, args, kwargs, node), node)
    handler = natives.find(function)
    if handler is not None:
        if any(isinstance(item, Text) for item in args) and str(getattr(function, "__module__", "")).startswith("numpy"):
            machine.refuse("a string made from data is used", "Strings made from data are only good for messages.", node)
        if function not in natives.LAZY and any(isinstance(item, DataLength) for item in args):
            args = [generators.given(machine, item, function in natives.FOLDING, node) for item in args]
        return _handle(machine, handler, args, kwargs, node)
    manages = managers.decorated(function)
    if manages is not None:
        return managers.Managed(manages, args, kwargs)
    match function:
        case ArrayMethod():
            return function.call(machine, args, kwargs, node)
        case np.vectorize():
            return vectorizing.call_vectorized(machine, function.pyfunc, vectorizing.options_of(function), args, kwargs, node)
        case Closure():
            return _call_closure(machine, function, args, kwargs, node)
        case BoundMethod(function=types.FunctionType(__name__="_replace" | "_asdict"), instance=tuple()):
            return _checked(machine, functools.partial(function.function, function.instance), args, kwargs)
        case BoundMethod():
            if function.function in METHODS.values():
                return function.function(machine, function.instance, *args, **kwargs)
            return call(machine, function.function, [function.instance, *args], kwargs, node)
        case types.FunctionType():
            return _call_function(machine, function, args, kwargs, node)
        case types.MethodWrapperType(__qualname__="object.__init__") if not args and not kwargs:
            return None  # where a chain of `super().__init__()` ends
        case types.MethodWrapperType(__name__="__init__", __self__=(list() | dict()) as made) if own_containers.base_of(type(made)):
            own_containers.fill(machine, made, args, kwargs, node)
            return None
        case types.MethodWrapperType(__name__="__setattr__", __objclass__=cls, __self__=made) if cls is object and len(args) == 2:
            write_attribute(machine, made, args[0], args[1], node)
            return None
        case types.MethodWrapperType(__name__="__init__", __self__=BaseException() as error) if not kwargs:
            error.args = tuple(args)  # `super().__init__(...)` of an exception
            return None
        case types.MethodType():
            return call(machine, function.__func__, [function.__self__, *args], kwargs, node)
        case Partial():
            return call(machine, function.function, [*function.args, *args], {**function.keywords, **kwargs}, node)
        case functools.partial():
            given, named = _partial_weights(machine, function)
            return call(machine, function.func, [*given, *args], {**named, **kwargs}, node)
        case type():
            return _construct(machine, function, args, kwargs, node)
        case _:
            return _call_object(machine, function, args, kwargs, node)


def _handle(machine: Machine, handler: natives.Handler, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """A function with a rule of its own, case by case where an argument is a Union."""
    refuse_again(*args, *kwargs.values())

    def one(cases: list[Any]) -> Any:
        return _apply_rule(machine, handler, cases[: len(args)], dict(zip(kwargs, cases[len(args) :], strict=True)), node)

    return distribute_first(machine, [*args, *kwargs.values()], one, node)


def _apply_rule(machine: Machine, handler: natives.Handler, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    try:
        return handler(machine, args, kwargs, node)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        refuse_ours(error, None)
        machine.refuse(
            f"deepalgo has no rule for this way of calling the function ({type(error).__name__}: {error})",
            "Call it in the usual way, with fewer options.",
            node,
        )


def _call_object(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    from deepalgo.stage import caching

    wrapped = getattr(function, "py_func", None)  # what numba wraps
    if wrapped is None and isinstance(getattr(function, "_implementation", None), types.FunctionType):  # what NumPy wraps
        wrapped = function._implementation
    if wrapped is None and type(function).__name__ == "_lru_cache_wrapper":
        machine.weights.remembering[function.__name__] = None
        function = caching.Cached(function.__wrapped__)
    if isinstance(function, caching.Cached):
        return caching.call_cached(machine, function, args, kwargs, node)
    if wrapped is not None:
        return call(machine, wrapped, args, kwargs, node)
    from deepalgo.stage.operator_functions import GETTERS

    getter = GETTERS.get(type(function))
    if getter is not None and len(args) == 1 and not kwargs:
        return getter(machine, function, args[0], node)
    method = user_method(function, "__call__")
    if method is not None:
        return call(machine, method, [function, *args], kwargs, node)
    if not callable(function):
        raise UserRaise(TypeError, f"'{type(function).__name__}' object is not callable", machine.span)
    return natives.call_native(machine, function, args, kwargs, node)


def _partial_weights(machine: Machine, function: functools.partial[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The floats that a partial holds were written by a person: they are weights, named after their parameters."""
    positions = list(parameters_of(function.func))

    def lifted(title: str, value: Any, held: str | int) -> Any:
        machine.weights.hold(("partial", id(function), title), "partial", function, held)
        return lift(machine, value, ("partial", id(function), title), title, None)

    titles = [positions[place] if place < len(positions) else f"argument_{place}" for place in range(len(function.args))]
    named = {title: lifted(title, value, title) for title, value in function.keywords.items()}
    return list(map(lifted, titles, function.args, range(len(titles)))), named


# --- interpreted functions --------------------------------------------------------------------------------------------------


def _call_function(machine: Machine, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    from deepalgo.stage import function_rules

    chosen = function_rules.dispatched(machine, function, args, node)
    if chosen is not None:
        return distribute(machine, chosen, lambda case: call(machine, case, args, kwargs, node), node)
    if natives.is_native_module(function.__module__) and function.__qualname__.partition(".")[0] not in MANAGER_NAMES:
        if not natives.is_written(function, args, kwargs):
            return natives.call_native(machine, function, args, kwargs, node)
        return interpret(machine, natives.REPLACED.get(function, function), args, kwargs, node, function)
    natives.refuse_effects(machine, function, node)
    return _enter(machine, function, args, kwargs, node)


def interpret(
    machine: Machine, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], node: ast.AST, called: Any
) -> Any:
    """A function of a library by its text, or by one of ours; what stops it there is told at the call of the library's."""
    natives.refuse_effects(machine, function, node)
    try:
        with machine.pinned(node):
            return _enter(machine, cast(types.FunctionType, function), args, kwargs, node)
    except CompileError as error:
        cause = error.reason.rpartition(NO_TEXT)[2]
        machine.refuse(
            f"deepalgo has no rule for `{natives.label(called)}` on data{NO_TEXT}{cause}",
            "Write it out in Python with `math`, or pass its result as an input.",
            node,
        )


def _enter(machine: Machine, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    _refuse_async(function)
    if inspect.isgeneratorfunction(function):
        items = iteration.run_outside(machine, lambda: function(*args, **kwargs), [*args, *kwargs.values()])
        if items is not None:
            return stream(machine, items, Moment.of([]))
    source = source_of(machine, function, node)
    parameters = Parameters.of_function(machine, function, source)
    names = bind(machine, parameters, args, kwargs)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    local = frozenset(function.__code__.co_varnames + function.__code__.co_cellvars)
    return _begin(machine, Frame(source, names, function.__globals__, None, cells, {}, function, local_names=local), node)


def _begin(machine: Machine, frame: Frame, node: ast.AST) -> Any:
    """Run a function that is called; one that yields waits until its items are asked for."""
    code = frame.source.node
    if isinstance(code, ast.FunctionDef) and _yields(code):
        return generators.made(machine, frame, code, node)
    return recursion.enter(machine, frame, node)


def _refuse_async(function: types.FunctionType) -> None:
    if function.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        span = definition_span(function.__code__)
        raise CompileError(f"`{function.__name__}` is an `async def`", span=span, remedy="Make it an ordinary function.")


def source_of(machine: Machine, function: types.FunctionType, node: ast.AST | None) -> FunctionSource:
    """The text of a function, or a refusal at the call."""
    key = function.__code__.co_filename, function.__code__
    if key not in _SOURCES:
        try:
            _SOURCES[key] = read_function(function)
        except SourceUnavailable as error:
            raise CompileError(
                error.reason, span=machine.at(node) if node is not None and machine.frames else None, remedy=error.remedy
            ) from None
    return _SOURCES[key]


def _call_closure(machine: Machine, closure: Closure, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    names = bind(machine, Parameters.of_closure(closure), args, kwargs)
    outer = closure.frame
    source = FunctionSource(closure.node, outer.source.file, outer.source.lines, closure.name)
    return _begin(machine, Frame(source, names, outer.globals, outer, local_names=assigned(closure.node) | frozenset(names)), node)


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
    from deepalgo.stage.expressions import evaluate
    from deepalgo.stage.sequence import sequence
    from deepalgo.stage.statements import steps

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
            return evaluate(machine, definition.body)
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


@functools.lru_cache(maxsize=4096)
def _yields(node: ast.FunctionDef) -> bool:
    todo: list[ast.AST] = list(node.body)
    while todo:
        item = todo.pop()
        if isinstance(item, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(item, (ast.FunctionDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(item))
    return False


# --- classes ------------------------------------------------------------------------------------------------------------------


def _construct(machine: Machine, cls: type, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if issubclass(cls, BaseException):
        return _exception(machine, cls, args, kwargs, node)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _checked(machine, cls, args, kwargs)
    if own_containers.base_of(cls) is not None:
        return own_containers.construct(machine, cls, args, kwargs, node)
    if cls.__module__ == "builtins" or not _written_in_python(cls):
        return natives.call_native(machine, cls, args, kwargs, node)
    refuse_computed_attributes(machine, cls, node)
    whole: Any = cls
    instance: Any = object.__new__(_with_dict(whole))
    machine.heap.namespace(vars(instance))
    machine.heap.created(instance)
    if dataclasses.is_dataclass(cls) and _is_generated(cls.__init__):
        _fill_dataclass(machine, instance, args, kwargs, node)
    elif cls.__init__ is not object.__init__:
        _initialise(machine, cls, [instance, *args], kwargs, node)
    elif args or kwargs:
        raise UserRaise(TypeError, f"{cls.__name__}() takes no arguments", machine.span)
    return instance


def _initialise(machine: Machine, cls: type, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    init: Any = cls.__init__  # type: ignore[misc]  # asked for on purpose
    if cls not in POLYNOMIALS:
        call(machine, init, args, kwargs, node)
        return
    interpret(machine, natives.REPLACED.get(init, init), args, kwargs, node, cls)


def _written_in_python(cls: type) -> bool:
    init: Any = vars(cls).get("__init__", getattr(cls, "__init__", None))
    new: Any = getattr(cls, "__new__", None)
    return (
        new is object.__new__
        and (init is object.__init__ or isinstance(init, types.FunctionType))
        and type(cls) in METACLASSES
        and hasattr(cls, "__dict__")
        and (not natives.is_native_module(cls.__module__) or cls in MANAGERS or cls in POLYNOMIALS)
    )


@functools.lru_cache(maxsize=1024)
def _with_dict(cls: Any) -> Any:
    """The class itself, or a subclass whose objects keep what would be in slots in a dict, where arms can undo it."""
    if cls.__dictoffset__:
        return cls
    return type(cls)(cls.__name__, (cls,), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})


def _is_generated(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and function.__code__.co_filename.startswith("<")


def _exception(machine: Machine, cls: type[BaseException], args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """An exception with its arguments as they are; an `__init__` of the user's runs as any other."""
    init: Any = cls.__init__
    if not isinstance(init, types.FunctionType):
        return _checked(machine, cls, args, kwargs)
    error = cls.__new__(cls, *args)
    machine.heap.namespace(vars(error))
    machine.heap.created(error)
    if dataclasses.is_dataclass(cls) and _is_generated(init):
        _fill_dataclass(machine, error, args, kwargs, node)
    else:
        call(machine, init, [error, *args], kwargs, node)
    return error


def _checked(machine: Machine, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    try:
        return function(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise UserRaise(error, None, machine.span) from None


def _fill_dataclass(machine: Machine, instance: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> None:
    """What a generated `__init__` does."""
    remaining, given = list(args), dict(kwargs)
    for item in dataclasses.fields(instance):
        if not item.init and item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            continue
        if item.init and remaining and not item.kw_only:
            value = remaining.pop(0)
        elif item.init and item.name in given:
            value = given.pop(item.name)
        elif item.default is not dataclasses.MISSING:
            cls = type(instance)
            place = ("class", id(cls), item.name)
            machine.weights.hold(place, "default", cls.__init__, item.name)
            value = lift(machine, item.default, place, f"{cls.__name__}_{item.name}", attribute_span(cls, item.name))
        elif item.default_factory is not dataclasses.MISSING:
            value = call(machine, item.default_factory, [], {}, node)
        else:
            raise UserRaise(TypeError, f"missing argument '{item.name}'", machine.span)
        vars(instance)[item.name] = value
    if remaining or given:
        raise UserRaise(TypeError, f"{type(instance).__name__}() got unexpected arguments", machine.span)
    if hasattr(instance, "__post_init__"):
        call(machine, type(instance).__post_init__, [instance], {}, node)
