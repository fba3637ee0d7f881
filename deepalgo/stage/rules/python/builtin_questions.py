"""Python's built-in functions that ask about a value: its type, attributes, length and truth."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from deepalgo.ir import Block, Check, walk
from deepalgo.stage.rules.numpy import masked
from deepalgo.stage.rules.python import attributes, comparisons
from deepalgo.stage.rules.python.builtin_containers import DynamicRange
from deepalgo.stage.rules.registry import Args, Kwargs, handles
from deepalgo.stage.state.arrays import Array, shape_of
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.exits import Way, falling
from deepalgo.stage.state.generators import search
from deepalgo.stage.state.guarded_items import GuardedItems, fold
from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.masked_arrays import Masked, Positions
from deepalgo.stage.state.regions import choose, only_computes, resume, run_arm
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.slots import class_of
from deepalgo.stage.state.static_calls import run_static
from deepalgo.stage.state.streams import Late, on_time, take
from deepalgo.stage.state.structure import is_plain_object
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import UNDEFINED, Closure, DataText, Generator, Partial, Signal, UserRaise, user_method


@handles(isinstance)
def _isinstance(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    def ask(value: Any) -> bool:
        if isinstance(value, DataText):
            value = ""
        if isinstance(value, Closure):
            value = representative
        return bool(run_static(machine, isinstance, representative(value), args[1]))

    return distribute(machine, args[0], lambda item: one_answer(machine, item, ask, node), node)


def one_answer(machine: Machine, value: Any, ask: Callable[[Any], Any], node: ast.AST) -> Any:
    """Ask for the type of a number; refuse where it is whole on one path and not on another, and the answer depends on that."""
    answer = ask(value)
    if isinstance(value, Signal) and value.mixed and any(ask(other) != answer for other in (1, True)):
        machine.refuse("whether this number is an int or a float depends on data", "Make it a float on every path.", node)
    return answer


@handles(type, options="*")
def _type(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) != 1:
        machine.refuse("a class made at run time cannot be compiled", "Define the class in the module.", node)
    return distribute(machine, args[0], lambda item: one_answer(machine, item, lambda value: class_of(representative(value)), node), node)


@handles(issubclass)
def _issubclass(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return run_static(machine, issubclass, *args)


@handles(callable)
def _callable(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: isinstance(item, (Closure, Partial)) or callable(item), node)


@handles(hasattr)
def _hasattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    def ask(value: Any) -> Any:
        if attributes.is_computed(value, args[1]):
            return _attribute_or(machine, value, args[1], UNDEFINED, node) is not UNDEFINED
        held = vars(value).get(args[1]) if is_plain_object(value) else None
        absent = attributes.absent_where(held)
        if (absent or held is UNDEFINED) and not hasattr(type(value), args[1]):
            return machine.none_of(absent) if absent else False
        return hasattr(representative(value), args[1])

    return distribute(machine, args[0], ask, node)


@handles(delattr)
def _delattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    attributes.delete_attribute(machine, args[0], args[1], node)


@handles(getattr, options="default")
def _getattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) != 3:
        return distribute(machine, args[0], lambda item: machine.get_attribute(item, args[1], node), node)
    return distribute(machine, args[0], lambda item: _attribute_or(machine, item, args[1], args[2], node), node)


def _attribute_or(machine: Machine, value: Any, name: str, default: Any, node: ast.AST) -> Any:
    """An attribute, or a default where there is none."""
    body = machine.builder.body
    before = len(body)
    try:
        found = machine.get_attribute(value, name, node)
    except UserRaise as error:
        if issubclass(error.kind, AttributeError):
            return default
        raise
    if any(isinstance(item, Check) and item.error == "AttributeError" for item in walk(Block((), tuple(body[before:]), ()))):
        machine.refuse("whether an object has this attribute depends on data", "Set it on every path.", node)
    return found


@handles(setattr)
def _setattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    machine.set_attribute(args[0], args[1], args[2], node)


@handles(object.__setattr__)
def _write_attribute(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    attributes.write_attribute(machine, args[0], args[1], args[2], node)


@handles(len)
def _len(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: _len_one(machine, item, node), node)


def _len_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    if isinstance(value, GuardedItems):
        return fold(machine, value, 0, lambda total, _: machine.binary(ast.Add, total, 1, node), node)
    if isinstance(value, DynamicRange):
        return value.length(machine, node)
    if isinstance(value, (Masked, Positions)):
        return masked.count(machine, value)
    if isinstance(value, Array):
        extent = shape_of(value)
        if not extent:
            raise UserRaise(TypeError, "len() of unsized object", machine.span)
        return extent[0]
    if isinstance(value, Signal):
        if value.shape:
            return value.shape[0]
        raise UserRaise(TypeError, "object of type 'float' has no len()", machine.span)
    if isinstance(value, DataText):
        machine.refuse("the length of a string depends on data", "Strings made from data are only good for messages.", node)
    if isinstance(value, Spendable):
        raise UserRaise(TypeError, "object of type 'iterator' has no len()", machine.span)
    method = user_method(value, "__len__")
    if method is not None:
        return machine.call(method, [value], {}, node)
    machine.refuse_stand_in(node, value)
    return run_static(machine, len, value)


@handles(any)
def _any(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _fold(machine, "or", False, args[0], node)


@handles(all)
def _all(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _fold(machine, "and", True, args[0], node)


def _fold(machine: Machine, name: str, start: bool, items: Any, node: ast.AST) -> Any:
    if isinstance(items, Generator):
        return _search(machine, name, start, items, node)

    def update(verdict: Any, item: Any) -> Any:
        return (comparisons.both if name == "and" else comparisons.either)(machine, verdict, machine.truth(item, node))

    if isinstance(items, GuardedItems):
        return fold(machine, items, start, update, node)
    if id(items) in machine.streams and any(isinstance(item, Late) for item in items):
        return _until_decided(machine, start, take(machine, items, node), start, node)
    return functools.reduce(update, machine.iterate(items, node), start)


def _search(machine: Machine, name: str, start: bool, items: Generator, node: ast.AST) -> Any:
    """`any` and `all` of a generator ask for no item behind the one that decides; where items only compute, all are computed at once."""
    mark = machine.mark()
    arm = run_arm(machine, machine.constant(True), True, lambda: falling(machine.collect(items, node)))
    if not arm.exit.is_dead and only_computes(arm, besides=items.state):
        found = resume(machine, arm).cases[Way.FALL].value
        if isinstance(found, list):
            return _fold(machine, name, start, found, node)
    machine.rewind(mark)

    def decides(item: Any) -> Any:
        verdict = machine.truth(item, node)
        if not start:
            return verdict
        return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict

    found = search(machine, items, decides, node)
    if not start:
        return found
    return machine.negated(found) if isinstance(found, Signal) else not found


def _until_decided(machine: Machine, verdict: Any, items: list[Any], going: bool, node: ast.AST) -> Any:
    """`any` or `all` of items that come late: they are asked for until the answer is there, as long as it is `going`."""
    verdict = decide(machine, verdict)
    if not items or (not isinstance(verdict, Signal) and verdict is not going):
        return verdict

    def follow() -> Any:
        return _until_decided(machine, machine.truth(on_time(items[0]), node), items[1:], going, node)

    if not isinstance(verdict, Signal):
        return follow()
    if going:
        return choose(machine, verdict, follow, lambda: False, node)
    return choose(machine, verdict, lambda: True, follow, node)
