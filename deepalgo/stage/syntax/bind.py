"""Bind the arguments of a call to a function's parameters, as Python does."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any, NoReturn

from deepalgo.spans import FunctionSource
from deepalgo.stage.state.lookup import is_in_library, lift, lift_module_constant
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Closure, Signal, UserRaise, qualified_name


@dataclass(frozen=True, slots=True)
class BoundParameters:
    """A function's parameters with the defaults that are in force."""

    name: str
    positional_only: tuple[str, ...]
    positional: tuple[str, ...]
    star: str | None
    keyword_only: tuple[str, ...]
    double_star: str | None
    defaults: dict[str, Any]

    @staticmethod
    def of_node(name: str, arguments: ast.arguments, defaults: dict[str, Any]) -> BoundParameters:
        """The parameters that a definition lists."""
        return BoundParameters(
            name,
            tuple(item.arg for item in arguments.posonlyargs),
            tuple(item.arg for item in arguments.args),
            arguments.vararg.arg if arguments.vararg else None,
            tuple(item.arg for item in arguments.kwonlyargs),
            arguments.kwarg.arg if arguments.kwarg else None,
            defaults,
        )

    @staticmethod
    def of_closure(closure: Closure) -> BoundParameters:
        """The parameters of a function that interpreted code defined."""
        arguments = closure.node.args
        names = [item.arg for item in (*arguments.posonlyargs, *arguments.args)]
        defaults = dict(zip(names[len(names) - len(closure.defaults) :], closure.defaults, strict=True))
        name = f"{qualified_name(closure.frame)}.<locals>.{closure.name}"
        return BoundParameters.of_node(name, arguments, {**defaults, **closure.kw_defaults})

    @staticmethod
    def of_function(machine: Machine, function: types.FunctionType, source: FunctionSource) -> BoundParameters:
        """The parameters of a real function; a float default is a weight."""
        arguments = source.node.args
        names = [item.arg for item in (*arguments.posonlyargs, *arguments.args)]
        values = function.__defaults__ or ()
        written = arguments.defaults[len(arguments.defaults) - len(values) :] if values else []
        places = dict(zip(names[len(names) - len(values) :], zip(values, written, strict=False), strict=False))
        for item, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if node is not None and item.arg in (function.__kwdefaults__ or {}):
                places[item.arg] = ((function.__kwdefaults__ or {})[item.arg], node)
        defaults = {name: Default(value, node, source, function) for name, (value, node) in places.items()}
        return BoundParameters.of_node(function.__qualname__, arguments, defaults)

    @staticmethod
    def of_dataclass(kind: type, missing: Any) -> BoundParameters:
        """The parameters of the `__init__` that `dataclass` writes; those with a default are `missing` where nothing is given."""
        init: Any = kind.__init__  # type: ignore[misc]  # asked for on purpose
        names, count = init.__code__.co_varnames, init.__code__.co_argcount
        defaults = [*names[count - len(init.__defaults__ or ()) : count], *(init.__kwdefaults__ or {})]
        keyword_only = names[count : count + init.__code__.co_kwonlyargcount]
        return BoundParameters(init.__qualname__, (), names[:count], None, keyword_only, None, dict.fromkeys(defaults, missing))


@dataclass(frozen=True, slots=True)
class Default:
    """A default value together with its text, so that it becomes a weight only where it is used."""

    value: Any
    node: ast.expr
    source: FunctionSource
    function: types.FunctionType

    def take(self, machine: Machine, name: str) -> Any:
        """The default as the function sees it."""
        if isinstance(self.value, float) and is_in_library(machine, self.function.__globals__):
            return self.value
        if (shared := self._shared(machine, name)) is not None:
            return shared
        span = self.source.span(self.node)
        # A function that is made several times has a default of its own each time, unless its text says the number.
        written = not any(isinstance(item, (ast.Name, ast.Call)) for item in ast.walk(self.node))
        place = (span.file, span.line, span.column) if written else ("default", id(self.function), name)
        machine.weights.hold(place, "default", self.function, name)
        machine.weights.standings.declare(place, self.function)
        return lift(machine, self.value, place, name, span)

    def _shared(self, machine: Machine, name: str) -> Any:
        """A default that is a constant of the module, as in `dt=DT`, is one weight with it; None for any other."""
        scope = self.function.__globals__
        if not isinstance(self.node, ast.Name) or type(self.value) is not float or self.node.id in self.function.__code__.co_freevars:
            return None
        if type(scope.get(self.node.id)) is not float or scope[self.node.id] != self.value:
            return None
        found = lift_module_constant(machine, str(scope.get("__name__", "")), scope, self.node.id, self.value)
        key = next(iter(found.known.keys), None) if isinstance(found, Signal) and found.known is not None else None
        place = next((place for place, other in machine.weights.places.items() if other == key), None)
        if place is None:
            return None
        machine.weights.hold(place, "default", self.function, name)
        machine.weights.standings.declare(place, self.function)
        return found


def bind(machine: Machine, parameters: BoundParameters, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The names that the function starts with."""
    slots = (*parameters.positional_only, *parameters.positional)
    names: dict[str, Any] = dict(zip(slots, args, strict=False))
    extra = args[len(slots) :]
    if extra and parameters.star is None:
        _wrong(machine, parameters, args, kwargs)
    if parameters.star is not None:
        names[parameters.star] = tuple(extra)
    others: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name in names and name in parameters.positional:
            _wrong(machine, parameters, args, kwargs)
        if name in parameters.positional or name in parameters.keyword_only:
            names[name] = value
        elif parameters.double_star is not None:
            others[name] = value
        else:
            _wrong(machine, parameters, args, kwargs)
    if parameters.double_star is not None:
        names[parameters.double_star] = machine.heap.created(others)
    missing = [name for name in (*slots, *parameters.keyword_only) if name not in names]
    if not parameters.defaults.keys() >= set(missing):
        _wrong(machine, parameters, args, kwargs)
    for name in missing:
        default = parameters.defaults[name]
        names[name] = default.take(machine, name) if isinstance(default, Default) else default
    return names


def _wrong(machine: Machine, parameters: BoundParameters, args: list[Any], kwargs: dict[str, Any]) -> NoReturn:
    """Raise what Python raises: a function with these parameters is called in this way."""

    def written(name: str) -> str:
        return f"{name}=None" if name in parameters.defaults else name

    parts = [*map(written, parameters.positional_only), "/"] if parameters.positional_only else []
    parts += map(written, parameters.positional)
    if parameters.star is not None or parameters.keyword_only:
        parts += [f"*{parameters.star or ''}", *map(written, parameters.keyword_only)]
    if parameters.double_star is not None:
        parts.append(f"**{parameters.double_star}")
    empty = eval(f"lambda {', '.join(parts)}: None", {})
    empty.__qualname__ = parameters.name
    try:
        empty(*[None] * len(args), **dict.fromkeys(kwargs))
    except TypeError as error:
        raise UserRaise(TypeError, str(error), machine.span) from None
    raise AssertionError("Python takes these arguments")
