"""The numbers of a program as text: weights with their current values, tables, constant arrays.

>>> number(0.1), number(float("-inf")), number(2 + 0j)
('0.1', '-math.inf', '(2+0j)')
>>> nested(((1.0, 2.0), (3.0, 4.0))), nested((5.0,))
('((1.0, 2.0), (3.0, 4.0))', '(5.0,)')
>>> array(((0.0, 0.0),), Kind.REAL), array((1.0, 2.5), Kind.REAL), array((1, 0), Kind.INT)
('np.zeros((1, 2))', 'np.array([1.0, 2.5])', 'np.array([1, 0])')
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from deepalgo.backends.expression import ATOM, UNARY, Fragment
from deepalgo.ir import Kind, Role

#: Keys that the front end made up: a letter and the line.
ANONYMOUS = re.compile(r"[ct]\d+(_\d+)*$")


def number(value: Any) -> str:
    """A number as Python source, exactly."""
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if value != value else "math.inf" if value > 0 else "-math.inf"
    if isinstance(value, complex) and not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return f"complex({number(value.real)}, {number(value.imag)})"
    return repr(value)


def literal(value: Any) -> Fragment:
    """A number and how tightly its sign binds."""
    text = number(value)
    return Fragment(text, UNARY if text.startswith("-") else ATOM)


def nested(value: Any) -> str:
    """Nested tuples."""
    if not isinstance(value, tuple):
        return number(value)
    return f"({', '.join(map(nested, value))}{',' if len(value) == 1 else ''})"


def array(value: Any, kind: Kind) -> str:
    """A NumPy array; one that is filled with a single number says so."""
    shape, items = _shape(value), set(map(number, _items(value)))
    size = str(shape[0]) if len(shape) == 1 else str(shape)
    dtype = {Kind.BOOL: ", bool", Kind.INT: ", int", Kind.COMPLEX: ", complex"}.get(kind, "")
    if items <= {"0.0"} and kind == Kind.REAL:
        return f"np.zeros({size})"
    if items == {"1.0"} and kind == Kind.REAL:
        return f"np.ones({size})"
    if len(items) == 1 and math.prod(shape) > 4:
        return f"np.full({size}, {items.pop()})"
    return f"np.array({_lists(value)}{dtype if not items else ''})"


def _lists(value: Any) -> str:
    return f"[{', '.join(map(_lists, value))}]" if isinstance(value, tuple) else number(value).replace("math.", "np.")


def _items(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _items(item)
    else:
        yield value


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value), *(_shape(value[0]) if value else ())) if isinstance(value, tuple) else ()


#: What an unnamed table is called by its role.
TITLES = {Role.COEFFICIENT: "FACTOR", Role.EXPONENT: "EXPONENT", Role.THRESHOLD: "THRESHOLD", Role.INITIAL: "START"}


def constant_name(key: str, role: Role) -> str:
    """What a weight is called at the top of the file: STEP for `step`; by its role and its line if it has no name.

    >>> constant_name("filter.gain", Role.COEFFICIENT), constant_name("t77_2", Role.THRESHOLD), constant_name("G0", Role.COEFFICIENT)
    ('FILTER_GAIN', 'THRESHOLD_77_2', 'G0')
    """
    if ANONYMOUS.match(key):
        return f"{TITLES[role]}_{key[1:]}"
    return re.sub(r"\W+", "_", key).strip("_").upper()
