"""Objects that live outside of the function, which it must not write to."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.stage.state.aliases import refuse_kin
from deepalgo.stage.state.machine import Machine

SHARED = "this writes to an object that lives outside of the function"
SHARED_REMEDY = "Pass the object as an argument and return what changed, or make a copy first."


def refuse_shared(machine: Machine, container: Any, node: ast.AST) -> None:
    """Writes that would be seen outside of the function are not ours to make."""
    if id(container) not in machine.heap.inside:
        machine.refuse(SHARED, SHARED_REMEDY, node)
    refuse_kin(machine, container, node)
