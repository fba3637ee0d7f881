"""Comparisons: `<`, `==`, `is`, `in` and their negations."""

from __future__ import annotations

import ast
import dataclasses
import operator
import types
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.rules.numpy import operators
from deepalgo.stage.rules.numpy.reductions import reduce
from deepalgo.stage.rules.python.arithmetic import meets_arrays
from deepalgo.stage.rules.python.operator_methods import ABSENT, by_methods
from deepalgo.stage.state.aliases import refuse_identity
from deepalgo.stage.state.arrays import Array
from deepalgo.stage.state.decisions import decide
from deepalgo.stage.state.flavours import flavour_of_result
from deepalgo.stage.state.generators import search
from deepalgo.stage.state.iterator_state import Spendable
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.regions import choose
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import (
    DataLength,
    DataText,
    Generator,
    Known,
    Signal,
    StandIn,
    Union,
    UserRaise,
    is_number,
    refuse_again,
    user_method,
)

NATIVE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}
#: Sequences that are compared item by item, each with its own kind.
SEQUENCES = (list, tuple, deque)
SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}
REFLECTED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}
NAMES: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}


def compare(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right`, a bool or a Signal of truth values."""
    if op in (ast.NotIn, ast.IsNot):
        positive = compare(machine, ast.In if op is ast.NotIn else ast.Is, left, right, node)
        return machine.negated(positive) if isinstance(positive, Signal) else not positive
    if op is ast.In:
        return _contains(machine, left, right, node)
    if isinstance(left, Union) and left is not right:
        return distribute(machine, left, lambda item: compare(machine, op, item, right, node), node)
    if isinstance(right, Union):
        return distribute(machine, right, lambda item: compare(machine, op, left, item, node), node)
    if op is ast.Is:
        return _are_one(machine, left, right, node)
    _refuse_uncomparable(machine, op, left, right, node)
    return _by_kind(machine, op, left, right, node)


def _refuse_uncomparable(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> None:
    """Strings made from data have no content, and iterators and words have no order."""
    if isinstance(left, DataText) or isinstance(right, DataText):
        machine.refuse("a string made from data is compared", "Strings made from data are only good for messages.", node)
    refuse_again(left, right)
    if op not in (ast.Eq, ast.NotEq):
        iterators = [side for side in (left, right) if isinstance(side, StandIn) and isinstance(side, list)]
        words = [side for side in (left, right) if isinstance(side, str) or side is None]
        machine.refuse_stand_in(node, *iterators, *((left, right) if words and meets_arrays(left, right) else ()))


def _by_kind(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    """A comparison of arrays, numbers, sequences, dicts or other objects."""
    if meets_arrays(left, right):
        return operators.compare(machine, NAMES[op], NATIVE[op], left, right)
    if isinstance(left, Signal) or isinstance(right, Signal):
        return _on_signals(machine, op, left, right, node)
    if isinstance(left, SEQUENCES) and isinstance(right, SEQUENCES) and op in (ast.Eq, ast.NotEq):
        return _sequences(machine, op, left, right, node)
    if any(isinstance(left, kind) and isinstance(right, kind) for kind in SEQUENCES) and op in NAMES:
        return _by_first_difference(machine, op, left, right, 0, node)
    if isinstance(left, dict) and isinstance(right, dict) and op in (ast.Eq, ast.NotEq):
        return _mappings(machine, op, left, right, node)
    return _static(machine, op, left, right, node)


def _mappings(machine: Machine, op: type[ast.cmpop], left: dict[Any, Any], right: dict[Any, Any], node: ast.AST) -> Any:
    """Dicts are equal if they have the same keys with equal items."""
    if left.keys() != right.keys():
        return op is ast.NotEq
    keys = list(left)
    return compare(machine, op, [left[key] for key in keys], [right[key] for key in keys], node)


def _fields(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """What the comparison that `dataclass` generates compares; None where it does not."""
    method = getattr(type(left), f"__{NAMES[op]}__", None)
    if op is ast.NotEq:
        method = getattr(type(left), "__eq__", None)
    if not dataclasses.is_dataclass(left) or type(left) is not type(right) or not isinstance(method, types.FunctionType):
        return None
    if not method.__code__.co_filename.startswith("<"):
        return None
    names = [item.name for item in dataclasses.fields(left) if item.compare]
    one, other = (tuple(machine.get_attribute(side, name, node) for name in names) for side in (left, right))
    return one, other


def _static(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    fields = _fields(machine, op, left, right, node)
    if fields is not None:
        return compare(machine, op, *fields, node)
    found = _by_methods(machine, op, left, right, node)
    if found is not ABSENT:
        return found
    try:
        return NATIVE[op](left, right)
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None


def _by_methods(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    """What comparisons that classes of the user define answer; `ABSENT` where none does. `!=` is the opposite of their `==`."""
    if op is ast.NotEq and user_method(left, "__ne__") is None and user_method(right, "__ne__") is None:
        equal = _by_methods(machine, ast.Eq, left, right, node)
        if equal is ABSENT:
            return ABSENT
        verdict = machine.truth(equal, node)
        return machine.negated(verdict) if isinstance(verdict, Signal) else not verdict
    found = by_methods(machine, left, right, f"__{NAMES[op]}__", f"__{NAMES[REFLECTED[op]]}__", node)

    def settled(item: Any) -> Any:
        if item is not NotImplemented:
            return item
        if op in (ast.Eq, ast.NotEq):
            return (left is right) is (op is ast.Eq)
        names = [type(side).__name__ if not isinstance(side, Signal) else "float" for side in (left, right)]
        raise UserRaise(TypeError, f"'{SYMBOLS[op]}' not supported between instances of '{names[0]}' and '{names[1]}'", machine.span)

    return distribute(machine, found, settled, node)


def _on_signals(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    comparable = all(isinstance(side, Signal) or is_number(side) for side in (left, right))
    found = ABSENT if comparable else _by_methods(machine, op, left, right, node)
    if found is not ABSENT:
        return found
    if not comparable:
        if op in (ast.Eq, ast.NotEq):
            return op is ast.NotEq
        names = [type(side).__name__ if not isinstance(side, Signal) else "float" for side in (left, right)]
        raise UserRaise(TypeError, f"'{SYMBOLS[op]}' not supported between instances of '{names[0]}' and '{names[1]}'", machine.span)
    flavour = flavour_of_result(left, right)
    if op not in (ast.Eq, ast.NotEq) and any(_is_complex(side) for side in (left, right)):
        return _in_order_of_numpy(machine, op, left, right, flavour)
    result = machine.emit(NAMES[op], left, right, flavour=flavour)
    known = [side.known if isinstance(side, Signal) else Known(side, frozenset()) for side in (left, right)]
    if known[0] is None or known[1] is None:
        return result
    return Signal(result.value, flavour, True, Known(NATIVE[op](known[0].value, known[1].value), known[0].keys | known[1].keys))


def _is_complex(side: Any) -> bool:
    return side.kind is Kind.COMPLEX if isinstance(side, Signal) else isinstance(side, complex)


def _in_order_of_numpy(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, flavour: str) -> Any:
    """Complex numbers have an order in NumPy only."""
    if flavour == "np":
        return operators.compare(machine, NAMES[op], NATIVE[op], left, right)
    kinds = {Kind.BOOL: "bool", Kind.INT: "int", Kind.REAL: "float", Kind.COMPLEX: "complex"}
    names = [kinds[side.kind] if isinstance(side, Signal) else type(side).__name__ for side in (left, right)]
    raise UserRaise(TypeError, f"'{SYMBOLS[op]}' not supported between instances of '{names[0]}' and '{names[1]}'", machine.span)


def same_item(machine: Machine, one: Any, other: Any, node: ast.AST) -> Any:
    """Whether containers take two items for equal: an object equals itself, NaN too."""
    if one is other:
        return True
    if all(isinstance(side, Signal) and side.kind is Kind.REAL and not side.shape for side in (one, other)):
        _refuse_chosen_nan(machine, one, other)
    return machine.truth(compare(machine, ast.Eq, one, other, node), node)


#: Operations whose result is one of their operands.
CHOICES = frozenset({"min", "max", "select"})


def _refuse_chosen_nan(machine: Machine, one: Signal, other: Signal) -> None:
    """Where a number was chosen among others, two NaN may be one object or two."""
    if any(_is_chosen(machine, side) for side in (one, other)):
        both = machine.emit("and", machine.emit("isnan", one), machine.emit("isnan", other))
        machine.check(machine.negated(both), "SameNaN", "NaN is compared with NaN that may be the same object")


def _is_chosen(machine: Machine, value: Signal) -> bool:
    """Whether a number may be one of several objects: what a branch or a loop leaves, too."""
    made = machine.definition(value)
    return value.value.id not in machine.inputs and value.known is None if made is None else made.name in CHOICES


def _sequences(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    """Sequences are equal if their items are."""
    equal: Any = len(left) == len(right) and all(isinstance(left, kind) == isinstance(right, kind) for kind in SEQUENCES)
    if equal:
        for one, other in zip(left, right, strict=True):
            equal = both(machine, equal, same_item(machine, one, other, node))
    if op is ast.Eq:
        return equal
    return machine.negated(equal) if isinstance(equal, Signal) else not equal


def _by_first_difference(machine: Machine, op: type[ast.cmpop], left: Any, right: Any, place: int, node: ast.AST) -> Any:
    """The order of sequences is that of the first items that differ, or of their lengths."""
    if place == min(len(left), len(right)):
        return NATIVE[op](len(left), len(right))
    one, other = left[place], right[place]
    equal = decide(machine, same_item(machine, one, other, node))
    if equal is True:
        return _by_first_difference(machine, op, left, right, place + 1, node)
    if equal is False:
        return compare(machine, op, one, other, node)
    return choose(
        machine, equal,
        lambda: _by_first_difference(machine, op, left, right, place + 1, node),
        lambda: compare(machine, op, one, other, node),
        node,
    )


def both(machine: Machine, left: Any, right: Any) -> Any:
    """`left and right` of truth values."""
    if isinstance(left, Signal) or isinstance(right, Signal):
        return machine.both(machine.signal(left), machine.signal(right))
    return left and right


def either(machine: Machine, left: Any, right: Any) -> Any:
    """`left or right` of truth values."""
    if isinstance(left, Signal) or isinstance(right, Signal):
        return machine.either(machine.signal(left), machine.signal(right))
    return left or right


def _are_one(machine: Machine, left: Any, right: Any, node: ast.AST) -> Any:
    """`left is right`: there is one True and one False of Python's, and one of NumPy's; other numbers are made anew."""
    if isinstance(left, BaseException) and type(left) is type(right):  # equal ones may have become one where paths met
        machine.refuse("whether two exceptions are the same object is asked", "Compare their classes, `args` or texts.", node)
    refuse_identity(machine, left, right, node)
    numbers = (Signal, bool, int, float, complex, np.generic)
    if left is right or not (isinstance(left, Signal) or isinstance(right, Signal)):
        return left is right
    if not isinstance(left, numbers) or not isinstance(right, numbers):
        return False
    return _is_one_number(machine, left, right, node)


def _is_one_number(machine: Machine, left: Any, right: Any, node: ast.AST) -> Any:
    """`left is right` of numbers: only truth values of one library can be one object."""
    truths = [isinstance(side, (bool, np.bool_)) or (isinstance(side, Signal) and side.kind is Kind.BOOL) for side in (left, right)]
    if truths[0] != truths[1]:
        return False
    flavours = {side.flavour if isinstance(side, Signal) else "np" if isinstance(side, np.generic) else "py" for side in (left, right)}
    if not all(truths) or "either" in flavours:
        machine.refuse("whether two numbers are the same object is asked", "Compare with `==`.", node)
    return machine.emit("eq", machine.signal(left), machine.signal(right)) if len(flavours) == 1 else False


def _contains(machine: Machine, item: Any, container: Any, node: ast.AST) -> Any:
    if isinstance(container, Union):
        return distribute(machine, container, lambda case: _contains(machine, item, case, node), node)
    if isinstance(container, DataText) or isinstance(item, DataText):
        machine.refuse("a string made from data is searched", "Strings made from data are only good for messages.", node)
    if isinstance(container, Generator):
        return search(machine, container, lambda member: same_item(machine, member, item, node), node)
    if isinstance(container, Spendable):
        container = machine.iterate(container, node)
    machine.refuse_stand_in(node, *(side for side in (item, container) if isinstance(side, DataLength) and not isinstance(side, Generator)))
    if (method := user_method(container, "__contains__")) is not None:
        return machine.truth(machine.call(method, [container, item], {}, node), node)
    if (method := user_method(container, "__iter__")) is not None and not isinstance(container, (*SEQUENCES, set, frozenset, dict)):
        items = machine.call(method, [container], {}, node)
        if isinstance(items, (Generator, Spendable)):
            return _contains(machine, item, items, node)
    if isinstance(container, Array):
        same = compare(machine, ast.Eq, container, item, node)
        if isinstance(same, Array) and isinstance(same.held, Signal):
            return replace(reduce(machine, "any", same.held, None, False), flavour="py")
        return bool(np.any(same.held))
    return _among(machine, item, container, node)


def _among(machine: Machine, item: Any, container: Any, node: ast.AST) -> Any:
    """`item in container` by the members; Python itself answers where none of them depends on data."""
    members = list(container) if isinstance(container, (*SEQUENCES, set, frozenset, dict, range)) else None
    has_signal = isinstance(item, (Signal, Union)) or any(isinstance(member, (Signal, Union)) for member in members or ())
    if not has_signal:
        try:
            return item in container
        except Exception as error:
            raise UserRaise(error, None, machine.span) from None
    if members is None:
        machine.refuse("membership in this object depends on data", "Use a list, a tuple or comparisons.", node)
    found: Any = False
    for member in members:
        found = either(machine, found, same_item(machine, member, item, node))
    return found
