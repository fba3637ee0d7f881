"""Rows that are one of their operands with another derivative: a choice whose guard can learn, a root, and scores of candidates.

`soft_choice(taken, other, condition, margin, width, softness)` is `taken`, the result of the way that a sample takes. Its gradient by
`margin`, which is positive where the condition holds, is that of a smooth step of that width from the one way to the other. With
a positive softness the value itself is blended. In source it is what was taken.

`at_root(root, residual, slope)` is `root`, which solves an equation: its derivative by the residual there is -1 / slope, and there is none
by the steps that led to it. In source it is the root.

`or_inf(score)` is infinite where the score is no number, and has no gradient: it is there to be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.row import Hazard, Row, broadcast, cast, elementwise
from deepalgo.ops.slope import FLAT, Numerical, Slope


def _soft_choice(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    taken, other, condition = args[:3]
    if condition.kind != Kind.BOOL or taken.kind != other.kind or any(arg.kind != Kind.REAL for arg in args[3:]):
        raise TypeError("a choice is between values of one kind, by a truth value, with a margin, a width and a softness")
    if broadcast(args) != taken.shape:
        raise ValueError(f"a choice of shape {taken.shape} by operands that are larger")
    return taken


ROWS = (
    Row(
        "soft_choice", types=_soft_choice, views=True, chooses=True,
        hazard=Hazard.ARISES, pole=4, exact=True, cost=19,
        slope=Numerical("ops.soft_choice", "a smooth step in the margin, blended by a softness that the user sets"),
        python="{0}", numpy="{0}", torch="ops.soft_choice({0}, {1}, {2}, {3}, {4}, {5}, '{key}')",
    ),
    Row(
        "at_root", types=elementwise(Kind.REAL, Kind.REAL), common=Kind.REAL, views=True, chooses=True,
        hazard=Hazard.ARISES, pole=2, exact=True, cost=1.6,
        slope=Slope("0", "-1 / z", "0"),
        python="{0}", numpy="{0}", torch="ops.at_root({0}, {1}, {2})",
    ),
    Row(
        "or_inf", types=cast(Kind.REAL), common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=FLAT,
        python="min(math.inf, {0})", numpy="np.fmin(np.inf, {0})", torch="ops.or_inf({0})",
    ),
)
