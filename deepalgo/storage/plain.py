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
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from deepalgo.fingerprint import Fingerprint, Unfit, fingerprint

#: From this size on, a table of numbers is a tensor.
LARGE = 32
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


def encode(value: object, tensors: Tensors) -> Json:
    """Any plain data; NotPlain for everything else."""

    def again(item: object) -> Json:
        return encode(item, tensors)

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
    if value.dtype.kind not in "biufcU":
        raise NotPlain(f"an array of {value.dtype} is no plain data")
    kind = "array" if isinstance(value, np.ndarray) else "number"
    return {kind: [value.dtype.str, list(value.shape), again(value.ravel().tolist() if isinstance(value, np.ndarray) else [value.item()])]}


def decode(data: Json, tensors: Tensors) -> Any:
    """The value that `encode` was given; ValueError, KeyError or TypeError where the data is something else."""
    if data is None or type(data) in (bool, int, float, str):
        return data
    ((kind, content),) = data.items()
    return READERS[kind](content, tensors)


def _items(kind: Callable[[Any], Any]) -> Callable[[Json, Tensors], Any]:
    def read(content: Json, tensors: Tensors) -> Any:
        if isinstance(content, dict):
            return _nested(tensors.held[content["tensor"]].tolist(), kind)
        return kind(decode(item, tensors) for item in _list(content))

    return read


def _nested(value: Any, kind: Callable[[Any], Any]) -> Any:
    return kind(_nested(item, kind) for item in value) if isinstance(value, list) else value


def _list(content: Json) -> list[Any]:
    if not isinstance(content, list):
        raise TypeError("a list is expected")
    return content


def _special_float(content: Json, tensors: Tensors) -> float:
    return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[content]


def _read_array(content: Json, tensors: Tensors) -> Any:
    dtype, shape, numbers = content
    kind = np.dtype(str(dtype))
    if kind.kind not in "biufcU":
        raise ValueError(f"arrays of {kind} are not read")
    return np.array(decode(numbers, tensors), dtype=kind).reshape(shape)


READERS: dict[str, Callable[[Json, Tensors], Any]] = {
    "int": lambda content, _: int(str(content)),
    "float": _special_float,
    "complex": lambda content, tensors: complex(*(decode(part, tensors) for part in content)),
    "tuple": _items(tuple),
    "list": _items(list),
    "set": _items(set),
    "frozenset": _items(frozenset),
    "dict": lambda content, tensors: {decode(key, tensors): decode(item, tensors) for key, item in _list(content)},
    "bytes": lambda content, _: base64.b64decode(content, validate=True),
    "range": lambda content, tensors: range(*(decode(part, tensors) for part in content)),
    "slice": lambda content, tensors: slice(*(decode(part, tensors) for part in content)),
    "array": _read_array,
    "number": lambda content, tensors: _read_array(content, tensors)[()],
    "ellipsis": lambda content, _: ...,
    "fingerprint": lambda content, _: Fingerprint(*map(str, content)),
}
