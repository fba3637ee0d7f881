"""Operators that classes of the user define: which side is asked first, and what happens where one has no answer."""

from __future__ import annotations

import ast
from typing import Any

from deepalgo.stage.state.machine import Machine
from deepalgo.stage.state.unions import distribute
from deepalgo.stage.state.values import StandIn, user_method


class _Absent:
    __slots__ = ()


#: No class of the user has a say in the operator.
ABSENT = _Absent()


def by_methods(machine: Machine, left: Any, right: Any, method: str, reflected: str, node: ast.AST) -> Any:
    """What the methods of two operands answer: the left one's first, unless the right one's class is derived from the left one's.

    `NotImplemented` if all that there are have no answer.
    """
    sides = [(left, right, method), (right, left, reflected)]
    derived = type(right) is not type(left) and isinstance(right, type(left)) and not isinstance(left, StandIn)
    found = [(user_method(one, name), one, other) for one, other, name in (reversed(sides) if derived else sides)]
    asked = [side for side in found if side[0] is not None]
    return _ask(machine, asked, node) if asked else ABSENT


def _ask(machine: Machine, sides: list[tuple[Any, Any, Any]], node: ast.AST) -> Any:
    if not sides:
        return NotImplemented
    (function, one, other), *rest = sides
    answer = machine.call(function, [one, other], {}, node)
    return distribute(machine, answer, lambda item: _ask(machine, rest, node) if item is NotImplemented else item, node)
