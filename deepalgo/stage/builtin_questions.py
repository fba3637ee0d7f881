"""Python's built-in questions about a value: its type, its attributes, its length, its truth."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage import arithmetic, attributes, comparisons, iteration
from deepalgo.stage.arrays import masked
from deepalgo.stage.arrays.box import Array, shape_of
from deepalgo.stage.arrays.convert import representative_array
from deepalgo.stage.arrays.elementwise import Masked, Positions
from deepalgo.stage.builtin_containers import DynamicRange
from deepalgo.stage.exits import Way, falling
from deepalgo.stage.generators import collect, search
from deepalgo.stage.machine import Machine
from deepalgo.stage.moments import Spendable
from deepalgo.stage.natives import Args, Kwargs, handles
from deepalgo.stage.regions import choose, only_computes, resume, run_arm
from deepalgo.stage.sifting import Late, Sifted, fold, on_time, take
from deepalgo.stage.structure import is_plain_object
from deepalgo.stage.truth import decide, truth
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import UNDEFINED, Closure, Generator, Partial, Signal, Text, UserRaise, user_method


def iter_of_nothing() -> Iterator[Any]:
    """A generator, to ask for its type."""
    yield from ()


def representative(value: Any) -> Any:
    """A plain number of the same type."""
    if isinstance(value, Array):
        return representative_array(value)
    if isinstance(value, Generator):
        return iter_of_nothing()
    if isinstance(value, Spendable):
        return iter(())
    if not isinstance(value, Signal):
        return value
    plain = {Kind.BOOL: True, Kind.INT: 1, Kind.REAL: 1.0, Kind.COMPLEX: 1j}[value.kind]
    if value.shape:
        return np.full(value.shape, plain)
    return np.asarray(plain)[()] if value.flavour == "np" else plain


@handles(isinstance)
def _isinstance(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    def ask(value: Any) -> bool:
        if isinstance(value, Text):
            value = ""
        if isinstance(value, Closure):
            value = representative
        return bool(arithmetic.native(machine, isinstance, representative(value), args[1]))

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
    return distribute(machine, args[0], lambda item: one_answer(machine, item, lambda value: type(representative(value)), node), node)


@handles(issubclass)
def _issubclass(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return arithmetic.native(machine, issubclass, *args)


@handles(callable)
def _callable(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: isinstance(item, (Closure, Partial)) or callable(item), node)


@handles(hasattr)
def _hasattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    def ask(value: Any) -> Any:
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
    try:
        return distribute(machine, args[0], lambda item: attributes.get_attribute(machine, item, args[1], node), node)
    except UserRaise as error:
        if len(args) == 3 and issubclass(error.kind, AttributeError):
            return args[2]
        raise


@handles(setattr)
def _setattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    attributes.set_attribute(machine, args[0], args[1], args[2], node)


@handles(object.__setattr__)
def _write_attribute(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    attributes.write_attribute(machine, args[0], args[1], args[2], node)


@handles(len)
def _len(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: _len_one(machine, item, node), node)


def _len_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

    if isinstance(value, Sifted):
        return fold(machine, value, 0, lambda total, _: arithmetic.binary(machine, ast.Add, total, 1, node), node)
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
    if isinstance(value, Text):
        machine.refuse("the length of a string depends on data", "Strings made from data are only good for messages.", node)
    if isinstance(value, Spendable):
        raise UserRaise(TypeError, "object of type 'iterator' has no len()", machine.span)
    method = user_method(value, "__len__")
    if method is not None:
        return call(machine, method, [value], {}, node)
    machine.refuse_stand_in(node, value)
    return arithmetic.native(machine, len, value)


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
        return (comparisons.both if name == "and" else comparisons.either)(machine, verdict, truth(machine, item, node))

    if isinstance(items, Sifted):
        return fold(machine, items, start, update, node)
    if id(items) in machine.streams and any(isinstance(item, Late) for item in items):
        return _until_decided(machine, start, take(machine, items, node), start, node)
    return functools.reduce(update, iteration.iterate(machine, items, node), start)


def _search(machine: Machine, name: str, start: bool, items: Generator, node: ast.AST) -> Any:
    """`any` and `all` of a generator ask for no item behind the one that decides; where items only compute, all are computed at once."""
    mark = machine.mark()
    arm = run_arm(machine, machine.constant(True), True, lambda: falling(collect(machine, items, node)))
    if not arm.exit.is_dead and only_computes(arm, besides=items.state):
        found = resume(machine, arm).cases[Way.FALL].value
        if isinstance(found, list):
            return _fold(machine, name, start, found, node)
    machine.rewind(mark)

    def decides(item: Any) -> Any:
        verdict = truth(machine, item, node)
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
        return _until_decided(machine, truth(machine, on_time(items[0]), node), items[1:], going, node)

    if not isinstance(verdict, Signal):
        return follow()
    if going:
        return choose(machine, verdict, follow, lambda: False, node)
    return choose(machine, verdict, lambda: True, follow, node)
