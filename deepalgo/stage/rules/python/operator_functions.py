"""The module `operator`: Python's operators as functions."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from typing import Any

from deepalgo.stage.rules.python import arithmetic, augmented, comparisons, sequence_methods, subscripts
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import Signal, StandIn, UserRaise

UNARY: dict[type[ast.unaryop], Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
QUESTIONS: dict[type[ast.cmpop], Any] = {**comparisons.NATIVE, ast.Is: operator.is_, ast.IsNot: operator.is_not}


def _binary(op: type[ast.operator]) -> Handler:
    return lambda machine, args, kwargs, node: machine.binary(op, args[0], args[1], node)


def _unary(op: type[ast.unaryop]) -> Handler:
    return lambda machine, args, kwargs, node: machine.unary(op, args[0], node)


def _question(op: type[ast.cmpop]) -> Handler:
    return lambda machine, args, kwargs, node: machine.compare(op, args[0], args[1], node)


def _in_place(op: type[ast.operator]) -> Handler:
    return lambda machine, args, kwargs, node: augmented.update(machine, op, args[0], args[1], node)


for _operator, _native in arithmetic.NATIVE.items():
    handles(_native)(_binary(_operator))
    handles(getattr(operator, f"i{_native.__name__.strip('_')}"))(_in_place(_operator))
for _sign, _native in UNARY.items():
    handles(_native)(_unary(_sign))
for _comparison, _native in QUESTIONS.items():
    handles(_native)(_question(_comparison))


@handles(operator.not_)
def _not(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    verdict = machine.truth(args[0], node)
    return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict


@handles(operator.truth)
def _truth(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.truth(args[0], node)


@handles(operator.getitem)
def _item(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.get_item(args[0], args[1], node)


@handles(operator.setitem)
def _set_item(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    machine.set_item(args[0], args[1], args[2], node)


@handles(operator.delitem)
def _del_item(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    subscripts.del_item(machine, args[0], args[1], node)


@handles(operator.contains)
def _contains(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.compare(ast.In, args[1], args[0], node)


@handles(operator.concat)
def _concat(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.binary(ast.Add, _sequence(machine, args[0]), args[1], node)


@handles(operator.iconcat)
def _concat_in_place(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return augmented.update(machine, ast.Add, _sequence(machine, args[0]), args[1], node)


def _sequence(machine: Machine, value: Any) -> Any:
    if isinstance(value, Signal) or not hasattr(value, "__getitem__"):
        name = type(representative(value)).__name__
        raise UserRaise(TypeError, f"'{name}' object can't be concatenated", machine.span)
    return value


@handles(operator.countOf)
def _count(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return sequence_methods.count(machine, machine.iterate(args[0], node), [args[1]], {}, node)


@handles(operator.indexOf)
def _index(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    items = machine.iterate(args[0], node)
    return sequence_methods.first(machine, items, args[1], 0, "sequence.index(x): x not in sequence", node)


def itemgetter(machine: Machine, function: operator.itemgetter[Any], value: Any, node: ast.AST) -> Any:
    """`operator.itemgetter(...)(value)`."""
    found = [machine.get_item(value, key, node) for key in function.__reduce__()[1]]
    return found[0] if len(found) == 1 else tuple(found)


def attrgetter(machine: Machine, function: operator.attrgetter[Any], value: Any, node: ast.AST) -> Any:
    """`operator.attrgetter(...)(value)`."""
    found = [functools.reduce(functools.partial(_attribute, machine, node), path.split("."), value) for path in function.__reduce__()[1]]
    return found[0] if len(found) == 1 else tuple(found)


def _attribute(machine: Machine, node: ast.AST, value: Any, name: str) -> Any:
    return distribute(machine, value, lambda item: machine.get_attribute(item, name, node), node)


class Caller(StandIn):
    """`operator.methodcaller`: its arguments may depend on data."""

    python = "operator.methodcaller"

    def __init__(self, name: str, args: Args, kwargs: Kwargs) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs

    def __call__(self, value: Any) -> Any:
        return operator.methodcaller(self.name, *self.args, **self.kwargs)(value)


@handles(operator.methodcaller, options="*")
def _method_caller(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Caller(args[0], args[1:], kwargs)


def method(machine: Machine, function: Any, value: Any, node: ast.AST) -> Any:
    """`operator.methodcaller(...)(value)`."""
    name, args, kwargs = _parts(function)
    return distribute(machine, value, lambda item: machine.call(_attribute(machine, node, item, name), args, kwargs, node), node)


def _parts(function: Any) -> tuple[str, Args, Kwargs]:
    if isinstance(function, Caller):
        return function.name, function.args, function.kwargs
    made, args = function.__reduce__()
    kwargs = made.keywords if isinstance(made, functools.partial) else {}
    name, *others = (*made.args, *args) if isinstance(made, functools.partial) else args
    return name, others, kwargs


#: What the getters of `operator` do, by their classes.
GETTERS: dict[type, Callable[[Machine, Any, Any, ast.AST], Any]] = {
    operator.itemgetter: itemgetter, operator.attrgetter: attrgetter, operator.methodcaller: method, Caller: method,
}
