"""Rows for comparisons, logic and choices.

>>> next(row.python for row in ROWS if row.name == "min")
'min({0}, {1})'
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import bounds
from deepalgo.ops.ranges import ABOVE, BELOW, EQUAL, UNEQUAL
from deepalgo.ops.row import Hazard, Row, broadcast, check_single, common_kind, elementwise
from deepalgo.ops.slope import FLAT, Slope

EQUALITY = elementwise(result=Kind.BOOL)
ORDER = elementwise(most=Kind.REAL, result=Kind.BOOL)
CHOICE = elementwise(most=Kind.REAL)
LOGIC = elementwise(most=Kind.BOOL)


def _select(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    LOGIC(args[:1], attrs)
    return Type(common_kind(args[1:]), broadcast(args))


def _cut(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    LOGIC(args[:1], attrs)
    check_single(args[:1])
    return args[1]


ROWS = (
    Row(
        "lt", types=ORDER, common=Kind.BOOL,
        means=("numpy.less",),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="{0} < {1}", numpy="{0} < {1}", torch="{0} < {1}",
        order=BELOW, fold=operator.lt,
        step="{1}",
        drawn="infix <",
    ),
    Row(
        "le", types=ORDER, common=Kind.BOOL,
        means=("numpy.less_equal",),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="{0} <= {1}", numpy="{0} <= {1}", torch="{0} <= {1}",
        order=BELOW | EQUAL, fold=operator.le,
        step="{1}",
        drawn="infix ≤",
    ),
    Row(
        "gt", types=ORDER, common=Kind.BOOL,
        means=("numpy.greater",),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="{0} > {1}", numpy="{0} > {1}", torch="{0} > {1}",
        order=ABOVE, fold=operator.gt,
        step="{1}",
        drawn="infix >",
    ),
    Row(
        "ge", types=ORDER, common=Kind.BOOL,
        means=("numpy.greater_equal",),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="{0} >= {1}", numpy="{0} >= {1}", torch="{0} >= {1}",
        order=ABOVE | EQUAL, fold=operator.ge,
        step="{1}",
        drawn="infix ≥",
    ),
    Row(
        "eq", types=EQUALITY, common=Kind.BOOL,
        means=("numpy.equal",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0.6,
        slope=FLAT,
        python="{0} == {1}", numpy="{0} == {1}", torch="{0} == {1}",
        order=EQUAL, fold=operator.eq,
        step="{1}",
        drawn="infix =",
    ),
    Row(
        "ne", types=EQUALITY, common=Kind.BOOL,
        means=("numpy.not_equal",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0.6,
        slope=FLAT,
        python="{0} != {1}", numpy="{0} != {1}", torch="{0} != {1}",
        order=UNEQUAL, fold=operator.ne,
        step="{1}",
        drawn="infix ≠",
    ),
    Row(
        "and", types=LOGIC, chooses=True,
        means=("numpy.logical_and",),
        hazard=Hazard.NONE, exact=True, cost=0.2,
        slope=FLAT,
        python="{0} and {1}", numpy="np.logical_and({0}, {1})", torch="{0} & {1}",
        fold=lambda a, b: bool(a and b),
        drawn="infix ∧",
    ),
    Row(
        "or", types=LOGIC, chooses=True,
        means=("numpy.logical_or",),
        hazard=Hazard.NONE, exact=True, cost=0.2,
        slope=FLAT,
        python="{0} or {1}", numpy="np.logical_or({0}, {1})", torch="{0} | {1}",
        fold=lambda a, b: bool(a or b),
        drawn="infix ∨",
    ),
    Row(
        "xor", types=LOGIC,
        means=("numpy.logical_xor",),
        hazard=Hazard.NONE, exact=True, cost=0.2,
        slope=FLAT,
        python="{0} != {1}", numpy="np.logical_xor({0}, {1})", torch="{0} ^ {1}",
        fold=operator.xor,
    ),
    Row(
        "not", types=LOGIC,
        means=("numpy.logical_not",),
        hazard=Hazard.NONE, exact=True, cost=0.2,
        slope=FLAT,
        python="not {0}", numpy="np.logical_not({0})", torch="~{0}",
        fold=operator.not_,
        drawn="sign ¬",
    ),
    Row(
        "select", types=_select, common=Kind.BOOL, apart=1, views=True, chooses=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1.2, moves=True,
        slope=Slope(None, "select(x, 1.0, 0.0)", "select(x, 0.0, 1.0)"),
        python="({1} if {0} else {2})", numpy="np.where({0}, {1}, {2})", torch="ops.where({0}, {1}, {2})",
        bounds=bounds.behind_first, fold=lambda condition, a, b: a if condition else b,
        drawn="cases",
    ),
    Row(
        "cut", types=_cut, broadcasts=False, views=True, chooses=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0, moves=True,
        slope=Slope(None, "select(x, 1.0, 0.0)"),
        python="{1}", numpy="{1}", torch="run.cut({0}, {1})",
        bounds=bounds.last,
        drawn="itself",
    ),
    Row(
        "min", types=CHOICE, common=Kind.BOOL, chooses=True,
        second_if="lt",
        hazard=Hazard.NONE, exact=True, cost=4,
        slope=Slope("select(y < x, 0.0, 1.0)", "select(y < x, 1.0, 0.0)"),
        python="min({0}, {1})", numpy="np.where({1} < {0}, {1}, {0})", torch="ops.min({0}, {1})",
        bounds=bounds.smaller, fold=min,
    ),
    Row(
        "max", types=CHOICE, common=Kind.BOOL, chooses=True,
        second_if="gt",
        hazard=Hazard.NONE, exact=True, cost=4,
        slope=Slope("select(y > x, 0.0, 1.0)", "select(y > x, 1.0, 0.0)"),
        python="max({0}, {1})", numpy="np.where({1} > {0}, {1}, {0})", torch="ops.max({0}, {1})",
        bounds=bounds.larger, fold=max,
    ),
    Row(
        "minimum", types=CHOICE, common=Kind.BOOL, chooses=True,
        means=("numpy.minimum",),
        hazard=Hazard.NONE, exact=True, cost=5,
        slope=Slope("select(x <= y or isnan(x), 1.0, 0.0)", "select(x <= y or isnan(x), 0.0, 1.0)"),
        python="({1} if {1} < {0} or {1} != {1} else {0})", numpy="np.minimum({0}, {1})", torch="ops.minimum({0}, {1})",
        bounds=bounds.smaller,
    ),
    Row(
        "maximum", types=CHOICE, common=Kind.BOOL, chooses=True,
        means=("numpy.maximum",),
        hazard=Hazard.NONE, exact=True, cost=5,
        slope=Slope("select(x >= y or isnan(x), 1.0, 0.0)", "select(x >= y or isnan(x), 0.0, 1.0)"),
        python="({1} if {1} > {0} or {1} != {1} else {0})", numpy="np.maximum({0}, {1})", torch="ops.maximum({0}, {1})",
        bounds=bounds.larger,
    ),
    Row(
        "fmin", types=CHOICE, common=Kind.BOOL, chooses=True,
        means=("numpy.fmin",),
        hazard=Hazard.NONE, exact=True, cost=5,
        slope=Slope("select(x <= y or isnan(y), 1.0, 0.0)", "select(x <= y or isnan(y), 0.0, 1.0)"),
        python="({1} if {1} < {0} or {0} != {0} else {0})", numpy="np.fmin({0}, {1})", torch="ops.fmin({0}, {1})",
        bounds=bounds.smaller,
    ),
    Row(
        "fmax", types=CHOICE, common=Kind.BOOL, chooses=True,
        means=("numpy.fmax",),
        hazard=Hazard.NONE, exact=True, cost=5,
        slope=Slope("select(x >= y or isnan(y), 1.0, 0.0)", "select(x >= y or isnan(y), 0.0, 1.0)"),
        python="({1} if {1} > {0} or {0} != {0} else {0})", numpy="np.fmax({0}, {1})", torch="ops.fmax({0}, {1})",
        bounds=bounds.larger,
    ),
)
