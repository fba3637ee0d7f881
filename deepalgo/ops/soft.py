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
from deepalgo.ops.slope import FLAT, Slope


def _soft_choice(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    taken, other, condition = args[:3]
    if condition.kind != Kind.BOOL or taken.kind != other.kind or any(arg.kind != Kind.REAL for arg in args[3:]):
        raise TypeError("a choice is between values of one kind, by a truth value, with a margin, a width and a softness")
    if broadcast(args) != taken.shape:
        raise ValueError(f"a choice of shape {taken.shape} by operands that are larger")
    return taken


def _soft_slope() -> Slope:
    """Where the softness w is 0, the gap between the ways times a step in the margin u of width v; else what both ways are blended by."""
    usable, way, width = "isfinite(x) and isfinite(y)", "select(z, 1.0, -1.0)", "(v * select(w > 0, w, 1.0))"
    gap, near, far = f"select({usable}, x - y, 0.0)", "(u / v)", f"(-{way} * u / {width})"
    half = f"minimum(maximum({far} / 2, -1.0), 1.0)"
    share = f"select(w > 0 and {usable}, 0.5 + 0.75 * {half} - 0.25 * {half} * {half} * {half}, 0.0)"

    def steep(x: str) -> str:
        return f"select(abs({x}) < 2, 0.375 - 0.09375 * {x} * {x}, 0.0)"

    hard, soft = f"{way} * {gap} * {steep(near)}", f"{way} * {gap} * {steep(far)}"
    by_margin = f"select(w > 0, {soft} / {width}, {hard} / v)"
    by_width = f"select(w > 0, -({soft}) * u / ({width} * v), -({hard}) * u / (v * v))"
    by_softness = f"select(w > 0, -({soft}) * u * v / ({width} * {width}), 0.0)"
    return Slope(f"1 - {share}", share, None, by_margin, by_width, by_softness)


ROWS = (
    Row(
        "soft_choice", types=_soft_choice, views=True, chooses=True,
        hazard=Hazard.ARISES, pole=4, exact=True, cost=19,
        slope=_soft_slope(),
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
