"""Compile a Python heuristic, unchanged, into a trainable torch network with exactly its answers.

The names below are the whole public surface. What is heavy is imported when it is first used, so that `import deepalgo`
stays quick and a file that only marks its constants with `weight` never loads torch.

>>> import deepalgo as da
>>> [name for name in dir(da) if not name.startswith("_")]
['CompileError', 'DeepalgoError', 'FileError', 'Fit', 'HeuristicError', 'InputError', 'Network', 'VerificationError',
 'compile', 'fit', 'load', 'weight']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from deepalgo.errors import CompileError, DeepalgoError, FileError, HeuristicError, InputError, VerificationError

if TYPE_CHECKING:
    from deepalgo.compiler import compile
    from deepalgo.fitting.fit import fit
    from deepalgo.fitting.report import Fit
    from deepalgo.marks import weight
    from deepalgo.network import Network, load

__version__ = "0.1.0.dev0"

__all__ = [
    "CompileError", "DeepalgoError", "FileError", "Fit", "HeuristicError", "InputError", "Network", "VerificationError", "__version__",
    "compile", "fit", "load", "weight",
]

_HOME = {
    "compile": "deepalgo.compiler",
    "fit": "deepalgo.fitting.fit",
    "Fit": "deepalgo.fitting.report",
    "load": "deepalgo.network",
    "Network": "deepalgo.network",
    "weight": "deepalgo.marks",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'deepalgo' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
