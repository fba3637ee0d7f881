"""Which backend networks run on: what is asked for, what the variable DEEPALGO_BACKEND says, or torch.

>>> chosen("native"), chosen(None)
('native', 'torch')
"""

from __future__ import annotations

import os

BACKENDS = ("native", "torch")


def chosen(wish: str | None) -> str:
    """The name of a backend."""
    found = wish or os.environ.get("DEEPALGO_BACKEND") or "torch"
    if found not in BACKENDS:
        where = "backend" if wish else "DEEPALGO_BACKEND"
        raise ValueError(f"{where} must be {' or '.join(map(repr, BACKENDS))}, not {found!r}")
    return found
