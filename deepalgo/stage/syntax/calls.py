"""Calls of every kind of callable: closures, functions, methods, classes, partials, and functions that have a rule."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from deepalgo.errors import CompileError
from deepalgo.signature import parameters_of
from deepalgo.spans import FunctionSource, attribute_span, definition_span
from deepalgo.stage.rules import native_calls
from deepalgo.stage.rules.numpy import vectorizing
from deepalgo.stage.rules.numpy.methods import ArrayMethod
from deepalgo.stage.rules.python import caching, functools_rules, iteration
from deepalgo.stage.rules.python.attributes import refuse_computed_attributes, write_attribute
from deepalgo.stage.rules.python.number_methods import METHODS
from deepalgo.stage.rules.python.operator_functions import GETTERS
from deepalgo.stage.rules.registry import FOLDING, LAZY, REPLACED, Handler
from deepalgo.stage.state import generators, own_containers
from deepalgo.stage.state.iterator_state import Snapshot
from deepalgo.stage.state.libraries import is_native_module, label, refuse_effects
from deepalgo.stage.state.lookup import lift
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.slots import with_dict
from deepalgo.stage.state.streams import stream
from deepalgo.stage.state.structure import METACLASSES
from deepalgo.stage.state.unions import distribute, distribute_first
from deepalgo.stage.state.values import (
    POLYNOMIALS,
    BoundMethod,
    Closure,
    DataLength,
    DataText,
    Frame,
    Partial,
    Union,
    UserRaise,
    refuse_again,
    refuse_ours,
    user_method,
)
from deepalgo.stage.syntax import collecting, recursion, with_statement
from deepalgo.stage.syntax.bind import BoundParameters, bind
from deepalgo.stage.syntax.frames import assigned, source_of
from deepalgo.stage.syntax.with_statement import MANAGER_NAMES, MANAGERS

NO_TEXT = ", and cannot compile its text: "


def call(machine: Machine, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """`function(*args, **kwargs)`."""
    if isinstance(function, Union):
        return distribute(machine, function, lambda case: call(machine, case, args, kwargs, node), node)
    handler = machine.find_rule(function)
    if handler is not None:
        return _handle(machine, handler, _prepared(machine, function, args, node), kwargs, node)
    manages = with_statement.decorated(function)
    if manages is not None:
        return with_statement.Managed(manages, args, kwargs)
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
        case types.MethodWrapperType():
            return _call_inherited(machine, function, args, kwargs, node)
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


def _call_inherited(machine: Machine, function: types.MethodWrapperType, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """What `super().__init__(...)` and `super().__setattr__(...)` reach in classes of Python's own."""
    match function:
        case types.MethodWrapperType(__qualname__="object.__init__") if not args and not kwargs:
            pass  # where a chain of `super().__init__()` ends
        case types.MethodWrapperType(__name__="__init__", __self__=(list() | dict()) as made) if own_containers.base_of(type(made)):
            own_containers.fill(machine, made, args, kwargs, node)
        case types.MethodWrapperType(__name__="__setattr__", __objclass__=cls, __self__=made) if cls is object and len(args) == 2:
            write_attribute(machine, made, args[0], args[1], node)
        case types.MethodWrapperType(__name__="__init__", __self__=BaseException() as error) if not kwargs:
            error.args = tuple(args)  # `super().__init__(...)` of an exception
        case _:
            return _call_object(machine, function, args, kwargs, node)
    return None


def _prepared(machine: Machine, function: Any, args: list[Any], node: ast.AST) -> list[Any]:
    """The arguments of a function that has a rule: the items of generators, unless the rule asks for them one by one."""
    if any(isinstance(item, DataText) for item in args) and str(getattr(function, "__module__", "")).startswith("numpy"):
        machine.refuse("a string made from data is used", "Strings made from data are only good for messages.", node)
    if function in LAZY or not any(isinstance(item, DataLength) for item in args):
        return args
    return [collecting.given(machine, item, function in FOLDING, node) for item in args]


