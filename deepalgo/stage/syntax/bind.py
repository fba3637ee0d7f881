"""Bind the arguments of a call to a function's parameters, as Python does."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any

from deepalgo.spans import FunctionSource
from deepalgo.stage.state.lookup import is_in_library, lift
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Closure, UserRaise


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
        return BoundParameters.of_node(closure.name, arguments, {**defaults, **closure.kw_defaults})

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
        return BoundParameters.of_node(function.__name__, arguments, defaults)


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
        span = self.source.span(self.node)
        # A function that is made several times has a default of its own each time, unless its text says the number.
        written = not any(isinstance(item, (ast.Name, ast.Call)) for item in ast.walk(self.node))
        place = (span.file, span.line, span.column) if written else ("default", id(self.function), name)
        machine.weights.hold(place, "default", self.function, name)
        return lift(machine, self.value, place, name, span)


def bind(machine: Machine, parameters: BoundParameters, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The names that the function starts with."""
    slots = (*parameters.positional_only, *parameters.positional)
    names: dict[str, Any] = dict(zip(slots, args, strict=False))
    extra = args[len(slots) :]
    if extra and parameters.star is None:
        _wrong(machine, parameters, f"takes {len(slots)} positional arguments but {len(args)} were given")
    if parameters.star is not None:
        names[parameters.star] = tuple(extra)
    others: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name in names and name in parameters.positional:
            _wrong(machine, parameters, f"got multiple values for argument '{name}'")
        if name in parameters.positional or name in parameters.keyword_only:
            names[name] = value
        elif parameters.double_star is not None:
            others[name] = value
        else:
            _wrong(machine, parameters, f"got an unexpected keyword argument '{name}'")
    if parameters.double_star is not None:
        names[parameters.double_star] = machine.heap.created(others)
    _fill_defaults(machine, parameters, (*slots, *parameters.keyword_only), names)
    return names


def _fill_defaults(machine: Machine, parameters: BoundParameters, slots: tuple[str, ...], names: dict[str, Any]) -> None:
    for name in slots:
        if name in names:
            continue
        if name not in parameters.defaults:
            _wrong(machine, parameters, f"missing 1 required argument: '{name}'")
        default = parameters.defaults[name]
        names[name] = default.take(machine, name) if isinstance(default, Default) else default


def _wrong(machine: Machine, parameters: BoundParameters, text: str) -> None:
    raise UserRaise(TypeError, f"{parameters.name}() {text}", machine.span)
