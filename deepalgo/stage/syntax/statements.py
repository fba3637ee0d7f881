"""Execute statements: one function for each node of Python's syntax tree."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.python import attributes, augmented, exceptions
from deepalgo.stage.state import lookup
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import FALL, Case, Exit, Way
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import Pending, meet, raise_under, run_arm
from deepalgo.stage.state.sequence import close, open_arm, sequence, steps
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import Leak, Signal, UserRaise
from deepalgo.stage.syntax import assignment, exact_exceptions, local_classes, loops, match_statement, try_statement, with_statement
from deepalgo.stage.syntax.expressions import closure, describe, items
from deepalgo.stage.syntax.yields import assign_yield, hand_out


def block(machine: Machine, statements: list[ast.stmt]) -> Exit:
    """Execute the statements of a block."""
    return sequence(machine, steps(machine, statements), statements[0]) if statements else FALL


def execute(machine: Machine, node: ast.stmt) -> Exit | Pending:
    """Execute one statement."""
    handler = HANDLERS.get(type(node))
    if handler is None:
        machine.refuse(f"{_describe(node)} cannot be compiled", "Write it with plain statements.", node)
    try:
        return handler(machine, node) if machine.exact is None else exact_exceptions.execute(machine, node, handler)
    except Leak as error:
        machine.refuse(str(error), error.remedy)


def _describe(node: ast.stmt) -> str:
    titles = {
        "AsyncFor": "`async for`",
        "AsyncWith": "`async with`",
        "AsyncFunctionDef": "`async def`",
        "TryStar": "`except*`",
    }
    return titles.get(type(node).__name__) or describe(node)


def _expression(machine: Machine, node: ast.Expr) -> Exit:
    if isinstance(node.value, ast.Yield) and machine.frame.managing is not None:
        return with_statement.at_yield(machine, node, node.value, [])
    if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return hand_out(machine, node.value)
    machine.evaluate(node.value)
    return FALL


def _assign(machine: Machine, node: ast.Assign) -> Exit:
    if isinstance(node.value, ast.Yield) and machine.frame.managing is not None:
        return with_statement.at_yield(machine, node, node.value, node.targets)
    if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        return assign_yield(machine, node.value, lambda value: _assign_to(machine, node.targets, value))
    displayed = _side_by_side(node)
    value = machine.evaluate(node.value) if displayed is None else tuple(items(machine, displayed))
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
        assignment.assign(machine, node.target, machine.evaluate(node.value))
    return FALL


def _augmented(machine: Machine, node: ast.AugAssign) -> Exit:
    """`x += y`: lists change in place, everything else is computed anew."""
    match node.target:
        case ast.Name():
            held = machine.evaluate(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
            assignment.assign(machine, node.target, _update(machine, node, held))
        case ast.Subscript():
            container = machine.evaluate(node.target.value)
            key = machine.evaluate(node.target.slice)
            machine.at(node.target)
            held = machine.get_item(container, key, node.target)
            machine.set_item(container, key, _update(machine, node, held), node.target)
        case ast.Attribute():
            instance = machine.evaluate(node.target.value)
            name = attributes.attribute_name(machine, node.target)
            held = machine.get_attribute(instance, name, node.target)
            machine.set_attribute(instance, name, _update(machine, node, held), node.target)
    return FALL


def _update(machine: Machine, node: ast.AugAssign, held: Any) -> Any:
    value = machine.evaluate(node.value)
    machine.at(node)
    return augmented.update(machine, type(node.op), held, value, node)


def _return(machine: Machine, node: ast.Return) -> Exit:
    value = machine.evaluate(node.value) if node.value is not None else None
    machine.at(node)
    return Exit({Way.RETURN: Case(None, value)})


def _break(machine: Machine, node: ast.Break) -> Exit:
    return Exit({Way.BREAK: Case()})


def _continue(machine: Machine, node: ast.Continue) -> Exit:
    return Exit({Way.CONTINUE: Case()})


def _pass(machine: Machine, node: ast.Pass) -> Exit:
    return FALL


def _if(machine: Machine, node: ast.If) -> Exit | Pending:
    verdict = machine.truth(machine.evaluate(node.test), node.test)
    machine.at(node.test)
    verdict = decide(machine, verdict)
    if not isinstance(verdict, Signal):
        return block(machine, node.body if verdict else node.orelse)
    first = not _leaves(node.orelse) or _leaves(node.body)
    arms = {True: node.body, False: node.orelse}
    arm = run_arm(machine, verdict, first, lambda: block(machine, arms[first]))
    if arm.exit.is_dead:
        machine.at(node)
        raise_under(machine, verdict, first, arm)
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
    error = distribute(machine, machine.evaluate(node.exc), lambda item: _raisable(machine, item, node), node)
    if node.cause is not None:
        error = exceptions.set_cause(machine, error, machine.evaluate(node.cause), node)
    machine.at(node)
    return exceptions.raise_at(machine, error, span, node)


def _raisable(machine: Machine, error: Any, node: ast.Raise) -> Any:
    if isinstance(error, type) and issubclass(error, BaseException):
        return machine.call(error, [], {}, node)
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
        function = machine.call(machine.evaluate(decorator), [function], {}, decorator)
    assignment.assign(machine, ast.copy_location(ast.Name(node.name, ast.Store()), node), function)
    return FALL


def _global(machine: Machine, node: ast.Global) -> Exit:
    written = {item.id for item in ast.walk(machine.frame.source.node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
    for name in node.names:
        if name in written:
            lookup.declare_global(machine, name, machine.at(node))
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
        module = run_static(machine, importlib.import_module, alias.name)
        name = alias.asname or alias.name.partition(".")[0]
        held = module if alias.asname else run_static(machine, importlib.import_module, name)
        assignment.assign(machine, ast.copy_location(ast.Name(name, ast.Store()), node), held)
    return FALL


def _import_from(machine: Machine, node: ast.ImportFrom) -> Exit:
    package = machine.frame.globals.get("__package__")
    module = run_static(machine, importlib.import_module, "." * node.level + (node.module or ""), package)
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
    return machine.get_attribute(module, name, ast.Pass())


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
    ast.Match: match_statement.run_match,
    ast.ClassDef: local_classes.define,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.FunctionDef: _define,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Delete: _delete,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.With: with_statement.run_with,
    ast.For: loops.run_for,
    ast.While: loops.run_while,
    ast.Try: try_statement.run_try,
}
