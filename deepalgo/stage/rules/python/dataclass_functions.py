"""`fields`, `astuple`, `asdict` and `replace` of dataclasses whose fields depend on data."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import UserRaise


@handles(dataclasses.fields)
def _fields(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _of(machine, args[0], "must be called with a dataclass type or instance")


@handles(dataclasses.astuple, options="")
def _astuple(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    _refuse_class(machine, "astuple", args[0])
    return _rebuilt(machine, args[0], lambda pairs: tuple(value for _, value in pairs), node)


@handles(dataclasses.asdict, options="")
def _asdict(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    _refuse_class(machine, "asdict", args[0])
    return _rebuilt(machine, args[0], lambda pairs: machine.heap.created(dict(pairs)), node)


@handles(dataclasses.replace, options="*")
def _replace(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    _refuse_class(machine, "replace", args[0])
    kept = {field.name for field in _of(machine, args[0], "") if field.init and field.name not in kwargs}
    held = {name: machine.get_attribute(args[0], name, node) for name in kept}
    return machine.call(type(args[0]), [], {**held, **kwargs}, node)


def _is_instance(value: Any) -> bool:
    """An object of a dataclass of the user's."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type) and type(value).__module__.partition(".")[0] != "deepalgo"


def _of(machine: Machine, value: Any, complaint: str) -> tuple[dataclasses.Field[Any], ...]:
    if not _is_instance(value) and not (isinstance(value, type) and dataclasses.is_dataclass(value)):
        raise UserRaise(TypeError, complaint, machine.span)
    return dataclasses.fields(value)


def _refuse_class(machine: Machine, name: str, value: Any) -> None:
    if not _is_instance(value):
        raise UserRaise(TypeError, f"{name}() should be called on dataclass instances", machine.span)


def _rebuilt(machine: Machine, value: Any, build: Callable[[list[tuple[str, Any]]], Any], node: ast.AST) -> Any:
    """The fields of a dataclass, and of dataclasses in its fields, put together anew; lists and dicts are copied."""

    def inside(item: Any) -> Any:
        return _rebuilt(machine, item, build, node)

    if _is_instance(value):
        names = [field.name for field in dataclasses.fields(value)]
        return build([(name, inside(machine.get_attribute(value, name, node))) for name in names])
    match value:
        case list():
            return machine.heap.created([inside(item) for item in value])
        case tuple():
            items = [inside(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        case dict():
            return machine.heap.created({key: inside(item) for key, item in value.items()})
        case _:
            return value
