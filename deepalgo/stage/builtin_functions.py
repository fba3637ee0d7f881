"""Python's built-in functions on Signals."""

from __future__ import annotations

import ast
import copy
import functools
import typing
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from deepalgo import marks
from deepalgo.ir import Kind, Type
from deepalgo.stage import access, arithmetic, comparisons, names
from deepalgo.stage.arrays.box import Array, read, shape_of
from deepalgo.stage.arrays.convert import representative_array
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import HANDLERS, call_native, contains_signal, handles
from deepalgo.stage.regions import choose
from deepalgo.stage.text import concatenate
from deepalgo.stage.truth import decide, truth
from deepalgo.stage.unions import distribute
from deepalgo.stage.values import Closure, Known, Partial, Signal, Text, Union, UserRaise, is_number, user_method

Args = list[Any]
Kwargs = dict[str, Any]


def pointwise(machine: Machine, name: str, native: Any, *args: Any, flavour: str | None = None, **attrs: Any) -> Any:
    """One operation on Signals and numbers, with its value where it is known."""
    if not any(isinstance(item, Signal) for item in args):
        return arithmetic.native(machine, native, *args)
    result = machine.emit(name, *args, flavour=flavour or arithmetic.flavour_of_result(*args), **attrs)
    knowns = [item.known if isinstance(item, Signal) else Known(item, frozenset()) for item in args]
    if any(known is None for known in knowns):
        return result
    found = [known for known in knowns if known is not None]
    value = arithmetic.native(machine, native, *[known.value for known in found])
    return Signal(result.value, result.flavour, True, Known(value, frozenset().union(*[known.keys for known in found])))


@handles(abs)
def _abs(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: _abs_one(machine, item, node), node)


def _abs_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

    if isinstance(value, Array):
        return HANDLERS[np.absolute](machine, [value], {}, node)
    method = user_method(value, "__abs__")
    if method is not None:
        return call(machine, method, [value], {}, node)
    if isinstance(value, Signal) and value.kind is Kind.BOOL and value.flavour == "np":
        return value
    if isinstance(value, Signal) and value.kind is Kind.BOOL:
        value = machine.cast(value, Type(Kind.INT))
    return pointwise(machine, "abs", abs, value)


