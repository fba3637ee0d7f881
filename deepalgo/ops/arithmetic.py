"""Rows for arithmetic, bits and the casts between kinds of number.

>>> next(row.python for row in ROWS if row.name == "floordiv")
'{0} // {1}'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.row import Hazard, Row, broadcast, cast, common_kind, elementwise

NUMBER = elementwise(least=Kind.INT)
ORDERED = elementwise(least=Kind.INT, most=Kind.REAL)
REAL = elementwise(least=Kind.REAL, most=Kind.REAL)
FIELD = elementwise(least=Kind.REAL)
BITS = elementwise(most=Kind.INT)
SHIFT = elementwise(least=Kind.INT, most=Kind.INT)


def _magnitude(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    kind = common_kind(args, Kind.INT)
    return Type(min(kind, Kind.REAL), broadcast(args))


def _part(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    return Type(min(args[0].kind, Kind.REAL), args[0].shape)


def _number(name: str, spelling: str, hazard: Hazard, complex: str = "") -> Row:
    return Row(name, NUMBER, spelling, spelling, spelling, hazard, common=Kind.INT, complex=complex)


ROWS = (
    _number("add", "{0} + {1}", Hazard.NONE, "ops.complex_add({0}, {1})"),
    _number("sub", "{0} - {1}", Hazard.NONE, "ops.complex_sub({0}, {1})"),
    _number("mul", "{0} * {1}", Hazard.SPREADS),
    Row("div", FIELD, "{0} / {1}", "{0} / {1}", "{0} / {1}", Hazard.ARISES, common=Kind.REAL, complex="ops.complex_div({0}, {1})"),
    Row("quotient", REAL, "ops.quotient({0}, {1})", "{0} / {1}", "{0} / {1}", Hazard.ARISES, common=Kind.REAL,
        endpoint="{1} == 0"),
    Row("floordiv", ORDERED, "ops.floordiv({0}, {1})", "{0} // {1}", "{0} // {1}", Hazard.ARISES, common=Kind.INT),
    Row("mod", ORDERED, "ops.mod({0}, {1})", "{0} % {1}", "{0} % {1}", Hazard.ARISES, common=Kind.INT),
    Row("pow", NUMBER, "ops.pow({0}, {1})", "{0} ** {1}", "{0} ** {1}", Hazard.ARISES, common=Kind.INT,
        endpoint="ops.at_pow({0}, {1})"),
    _number("neg", "-{0}", Hazard.NONE, "ops.complex_neg({0})"),
    _number("pos", "+{0}", Hazard.NONE),
    Row("abs", _magnitude, "torch.abs({0})", "abs({0})", "np.abs({0})", Hazard.NONE, common=Kind.INT),
    Row("fmod", REAL, "ops.fmod({0}, {1})", "math.fmod({0}, {1})", "np.fmod({0}, {1})", Hazard.ARISES, common=Kind.REAL),
    Row("remainder", REAL, "ops.remainder({0}, {1})", "math.remainder({0}, {1})", "np.vectorize(math.remainder)({0}, {1})",
        Hazard.ARISES, common=Kind.REAL),
    Row("copysign", REAL, "ops.copysign({0}, {1})", "math.copysign({0}, {1})", "np.copysign({0}, {1})", Hazard.SPREADS, common=Kind.REAL),
    Row("hypot", REAL, "ops.hypot({0}, {1})", "math.hypot({0}, {1})", "np.hypot({0}, {1})", Hazard.ARISES, common=Kind.REAL,
        endpoint="({0} == 0) & ({1} == 0)"),
    Row("atan2", REAL, "ops.atan2({0}, {1})", "math.atan2({0}, {1})", "np.arctan2({0}, {1})", Hazard.ARISES, common=Kind.REAL,
        endpoint="({0} == 0) & ({1} == 0)"),
    Row("bitand", BITS, "{0} & {1}", "{0} & {1}", "{0} & {1}", Hazard.NONE, common=Kind.BOOL),
    Row("bitor", BITS, "{0} | {1}", "{0} | {1}", "{0} | {1}", Hazard.NONE, common=Kind.BOOL),
    Row("bitxor", BITS, "{0} ^ {1}", "{0} ^ {1}", "{0} ^ {1}", Hazard.NONE, common=Kind.BOOL),
    Row("invert", BITS, "~{0}", "~{0}", "~{0}", Hazard.NONE),
    Row("lshift", SHIFT, "ops.lshift({0}, {1})", "{0} << {1}", "{0} << {1}", Hazard.NONE, common=Kind.INT),
    Row("rshift", SHIFT, "ops.rshift({0}, {1})", "{0} >> {1}", "{0} >> {1}", Hazard.NONE, common=Kind.INT),
    Row("to_bool", cast(Kind.BOOL), "run.to_bool({0})", "bool({0})", "np.bool_({0})", Hazard.NONE),
    Row("to_int", cast(Kind.INT), "run.to_int({0})", "int({0})", "np.int64({0})", Hazard.NONE),
    Row("to_real", cast(Kind.REAL), "run.to_real({0})", "float({0})", "np.float64({0})", Hazard.NONE),
    Row("to_complex", cast(Kind.COMPLEX), "run.to_complex({0})", "complex({0})", "np.complex128({0})", Hazard.NONE),
    Row("real", _part, "ops.real({0})", "({0}).real", "np.real({0})", Hazard.NONE),
    Row("imag", _part, "ops.imag({0})", "({0}).imag", "np.imag({0})", Hazard.NONE),
    Row("complex", elementwise(least=Kind.REAL, most=Kind.REAL, result=Kind.COMPLEX), "ops.complex_of({0}, {1})", "complex({0}, {1})",
        "np.vectorize(complex, otypes=[complex])({0}, {1})", Hazard.NONE, common=Kind.REAL),
    Row("fsum", REAL, "ops.fsum({*})", "math.fsum([{*}])", "np.vectorize(lambda *items: math.fsum(items))({*})", Hazard.NONE,
        common=Kind.REAL),
    Row("conj", elementwise(), "ops.conj({0})", "({0}).conjugate()", "np.conj({0})", Hazard.NONE),
    Row("angle", elementwise(least=Kind.REAL, result=Kind.REAL), "ops.angle({0})", "math.atan2(({0}).imag, ({0}).real)", "np.angle({0})",
        Hazard.ARISES, common=Kind.REAL),
)
