"""What Python raises by itself, found by trying: a check that says no more than that need not be written.

>>> raises("{0} / {1}", (None, None), (1.0, 0.0))
'ZeroDivisionError'
>>> can_raise("{0} / {1}", (None, 3.7)), can_raise("math.exp({0})", (None,)), can_raise("{0} * {1}", (None, None))
(False, True, False)
"""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from deepalgo.emit.expression import Text, fill

#: Numbers at which operations fail in their different ways.
PROBES: tuple[float, ...] = (
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.0,
    -2.0,
    -3.0,
    700.0,
    -700.0,
    800.0,
    1e155,
    -1e155,
    1e308,
    -1e308,
    5e-324,
    math.inf,
    -math.inf,
    math.nan,
)
WHOLE: tuple[int, ...] = (0, 1, -1, 2, -2, 7, 60)
NAMES = "abcdefghij"
SPACE: dict[str, Any] = {"math": math, "cmath": cmath, "inf": math.inf, "nan": math.nan}
FOREIGN = re.compile(r"\b(np|scipy)\.")
Known = tuple[Any, ...]


@functools.cache
def function_of(template: str, count: int) -> Callable[..., Any]:
    """The operation as a Python function of its operands."""
    names = NAMES[:count]
    text = fill(template, [Text(name) for name in names]).text
    return eval(f"lambda {', '.join(names)}: {text}", SPACE)  # type: ignore[no-any-return]


def raises(template: str, known: Known, point: Sequence[Any]) -> str | None:
    """The exception of an operation at a point, where known operands have their value."""
    operands = [number if held is None else held for number, held in zip(point, known, strict=True)]
    try:
        function_of(template, len(known))(*operands)
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error).__name__
    return None


@functools.lru_cache(maxsize=None, typed=True)
def messages(template: str, known: Known, whole: tuple[bool, ...]) -> frozenset[str]:
    """What Python says where the operation raises.

    >>> sorted(messages("{0} / {1}", (None, None), (False, False)))
    ['float division by zero']
    """
    found = set()
    for point in failures(template, known, whole):
        try:
            function_of(template, len(known))(*point)
        except (ArithmeticError, ValueError, TypeError) as error:
            found.add(str(error))
    return frozenset(found)


@functools.cache
def points(known: Known, whole: tuple[bool, ...]) -> tuple[tuple[Any, ...], ...]:
    """Operands to try."""
    choices = [(held,) if held is not None else WHOLE if is_whole else PROBES for held, is_whole in zip(known, whole, strict=True)]
    return tuple(itertools.product(*choices))


@functools.lru_cache(maxsize=None, typed=True)
def failures(template: str, known: Known, whole: tuple[bool, ...] = ()) -> dict[tuple[Any, ...], str]:
    """The points at which an operation raises, and what."""
    if _is_foreign(template):
        return {}
    whole = whole or (False,) * len(known)
    found = {point: raises(template, known, point) for point in points(known, whole)}
    return {point: error for point, error in found.items() if error is not None}


def can_raise(template: str, known: Known, whole: tuple[bool, ...] = ()) -> bool:
    """Whether an operation on Python numbers can raise."""
    return bool(failures(template, known, whole))


@functools.lru_cache(maxsize=None, typed=True)
def implies(template: str, known: Known, whole: tuple[bool, ...], ok: str, error: str) -> bool:
    """Whether the operation raises this error wherever `ok`, a text in the operands a, b, ... and the result r, is false.

    A check that never fails is implied by any operation.

    >>> implies("{0} / {1}", (None, None), (False, False), "b != 0.0", "ZeroDivisionError")
    True
    >>> implies("{0} / {1}", (None, None), (False, False), "b > 0.0", "ZeroDivisionError")
    False
    """
    if _is_foreign(template) or _is_foreign(ok):
        return False
    question = eval(f"lambda {', '.join(NAMES[: len(known)])}, r: {ok}", SPACE)
    found = failures(template, known, whole)
    operation = function_of(template, len(known))
    wrong = []
    for point in points(known, whole):
        raised = found.get(point)
        result = operation(*point) if raised is None else math.inf if raised == "OverflowError" else 0.0
        if not isinstance(result, complex) and not _holds(question, point, result):
            wrong.append((point, raised))
    # At infinity Python may do better than the check says; that is what the user's own function does, too.
    there = all(raised == error or not all(map(math.isfinite, point)) for point, raised in wrong)
    return not wrong or (there and error in found.values())


def _holds(question: Callable[..., Any], point: Sequence[Any], result: Any) -> bool:
    try:
        return bool(question(*point, result))
    except (ArithmeticError, ValueError, TypeError):
        return False


def _is_foreign(text: str) -> bool:
    """Whether a text calls NumPy or SciPy, which do not raise on numbers."""
    return FOREIGN.search(text) is not None