@handles(min)
def _min(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _extreme(machine, "min", min, args, kwargs, node)


@handles(max)
def _max(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _extreme(machine, "max", max, args, kwargs, node)


def _extreme(machine: Machine, name: str, native: Any, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    items = list(args) if len(args) > 1 else access.iterate(machine, args[0], node)
    if not contains_signal(items) and not contains_signal(kwargs):
        return arithmetic.native(machine, lambda *inner: native(*inner, **kwargs), *args)
    if not items:
        if "default" in kwargs:
            return kwargs["default"]
        raise UserRaise(ValueError, f"{name}() arg is an empty sequence", machine.span)
    best = items[0]
    for item in items[1:]:
        best = _better(machine, name, native, best, item, kwargs.get("key"), node)
    return best


def _better(machine: Machine, name: str, native: Any, best: Any, item: Any, key: Any, node: ast.AST) -> Any:
    """Python keeps the first of two equal items."""
    from deepalgo.stage.calls import call

    plain = [isinstance(side, Signal) or is_number(side) for side in (best, item)]
    if key is None and all(plain) and _same_kind(best, item):
        chosen = pointwise(machine, name, native, best, item, flavour=arithmetic.flavour_of_choice(best, item))
        if isinstance(chosen, Signal) and any(arithmetic.may_be_whole(machine, side) for side in (best, item)):
            machine.mixed.add(chosen.value.id)
        return chosen
    sides = [item, best] if key is None else [call(machine, key, [side], {}, node) for side in (item, best)]
    op = ast.Lt if name == "min" else ast.Gt
    verdict = decide(machine, truth(machine, comparisons.compare(machine, op, sides[0], sides[1], node), node))
    if not isinstance(verdict, Signal):
        return item if verdict else best
    return choose(machine, verdict, lambda: item, lambda: best, node)


def _same_kind(left: Any, right: Any) -> bool:
    kinds = [side.kind if isinstance(side, Signal) else arithmetic._kind(side) for side in (left, right)]
    return kinds[0] == kinds[1] or Kind.REAL in kinds


@handles(sum)
def _sum(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    total = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for place, item in enumerate(access.iterate(machine, args[0], node)):
        if place == 0 and type(total) is int and total == 0 and isinstance(item, Signal) and item.kind >= Kind.REAL:
            total = item
        else:
            total = arithmetic.binary(machine, ast.Add, total, item, node)
    return total


@handles(round)
def _round(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    digits = args[1] if len(args) > 1 else kwargs.get("ndigits")
    return distribute(machine, args[0], lambda item: _round_one(machine, item, digits, node), node)


def _round_one(machine: Machine, value: Any, digits: Any, node: ast.AST) -> Any:
    if not isinstance(value, Signal):
        return call_native(machine, round, [value] if digits is None else [value, digits], {}, node)
    if value.kind <= Kind.INT and digits is None:
        return machine.cast(value, Type(Kind.INT))
    if digits is None:
        return to_int(machine, machine.emit("rint", value), value, round)
    digits = access.static_int(machine, digits, node, "the number of digits")
    if value.kind <= Kind.INT and digits >= 0:
        return value
    if value.kind <= Kind.INT:
        machine.refuse("rounding a whole number to tens depends on data", "Divide, round and multiply.", node)
    return pointwise(machine, "round_digits", lambda item: round(item, digits), value, digits=digits)


def to_int(machine: Machine, rounded: Signal, value: Signal, native: Any) -> Signal:
    """A whole number made of a float: NaN and infinity raise, and 64 bits must be enough."""
    if value.known is None:
        machine.check(machine.logical("not", machine.emit("isnan", value)), ValueError, "cannot convert float NaN to integer")
        machine.check(machine.logical("not", machine.emit("isinf", value)), OverflowError, "cannot convert float infinity to integer")
        machine.check(machine.emit("lt", machine.emit("abs", value), 2.0**62), "IntegerTooLarge", "a whole number beyond 64 bits")
    result = machine.emit("to_int", rounded)
    if value.known is None:
        return result
    return Signal(result.value, "py", True, Known(arithmetic.native(machine, native, value.known.value), value.known.keys))


@handles(int)
def _int(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    args = [_number(machine, item) for item in args]
    if not args or not isinstance(args[0], (Signal, Union, Text)):
        return call_native(machine, int, args, kwargs, node)
    return distribute(machine, args[0], lambda item: _int_one(machine, item, node), node)


def _int_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    access.refuse_text(machine, "is read as a number", value, node)
    if not isinstance(value, Signal):
        return call_native(machine, int, [value], {}, node)
    if value.kind <= Kind.INT:
        return machine.cast(value, Type(Kind.INT))
    if value.kind is Kind.COMPLEX:
        raise UserRaise(TypeError, "int() argument must be a real number, not 'complex'", machine.span)
    return to_int(machine, value, value, int)


@handles(float)
def _float(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    args = [_number(machine, item) for item in args]
    if not args or not isinstance(args[0], (Signal, Union, Text)):
        return call_native(machine, float, args, kwargs, node)
    return distribute(machine, args[0], lambda item: _float_one(machine, item, node), node)


def _float_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    access.refuse_text(machine, "is read as a number", value, node)
    if not isinstance(value, Signal):
        return call_native(machine, float, [value], {}, node)
    if value.kind is Kind.COMPLEX:
        raise UserRaise(TypeError, "float() argument must be a string or a real number, not 'complex'", machine.span)
    if value.shape:
        value = access.only_item(machine, value)
    result = machine.cast(value, Type(Kind.REAL))
    known = None if value.known is None else Known(float(value.known.value), value.known.keys)
    return Signal(result.value, "py", value.uniform, known)


def _number(machine: Machine, value: Any) -> Any:
    """An array of one number as that number."""
    if not isinstance(value, Array) or not contains_signal(value):
        return value
    held = read(machine, value)
    assert isinstance(held, Signal)
    return access.only_item(machine, held) if held.shape else held


@handles(bool)
def _bool(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    verdict = truth(machine, args[0], node) if args else False
    return replace(verdict, flavour="py") if isinstance(verdict, Signal) else verdict


@handles(complex)
def _complex(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not contains_signal(args):
        return call_native(machine, complex, args, kwargs, node)
    real = machine.cast(args[0], Type(Kind.COMPLEX))
    if len(args) == 1:
        return real
    return machine.emit("add", real, machine.emit("mul", machine.cast(args[1], Type(Kind.COMPLEX)), 1j))


@handles(pow)
def _pow(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) == 3:
        return arithmetic.binary(machine, ast.Mod, arithmetic.binary(machine, ast.Pow, args[0], args[1], node), args[2], node)
    return arithmetic.binary(machine, ast.Pow, args[0], args[1], node)


@handles(divmod)
def _divmod(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    left, right = args
    if isinstance(left, Union):
        return distribute(machine, left, lambda item: _divmod(machine, [item, right], {}, node), node)
    if isinstance(right, Union):
        return distribute(machine, right, lambda item: _divmod(machine, [left, item], {}, node), node)
    if not contains_signal(args):
        return call_native(machine, divmod, args, kwargs, node)
    if all(is_number(item) or isinstance(item, Signal) and item.flavour == "py" for item in args):
        arithmetic.nonzero(machine, right, ZeroDivisionError, arithmetic.division_by_zero(divmod, left, right))
    return tuple(arithmetic.binary(machine, op, left, right, node) for op in (ast.FloorDiv, ast.Mod))


# --- questions ----------------------------------------------------------------------------------------------------------------


def representative(value: Any) -> Any:
    """A plain number of the same type."""
    if isinstance(value, Array):
        return representative_array(value)
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
    if isinstance(value, Signal) and value.value.id in machine.mixed and ask(1) != answer:
        machine.refuse("whether this number is an int or a float depends on data", "Make it a float on every path.", node)
    return answer


@handles(type)
def _type(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if len(args) != 1:
        machine.refuse("a class made at run time cannot be compiled", "Define the class in the module.", node)
    return distribute(machine, args[0], lambda item: one_answer(machine, item, lambda value: type(representative(value)), node), node)


@handles(callable)
def _callable(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: isinstance(item, (Closure, Partial)) or callable(item), node)


@handles(hasattr)
def _hasattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    def ask(value: Any) -> bool:
        return hasattr(representative(value), args[1])

    return distribute(machine, args[0], ask, node)


@handles(getattr)
def _getattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    try:
        return distribute(machine, args[0], lambda item: access.get_attribute(machine, item, args[1], node), node)
    except UserRaise as error:
        if len(args) == 3 and issubclass(error.kind, AttributeError):
            return args[2]
        raise


@handles(setattr)
def _setattr(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    access.set_attribute(machine, args[0], args[1], args[2], node)


@handles(len)
def _len(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return distribute(machine, args[0], lambda item: _len_one(machine, item, node), node)


def _len_one(machine: Machine, value: Any, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

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
    method = user_method(value, "__len__")
    if method is not None:
        return call(machine, method, [value], {}, node)
    return arithmetic.native(machine, len, value)


@handles(any)
def _any(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _fold(machine, "or", False, access.iterate(machine, args[0], node), node)


@handles(all)
def _all(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return _fold(machine, "and", True, access.iterate(machine, args[0], node), node)


def _fold(machine: Machine, name: str, start: bool, items: list[Any], node: ast.AST) -> Any:
    verdict: Any = start
    for item in items:
        verdict = comparisons._conjoin(machine, name, verdict, truth(machine, item, node))
    return verdict


# --- containers ---------------------------------------------------------------------------------------------------------------


class DynamicRange:
    """`range` with a bound that depends on data."""

    def __init__(self, start: Any, stop: Any, step: int) -> None:
        self.start = start
        self.stop = stop
        self.step = step


@handles(range)
def _range(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    args = [item if not isinstance(item, Signal) or item.known is None else machine.demand(item, "bounds a `range`") for item in args]
    if not any(isinstance(item, (Signal, Union)) for item in args):
        return arithmetic.native(machine, range, *args)
    if any(isinstance(item, Signal) and item.kind > Kind.INT for item in args):
        raise UserRaise(TypeError, "'float' object cannot be interpreted as an integer", machine.span)
    start, stop = (0, args[0]) if len(args) == 1 else args[:2]
    step = access.static_int(machine, args[2], node, "the step of a `range`") if len(args) == 3 else 1
    return DynamicRange(start, stop, step)


@handles(list)
def _list(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.heap.created(access.iterate(machine, args[0], node) if args else [])


@handles(tuple)
def _tuple(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return tuple(access.iterate(machine, args[0], node)) if args else ()


@handles(dict)
def _dict(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.heap.created(dict(*args, **kwargs))


@handles(zip)
def _zip(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    columns = [access.walk(machine, item, node) for item in args]
    rows = arithmetic.native(machine, lambda: list(zip(*columns, strict=bool(kwargs.get("strict")))))
    return access.Walk(rows, lambda place: tuple(column.read(place) for column in columns))


@handles(enumerate)
def _enumerate(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    first, items = access.static_int(machine, start, node), access.walk(machine, args[0], node)
    return access.Walk(enumerate(items, first), lambda place: (first + place, items.read(place)))


@handles(reversed)
def _reversed(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    items = access.walk(machine, args[0], node)
    return access.Walk(items[::-1], lambda place: items.read(len(items) - 1 - place))


@handles(map)
def _map(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

    columns = [access.iterate(machine, item, node) for item in args[1:]]
    return machine.heap.created([call(machine, args[0], list(row), {}, node) for row in zip(*columns, strict=False)])


@handles(filter)
def _filter(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    from deepalgo.stage.calls import call

    kept = []
    for item in access.iterate(machine, args[1], node):
        verdict = decide(machine, truth(machine, item if args[0] is None else call(machine, args[0], [item], {}, node), node))
        if isinstance(verdict, Signal):
            machine.refuse(
                "`filter` keeps or drops items depending on data, so a length would depend on data", "Use a conditional expression.", node
            )
        if verdict:
            kept.append(item)
    return machine.heap.created(kept)


@handles(sorted)
def _sorted(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    items = access.iterate(machine, args[0], node)
    if not contains_signal(items) and not contains_signal(kwargs):
        return machine.heap.created(arithmetic.native(machine, lambda: sorted(items, **kwargs)))
    reverse, key = bool(kwargs.get("reverse")), kwargs.get("key")
    ordered: list[Any] = []
    for item in items:  # insertion, item by item: stable as Python's
        ordered = _insert(machine, ordered, item, key, reverse, node)
    return machine.heap.created(ordered)


def _insert(machine: Machine, ordered: list[Any], item: Any, key: Any, reverse: bool, node: ast.AST) -> list[Any]:
    result, carried = [], item
    if key is not None:
        machine.refuse("sorting by a key that depends on data cannot be compiled", "Sort the keys themselves.", node)
    native_low, native_high = (max, min) if reverse else (min, max)
    for held in ordered:
        flavour = arithmetic.flavour_of_choice(held, carried)
        low = pointwise(machine, native_low.__name__, native_low, held, carried, flavour=flavour)
        carried = pointwise(machine, native_high.__name__, native_high, held, carried, flavour=flavour)
        result.append(low)
    return [*result, carried]


@handles(iter)
def _iter(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return machine.heap.created(access.iterate(machine, args[0], node))


@handles(str, repr, format)
def _str(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if not args:
        return ""
    if not contains_signal(args[0]):
        return call_native(machine, str, args[:1], {}, node)
    return concatenate([args[0] if isinstance(args[0], (Signal, Text)) else Text("...", ())])


@handles(super)
def _super(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    if args:
        return access.Super(args[0], args[1])
    frame = machine.frame
    first = next(iter(frame.names.values()))
    return access.Super(frame.cells["__class__"].cell_contents, first)


@handles(copy.copy)
def _copy(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = args[0]
    if isinstance(value, Array):
        return HANDLERS[np.copy](machine, [value], {}, node)
    if isinstance(value, (list, dict, set)):
        return machine.heap.created(value.copy())
    return value if isinstance(value, (Signal, Union, tuple)) else call_native(machine, copy.copy, args, kwargs, node)


@handles(copy.deepcopy)
def _deepcopy(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    value = args[0]
    if isinstance(value, Array):
        return HANDLERS[np.copy](machine, [value], {}, node)
    if isinstance(value, list):
        return machine.heap.created([_deepcopy(machine, [item], {}, node) for item in value])
    if isinstance(value, dict):
        return machine.heap.created({key: _deepcopy(machine, [item], {}, node) for key, item in value.items()})
    if isinstance(value, tuple):
        return tuple(_deepcopy(machine, [item], {}, node) for item in value)
    return value if isinstance(value, (Signal, Union)) else call_native(machine, copy.deepcopy, args, kwargs, node)


@handles(functools.partial)
def _partial(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return Partial(args[0], tuple(args[1:]), kwargs)


@handles(marks.weight)
def _weight(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return names.mark(machine, args[0], args[1] if len(args) > 1 else kwargs.get("name"), node)


@handles(typing.cast)
def _cast(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A word to type checkers only."""
    return args[1]


@handles(warnings.warn)
def _warn(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """A warning changes no answer; the network does not repeat it."""
    machine.notes.append(f"{machine.span.place if machine.span else ''}: the warning given here is left out")


