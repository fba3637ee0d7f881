"""DeepNewton: root finders for polynomials and systems of them, made of Newton's method by `compile`, the transformations and `fit`.

>>> import deepalgo as da
>>> [name for name in dir(da.newton) if not name.startswith("_")]
['Result', 'Solver', 'TASKS', 'Task', 'all_roots', 'deep_newton', 'monomials', 'real_root', 'richer_newton']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepalgo.studies.newton.charts import real_root
    from deepalgo.studies.newton.deep import deep_newton, richer_newton
    from deepalgo.studies.newton.roots import all_roots
    from deepalgo.studies.newton.solver import Result, Solver
    from deepalgo.studies.newton.system import monomials
    from deepalgo.studies.newton.tasks import TASKS, Task

__all__ = ["TASKS", "Result", "Solver", "Task", "all_roots", "deep_newton", "monomials", "real_root", "richer_newton"]

_HOME = {
    "Result": "solver",
    "Solver": "solver",
    "TASKS": "tasks",
    "Task": "tasks",
    "all_roots": "roots",
    "deep_newton": "deep",
    "monomials": "system",
    "real_root": "charts",
    "richer_newton": "deep",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
