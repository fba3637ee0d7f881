"""`Fingerprint`: what is kept of an object that cannot be kept itself, enough to know it again.

A network that was saved checks its fixed arguments when it is called. Plain data is saved as it is; of a function, a class or an
object of one the name and a digest of its content are.

>>> import math
>>> fingerprint(math.sin)
the builtin_function_or_method math.sin
>>> fingerprint(math.sin).fits(math.sin), fingerprint(math.sin).fits(math.cos)
(True, False)
"""

from __future__ import annotations

import ast
import enum
import functools
import hashlib
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepalgo.spans import SourceUnavailable, read_function

#: Objects inside of objects are followed to this depth.
DEEPEST = 50
NAMED = (type, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, np.ufunc)


class Unfit(Exception):
    """An object of which nothing can be written down that tells it from others."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The kind and the name of an object, and a digest of what it holds ('' where the name says it all)."""

    kind: str
    name: str
    digest: str = ""

    def fits(self, other: object) -> bool:
        """Whether this is the fingerprint of an object."""
        try:
            return fingerprint(other) == self
        except Unfit:
            return False

    def __repr__(self) -> str:
        return f"the {self.kind} {self.name}"


def fingerprint(item: object) -> Fingerprint:
    """The fingerprint of an object; Unfit where it holds something that has none."""
    parts = [*_parts(item, 0)]
    kind, name, *content = parts
    return Fingerprint(kind, name, hashlib.sha256("\x00".join(content).encode()).hexdigest() if content else "")


def _parts(item: Any, depth: int) -> Iterator[str]:
    """An object as a series of texts: its kind, its name, its content."""
    if depth > DEEPEST:
        raise Unfit("it is nested too deeply")
    kind = type(item)
    if isinstance(item, NAMED):
        yield from (kind.__name__, _name(item))
    elif isinstance(item, types.ModuleType):
        yield from ("module", item.__name__)
    elif isinstance(item, types.FunctionType):
        yield from ("function", _name(item), _text(item))
        held = (item.__defaults__, item.__kwdefaults__, *(cell.cell_contents for cell in item.__closure__ or ()))
        yield from _each(held, depth)
    elif isinstance(item, types.MethodType):
        yield from ("method", _name(item.__func__))
        yield from _each((item.__func__, item.__self__), depth)
    elif isinstance(item, functools.partial):
        yield from ("partial", _name(item.func))
        yield from _each((item.func, item.args, item.keywords), depth)
    elif isinstance(item, enum.Enum):
        yield from (kind.__name__, item.name, _name(kind))
    else:
        yield from ("object", _name(kind))
        yield from _content(item, depth)


def _content(item: Any, depth: int) -> Iterator[str]:
    if item is None or type(item) in (bool, int, float, complex, str, bytes, range, slice, type(...)):
        yield repr(item)
    elif isinstance(item, (np.ndarray, np.generic)) and item.dtype.kind in "?biufcSU":
        yield from (str(item.dtype), str(item.shape), np.ascontiguousarray(item).tobytes().hex())
    elif isinstance(item, np.dtype):
        yield str(item)
    elif isinstance(item, (list, tuple)):
        yield str(len(item))
        yield from _each(item, depth)
    elif isinstance(item, dict):
        yield str(len(item))
        yield from _each((half for pair in item.items() for half in pair), depth)
    elif isinstance(item, (set, frozenset)):
        yield from sorted("\x01".join(_parts(member, depth + 1)) for member in item)
    else:
        yield from _each(_state(item), depth)


def _each(items: Any, depth: int) -> Iterator[str]:
    for item in items:
        yield from _parts(item, depth + 1)


def _state(item: Any) -> Iterator[object]:
    """What an object of a class written in Python holds, attribute by attribute."""
    slots = [name for owner in type(item).__mro__ for name in _slots(owner)]
    held = getattr(item, "__dict__", None)
    if held is None and not slots:
        raise Unfit(f"a {type(item).__name__} shows nothing of what it holds")
    for name in sorted({*slots, *(held or ())}):
        if hasattr(item, name):
            yield from (name, getattr(item, name))


def _slots(owner: type) -> tuple[str, ...]:
    slots = vars(owner).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(name for name in slots if name not in ("__dict__", "__weakref__"))


def _name(item: Any) -> str:
    module = getattr(item, "__module__", None)
    name = getattr(item, "__qualname__", None) or getattr(item, "__name__", type(item).__qualname__)
    return f"{module}.{name}" if module not in (None, "builtins") else str(name)


def _text(function: types.FunctionType) -> str:
    """The syntax of a function, so that comments and line numbers do not matter."""
    try:
        return ast.dump(read_function(function).node)
    except SourceUnavailable as error:
        raise Unfit(error.reason) from None
