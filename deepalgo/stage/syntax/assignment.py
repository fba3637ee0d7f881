"""Assignment to every kind of target, with unpacking; and `del`."""

from __future__ import annotations

import ast
import functools
from typing import Any

from deepalgo.stage.rules.python.attributes import attribute_name, delete_attribute
from deepalgo.stage.rules.python.subscripts import del_item
from deepalgo.stage.state.arrays import Array, own_content
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import UNDEFINED, Signal, StandIn, Union, UserRaise

#: What Python asks of whatever is unpacked.
ITERABLE = ("__iter__", "__getitem__")


def delete(machine: Machine, target: ast.expr) -> None:
    """`del name`, `del container[key]` and `del instance.name`."""
    machine.at(target)
    match target:
        case ast.Name(id=name):
            machine.heap.touch(machine.frame.names)
            if machine.frame.names.pop(name, UNDEFINED) is UNDEFINED:
                raise UserRaise(UnboundLocalError, f"cannot delete '{name}'", machine.span)
        case ast.Subscript(value=value, slice=key):
            container, place = machine.evaluate(value), machine.evaluate(key)
            machine.at(target)
            del_item(machine, container, place, target)
        case ast.Attribute():
            instance = machine.evaluate(target.value)
            machine.at(target)
            delete_attribute(machine, instance, attribute_name(machine, target), target)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                delete(machine, element)
        case _:
            machine.refuse("this `del` cannot be compiled", "Leave it out, or set the attribute to None.", target)


def assign(machine: Machine, target: ast.expr, value: Any) -> None:
    """Bind a value to a target: a name, an item, an attribute, or several at once."""
    match target:
        case ast.Name(id=name):
            _assign_name(machine, name, value)
        case ast.Subscript():
            container = machine.evaluate(target.value)
            key = machine.evaluate(target.slice)
            machine.at(target)
            machine.set_item(container, key, value, target)
        case ast.Attribute():
            instance = machine.evaluate(target.value)
            machine.at(target)
            machine.set_attribute(instance, attribute_name(machine, target), value, target)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            _unpack(machine, elements, value, target)
        case ast.Starred():
            assign(machine, target.value, value)
        case _:
            machine.refuse("this assignment cannot be compiled", "Assign to names, items or attributes.", target)


def _assign_name(machine: Machine, name: str, value: Any) -> None:
    frame = machine.frame.nonlocals.get(name, machine.frame)
    machine.heap.touch(frame.names)
    frame.names[name] = _named(machine, name, value)


def _named(machine: Machine, name: str, value: Any) -> Any:
    """Remember the user's name for a value, for readers of the Program."""
    held = own_content(value)
    if isinstance(held, Signal):
        machine.builder.name(held.value, name)
    elif isinstance(held, Array):
        held.name = held.name or name
    return value


def _part(machine: Machine, node: ast.AST, size: int, number: int, value: Any) -> Any:
    """One of the values that a case of a Union unpacks to."""
    items = machine.iterate(value, node, size)
    if len(items) != size:
        few = "not enough" if len(items) < size else "too many"
        raise UserRaise(ValueError, f"{few} values to unpack (expected {size})", machine.at(node))
    return items[number]


def _refuse_single(machine: Machine, value: Any, node: ast.AST) -> None:
    """A number, or another object without items, cannot be unpacked: Python says so in other words than where it runs over one."""
    kind = type(representative(value)) if isinstance(value, Signal) else type(value)
    is_numpys = isinstance(value, Signal) and (value.shape or value.flavour != "py")
    if is_numpys or isinstance(value, StandIn) and not isinstance(value, Signal) or any(hasattr(kind, name) for name in ITERABLE):
        return
    raise UserRaise(TypeError, f"cannot unpack non-iterable {kind.__name__} object", machine.at(node))


def _unpack(machine: Machine, targets: list[ast.expr], value: Any, node: ast.AST) -> None:
    if isinstance(value, Union):
        if any(isinstance(target, ast.Starred) for target in targets):
            machine.refuse("how many values are unpacked depends on data", "Unpack without a star.", node)
        items = [distribute(machine, value, functools.partial(_part, machine, node, len(targets), n), node) for n in range(len(targets))]
    else:
        _refuse_single(machine, value, node)
        items = list(machine.iterate(value, node))
    stars = [place for place, item in enumerate(targets) if isinstance(item, ast.Starred)]
    if not stars and len(items) != len(targets):
        few = "not enough" if len(items) < len(targets) else "too many"
        detail = f"(expected {len(targets)}" + (f", got {len(items)})" if few == "not enough" else ")")
        raise UserRaise(ValueError, f"{few} values to unpack {detail}", machine.at(node))
    if stars:
        place, after = stars[0], len(targets) - stars[0] - 1
        if len(items) < len(targets) - 1:
            raise UserRaise(
                ValueError, f"not enough values to unpack (expected at least {len(targets) - 1}, got {len(items)})", machine.at(node)
            )
        middle = items[place : len(items) - after]
        items = [*items[:place], machine.heap.created(middle), *items[len(items) - after :]]
    for target, item in zip(targets, items, strict=True):
        assign(machine, target, item)
