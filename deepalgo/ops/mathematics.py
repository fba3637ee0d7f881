"""Rows for mathematical functions of one operand.

>>> next(row.numpy for row in ROWS if row.name == "asin")
'np.arcsin({0})'
"""

from __future__ import annotations

import math

from deepalgo.kinds import Kind
from deepalgo.ops import bounds
from deepalgo.ops.bounds import rising, rounded
from deepalgo.ops.ranges import FINITE, INFINITE, NAN, Range
from deepalgo.ops.row import Hazard, Row, elementwise
from deepalgo.ops.slope import FLAT, Slope

FIELD = elementwise(least=Kind.REAL)
REAL = elementwise(least=Kind.REAL, most=Kind.REAL)
ORDERED = elementwise(least=Kind.INT, most=Kind.REAL)
QUESTION = elementwise(least=Kind.REAL, result=Kind.BOOL)


ROWS = (
    Row(
        "sqrt", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=3,
        slope=Slope("0.5 / sqrt", at={"sqrt == 0": 0.0}),
        python="math.sqrt({0})", numpy="np.sqrt({0})", torch="ops.sqrt({0})",
        endpoint="{0} == 0",
        range=Range(0.0), bounds=bounds.root,
    ),
    Row(
        "cbrt", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=30,
        slope=Slope("1 / (3 * cbrt * cbrt)", at={"cbrt == 0": 0.0}),
        python="math.cbrt({0})", numpy="np.cbrt({0})", torch="ops.cbrt({0})",
        endpoint="{0} == 0",
        bounds=rising(math.cbrt),
    ),
    Row(
        "exp", types=FIELD, common=Kind.REAL,
        raises=("OverflowError",),
        hazard=Hazard.ARISES, exact=False, cost=3,
        slope=Slope("exp"),
        python="math.exp({0})", numpy="np.exp({0})", torch="torch.exp({0})",
        range=Range(0.0), bounds=rising(math.exp),
    ),
    Row(
        "exp2", types=REAL, common=Kind.REAL,
        raises=("OverflowError",),
        hazard=Hazard.ARISES, exact=False, cost=3,
        slope=Slope("exp2 * 0.6931471805599453"),
        python="math.exp2({0})", numpy="np.exp2({0})", torch="torch.exp2({0})",
        range=Range(0.0), bounds=rising(math.exp2),
    ),
    Row(
        "expm1", types=FIELD, common=Kind.REAL,
        raises=("OverflowError",),
        hazard=Hazard.ARISES, exact=False, cost=8,
        slope=Slope("expm1 + 1"),
        python="math.expm1({0})", numpy="np.expm1({0})", torch="torch.expm1({0})",
        range=Range(-1.0), bounds=rising(math.expm1),
    ),
    Row(
        "log", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=4,
        slope=Slope("1 / x", at={"x == 0": 0.0}),
        python="math.log({0})", numpy="np.log({0})", torch="ops.log({0})",
        endpoint="{0} == 0",
        bounds=rising(math.log, 0.0),
    ),
    Row(
        "log2", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=4,
        slope=Slope("1 / (x * 0.6931471805599453)", at={"x == 0": 0.0}),
        python="math.log2({0})", numpy="np.log2({0})", torch="ops.log2({0})",
        endpoint="{0} == 0",
        bounds=rising(math.log2, 0.0),
    ),
    Row(
        "log10", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=5,
        slope=Slope("1 / (x * 2.302585092994046)", at={"x == 0": 0.0}),
        python="math.log10({0})", numpy="np.log10({0})", torch="ops.log10({0})",
        endpoint="{0} == 0",
        bounds=rising(math.log10, 0.0),
    ),
    Row(
        "log1p", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=8,
        slope=Slope("1 / (1 + x)", at={"x == -1": 0.0}),
        python="math.log1p({0})", numpy="np.log1p({0})", torch="ops.log1p({0})",
        endpoint="{0} == -1",
        bounds=rising(math.log1p, -1.0),
    ),
    Row(
        "sin", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.SPREADS, exact=False, cost=6,
        slope=Slope("cos(x)"),
        python="math.sin({0})", numpy="np.sin({0})", torch="torch.sin({0})",
        range=Range(-1.0, 1.0),
    ),
    Row(
        "cos", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.SPREADS, exact=False, cost=6,
        slope=Slope("-sin(x)"),
        python="math.cos({0})", numpy="np.cos({0})", torch="torch.cos({0})",
        range=Range(-1.0, 1.0),
    ),
    Row(
        "tan", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=12,
        slope=Slope("1 + tan * tan"),
        python="math.tan({0})", numpy="np.tan({0})", torch="torch.tan({0})",
    ),
    Row(
        "asin", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=7,
        slope=Slope("1 / sqrt((1 - x) * (1 + x))", at={"x == 1 or x == -1": 0.0}),
        python="math.asin({0})", numpy="np.arcsin({0})", torch="ops.asin({0})",
        endpoint="torch.abs({0}) == 1",
        range=Range(-1.6, 1.6), bounds=rising(math.asin, -1.0, 1.0),
    ),
    Row(
        "acos", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=7,
        slope=Slope("-1 / sqrt((1 - x) * (1 + x))", at={"x == 1 or x == -1": 0.0}),
        python="math.acos({0})", numpy="np.arccos({0})", torch="ops.acos({0})",
        endpoint="torch.abs({0}) == 1",
        range=Range(0.0, 3.2),
    ),
    Row(
        "atan", types=FIELD, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=11,
        slope=Slope("1 / (1 + x * x)"),
        python="math.atan({0})", numpy="np.arctan({0})", torch="torch.atan({0})",
        range=Range(-1.6, 1.6), bounds=rising(math.atan),
    ),
    Row(
        "sinh", types=FIELD, common=Kind.REAL,
        raises=("OverflowError",),
        hazard=Hazard.ARISES, exact=False, cost=8,
        slope=Slope("cosh(x)"),
        python="math.sinh({0})", numpy="np.sinh({0})", torch="torch.sinh({0})",
        bounds=rising(math.sinh),
    ),
    Row(
        "cosh", types=FIELD, common=Kind.REAL,
        raises=("OverflowError",),
        hazard=Hazard.ARISES, exact=False, cost=8,
        slope=Slope("sinh(x)"),
        python="math.cosh({0})", numpy="np.cosh({0})", torch="torch.cosh({0})",
        range=Range(0.9),
    ),
    Row(
        "tanh", types=FIELD, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=9,
        slope=Slope("1 - tanh * tanh"),
        python="math.tanh({0})", numpy="np.tanh({0})", torch="torch.tanh({0})",
        range=Range(-1.0, 1.0), bounds=rising(math.tanh),
    ),
    Row(
        "asinh", types=FIELD, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=29,
        slope=Slope("1 / sqrt(x * x + 1)"),
        python="math.asinh({0})", numpy="np.arcsinh({0})", torch="torch.asinh({0})",
        bounds=rising(math.asinh),
    ),
    Row(
        "acosh", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=22,
        slope=Slope("1 / (sqrt(x - 1) * sqrt(x + 1))", at={"x == 1": 0.0}),
        python="math.acosh({0})", numpy="np.arccosh({0})", torch="ops.acosh({0})",
        endpoint="{0} == 1",
        range=Range(0.0), bounds=rising(math.acosh, 1.0),
    ),
    Row(
        "atanh", types=FIELD, common=Kind.REAL,
        raises=("ValueError",),
        hazard=Hazard.ARISES, exact=False, cost=10,
        slope=Slope("1 / ((1 - x) * (1 + x))", at={"x == 1 or x == -1": 0.0}),
        python="math.atanh({0})", numpy="np.arctanh({0})", torch="ops.atanh({0})",
        endpoint="torch.abs({0}) == 1",
        bounds=rising(math.atanh, -1.0, 1.0),
    ),
    Row(
        "erf", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=8,
        slope=Slope("1.1283791670955126 * exp(-x * x)"),
        python="math.erf({0})", numpy="np.vectorize(math.erf)({0})", torch="torch.erf({0})",
        range=Range(-1.0, 1.0), bounds=rising(math.erf),
    ),
    Row(
        "erfc", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=14,
        slope=Slope("-1.1283791670955126 * exp(-x * x)"),
        python="math.erfc({0})", numpy="np.vectorize(math.erfc)({0})", torch="torch.erfc({0})",
        range=Range(0.0, 2.0),
    ),
    Row(
        "gamma", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.ARISES, exact=False, cost=300,
        slope=Slope("gamma * digamma(x)"),
        python="math.gamma({0})", numpy="np.vectorize(math.gamma)({0})", torch="ops.gamma({0})",
    ),
    Row(
        "lgamma", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.ARISES, exact=False, cost=60,
        slope=Slope("digamma(x)", at={"x <= 0 and x == floor(x)": 0.0}),
        python="math.lgamma({0})", numpy="np.vectorize(math.lgamma)({0})", torch="ops.lgamma({0})",
    ),
    Row(
        "degrees", types=REAL, common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=Slope("57.29577951308232"),
        python="math.degrees({0})", numpy="np.degrees({0})", torch="{0} * 57.29577951308232",
    ),
    Row(
        "radians", types=REAL, common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, cost=1,
        slope=Slope("0.017453292519943295"),
        python="math.radians({0})", numpy="np.radians({0})", torch="{0} * 0.017453292519943295",
    ),
    Row(
        "isnan", types=QUESTION, common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=0.6,
        slope=FLAT,
        python="math.isnan({0})", numpy="np.isnan({0})", torch="ops.isnan({0})",
        sorts=(NAN, INFINITE | FINITE), fold=math.isnan,
    ),
    Row(
        "isinf", types=QUESTION, common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1.5,
        slope=FLAT,
        python="math.isinf({0})", numpy="np.isinf({0})", torch="ops.isinf({0})",
        sorts=(INFINITE, NAN | FINITE), fold=math.isinf,
    ),
    Row(
        "isfinite", types=QUESTION, common=Kind.REAL,
        hazard=Hazard.NONE, exact=True, exact_complex=True, cost=1,
        slope=FLAT,
        python="math.isfinite({0})", numpy="np.isfinite({0})", torch="ops.isfinite({0})",
        sorts=(FINITE, NAN | INFINITE), fold=math.isfinite,
    ),
    Row(
        "floor", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="float(math.floor({0}))", numpy="np.floor({0})", torch="torch.floor({0})",
        bounds=rounded(math.floor), fold=lambda x: float(math.floor(x)),
        step="torch.round({0})",
    ),
    Row(
        "ceil", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="float(math.ceil({0}))", numpy="np.ceil({0})", torch="torch.ceil({0})",
        bounds=rounded(math.ceil),
        step="torch.round({0})",
    ),
    Row(
        "trunc", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.NONE, exact=True, cost=3,
        slope=FLAT,
        python="float(math.trunc({0}))", numpy="np.trunc({0})", torch="torch.trunc({0})",
        bounds=rounded(math.trunc),
        step="torch.round({0})",
    ),
    Row(
        "rint", types=REAL, common=Kind.REAL,
        raises=("OverflowError", "ValueError"),
        hazard=Hazard.NONE, exact=True, cost=0.6,
        slope=FLAT,
        python="float(round({0}))", numpy="np.rint({0})", torch="torch.round({0})",
        bounds=rounded(round),
        step="torch.floor({0}) + 0.5",
    ),
    Row(
        "round_digits", types=REAL, common=Kind.REAL,
        raises=("OverflowError",),
        hazard=Hazard.NONE, exact=True, cost=40,
        slope=FLAT,
        python="round({0}, {digits})", numpy="np.vectorize(round)({0}, {digits})", torch="ops.round_digits({0}, {digits})",
    ),
    Row(
        "sign", types=ORDERED, common=Kind.INT,
        hazard=Hazard.NONE, exact=True, cost=3.5,
        slope=FLAT,
        python="((({0} > 0) - ({0} < 0)) if {0} == {0} else {0})", numpy="np.sign({0})", torch="ops.sign({0})",
        range=Range(-1.0, 1.0, whole=True),
    ),
)
