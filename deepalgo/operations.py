"""Operations of ours in graphs that torch has saved: they are declared before torch reads one.

`import deepalgo` imports no torch. A process that only loads what another has exported makes no network either, which
would bring the operations; so they are declared when torch imports what reads and compiles graphs.
"""

from __future__ import annotations

import importlib
import importlib.abc
import sys
from collections.abc import Sequence
from types import ModuleType

#: What torch imports before it reads or compiles a graph, and not before.
READERS = ("torch._export.serde", "torch._inductor")
#: Modules that declare all operations.
DECLARING = ("deepalgo.ops.forms", "deepalgo.backends.torch.backend")


class BeforeGraphs(importlib.abc.MetaPathFinder):
    """Finds no module, but sees that one of the readers is about to be imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        """Declare the operations before the first of the readers."""
        if name in READERS and self in sys.meta_path:
            sys.meta_path.remove(self)
            declare()


def declare() -> None:
    """Make the operations known to torch."""
    for module in DECLARING:
        importlib.import_module(module)


def declare_in_time() -> None:
    """Declare them now if a reader is there, else before there is one."""
    if any(name in sys.modules for name in READERS):
        declare()
    elif not any(isinstance(finder, BeforeGraphs) for finder in sys.meta_path):
        sys.meta_path.insert(0, BeforeGraphs())
