"""Reads what is no statement: numbers, attributes, types, paths.

>>> read_data(Scanner("(1, -0.0, 'a', (2.5,), nan)"))
(1, -0.0, 'a', (2.5,), nan)
>>> print(read_type(Scanner("real[2, 3]")))
real[2, 3]
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.ir.data_text import NUMBERS
from deepalgo.ir.scan import Scanner
from deepalgo.kinds import Kind, Type

KINDS = {kind.name.lower(): kind for kind in Kind}
NAMES: dict[str, object] = {"None": None, "True": True, "False": False, "inf": math.inf, "nan": math.nan}
SIGNED = {"+inf": math.inf, "-inf": -math.inf, "+nan": math.nan, "-nan": math.copysign(math.nan, -1.0)}
#: Brackets inside of one another.
DEEPEST = 150


def begins_number(scanner: Scanner) -> bool:
    """Whether a number, or a tuple of them, comes next."""
    token = scanner.next
    return token.kind == "number" or token.text in ("True", "False", "inf", "nan", "complex", "(")


def read_data(scanner: Scanner, depth: int = 0) -> object:
    """What `write_data` wrote."""
    if depth > DEEPEST:
        scanner.fail("brackets lie too deep in one another")
    token = scanner.next
    match token.kind:
        case "number":
            return read_number(scanner)
        case "string":
            return read_string(scanner)
        case "name" if token.text in NAMES:
            return NAMES[scanner.take().text]
        case "name" if token.text == "object":
            scanner.fail("a text cannot hold this object")
        case "name" if token.text in CALLS:
            return _read_call(scanner, depth)
        case "mark" if token.text == "...":
            scanner.take()
            return ...
        case "mark" if token.text in ("(", "[", "{"):
            return _read_collection(scanner, depth)
    scanner.miss("a number, a text, or a tuple of them")


def read_number(scanner: Scanner) -> int | float:
    """A whole number, or a float with all its bits."""
    token = scanner.expect_kind("number", "a number")
    if token.text in SIGNED:
        return SIGNED[token.text]
    return float(token.text) if any(mark in token.text for mark in ".eE") else _whole(scanner, token.text)


def _whole(scanner: Scanner, text: str) -> int:
    try:
        return int(text)
    except ValueError:  # beyond the digits that Python reads
        scanner.place -= 1
        scanner.fail("this number is too long")


def read_count(scanner: Scanner) -> int:
    """A whole number that is not negative."""
    token = scanner.next
    if token.kind != "number" or not token.text.isdigit():
        scanner.miss("a whole number")
    return _whole(scanner, scanner.take().text)


def read_string(scanner: Scanner) -> str | bytes:
    """A text in quotes, or bytes."""
    token = scanner.expect_kind("string", "a text in quotes")
    try:
        text: str | bytes = ast.literal_eval(token.text)
    except (SyntaxError, ValueError):
        scanner.fail("this is no text as Python writes it", token)
    return text


def read_text(scanner: Scanner) -> str:
    """A text in quotes."""
    token = scanner.next
    text = read_string(scanner)
    if not isinstance(text, str):
        scanner.fail("expected a text, found bytes", token)
    return text


def read_name(scanner: Scanner, what: str) -> str:
    """A name, with dots or without; one that is none otherwise stands in quotes."""
    if scanner.next.kind == "string":
        return read_text(scanner)
    return scanner.expect_kind("name", what).text


def read_type(scanner: Scanner) -> Type:
    """`real`, `int[2, 3]`."""
    if scanner.next.text not in KINDS:
        scanner.miss("a type (bool, int, real, complex)")
    kind, shape = KINDS[scanner.take().text], list[int]()
    if scanner.accept("["):
        shape.append(read_count(scanner))
        while scanner.accept(","):
            shape.append(read_count(scanner))
        scanner.expect("]")
    return Type(kind, tuple(shape))


def read_path(scanner: Scanner) -> str:
    """`x`, `points[0]['y']`, or anything in quotes."""
    path = read_name(scanner, "the name of an input")
    while scanner.accept("["):
        path += f"[{read_data(scanner)!r}]"
        scanner.expect("]")
    return path


def _read_call(scanner: Scanner, depth: int) -> object:
    """`complex(0.0, -inf)`, `range(0, 3, 1)`, `np.int64(2)`."""
    token = scanner.take()
    scanner.expect("(")
    parts, _ = _read_items(scanner, ")", depth)
    try:
        return CALLS[token.text](*parts)
    except (TypeError, ValueError, OverflowError) as error:
        scanner.fail(f"this is no {token.text}: {error}", token)


def _array(items: tuple[Any, ...], shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    if dtype not in NUMBERS:
        raise ValueError(f"there is no {dtype!r}")
    return np.array(items, dtype).reshape(shape)


CALLS: dict[str, Callable[..., object]] = {
    "complex": complex, "range": range, "slice": slice, "set": set, "frozenset": frozenset, "np.array": _array,
    **{f"np.{name}": np.dtype(name).type for name in NUMBERS},
}


def _read_collection(scanner: Scanner, depth: int) -> object:
    """A tuple, a list or a dict; brackets around one item and no comma are only brackets."""
    match scanner.take().text:
        case "(":
            items, comma = _read_items(scanner, ")", depth)
            return items[0] if len(items) == 1 and not comma else tuple(items)
        case "[":
            return _read_items(scanner, "]", depth)[0]
        case _:
            keys: list[object] = []
            items, _ = _read_items(scanner, "}", depth, keys)
            return dict(zip(keys, items, strict=True))


def _read_items(scanner: Scanner, closing: str, depth: int, keys: list[object] | None = None) -> tuple[list[object], bool]:
    """Items up to a bracket, and whether a comma stands before it; `keys` takes those of a dict."""
    items: list[object] = []
    comma = True
    while not scanner.accept(closing):
        if not comma:
            scanner.miss(f"`,` or `{closing}`")
        if keys is not None:
            keys.append(read_data(scanner, depth + 1))
            scanner.expect(":")
        items.append(read_data(scanner, depth + 1))
        comma = scanner.accept(",")
    return items, comma
