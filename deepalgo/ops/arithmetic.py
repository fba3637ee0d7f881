"""Rows for arithmetic, bits and the casts between kinds of number.

>>> next(row.python for row in ROWS if row.name == "floordiv")
'{0} // {1}'
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops import bounds
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Row, broadcast, cast, common_kind, elementwise, of_whole
from deepalgo.ops.slope import FLAT, Adjoint, Slope

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


ROWS = (
    Row(
        "add", types=NUMBER, common=Kind.INT,
        means=("numpy.add",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1,
        slope=Slope("1", "1"),
        python="{0} + {1}", numpy="{0} + {1}", torch="{0} + {1}",
        complex="ops.complex_add({0}, {1})",
        bounds=bounds.add, fold=of_whole(operator.add),
        drawn="infix +",
    ),
    Row(
        "sub", types=NUMBER, common=Kind.INT,
        means=("numpy.subtract",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1,
        slope=Slope("1", "-1"),
        python="{0} - {1}", numpy="{0} - {1}", torch="{0} - {1}",
        complex="ops.complex_sub({0}, {1})",
        bounds=bounds.sub, fold=of_whole(operator.sub),
        drawn="infix −",
    ),
    Row(
        "mul", types=NUMBER, common=Kind.INT,
        means=("numpy.multiply",),
        hazard=Hazard.SPREADS, bilinear=True, exact=True, cost=1,
        slope=Slope("y", "x"),
        python="{0} * {1}", numpy="{0} * {1}", torch="{0} * {1}",
        bounds=bounds.mul, fold=of_whole(operator.mul),
        drawn="product",
    ),
    Row(
        "div", types=FIELD, common=Kind.REAL,
        raises=("ZeroDivisionError",),
        means=("numpy.divide",),
        hazard=Hazard.ARISES, pole=1, exact=True, cost=1,
        slope=Slope("1 / y", "-div / y"),
        python="{0} / {1}", numpy="{0} / {1}", torch="{0} / {1}",
        complex="ops.complex_div({0}, {1})",
        bounds=bounds.div,
        drawn="fraction",
    ),
    Row(
        "quotient", types=REAL, common=Kind.REAL,
        raises=("ZeroDivisionError",),
        hazard=Hazard.ARISES, pole=1, exact=True, cost=1,
        slope=Slope("1 / y", "-quotient / y", at={"y == 0": 0.0}),
        python="{0} / {1}", numpy="{0} / {1}", torch="ops.quotient({0}, {1})",
        endpoint="{1} == 0",
        bounds=bounds.div,
        drawn="fraction",
    ),
    Row(
        "floordiv", types=ORDERED, common=Kind.INT,
        raises=("ZeroDivisionError",),
        means=("numpy.floor_divide",),
        hazard=Hazard.ARISES, pole=1, exact=True, cost=10,
        slope=FLAT,
        python="{0} // {1}", numpy="{0} // {1}", torch="ops.floordiv({0}, {1})",
        drawn="fraction ⌊ ⌋",
    ),
    Row(
        "mod", types=ORDERED, common=Kind.INT,
        raises=("ZeroDivisionError",),
        means=("numpy.remainder",),
        hazard=Hazard.ARISES, pole=1, exact=True, cost=40,
        slope=Slope("1", "-floordiv(x, y)"),
        python="{0} % {1}", numpy="{0} % {1}", torch="ops.mod({0}, {1})",
        bounds=bounds.mod,
        drawn="infix mod",
    ),
    Row(
        "pow", types=NUMBER, common=Kind.INT,
        raises=("OverflowError", "ValueError", "ZeroDivisionError"),
        means=("numpy.power", "numpy.float_power"),
        hazard=Hazard.ARISES, exact=False, cost=20,
        slope=Slope("y * x ** (y - 1)", "pow * log(x)",
              at={"x == 0 and y < 1": (0.0, None), "x <= 0 or x == inf and pow == 0": (None, 0.0)}),
        python="{0} ** {1}", numpy="{0} ** {1}", torch="ops.pow({0}, {1})",
        endpoint="ops.at_pow({0}, {1})",
        bounds=bounds.power,
        drawn="power",
    ),
    Row(
        "neg", types=NUMBER, common=Kind.INT,
        means=("numpy.negative",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1,
        slope=Slope("-1"),
        python="-{0}", numpy="-{0}", torch="-{0}",
        complex="ops.complex_neg({0})",
        bounds=bounds.neg, fold=operator.neg,
        drawn="sign −",
    ),
    Row(
        "pos", types=NUMBER, common=Kind.INT,
        means=("numpy.positive",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0,
        slope=Slope("1"),
        python="+{0}", numpy="+{0}", torch="+{0}",
        bounds=bounds.unchanged, fold=operator.pos,
        drawn="itself",
    ),
    Row(
        "abs", types=_magnitude, common=Kind.INT,
        means=("math.fabs", "numpy.absolute", "numpy.fabs"),
        hazard=Hazard.NONE, complex_hazard=Hazard.SPREADS, exact=True, cost=1,
        slope=Slope("sign(x)", plane="g * x / abs", at={"abs == 0": 0.0}),
        python="abs({0})", numpy="np.abs({0})", torch="torch.abs({0})",
        range=Range(0.0), bounds=bounds.magnitude, fold=abs,
        drawn="fences | |",
    ),
    Row(
        "fmod", types=REAL, common=Kind.REAL,
        raises=("ValueError",),
        means=("math.fmod", "numpy.fmod"),
        hazard=Hazard.ARISES, pole=1, exact=True, cost=25,
        slope=Slope("1", "-trunc(x / y)"),
        python="math.fmod({0}, {1})", numpy="np.fmod({0}, {1})", torch="ops.fmod({0}, {1})",
    ),
    Row(
        "remainder", types=REAL, common=Kind.REAL,
        raises=("ValueError",),
        means=("math.remainder",),
        hazard=Hazard.ARISES, pole=1, exact=True, cost=170,
        slope=Slope("1", "-rint(x / y)"),
        python="math.remainder({0}, {1})", numpy="np.vectorize(math.remainder)({0}, {1})", torch="ops.remainder({0}, {1})",
    ),
    Row(
        "copysign", types=REAL, common=Kind.REAL,
        means=("math.copysign", "numpy.copysign"),
        hazard=Hazard.SPREADS, exact=True, cost=1.5,
        slope=Slope("copysign(1.0, x) * copysign(1.0, y)", "0", at={"x == 0": 0.0}),
        python="math.copysign({0}, {1})", numpy="np.copysign({0}, {1})", torch="ops.copysign({0}, {1})",
    ),
    Row(
        "hypot", types=REAL, common=Kind.REAL,
        means=("numpy.hypot",),
        hazard=Hazard.ARISES, exact=False, cost=8,
        slope=Slope("x / hypot", "y / hypot", at={"hypot == 0": 0.0}),
        python="math.hypot({0}, {1})", numpy="np.hypot({0}, {1})", torch="ops.hypot({0}, {1})",
        endpoint="({0} == 0) & ({1} == 0)",
        range=Range(0.0),
    ),
    Row(
        "atan2", types=REAL, common=Kind.REAL,
        means=("math.atan2", "numpy.arctan2"),
        hazard=Hazard.ARISES, exact=False, cost=11,
        slope=Slope("y / hypot(x, y) / hypot(x, y)", "-x / hypot(x, y) / hypot(x, y)",
              at={"hypot(x, y) == 0": 0.0, "hypot(x, y) == inf": 0.0}),
        python="math.atan2({0}, {1})", numpy="np.arctan2({0}, {1})", torch="ops.atan2({0}, {1})",
        endpoint="({0} == 0) & ({1} == 0)",
        range=Range(-3.2, 3.2),
    ),
    Row(
        "bitand", types=BITS, common=Kind.BOOL,
        means=("numpy.bitwise_and",),
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=FLAT,
        python="{0} & {1}", numpy="{0} & {1}", torch="{0} & {1}",
        drawn="infix ∧",
    ),
    Row(
        "bitor", types=BITS, common=Kind.BOOL,
        means=("numpy.bitwise_or",),
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=FLAT,
        python="{0} | {1}", numpy="{0} | {1}", torch="{0} | {1}",
        drawn="infix ∨",
    ),
    Row(
        "bitxor", types=BITS, common=Kind.BOOL,
        means=("numpy.bitwise_xor",),
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=FLAT,
        python="{0} ^ {1}", numpy="{0} ^ {1}", torch="{0} ^ {1}",
    ),
    Row(
        "invert", types=BITS,
        means=("numpy.invert",),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="~{0}", numpy="~{0}", torch="~{0}",
    ),
    Row(
        "lshift", types=SHIFT, common=Kind.INT,
        raises=("ValueError",),
        means=("numpy.left_shift",),
        hazard=Hazard.NONE, exact=True, cost=4,
        slope=FLAT,
        python="{0} << {1}", numpy="{0} << {1}", torch="ops.lshift({0}, {1})",
    ),
    Row(
        "rshift", types=SHIFT, common=Kind.INT,
        raises=("ValueError",),
        means=("numpy.right_shift",),
        hazard=Hazard.NONE, exact=True, cost=1.5,
        slope=FLAT,
        python="{0} >> {1}", numpy="{0} >> {1}", torch="ops.rshift({0}, {1})",
    ),
    Row(
        "to_bool", types=cast(Kind.BOOL), views=True,
        hazard=Hazard.NONE, exact=True, cost=0.5,
        slope=FLAT,
        python="bool({0})", numpy="np.bool_({0})", torch="run.to_bool({0})",
        fold=of_whole(bool),
        drawn="itself",
    ),
    Row(
        "to_int", types=cast(Kind.INT), views=True,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=FLAT,
        python="int({0})", numpy="np.int64({0})", torch="run.to_int({0})",
        bounds=bounds.truncated, fold=of_whole(int),
        step="torch.round({0})",
    ),
    Row(
        "to_real", types=cast(Kind.REAL), views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0.5,
        slope=Slope("1"),
        python="float({0})", numpy="np.float64({0})", torch="run.to_real({0})",
        bounds=bounds.as_real, fold=float,
        drawn="itself",
    ),
    Row(
        "to_complex", types=cast(Kind.COMPLEX), views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1,
        slope=Slope("1"),
        python="complex({0})", numpy="np.complex128({0})", torch="run.to_complex({0})",
        fold=of_whole(complex),
        drawn="itself",
    ),
    Row(
        "real", types=_part, views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0,
        slope=Slope("1", plane="g"),
        python="({0}).real", numpy="np.real({0})", torch="ops.real({0})",
    ),
    Row(
        "imag", types=_part, views=True,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0.5,
        slope=Slope("0", plane="g * 1j"),
        python="({0}).imag", numpy="np.imag({0})", torch="ops.imag({0})",
    ),
    Row(
        "complex", types=elementwise(least=Kind.REAL, most=Kind.REAL, result=Kind.COMPLEX), common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=2,
        slope=Adjoint("real(g)", "imag(g)"),
        python="complex({0}, {1})", numpy="np.vectorize(complex, otypes=[complex])({0}, {1})", torch="ops.complex_of({0}, {1})",
    ),
    Row(
        "fsum", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.NONE, exact=True, cost=12000,
        slope=Slope("1", ...),
        python="math.fsum([{*}])", numpy="np.vectorize(lambda *items: math.fsum(items))({*})", torch="ops.fsum({*})",
    ),
    Row(
        "conj", types=elementwise(),
        means=("numpy.conjugate",),
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0,
        slope=Slope("1", plane="conj(g)"),
        python="({0}).conjugate()", numpy="np.conj({0})", torch="ops.conj({0})",
    ),
    Row(
        "angle", types=elementwise(least=Kind.REAL, result=Kind.REAL), common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=12, range=Range(-3.2, 3.2),
        slope=Slope("0", plane="g * 1j * x / (abs(x) * abs(x))", at={"abs(x) == 0": 0.0}),
        python="math.atan2(({0}).imag, ({0}).real)", numpy="np.angle({0})", torch="ops.angle({0})",
    ),
)
