"""What an operation computes on the numbers of one sample, by its spellings in the table.

A single number is a `bool`, `int`, `float` or `complex` of Python's, an array an `np.ndarray`. Single numbers are computed as Python
does, or as NumPy does where the operation is NumPy's; arrays as NumPy does. Operations are total: where Python raises, the value is
NumPy's, or NaN where NumPy raises as well, and it is the checks of the program that say what is raised.

>>> from deepalgo.ir.program import Value
>>> x, y = Value(0, Type(Kind.REAL)), Value(1, Type(Kind.REAL))
>>> exp = compute(Op(y, "exp", (x,)))
>>> with np.errstate(all="ignore"):
...     exp(1.0), exp(1000.0)
(2.718281828459045, inf)
"""

from __future__ import annotations

import cmath
import functools
import importlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from deepalgo.ir.program import By, Op
from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.by_numpy import DTYPES
from deepalgo.ops.indexing import PUT, subscript
from deepalgo.ops.row import Row
from deepalgo.ops.table import TABLE

Compute: TypeAlias = Callable[..., Any]

NUMBERS: dict[Kind, Callable[[Any], Any]] = {Kind.BOOL: bool, Kind.INT: int, Kind.REAL: float, Kind.COMPLEX: complex}
#: The value of an operation that even NumPy does not give one.
NOTHING: dict[Kind, Any] = {Kind.BOOL: False, Kind.INT: 0, Kind.REAL: math.nan, Kind.COMPLEX: complex(math.nan, math.nan)}
PLACE = re.compile(r"\{(\w+|\*)\}")
OF_MATH = re.compile(r"\bmath\.(\w+)")


def compute(op: Op) -> Compute:
    """The function of an operation, from the values of its operands to that of its result."""
    row, types = TABLE[op.name], [arg.type for arg in op.args]
    common = common_kind(row, types)
    meets = [type.kind if common is None or place < row.apart else common for place, type in enumerate(types)]
    single = not op.result.type.shape and not any(type.shape for type in types)
    if not single:
        operands = [_array(f"a{place}", type, kind) for place, (type, kind) in enumerate(zip(types, meets, strict=True))]
        return _function(fill(row.numpy, operands, dict(op.attrs)), len(types), op.result.type, (), row.numpy_form)
    numpy = [f"{DTYPES[kind].__name__}(a{place})" for place, kind in enumerate(meets)]
    other = fill(row.numpy, [f"np.{text}" for text in numpy], dict(op.attrs))
    if op.by is By.NUMPY:
        return _function(other, len(types), op.result.type, (), row.numpy_form)
    python = [_number(f"a{place}", type, kind) for place, (type, kind) in enumerate(zip(types, meets, strict=True))]
    return _function(fill(spelling(row, meets), python, dict(op.attrs)), len(types), op.result.type, (other,), row.numpy_form)


def common_kind(row: Row, types: Sequence[Type]) -> Kind | None:
    """The kind that the operands are brought to, None where they stay as they are."""
    if row.common is None:
        return None
    return max((row.common, *(type.kind for type in types[row.apart :])))


def spelling(row: Row, kinds: Sequence[Kind]) -> str:
    """The Python spelling on operands of these kinds: complex numbers are the business of `cmath`.

    >>> spelling(TABLE["exp"], [Kind.COMPLEX]), spelling(TABLE["angle"], [Kind.COMPLEX])
    ('cmath.exp({0})', 'math.atan2(({0}).imag, ({0}).real)')
    """
    if Kind.COMPLEX not in kinds:
        return row.python
    return OF_MATH.sub(lambda found: f"c{found[0]}" if hasattr(cmath, found[1]) else found[0], row.python)


def fill(template: str, operands: Sequence[str], attrs: Mapping[str, Attr]) -> str:
    """The template with its operands, which need no brackets, and its attributes."""

    def place(found: re.Match[str]) -> str:
        match found[1]:
            case "*":
                return ", ".join(operands)
            case "path":
                key = attrs["key"]
                assert isinstance(key, tuple)
                return "".join(f"[{item!r}]" for item in key)
            case "subscript":
                return subscript(attrs["key"])
            case name if name.isdigit():
                return operands[int(name)]
            case name:
                held = attrs[name]
                return held if isinstance(held, str) else repr(held)  # which stands in quotes already

    return PLACE.sub(place, template)


def bring(value: Any, type: Type) -> Any:
    """A value as this type has it: a plain number, or an array of its shape.

    >>> bring(True, Type(Kind.REAL)), bring([1, 2], Type(Kind.REAL, (2,)))
    (1.0, array([1., 2.]))
    """
    if type.shape:
        return np.asarray(value, DTYPES[type.kind]).reshape(type.shape)
    return NUMBERS[type.kind](value)


def nothing(type: Type) -> Any:
    """What an operation gives that has no value: NaN, or zero for a kind that has none."""
    return np.full(type.shape, NOTHING[type.kind]) if type.shape else NOTHING[type.kind]


def _number(text: str, type: Type, kind: Kind) -> str:
    return text if type.kind == kind else f"{NUMBERS[kind].__name__}({text})"


def _array(text: str, type: Type, kind: Kind) -> str:
    if not type.shape:
        return _number(text, type, kind)
    return text if type.kind == kind else f"{text}.astype({NUMBERS[kind].__name__})"


@functools.lru_cache(maxsize=4096)
def _function(text: str, count: int, type: Type, others: tuple[str, ...], form: str = "") -> Compute:
    """The function of so many operands with this text, which may call what is written in a form; where it raises, the others are asked."""
    name, names = NUMBERS[type.kind].__name__, ", ".join(f"a{place}" for place in range(count))
    shown = "r if r.__class__ is " + (f"ndarray and r.dtype == dtype and r.shape == {type.shape!r}" if type.shape else name)
    lines = (f"def function({names}):", "    try:", f"        r = {text}", f"        return {shown} else bring(r, type)",
             "    except FAILURES:", f"        return beyond({names})")
    beyond = _function(others[0], count, type, others[1:], form) if others else lambda *_: nothing(type)
    space = function_space(text, form)
    space |= {"bring": bring, "type": type, "dtype": np.dtype(DTYPES[type.kind]), "ndarray": np.ndarray, "beyond": beyond}
    exec("\n".join(lines), space)
    made: Compute = space["function"]
    return made


#: What spellings raise where a value is missing; a name that is missing is a defect of the spelling.
FAILURES = (ArithmeticError, ValueError, TypeError, IndexError)
SPACE: dict[str, Any] = {"math": math, "cmath": cmath, "np": np, "FAILURES": FAILURES}
exec(PUT, SPACE)


def function_space(text: str, form: str = "") -> dict[str, Any]:
    """What a spelling may call; modules that take long to import only where they are named."""
    space = dict(SPACE)
    if "scipy." in text:
        space["scipy"] = SimpleNamespace(special=importlib.import_module("scipy.special"))
    return space | vars(importlib.import_module(form)) if form else space
