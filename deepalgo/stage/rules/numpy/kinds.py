"""NumPy's functions that ask about types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from deepalgo.stage.rules.numpy.layout import call_plain
from deepalgo.stage.rules.registry import Args, Handler, Kwargs, handles, register
from deepalgo.stage.state.array_conversion import known_plain, shape
from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.representatives import representative
from deepalgo.stage.state.unions import distribute


def _question(native: Callable[..., Any]) -> Handler:
    """Questions that the type of an argument answers."""

    def handler(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
        def ask(value: Any) -> Any:
            held = known_plain(machine, value) if isinstance(value, (list, tuple)) else representative(value)
            if isinstance(value, (list, tuple)) and held is None:
                held = np.empty(shape(machine, value))
            return call_plain(machine, lambda: native(held, *args[1:], **kwargs))

        return distribute(machine, args[0], ask, node)

    return handler


@handles(np.result_type, options="")
def _result_type(machine: Machine, args: Args, kwargs: Kwargs, node: ast.AST) -> Any:
    return call_plain(machine, lambda: np.result_type(*[representative(item) for item in args]))


register(_question, np.isscalar, np.ndim, np.shape, np.size, np.iterable, np.isrealobj, np.iscomplexobj, options="axis")
