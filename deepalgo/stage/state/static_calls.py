"""Python itself, run on static values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.values import UserRaise


def run_static(machine: Machine, function: Callable[..., Any], *args: Any) -> Any:
    """Run Python itself on static values; what it raises is the user's exception."""
    try:
        result = function(*args)
    except Exception as error:
        raise UserRaise(error, None, machine.span) from None
    return machine.heap.created(result) if isinstance(result, (list, dict, set, deque)) else result
