"""Plain data as JSON and back, with the exact types; tables of numbers become tensors.

>>> tensors = Tensors()
>>> encode((1, 2.5, float("inf"), "a"), tensors)
{'tuple': [1, 2.5, {'float': 'inf'}, 'a']}
>>> decode(encode({(1, 2): [0.5] * 100}, tensors), tensors) == {(1, 2): [0.5] * 100}
True
>>> tensors.held["table 0"].shape
torch.Size([100])
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from deepalgo.fingerprint import Fingerprint, Unfit, fingerprint

#: From this size on, a table of numbers is a tensor.
LARGE = 32
#: Containers inside of containers; bytes of one item of an array.
DEEPEST, WIDEST = 64, 4096
DTYPES = {float: torch.float64, int: torch.int64, bool: torch.bool}
Json = Any


class NotPlain(Exception):
    """Data that JSON and tensors cannot hold."""


@dataclass(slots=True)
class Tensors:
    """The tensors of a file, by name."""

    held: dict[str, Tensor] = field(default_factory=dict)

    def add(self, tensor: Tensor) -> str:
        """Keep a tensor and name it."""
        name = f"table {sum(name.startswith('table ') for name in self.held)}"
        self.held[name] = tensor
        return name


def encode_or_recognise(value: object, tensors: Tensors) -> Json:
    """Plain data, or the fingerprint of what is not."""
    try:
        return encode(value, tensors)
    except NotPlain:
        pass
    try:
        found = value if isinstance(value, Fingerprint) else fingerprint(value)
    except Unfit as error:
        raise NotPlain(f"a {type(value).__name__} cannot be known again: {error}") from None
    return {"fingerprint": [found.kind, found.name, found.digest]}


def encode(value: object, tensors: Tensors, depth: int = 0) -> Json:
    """Any plain data; NotPlain for everything else."""
    if depth > DEEPEST:
        raise NotPlain("it is nested too deeply")

    def again(item: object) -> Json:
        return encode(item, tensors, depth + 1)

    match value:
        case None | bool() | str() if type(value) in (type(None), bool, str):
            return value
        case int() if type(value) is int:
            return value if abs(value) < 2**63 else {"int": str(value)}
        case float() if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        case complex() if type(value) is complex:
            return {"complex": [again(value.real), again(value.imag)]}
        case list() | tuple() if type(value) in (list, tuple):
            return {type(value).__name__: _table(value, tensors) or [again(item) for item in value]}
        case dict() if type(value) is dict:
            return {"dict": [[again(key), again(item)] for key, item in value.items()]}
        case set() | frozenset() if type(value) in (set, frozenset):
            return {type(value).__name__: sorted((again(item) for item in value), key=repr)}
        case bytes() if type(value) is bytes:
            return {"bytes": base64.b64encode(value).decode()}
        case range() | slice():
            return {type(value).__name__: [again(value.start), again(value.stop), again(value.step)]}
        case np.ndarray() | np.generic() if type(value) is np.ndarray or isinstance(value, np.generic):
            return _array(value, again)
        case _ if value is ...:
            return {"ellipsis": None}
        case _:
            raise NotPlain(f"a {type(value).__name__} is no plain data")


def _table(value: list[Any] | tuple[Any, ...], tensors: Tensors) -> Json:
    """A large rectangular table of numbers of one kind, as a tensor; None for anything else."""
    found = _rectangle(value)
    if found is None:
        return None
    kind, outer, shape = found
    if kind not in DTYPES or outer is not type(value) or math.prod(shape) < LARGE:
        return None
    try:
        return {"tensor": tensors.add(torch.tensor(value, dtype=DTYPES[kind]))}
    except (OverflowError, RuntimeError):  # a whole number beyond 64 bits
        return None


def _rectangle(value: Any) -> tuple[type, type, tuple[int, ...]] | None:
    """The kind of number, the kind of sequence and the shape of a table."""
    if type(value) not in (list, tuple):
        return type(value), type(None), ()
    found = {_rectangle(item) for item in value}
    inner = found.pop() if found else None
    if found or inner is None or inner[1] not in (type(None), type(value)):
        return None
    return inner[0], type(value), (len(value), *inner[2])


def _array(value: np.ndarray | np.generic, again: Callable[[object], Json]) -> Json:
    if value.dtype.kind not in "biufcU" or value.dtype.itemsize > WIDEST:
        raise NotPlain(f"an array of {value.dtype} is no plain data")
    kind = "array" if isinstance(value, np.ndarray) else "number"
    return {kind: [value.dtype.str, list(value.shape), again(value.ravel().tolist() if isinstance(value, np.ndarray) else [value.item()])]}


def decode(data: Json, tensors: Tensors, depth: int = 0) -> Any:
    """The value that `encode` was given; ValueError, KeyError or TypeError where the data is something else."""
    if data is None or type(data) in (bool, int, float, str):
        return data
    if type(data) is not dict or len(data) != 1:
        raise TypeError(f"{data!r:.40} is no plain data")
    if depth > DEEPEST + 1:
        raise ValueError("it is nested too deeply")
    ((kind, content),) = data.items()
    return READERS[kind](content, lambda item: decode(item, tensors, depth + 1), tensors)


#: Reads what a container holds.
Again: TypeAlias = Callable[[Json], Any]


def _items(kind: Callable[[Any], Any]) -> Callable[[Json, Again, Tensors], Any]:
    def read(content: Json, again: Again, tensors: Tensors) -> Any:
        if isinstance(content, dict):
            return _nested(tensors.held[_text(content["tensor"])].tolist(), kind)
        return kind(again(item) for item in _list(content))

    return read


def _nested(value: Any, kind: Callable[[Any], Any]) -> Any:
    return kind(_nested(item, kind) for item in value) if isinstance(value, list) else value


def _list(content: Json, length: int | None = None) -> list[Any]:
    if type(content) is not list or length not in (None, len(content)):
        raise TypeError("a list is expected" if length is None else f"a list of {length} is expected")
    return content


def _text(content: Json) -> str:
    if type(content) is not str:
        raise TypeError(f"{content!r:.40} where a text is expected")
    return content


def _special_float(content: Json, again: Again, tensors: Tensors) -> float:
    return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[_text(content)]


def _whole(content: Json, again: Again, tensors: Tensors) -> int:
    if re.fullmatch(r"-?[0-9]+", _text(content)) is None:
        raise ValueError(f"{content!r:.40} is no whole number")
    return int(content)


def _complex(content: Json, again: Again, tensors: Tensors) -> complex:
    real, imaginary = map(again, _list(content, 2))
    if type(real) is not float or type(imaginary) is not float:
        raise TypeError("the parts of a complex number are floats")
    return complex(real, imaginary)


def _bounds(kind: Callable[..., Any], *allowed: type) -> Callable[[Json, Again, Tensors], Any]:
    """Reads a range or a slice."""

    def read(content: Json, again: Again, tensors: Tensors) -> Any:
        parts = [again(part) for part in _list(content, 3)]
        if any(type(part) not in allowed for part in parts):
            raise TypeError(f"{parts!r:.40} are no bounds")
        return kind(*parts)

    return read


def _dict(content: Json, again: Again, tensors: Tensors) -> dict[Any, Any]:
    pairs = [_list(pair, 2) for pair in _list(content)]
    found = {again(key): again(item) for key, item in pairs}
    if len(found) != len(pairs):
        raise ValueError("a dict has a key twice")
    return found


def _read_array(content: Json, again: Again, tensors: Tensors) -> Any:
    dtype, shape, numbers = _list(content, 3)
    kind = np.dtype(_text(dtype))
    if kind.kind not in "biufcU" or kind.itemsize > WIDEST:
        raise ValueError(f"arrays of {kind!s:.40} are not read")
    if any(type(size) is not int or size < 0 for size in _list(shape)):
        raise TypeError(f"{shape!r:.40} is no shape")
    return np.array(again(numbers), dtype=kind).reshape(shape)


READERS: dict[str, Callable[[Json, Again, Tensors], Any]] = {
    "int": _whole,
    "float": _special_float,
    "complex": _complex,
    "tuple": _items(tuple),
    "list": _items(list),
    "set": _items(set),
    "frozenset": _items(frozenset),
    "dict": _dict,
    "bytes": lambda content, again, tensors: base64.b64decode(_text(content), validate=True),
    "range": _bounds(range, int),
    "slice": _bounds(slice, int, type(None), float, str, bool, tuple),
    "array": _read_array,
    "number": lambda content, again, tensors: _read_array(content, again, tensors)[()],
    "ellipsis": lambda content, again, tensors: ...,
    "fingerprint": lambda content, again, tensors: Fingerprint(*map(_text, _list(content, 3))),
}
