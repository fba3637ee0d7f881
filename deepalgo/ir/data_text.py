"""Attributes, weights and fixed objects as text from which the same data can be read, to the last bit.

>>> write_data((1, -0.0, float("nan"), complex(0.0, -float("inf")), "it's", None))
'(1, -0.0, nan, complex(0.0, -inf), "it\\'s", None)'
>>> write_data(object) == f"object({str(object)!r})"
True
"""

from __future__ import annotations

import math
import re

import numpy as np

#: The types of NumPy's numbers that Python's own numbers can tell.
NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex128")
#: Characters of a line, before it is broken.
WIDTH = 120
#: Where a line may be broken, and what must stay whole.
PIECE = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[(\[{]|[)\]}]|,\ |[^'"()\[\]{},]+|,""")


def write_data(item: object) -> str:
    """Numbers and arrays, texts, None, and collections of them; `object('...')` for anything else, which cannot be read."""
    kind = type(item)
    if item is None or item is ... or kind in (bool, int, str, bytes):
        return "..." if item is ... else repr(item)
    if kind is float:
        return _write_float(item)  # type: ignore[arg-type]
    if kind is complex:
        return f"complex({_write_float(item.real)}, {_write_float(item.imag)})"  # type: ignore[attr-defined]
    if isinstance(item, tuple) and kind is tuple:
        return f"({', '.join(map(write_data, item))}{',' if len(item) == 1 else ''})"
    if isinstance(item, list) and kind is list:
        return f"[{', '.join(map(write_data, item))}]"
    if isinstance(item, dict) and kind is dict:
        return f"{{{', '.join(f'{write_data(key)}: {write_data(held)}' for key, held in item.items())}}}"
    return _write_call(item) or f"object({str(item)!r})"


def _write_call(item: object) -> str:
    """What only a call makes: `range(0, 3, 1)`, `np.int64(2)`, `np.array((1.0, 2.0), (2,), 'float64')`; '' for anything else."""
    match item:
        case range() | slice():
            parts: tuple[object, ...] = (item.start, item.stop, item.step)
        case set() | frozenset() if type(item) in (set, frozenset):
            parts = (tuple(sorted(item, key=write_data)),)
        case np.generic() if item.dtype.name in NUMBERS:
            return f"np.{item.dtype.name}({write_data(item.item())})"
        case np.ndarray() if type(item) is np.ndarray and item.dtype.name in NUMBERS:
            return f"np.array({write_data(tuple(item.ravel().tolist()))}, {item.shape}, {item.dtype.name!r})"
        case _:
            return ""
    return f"{type(item).__name__}({', '.join(map(write_data, parts))})"


def _write_float(item: float) -> str:
    """The shortest text with the same bits; NaN with its sign."""
    return ("-nan" if math.copysign(1.0, item) < 0 else "nan") if math.isnan(item) else repr(item)


def wrapped(line: str, indent: str) -> str:
    """A line, broken after commas inside of brackets where it is too long.

    >>> print(wrapped("  weight w = (" + ", ".join(["1.0"] * 30) + ")", "    "))
      weight w = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
        1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    """
    if len(line) <= WIDTH:
        return line
    lines, current, since, depth = list[str](), list[str](), list[str](), 0
    length = 0
    for piece in PIECE.findall(line):
        depth += (piece in "([{") - (piece in ")]}")
        since.append(piece)
        if piece == ", " and depth > 0:
            part = "".join(since)
            if current and length + len(part) > WIDTH + 1:
                lines.append("".join(current).rstrip())
                current, length = [indent], len(indent)
            current.append(part)
            length += len(part)
            since = []
    last = "".join(since)
    if current and length + len(last) > WIDTH:
        lines.append("".join(current).rstrip())
        current = [indent]
    return "\n".join((*lines, "".join(current) + last))
