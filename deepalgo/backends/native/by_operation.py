"""Operations on single numbers that need more than the text of their operands: those with attributes, or with operands of several kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from deepalgo.backends.native.lambert import lambertw
from deepalgo.backends.native.numbers import NumberForms
from deepalgo.backends.native.real_steps import RealSteps
from deepalgo.backends.native.rounding import round_digits
from deepalgo.backends.native.text import Cell, Unsupported, literal
from deepalgo.ir import Op
from deepalgo.kinds import Kind

Form: TypeAlias = Callable[[NumberForms, Op, Sequence[Cell]], Cell]


def _round(n: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
    digits = op.attr("digits")
    assert isinstance(digits, int)
    return round_digits(n, cells[0], digits)


def _of_order(name: str) -> Form:
    """A Bessel function whose order is known."""

    def form(n: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
        order = op.attr("order")
        assert isinstance(order, (int, float))
        return n.apply(name, (literal(order, Kind.REAL), cells[0]), op.by)

    return form


def _lambertw(n: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
    branch = op.attr("branch")
    assert isinstance(branch, int)
    return lambertw(n, cells[0], branch)


def _soft_choice(n: NumberForms, op: Op, cells: Sequence[Cell]) -> Cell:
    """What was taken; with a positive softness blended with the other way."""
    taken, other, condition, margin, width, softness = cells
    if taken.kind is not Kind.REAL:
        raise Unsupported(f"soft_choice between {taken.kind.name.lower()} numbers")
    s = RealSteps(n)
    soft = s.gt(softness, 0.0)
    away = s.div(s.mul(s.where(condition, -1.0, 1.0), margin), s.mul(width, s.where(soft, softness, 1.0)))
    half = s.div(away, 2.0)
    half = s.where(s.lt(half, -1.0), -1.0, s.where(s.gt(half, 1.0), 1.0, half))
    share = s.sub(s.add(s.mul(0.75, half), 0.5), s.mul(0.25, s.mul(half, s.mul(half, half))))
    gap = s.where(s.both(s.finite(taken), s.finite(other)), s.sub(other, taken), 0.0)
    return s.where(soft, s.add(taken, s.mul(share, gap)), taken)


BY_OPERATION: dict[str, Form] = {
    "select": lambda n, op, cells: n.code.choose(*cells), "cut": lambda n, op, cells: cells[1], "round_digits": _round,
    "lambertw": _lambertw, "soft_choice": _soft_choice,
    "jv": _of_order("jv_of"), "iv": _of_order("iv_of"), "kv": _of_order("kv_of"),
}
