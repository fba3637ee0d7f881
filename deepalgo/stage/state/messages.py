"""Messages of exceptions: the only strings that may be made from data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deepalgo.stage.state.values import DataText, Signal

if TYPE_CHECKING:
    from deepalgo.stage.state.values import UserRaise


#: A placeholder's number, or a brace of the user's own text.
PLACEHOLDER = re.compile(r"\{\{|\{(\d+)")


def message_of(error: UserRaise) -> tuple[str, tuple[Signal, ...]]:
    """The message of a raised exception with `{0}`, `{1}` for the numbers in it."""
    if error.message is not None:
        return as_template(error.message)
    if isinstance(error.error, type):
        return "", ()
    arguments = error.error.args
    if len(arguments) == 1 and isinstance(arguments[0], (str, DataText, Signal)) and not isinstance(error.error, KeyError):
        return as_template(arguments[0])
    try:
        return escape(str(error.error)), ()
    except Exception:  # numbers that depend on data among its arguments
        return ", ".join(as_template(item)[0] for item in arguments), ()


def as_template(part: Any) -> tuple[str, tuple[Signal, ...]]:
    """Any object as text, with placeholders for numbers that depend on data."""
    match part:
        case DataText():
            return part.template, part.operands
        case Signal():
            return "{0}", (part,)
        case str():
            return escape(part), ()
        case _:
            return escape(plain(part)), ()


def plain(part: Any) -> str:
    """`str(part)`, or the type's name where that would touch a Signal."""
    try:
        return str(part)
    except Exception:  # a container with Signals in it
        return f"<{type(part).__name__}>"


def escape(text: str) -> str:
    """Keep braces of the user's own text apart from placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


def concatenate(parts: list[Any]) -> str | DataText:
    """The parts of an f-string, one after the other."""
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)
    template = ""
    operands: list[Signal] = []
    for part in parts:
        text, signals = as_template(part)
        template += text if not signals else shift(text, len(operands), len(signals))
        operands.extend(signals)
    return DataText(template, tuple(operands))


def shift(template: str, by: int, count: int) -> str:
    """Renumber placeholders, with their formats.

    >>> shift("{0:.3f} of {1} {{0}}", 2, 2)
    '{2:.3f} of {3} {{0}}'
    """
    return PLACEHOLDER.sub(lambda found: found[0] if found[1] is None else f"{{{int(found[1]) + by}", template)