def _handle(machine: Machine, handler: Handler, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """A function with a rule of its own, case by case where an argument is a Union."""
    refuse_again(*args, *kwargs.values())

    def one(cases: list[Any]) -> Any:
        return _apply_rule(machine, handler, cases[: len(args)], dict(zip(kwargs, cases[len(args) :], strict=True)), node)

    return distribute_first(machine, [*args, *kwargs.values()], one, node)


def _apply_rule(machine: Machine, handler: Handler, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
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
    getter = GETTERS.get(type(function))
    if getter is not None and len(args) == 1 and not kwargs:
        return getter(machine, function, args[0], node)
    method = user_method(function, "__call__")
    if method is not None:
        return call(machine, method, [function, *args], kwargs, node)
    if not callable(function):
        raise UserRaise(TypeError, f"'{type(function).__name__}' object is not callable", machine.span)
    return machine.call_native(function, args, kwargs, node)


def _partial_weights(machine: Machine, function: functools.partial[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The floats that a partial holds were written by a person: they are weights, named after their parameters."""
    positions = list(parameters_of(function.func))

    def lifted(title: str, value: Any, held: str | int) -> Any:
        machine.weights.hold(("partial", id(function), title), "partial", function, held)
        return lift(machine, value, ("partial", id(function), title), title, None)

    titles = [positions[place] if place < len(positions) else f"argument_{place}" for place in range(len(function.args))]
    named = {title: lifted(title, value, title) for title, value in function.keywords.items()}
    return list(map(lifted, titles, function.args, range(len(titles)))), named


def _call_function(machine: Machine, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    chosen = functools_rules.dispatched(machine, function, args, node)
    if chosen is not None:
        return distribute(machine, chosen, lambda case: call(machine, case, args, kwargs, node), node)
    if is_native_module(function.__module__) and function.__qualname__.partition(".")[0] not in MANAGER_NAMES:
        if not native_calls.is_written(function, args, kwargs):
            return machine.call_native(function, args, kwargs, node)
        return interpret(machine, REPLACED.get(function, function), args, kwargs, node, function)
    refuse_effects(machine, function, node)
    return _enter(machine, function, args, kwargs, node)


def interpret(
    machine: Machine, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], node: ast.AST, called: Any
) -> Any:
    """A function of a library by its text, or by one of ours; what stops it there is told at the call of the library's."""
    refuse_effects(machine, function, node)
    try:
        with machine.pinned(node):
            return _enter(machine, cast(types.FunctionType, function), args, kwargs, node)
    except CompileError as error:
        cause = error.reason.rpartition(NO_TEXT)[2]
        machine.refuse(
            f"deepalgo has no rule for `{label(called)}` on data{NO_TEXT}{cause}",
            "Write it out in Python with `math`, or pass its result as an input.",
            node,
        )


def _enter(machine: Machine, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    _refuse_async(function)
    if inspect.isgeneratorfunction(function):
        items = iteration.run_outside(machine, lambda: function(*args, **kwargs), [*args, *kwargs.values()])
        if items is not None:
            return stream(machine, items, Snapshot.of([]))
    source = source_of(machine, function, node)
    parameters = BoundParameters.of_function(machine, function, source)
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


def _call_closure(machine: Machine, closure: Closure, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    names = bind(machine, BoundParameters.of_closure(closure), args, kwargs)
    outer = closure.frame
    source = FunctionSource(closure.node, outer.source.file, outer.source.lines, closure.name)
    return _begin(machine, Frame(source, names, outer.globals, outer, local_names=assigned(closure.node) | frozenset(names)), node)


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


def _construct(machine: Machine, cls: type, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    if issubclass(cls, BaseException):
        return _exception(machine, cls, args, kwargs, node)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _checked(machine, cls, args, kwargs)
    if own_containers.base_of(cls) is not None:
        return own_containers.construct(machine, cls, args, kwargs, node)
    if cls.__module__ == "builtins" or not _written_in_python(cls):
        return machine.call_native(cls, args, kwargs, node)
    refuse_computed_attributes(machine, cls, node)
    whole: Any = cls
    try:
        instance: Any = object.__new__(with_dict(whole))
    except TypeError as error:  # an abstract class
        raise UserRaise(TypeError, str(error), machine.span) from None
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
    interpret(machine, REPLACED.get(init, init), args, kwargs, node, cls)


def _written_in_python(cls: type) -> bool:
    init: Any = vars(cls).get("__init__", getattr(cls, "__init__", None))
    new: Any = getattr(cls, "__new__", None)
    return (
        new is object.__new__
        and (init is object.__init__ or isinstance(init, types.FunctionType))
        and type(cls) in METACLASSES
        and hasattr(cls, "__dict__")
        and (not is_native_module(cls.__module__) or cls in MANAGERS or cls in POLYNOMIALS)
    )


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
    cls, handed = type(instance), list[Any]()
    given = bind(machine, BoundParameters.of_dataclass(cls, dataclasses.MISSING), [instance, *args], kwargs)
    for item in cls.__dataclass_fields__.values():
        role = getattr(item._field_type, "name", "")  # what `InitVar` and `ClassVar` have made of it
        value = given.get(item.name, dataclasses.MISSING) if item.init else dataclasses.MISSING
        if role == "_FIELD_CLASSVAR":
            continue
        if value is not dataclasses.MISSING:
            pass
        elif item.default is not dataclasses.MISSING:
            place = ("class", id(cls), item.name)
            machine.weights.hold(place, "default", cls.__init__, item.name)
            machine.weights.standings.declare(place, cls)
            value = lift(machine, item.default, place, f"{cls.__name__}_{item.name}", attribute_span(cls, item.name))
        elif item.default_factory is not dataclasses.MISSING:
            value = call(machine, item.default_factory, [], {}, node)
        else:
            continue
        if role == "_FIELD_INITVAR":
            handed.append(value)
        else:
            vars(instance)[item.name] = value
    if hasattr(instance, "__post_init__"):
        call(machine, cls.__post_init__, [instance, *handed], {}, node)
