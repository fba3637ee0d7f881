"""All rules of Python, NumPy and SciPy, and how the rule of a function is found."""

from __future__ import annotations

from typing import Any

from deepalgo.stage.rules.gate import rule_of
from deepalgo.stage.rules.numpy import (  # noqa: F401 - they register their rules
    constructors,
    counting,
    elementwise,
    fourier,
    joining,
    kinds,
    layout,
    linear,
    masked,
    option_replacements,
    polynomials,
    reductions,
    replacements,
    rows,
    ufunc_methods,
    vectorizing,
)
from deepalgo.stage.rules.python import (  # noqa: F401 - they register their rules
    builtin_containers,
    builtin_next,
    builtin_numbers,
    builtin_questions,
    caching,
    collection_rules,
    complex_mathematics,
    dataclass_functions,
    functools_rules,
    heapq_rules,
    itertools_rules,
    mathematics,
    named_operations,
    operator_functions,
    sequence_methods,
    sums,
    warnings_as_errors,
)
from deepalgo.stage.rules.registry import HANDLERS, Handler
from deepalgo.stage.rules.scipy import compiled_functions

__all__ = ["HANDLERS", "find"]


def find(function: Any) -> Handler | None:
    """The rule of a function, if it has one."""
    try:
        return rule_of(function) if function in HANDLERS else compiled_functions.find(function) or named_operations.find(function)
    except TypeError:  # not hashable
        return None
