"""Rows for comparisons, logic and choices.

>>> next(row.python for row in ROWS if row.name == "min")
'min({0}, {1})'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.row import Hazard, Row, broadcast, check_single, common_kind, elementwise

EQUALITY = elementwise(result=Kind.BOOL)
ORDER = elementwise(most=Kind.REAL, result=Kind.BOOL)
CHOICE = elementwise(most=Kind.REAL)
LOGIC = elementwise(most=Kind.BOOL)


def _select(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    LOGIC(args[:1], attrs)
    return Type(common_kind(args[1:]), broadcast(args))


def _first(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    LOGIC(args, attrs)
    check_single(args)
    return Type(Kind.INT)


def _look_up(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    check_single(args)
    if len(args) < 2 or args[0].kind != Kind.INT:
        raise TypeError("a place is looked up among values")
    return Type(common_kind(args[1:]))


def _cut(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    LOGIC(args[:1], attrs)
    check_single(args[:1])
    return args[1]


def _comparison(name: str, sign: str) -> Row:
    spelling = f"{{0}} {sign} {{1}}"
    infer = EQUALITY if sign in ("==", "!=") else ORDER
    return Row(name, infer, spelling, spelling, spelling, Hazard.NONE, common=Kind.BOOL, batched=f"ops.{name}({{0}}, {{1}})")


def _logic(name: str, torch: str, python: str, numpy: str) -> Row:
    return Row(name, LOGIC, torch, python, f"np.logical_{name}({numpy})", Hazard.NONE)


def _choice(name: str, python: str, numpy: str) -> Row:
    return Row(name, CHOICE, f"ops.{name}({{0}}, {{1}})", python, numpy, Hazard.NONE, common=Kind.BOOL)


ROWS = (
    _comparison("lt", "<"),
    _comparison("le", "<="),
    _comparison("gt", ">"),
    _comparison("ge", ">="),
    _comparison("eq", "=="),
    _comparison("ne", "!="),
    _logic("and", "{0} & {1}", "{0} and {1}", "{0}, {1}"),
    _logic("or", "{0} | {1}", "{0} or {1}", "{0}, {1}"),
    _logic("xor", "{0} ^ {1}", "{0} != {1}", "{0}, {1}"),
    _logic("not", "~{0}", "not {0}", "{0}"),
    Row("select", _select, "ops.where({0}, {1}, {2})", "({1} if {0} else {2})", "np.where({0}, {1}, {2})", Hazard.NONE,
        common=Kind.BOOL, apart=1),
    Row("cut", _cut, "run.cut({0}, {1})", "{1}", "{1}", Hazard.NONE, broadcasts=False),
    Row("first", _first, "ops.first({*})", "[{*}, True].index(True)", "np.argmax([{*}, True])", Hazard.NONE,
        broadcasts=False),
    Row("look_up", _look_up, "ops.look_up({*})", "[{*}][1 + {0}]", "[{*}][1 + {0}]", Hazard.NONE,
        common=Kind.BOOL, apart=1, broadcasts=False),
    _choice("min", "min({0}, {1})", "np.where({1} < {0}, {1}, {0})"),
    _choice("max", "max({0}, {1})", "np.where({1} > {0}, {1}, {0})"),
    _choice("minimum", "({1} if {1} < {0} or {1} != {1} else {0})", "np.minimum({0}, {1})"),
    _choice("maximum", "({1} if {1} > {0} or {1} != {1} else {0})", "np.maximum({0}, {1})"),
    _choice("fmin", "({1} if {1} < {0} or {0} != {0} else {0})", "np.fmin({0}, {1})"),
    _choice("fmax", "({1} if {1} > {0} or {0} != {0} else {0})", "np.fmax({0}, {1})"),
)
