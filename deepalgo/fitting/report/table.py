"""Tables as plain text.

>>> print(table([("name", "value"), ("gain", "0.5")], indent="  "))
  name  value
  gain  0.5
"""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Rows in columns of even width; columns in which only the head says something are left out."""
    used = [column for column in range(len(rows[0])) if column == 0 or any(row[column] for row in rows[1:])]
    widths = {column: max(len(row[column]) for row in rows) for column in used}
    return "\n".join(indent + "  ".join(row[column].ljust(widths[column]) for column in used).rstrip() for row in rows)


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "sample"), count(3, "loop")
    ('1 sample', '3 loops')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
