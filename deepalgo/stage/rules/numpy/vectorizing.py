"""`np.vectorize(f)`: `f` number by number, on Python's numbers, and an array whose kind of number the first answer tells.

>>> import deepalgo as da
>>> def clipped(v):
...     return np.vectorize(lambda t, low: max(t, low), otypes=[float], excluded=["low"])(v, low=0.5)
>>> da.compile(clipped, example=((np.array([0.25, 2.0]),), {}))(np.array([0.25, 2.0])).tolist()
[0.5, 2.0]
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepalgo.ir import Kind
from deepalgo.stage.rules.registry import HANDLERS, Args, Kwargs, handles
from deepalgo.stage.state.array_conversion import new_array, shape, to_signal
from deepalgo.stage.state.arrays import DTYPES, kind_of_dtype
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import Partial, Signal, UserRaise, is_number


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """What `np.vectorize` was given besides the function; `kinds` are those of the answers, where they are told."""

    kinds: tuple[np.dtype[Any], ...] | None
    excluded: frozenset[Any]
    cache: bool
    signature: str | None


@handles(np.vectorize, options="pyfunc otypes doc excluded cache signature")
def _vectorize(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    given = {name: item for name, item in kwargs.items() if name not in ("pyfunc", "doc")}
    try:
        options = options_of(np.vectorize(abs, **given))
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None
    if "pyfunc" in kwargs:
        return Partial(mapped, (kwargs["pyfunc"], options), {})
    return Partial(decorated, (options,), {})


def options_of(made: Any) -> Options:
    """The options of an object that NumPy has made."""
    kinds = None if made.otypes is None else tuple(np.dtype(item) for item in made.otypes)
    return Options(kinds, frozenset(made.excluded), bool(made.cache), made.signature)


def decorated(options: Options, function: Any) -> Any:
    """What `@np.vectorize(otypes=...)` does to a function."""
    return Partial(mapped, (function, options), {})


def mapped(function: Any, options: Options, *args: Any, **kwargs: Any) -> Any:
    """A call of what `np.vectorize` has made."""


@handles(decorated)
def _decorated(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return decorated(*args)


@handles(mapped, options="*")
def _mapped(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return call_vectorized(machine, args[0], args[1], args[2:], kwargs, node)


def call_vectorized(machine: Machine, function: Any, options: Options, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    """The answers of a function to the numbers of its arguments, which are broadcast together; but for those that are excluded."""
    if options.signature is not None:
        machine.refuse("`np.vectorize` with a signature has no rule", "Write the loop over the rows out.", node)
    places = [place for place in range(len(args)) if place not in options.excluded]
    names = [name for name in kwargs if name not in options.excluded]
    moving = [*(args[place] for place in places), *(kwargs[name] for name in names)]
    if not moving:
        return machine.call(function, args, kwargs, node)

    def answer(numbers: list[Any]) -> Any:
        given, named = list(args), dict(kwargs)
        for place, number in zip(places, numbers, strict=False):
            given[place] = number
        named.update(zip(names, numbers[len(places) :], strict=True))
        return machine.call(function, given, named, node)

    target = _broadcast(machine, moving)
    if 0 in target:
        if options.kinds is None:
            raise UserRaise(ValueError, "cannot call `vectorize` on size 0 inputs unless `otypes` is set", machine.span)
        machine.refuse("`np.vectorize` has no numbers here", "Return an empty array.", node)
    spread = [HANDLERS[np.broadcast_to](machine, [item, target], {}, node) if target else item for item in moving]
    rows = [[_number(machine, item, place, node) for item in spread] for place in np.ndindex(*target)]
    kinds, answers = options.kinds, []
    if kinds is None:
        first = answer([_number_of_numpy(item) for item in rows[0]])
        kinds = tuple(_kind(machine, item, node) for item in (first if isinstance(first, tuple) else (first,)))
        answers = [first] if options.cache else []
    answers += [answer(row) for row in rows[len(answers) :]]
    if len(kinds) == 1:
        return _joined(machine, answers, kinds[0], target, node)
    if any(not isinstance(item, tuple) or len(item) != len(kinds) for item in answers):
        machine.refuse("a function under `np.vectorize` answers with different numbers of values", "Return as many each time.", node)
    return tuple(_joined(machine, list(part), kind, target, node) for part, kind in zip(zip(*answers, strict=True), kinds, strict=True))


def _broadcast(machine: Machine, values: list[Any]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*[shape(machine, item) for item in values])
    except ValueError as error:
        raise UserRaise(error, None, machine.span) from None


def _number(machine: Machine, value: Any, place: tuple[int, ...], node: ast.AST) -> Any:
    """One number of an array as Python has it."""
    found = machine.get_item(value, place, node) if shape(machine, value) else to_signal(machine, value)
    if isinstance(found, np.generic):
        return found.item()
    return Signal(found.value, "py", found.uniform, found.known) if isinstance(found, Signal) else found


def _number_of_numpy(value: Any) -> Any:
    """The first of all numbers is also given as NumPy has it, to learn the kind of the answer."""
    return Signal(value.value, "np", value.uniform, value.known) if isinstance(value, Signal) else np.asarray(value)[()]


def _kind(machine: Machine, value: Any, node: ast.AST) -> np.dtype[Any]:
    _refuse_no_number(machine, value, node)
    signal = to_signal(machine, value)
    if signal.mixed:
        remedy = "Make it a float on every path, or say np.vectorize(..., otypes=[float])."
        machine.refuse("whether the first answer of a function under `np.vectorize` is an int or a float depends on data", remedy, node)
    dtype: np.dtype[Any] = DTYPES[signal.kind]
    return dtype


def _refuse_no_number(machine: Machine, value: Any, node: ast.AST) -> None:
    if not is_number(value) and not (isinstance(value, Signal) and not value.shape):
        machine.refuse("a function under `np.vectorize` answers with something that is no number", "Return a number on every path.", node)


def _joined(machine: Machine, answers: list[Any], dtype: np.dtype[Any], target: tuple[int, ...], node: ast.AST) -> Any:
    if dtype not in DTYPES.values():
        machine.refuse(f"an array of {dtype} has no rule", "Use float, int, bool or complex.", node)
    numbers = [_converted(machine, item, kind_of_dtype(dtype), node) for item in answers]
    whole = machine.emit("stack", *numbers, flavour="np")
    return new_array(machine, machine.emit("reshape", whole, shape=target, flavour="np"))


def _converted(machine: Machine, value: Any, kind: Kind, node: ast.AST) -> Signal:
    """A number as an array of that kind takes it: as `int`, `float` and the like make it."""
    _refuse_no_number(machine, value, node)
    python = {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}[kind]
    found = value if to_signal(machine, value).kind is kind else HANDLERS[python](machine, [value], {}, node)
    return to_signal(machine, found)
