"""The one table of operations: type rule, torch form, Python and NumPy spelling, and where each may go wrong.

A module outside of `ops` can hold rows, too: `provide` names it, at no cost, and the table takes them in when it is first imported. Later
rows are added by `ops.table.register`.
"""

from __future__ import annotations

import sys

PROVIDERS: list[str] = []


def provide(module: str) -> None:
    """Make the `ROWS` of a module, given by its dotted name, part of the table of operations.

    >>> import deepalgo.ops.table
    >>> provide("flows.rows")
    Traceback (most recent call last):
    RuntimeError: the table of operations is in use: add the rows of flows.rows by deepalgo.ops.table.register
    """
    if "deepalgo.ops.table" in sys.modules:
        raise RuntimeError(f"the table of operations is in use: add the rows of {module} by deepalgo.ops.table.register")
    PROVIDERS.append(module)
