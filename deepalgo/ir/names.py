"""What may stand in written code as a name: an identifier as Python reads it, no keyword, and nothing that is read as another one.

>>> is_name("x"), is_name("class"), is_name("x.y"), is_name("\\ufb01")
(True, False, False, False)
>>> is_error("ValueError"), is_error("Lost"), is_error("int")
(True, True, False)
"""

from __future__ import annotations

import builtins
import keyword
import unicodedata

#: Characters of a name.
LONGEST = 300


def is_name(text: str) -> bool:
    """An identifier; Python reads `\\ufb01` as `fi`, so a name must be what it is read as."""
    return text.isidentifier() and not keyword.iskeyword(text) and len(text) <= LONGEST and unicodedata.normalize("NFKC", text) == text


def is_key(text: str) -> bool:
    """The name of a weight: names with dots between them, which may start with a digit."""
    return bool(text) and len(text) <= LONGEST and all(is_name(f"_{part}") for part in text.split("."))


def is_error(text: str) -> bool:
    """The name of an exception: Python's own, or one that Python has not."""
    held = getattr(builtins, text, None) if is_name(text) else None
    return is_name(text) and (held is None or isinstance(held, type) and issubclass(held, BaseException))


def is_line(text: str) -> bool:
    """One line of text that cannot end a comment in code, and that can be written to a file."""
    return not any(character in "\n\r\0" or "\ud800" <= character <= "\udfff" for character in text)
