"""NumPy's questions about types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.stage.arrays.convert import known_plain, shape
from deepalgo.stage.arrays.layout import call_plain
from deepalgo.stage.machine import Machine
from deepalgo.stage.natives import Args, Handler, Kwargs, handles, register
from deepalgo.stage.unions import distribute


def _question(native: Callable[..., Any]) -> Handler:
    """Questions that the type of an argument answers."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        from deepalgo.stage.builtin_questions import representative

        def ask(value: Any) -> Any:
            held = known_plain(machine, value) if isinstance(value, (list, tuple)) else representative(value)
            if isinstance(value, (list, tuple)) and held is None:
                held = np.empty(shape(machine, value))
            return call_plain(machine, lambda: native(held, *args[1:], **kwargs))

        return distribute(machine, args[0], ask, node)

    return handler


@handles(np.result_type, options="")
def _result_type(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    from deepalgo.stage.builtin_questions import representative

    return call_plain(machine, lambda: np.result_type(*[representative(item) for item in args]))


register(_question, np.isscalar, np.ndim, np.shape, np.size, np.iterable, np.isrealobj, np.iscomplexobj, options="axis")
