"""Classes that are defined in a function: Python makes them, and their methods are interpreted as those of any other class.

What the class uses of the function's own names is handed to it as the cells of a closure, as Python does; only that these
are as they were where the class stands. So a name that is assigned again behind the class is refused.
"""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.stage.state import lookup
from deepalgo.stage.state.exits import FALL, Exit
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import UNDEFINED, Frame, Leak, Signal, Union, UserRaise, qualified_name
from deepalgo.stage.syntax import assignment


def define(machine: Machine, node: ast.ClassDef) -> Exit:
    """`class Name: ...` in a function."""
    machine.at(node)
    captured = _captured(machine, node)
    _refuse_numbers_of_data(machine, node)
    try:
        made = _maker(machine, node, list(captured))(*captured.values())
    except Leak as error:
        machine.refuse(f"the body of this class uses data ({error})", "Use data in its methods, or define the class in the module.", node)
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None
    lines = range(min([node.lineno, *(item.lineno for item in node.decorator_list)]), (node.end_lineno or node.lineno) + 1)
    _name_as_python(made, qualified_name(machine.frame))
    machine.local_classes.append((machine.frame.source.file, lines, lookup.running(machine)))
    assignment.assign(machine, ast.copy_location(ast.Name(node.name, ast.Store()), node), made)
    return FALL


def _name_as_python(made: Any, outer: str) -> None:
    """The class and its methods are those of the user's function, not of the one that made them."""
    for item in (made, *vars(made).values()) if isinstance(made, type) else ():
        for part in (item, *(getattr(item, name, None) for name in ("__func__", "fget", "fset", "fdel"))):
            name = getattr(part, "__qualname__", None)
            if isinstance(name, str) and name.startswith("make.<locals>."):
                part.__qualname__ = outer + name.removeprefix("make")


def _maker(machine: Machine, node: ast.ClassDef, captured: list[str]) -> Any:
    """A function of the captured names that makes the class, with the lines of the user's file."""
    arguments = ast.arguments([], [ast.arg(name) for name in captured], None, [], [], None, [])
    body: list[ast.stmt] = [node, ast.Return(ast.Name(node.name, ast.Load()))]
    maker = ast.FunctionDef("make", arguments, body, [], None, None)
    if "type_params" in ast.FunctionDef._fields:  # since Python 3.12
        setattr(maker, "type_params", [])  # noqa: B010
    for item in (maker, body[1], *ast.walk(arguments), *ast.walk(body[1])):
        if "lineno" in getattr(item, "_attributes", ()) and not hasattr(item, "lineno"):
            ast.copy_location(item, node)
    scope: dict[str, Any] = {}
    module = ast.Module([maker], [])
    exec(compile(module, machine.frame.source.file, "exec"), machine.frame.globals, scope)
    return scope["make"]


def _captured(machine: Machine, node: ast.ClassDef) -> dict[str, Any]:
    """The names of the functions around that the class uses, with their values."""
    used = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}
    if any(isinstance(item, ast.Nonlocal) for item in ast.walk(node)):
        machine.refuse("a method of this class writes to a variable of the function around it", "Keep the value in an attribute.", node)
    found: dict[str, Any] = {}
    frame: Frame | None = machine.frame
    while frame is not None:
        for name in sorted(used & (frame.local_names | frame.names.keys() | frame.cells.keys())):
            if name not in found and name != node.name:
                _refuse_later_assignment(machine, frame, node, name)
                value = lookup.lookup(machine, name, node)
                if value is not UNDEFINED:
                    found[name] = value
        frame = frame.enclosing
    return found


def _refuse_later_assignment(machine: Machine, frame: Frame, node: ast.ClassDef, name: str) -> None:
    end = node.end_lineno or 0
    for item in ast.walk(frame.source.node):
        if isinstance(item, ast.Name) and item.id == name and not isinstance(item.ctx, ast.Load) and item.lineno > end:
            machine.refuse(f"this class uses `{name}`, which changes after the class", "Pass the value to the methods that use it.", node)


def _refuse_numbers_of_data(machine: Machine, node: ast.ClassDef) -> None:
    """Python evaluates the class body, bases, decorators and defaults: no data can take part in them."""
    for item in _evaluated(node):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            value = machine.frame.names.get(item.id)
            if isinstance(value, (Signal, Union)):
                machine.refuse(f"the body of this class uses `{item.id}`, which depends on data", "Set it in `__init__`.", item)


def _evaluated(node: ast.ClassDef) -> list[ast.AST]:
    """The parts of a class definition that run where it stands: everything but the bodies of its functions."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [node]
    while waiting:
        item = waiting.pop()
        found.append(item)
        if isinstance(item, (ast.FunctionDef, ast.Lambda)):
            waiting += [*item.args.defaults, *filter(None, item.args.kw_defaults), *getattr(item, "decorator_list", [])]
        else:
            waiting += ast.iter_child_nodes(item)
    return found
