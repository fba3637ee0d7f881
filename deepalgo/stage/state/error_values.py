"""Exceptions as values: a class, what the exception was made of, and its attributes.

>>> error = ValueError("bad", 3)
>>> error.code = 7
>>> parts_of(error)
{0: 'bad', 1: 3, 'code': 7}
>>> copy = remade(ValueError, {0: "good", 1: 3, "code": 8})
>>> copy, copy.code
(ValueError('good', 3), 8)
"""

from __future__ import annotations

from typing import Any

#: Where the exception is kept that `raise ... from` names: Python's own slot takes exceptions only, not a choice between them.
CAUSE = "__cause__"


def parts_of(error: BaseException) -> dict[int | str, Any]:
    """What two exceptions of one class may differ in: arguments by their places, attributes by their names."""
    parts: dict[int | str, Any] = dict(enumerate(error.args))
    parts.update(vars(error))
    return parts


def remade(kind: type[BaseException], parts: dict[int | str, Any]) -> BaseException:
    """An exception of this class with the given parts; no code of the user's runs."""
    args = tuple(value for name, value in parts.items() if isinstance(name, int))
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update({name: value for name, value in parts.items() if isinstance(name, str)})
    return error
