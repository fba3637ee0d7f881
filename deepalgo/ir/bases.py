"""The classes above an exception: those above Python's own need not be written.

>>> complete("Lost", ("ValueError",))
('ValueError', 'Exception', 'BaseException')
>>> shorten("Lost", ("ValueError", "Exception", "BaseException")), shorten("ValueError", ("Exception", "BaseException"))
(('ValueError',), ())
>>> print(shorten("ValueError", ()))
None
"""

from __future__ import annotations

import builtins


def complete(error: str, bases: tuple[str, ...]) -> tuple[str, ...]:
    """The classes above an exception, and those above the last of them if that is Python's own."""
    held = getattr(builtins, (error, *bases)[-1], None)
    if not isinstance(held, type) or not issubclass(held, BaseException):
        return bases
    return (*bases, *(base.__name__ for base in held.__mro__[1:] if issubclass(base, BaseException)))


def shorten(error: str, bases: tuple[str, ...]) -> tuple[str, ...] | None:
    """As few of the classes as tell the others; None if they are not all the classes above it."""
    return next((bases[:count] for count in range(len(bases) + 1) if complete(error, bases[:count]) == bases), None)
