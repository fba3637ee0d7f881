"""Which backend networks run on: what is asked for, what the variable DEEPALGO_BACKEND says, or native code.

>>> chosen("torch"), chosen("native")
('torch', 'native')
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from deepalgo.backends.interface import Backend, Host
from deepalgo.backends.native.backend import NativeBackend
from deepalgo.backends.torch.backend import TorchBackend

#: What makes the backend of a network, by its name.
BACKENDS: Mapping[str, Callable[[Host], Backend]] = {"native": NativeBackend, "torch": TorchBackend}


def chosen(wish: str | None) -> str:
    """The name of a backend."""
    found = wish or os.environ.get("DEEPALGO_BACKEND") or "native"
    if found not in BACKENDS:
        where = "backend" if wish else "DEEPALGO_BACKEND"
        raise ValueError(f"{where} must be {' or '.join(map(repr, BACKENDS))}, not {found!r}")
    return found
