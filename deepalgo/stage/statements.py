"""Execute statements."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import Any

from deepalgo.stage import (
    arithmetic,
    assignment,
    attributes,
    exact,
    exceptions,
    generators,
    inplace,
    local_classes,
    loops,
    managers,
    names,
    patterns,
    subscripts,
    tries,
)
from deepalgo.stage.calls import call
from deepalgo.stage.exits import FALL, Case, Exit, Way
from deepalgo.stage.expressions import closure, describe, evaluate, items
from deepalgo.stage.machine import Machine
from deepalgo.stage.regions import Pending, _raise_under, meet, run_arm
from deepalgo.stage.sequence import Step, close, open_arm, sequence
from deepalgo.stage.truth import decide, truth
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import Leak, Signal, UserRaise


def steps(machine: Machine, statements: list[ast.stmt]) -> list[Step]:
    """The statements of a block as steps of a sequence."""
    return [lambda node=node: execute(machine, node) for node in statements]  # type: ignore[misc]  # bound at once


def block(machine: Machine, statements: list[ast.stmt]) -> Exit:
    """Execute the statements of a block."""
    return sequence(machine, steps(machine, statements), statements[0]) if statements else FALL


def execute(machine: Machine, node: ast.stmt) -> Exit | Pending:
    """Execute one statement."""
    handler = HANDLERS.get(type(node))
    if handler is None:
        machine.refuse(f"{_describe(node)} cannot be compiled", "Write it with plain statements.", node)
    try:
        return handler(machine, node) if machine.exact is None else exact.execute(machine, node, handler)
    except Leak as error:
        machine.refuse(str(error), error.remedy)


def _describe(node: ast.stmt) -> str:
    names = {
        "AsyncFor": "`async for`",
        "AsyncWith": "`async with`",
        "AsyncFunctionDef": "`async def`",
        "TryStar": "`except*`",
    }
    return names.get(type(node).__name__) or describe(node)


def _expression(machine: Machine, node: ast.Expr) -> Exit:
    if isinstance(node.value, ast.Yield) and machine.frame.managing is not None:
        return managers.at_yield(machine, node, node.value, [])
    if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return generators.hand_out(machine, node.value)
    evaluate(machine, node.value)
    return FALL


def _assign(machine: Machine, node: ast.Assign) -> Exit:
    if isinstance(node.value, ast.Yield) and machine.frame.managing is not None:
        return managers.at_yield(machine, node, node.value, node.targets)
    if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return generators.assign_yield(machine, node.value, lambda value: _assign_to(machine, node.targets, value))
    displayed = _side_by_side(node)
    value = evaluate(machine, node.value) if displayed is None else tuple(items(machine, displayed))
    _assign_to(machine, node.targets, value)
    return FALL


def _assign_to(machine: Machine, targets: list[ast.expr], value: Any) -> None:
    for target in targets:
        machine.at(target)
        assignment.assign(machine, target, value)


def _side_by_side(node: ast.Assign) -> list[ast.expr] | None:
    """The items on the right of `a, b = 0.5, 2.0`: two assignments, not a table."""
    if not isinstance(node.value, ast.Tuple):
        return None
    size = len(node.value.elts)
    return node.value.elts if all(isinstance(item, ast.Tuple) and len(item.elts) == size for item in node.targets) else None


def _annotated(machine: Machine, node: ast.AnnAssign) -> Exit:
    if node.value is not None:
        assignment.assign(machine, node.target, evaluate(machine, node.value))
    return FALL


def _augmented(machine: Machine, node: ast.AugAssign) -> Exit:
    """`x += y`: lists change in place, everything else is computed anew."""
    match node.target:
        case ast.Name():
            held = evaluate(machine, ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
            assignment.assign(machine, node.target, _update(machine, node, held))
        case ast.Subscript():
            container = evaluate(machine, node.target.value)
            key = evaluate(machine, node.target.slice)
            machine.at(node.target)
            held = subscripts.get_item(machine, container, key, node.target)
            subscripts.set_item(machine, container, key, _update(machine, node, held), node.target)
        case ast.Attribute():
            instance = evaluate(machine, node.target.value)
            name = attributes.attribute_name(machine, node.target)
            held = attributes.get_attribute(machine, instance, name, node.target)
            attributes.set_attribute(machine, instance, name, _update(machine, node, held), node.target)
    return FALL


def _update(machine: Machine, node: ast.AugAssign, held: Any) -> Any:
    value = evaluate(machine, node.value)
    machine.at(node)
    return inplace.update(machine, type(node.op), held, value, node)


def _return(machine: Machine, node: ast.Return) -> Exit:
    value = evaluate(machine, node.value) if node.value is not None else None
    machine.at(node)
    return Exit({Way.RETURN: Case(None, value)})


def _break(machine: Machine, node: ast.Break) -> Exit:
    return Exit({Way.BREAK: Case()})


def _continue(machine: Machine, node: ast.Continue) -> Exit:
    return Exit({Way.CONTINUE: Case()})


def _pass(machine: Machine, node: ast.Pass) -> Exit:
    return FALL


def _if(machine: Machine, node: ast.If) -> Exit | Pending:
    verdict = truth(machine, evaluate(machine, node.test), node.test)
    machine.at(node.test)
    verdict = decide(machine, verdict)
    if not isinstance(verdict, Signal):
        return block(machine, node.body if verdict else node.orelse)
    first = not _leaves(node.orelse) or _leaves(node.body)
    arms = {True: node.body, False: node.orelse}
    arm = run_arm(machine, verdict, first, lambda: block(machine, arms[first]))
    if arm.exit.is_dead:
        machine.at(node)
        _raise_under(machine, verdict, first, arm)
        return block(machine, arms[not first])
    if arm.exit.falls:
        other = run_arm(machine, verdict, not first, lambda: block(machine, arms[not first]))
        return meet(machine, verdict, *((arm, other) if first else (other, arm)), node)
    return _continue_in_other_arm(machine, open_arm(machine, verdict, not first, arm, node), arms[not first])


def _continue_in_other_arm(machine: Machine, pending: Pending, statements: list[ast.stmt]) -> Exit | Pending:
    """One arm has left: the other one, and all that follows, is staged in its place."""
    try:
        outcome = block(machine, statements)
    except UserRaise as error:
        return close(machine, pending, Exit({}), error)
    return pending if outcome.only_falls else close(machine, pending, outcome, None)


def _leaves(statements: list[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue))


def _raise(machine: Machine, node: ast.Raise) -> Exit:
    span = machine.at(node)
    if node.exc is None:
        held = (frame.exception for frame in reversed(machine.frames) if frame.exception is not None)
        return exceptions.raise_again(machine, next(held, RuntimeError("No active exception to reraise")), node)
    error = distribute(machine, evaluate(machine, node.exc), lambda item: _raisable(machine, item, node), node)
    if node.cause is not None:
        error = exceptions.set_cause(machine, error, evaluate(machine, node.cause), node)
    machine.at(node)
    return exceptions.raise_at(machine, error, span, node)


def _raisable(machine: Machine, error: Any, node: ast.Raise) -> Any:
    if isinstance(error, type) and issubclass(error, BaseException):
        return call(machine, error, [], {}, node)
    if not isinstance(error, BaseException):
        raise UserRaise(TypeError, "exceptions must derive from BaseException", machine.at(node))
    return error


def _assert(machine: Machine, node: ast.Assert) -> Exit | Pending:
    failing = ast.Raise(ast.Call(ast.Name("AssertionError", ast.Load()), [node.msg] if node.msg else [], []), None)
    test = ast.UnaryOp(ast.Not(), node.test)
    for made in (failing, failing.exc, failing.exc.func, test):  # type: ignore[union-attr]  # made just above
        ast.copy_location(made, node)  # type: ignore[type-var]
    return _if(machine, ast.copy_location(ast.If(test, [failing], []), node))


def _define(machine: Machine, node: ast.FunctionDef) -> Exit:
    function: Any = closure(machine, node, node.name)
    for decorator in reversed(node.decorator_list):
        function = call(machine, evaluate(machine, decorator), [function], {}, decorator)
    assignment.assign(machine, ast.copy_location(ast.Name(node.name, ast.Store()), node), function)
    return FALL


def _global(machine: Machine, node: ast.Global) -> Exit:
    written = {item.id for item in ast.walk(machine.frame.source.node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    for name in node.names:
        if name in written:
            names.declare_global(machine, name, machine.at(node))
    return FALL


def _nonlocal(machine: Machine, node: ast.Nonlocal) -> Exit:
    for name in node.names:
        outer = machine.frame.enclosing
        while outer is not None and name not in outer.local_names:
            outer = outer.enclosing
        if outer is None:
            machine.refuse(
                f"this writes to the variable `{name}` of the function around it",
                f"Return the new value of `{name}` and let the caller keep it.",
                node,
            )
        machine.frame.nonlocals[name] = outer
    return FALL


def _delete(machine: Machine, node: ast.Delete) -> Exit:
    for target in node.targets:
        assignment.delete(machine, target)
    return FALL


def _import(machine: Machine, node: ast.Import) -> Exit:
    for alias in node.names:
        module = arithmetic.native(machine, importlib.import_module, alias.name)
        name = alias.asname or alias.name.partition(".")[0]
        held = module if alias.asname else arithmetic.native(machine, importlib.import_module, name)
        assignment.assign(machine, ast.copy_location(ast.Name(name, ast.Store()), node), held)
    return FALL


def _import_from(machine: Machine, node: ast.ImportFrom) -> Exit:
    package = machine.frame.globals.get("__package__")
    module = arithmetic.native(machine, importlib.import_module, "." * node.level + (node.module or ""), package)
    for alias in node.names:
        held = _imported(machine, module, alias.name)
        assignment.assign(machine, ast.copy_location(ast.Name(alias.asname or alias.name, ast.Store()), node), held)
    return FALL


def _imported(machine: Machine, module: Any, name: str) -> Any:
    if not hasattr(module, name):
        try:
            importlib.import_module(f"{module.__name__}.{name}")
        except ImportError:
            raise UserRaise(ImportError, f"cannot import name '{name}' from '{module.__name__}'", machine.span) from None
    return attributes.get_attribute(machine, module, name, ast.Pass())


HANDLERS: dict[type[ast.stmt], Callable[[Machine, Any], Exit | Pending]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Pass: _pass,
    ast.If: _if,
    ast.Match: patterns.run_match,
    ast.ClassDef: local_classes.define,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.FunctionDef: _define,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Delete: _delete,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.With: managers.run_with,
    ast.For: loops.run_for,
    ast.While: loops.run_while,
    ast.Try: tries.run_try,
}

