"""Run the user's function with one of its constants replaced, and leave everything as it was.

>>> scope = {"GAIN": 2.0, "TABLE": [0.5, {"low": (1.0, 3.0)}]}
>>> gain, table = (Origin((Holder("name", scope, name),), path) for name, path in (("GAIN", ()), ("TABLE", (1, "low"))))
>>> with replaced(gain, Weight("GAIN", 2.0), (), 2.5), replaced(table, Weight("low", (1.0, 3.0), (2,)), (1,), 3.5):
...     scope
{'GAIN': 2.5, 'TABLE': [0.5, {'low': (1.0, 3.5)}]}
>>> scope
{'GAIN': 2.0, 'TABLE': [0.5, {'low': (1.0, 3.0)}]}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from deepalgo.certificate.literals import OutOfReach, changed_code
from deepalgo.ir import Weight
from deepalgo.origins import Holder, Origin

__all__ = ["OutOfReach", "replaced"]


@dataclass(frozen=True, slots=True)
class ConstantSlot:
    """What is held, how to put something else in its place, and how to put it back."""

    value: Any
    put: Callable[[Any], None]
    restore: Callable[[], None]


@contextmanager
def replaced(origin: Origin, weight: Weight, item: tuple[int, ...], value: float) -> Iterator[None]:
    """The function has `value` for a weight, or for an item of it, while the `with` lasts; `OutOfReach` if that cannot be."""
    if not origin.holders:
        raise OutOfReach("where the function holds it is not known")
    with ExitStack() as stack:
        for holder in origin.holders:
            stack.enter_context(_held(holder, (*holder.path, *origin.path), weight, item, value))
        yield


@contextmanager
def _held(holder: Holder, path: tuple[Any, ...], weight: Weight, item: tuple[int, ...], value: float) -> Iterator[None]:
    if holder.kind in ("literal", "mark"):
        function, code = holder.owner, getattr(holder.owner, "__code__", None)
        changed = changed_code(function, weight, item, value, marked=holder.kind == "mark")
        slot = ConstantSlot(code, functools.partial(setattr, function, "__code__"), lambda: setattr(function, "__code__", code))
    else:
        slot = _slot(holder)
        _check(_inside(slot.value, path), weight)
        changed = _with_item(slot.value, (*path, *item), value)
    try:
        slot.put(changed)
        yield
    finally:
        slot.restore()


def _slot(holder: Holder) -> ConstantSlot:
    owner, name = holder.owner, holder.name
    try:
        match holder.kind:
            case "cell":
                held = owner.cell_contents
                return ConstantSlot(held, lambda new: setattr(owner, "cell_contents", new), lambda: setattr(owner, "cell_contents", held))
            case "name":
                return _entry(owner, name)
            case "attribute" if name in getattr(owner, "__dict__", {}):
                return _entry(vars(owner), name)
            case "attribute":
                held = getattr(owner, str(name))
                put = functools.partial(object.__setattr__, owner, str(name))
                return ConstantSlot(held, put, lambda: put(held))
            case "class":
                held = vars(owner)[name]
                put = functools.partial(type.__setattr__, owner, str(name))
                return ConstantSlot(held, put, lambda: put(held))
            case "default":
                return _default(owner, str(name))
            case "partial":
                return _argument(owner, name)
            case "literal" | "mark":
                raise AssertionError("a literal is in the code of a function")
            case _:
                assert_never(holder.kind)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise OutOfReach("the function does not hold it any more") from None


def _entry(scope: dict[Any, Any], name: str | int) -> ConstantSlot:
    held = scope[name]
    return ConstantSlot(held, functools.partial(scope.__setitem__, name), lambda: scope.__setitem__(name, held))


def _default(function: Any, name: str) -> ConstantSlot:
    """The default of a parameter."""
    code, defaults, named = function.__code__, function.__defaults__ or (), function.__kwdefaults__ or {}
    if name in named:
        return _entry(named, name)
    place = code.co_varnames[: code.co_argcount].index(name) - code.co_argcount

    def put(new: Any) -> None:
        items = list(defaults)
        items[place] = new
        function.__defaults__ = tuple(items)

    if -place > len(defaults):
        raise KeyError(name)
    return ConstantSlot(defaults[place], put, lambda: setattr(function, "__defaults__", defaults))


def _argument(partial: functools.partial[Any], name: str | int) -> ConstantSlot:
    """An argument of a `functools.partial`, by keyword or by position."""
    if isinstance(name, str):
        return _entry(partial.keywords, name)
    function, args, keywords, attributes = partial.func, partial.args, partial.keywords, vars(partial)

    def put(new: Any) -> None:
        partial.__setstate__((function, (*args[:name], new, *args[name + 1 :]), keywords, attributes))  # type: ignore[attr-defined]

    return ConstantSlot(args[name], put, lambda: partial.__setstate__((function, args, keywords, attributes)))  # type: ignore[attr-defined]


def _inside(value: Any, path: tuple[Any, ...]) -> Any:
    try:
        return functools.reduce(lambda held, key: held[key], path, value)
    except (KeyError, IndexError, TypeError):
        raise OutOfReach("the function does not hold it any more") from None


def _check(held: Any, weight: Weight) -> None:
    try:
        same = np.array_equal(np.asarray(held, dtype=float), np.asarray(weight.value, dtype=float))
    except (TypeError, ValueError):
        same = False
    if not same:
        raise OutOfReach("the function holds another value by now")


def _with_item(held: Any, path: tuple[Any, ...], value: float) -> Any:
    """A copy of what is held, with one number inside of it replaced."""
    if isinstance(held, np.ndarray):
        copy = held.copy()
        copy[path] = value
        return copy
    if not path:
        return type(held)(value) if isinstance(held, float) else value
    key, *rest = path
    inner = _with_item(held[key], tuple(rest), value)
    if isinstance(held, dict):
        return {**held, key: inner}
    return type(held)([*held[:key], inner, *held[key + 1 :]])
