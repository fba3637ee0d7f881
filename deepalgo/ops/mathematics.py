"""Rows for mathematical functions of one operand.

>>> next(row.numpy for row in ROWS if row.name == "asin")
'np.arcsin({0})'
"""

from __future__ import annotations

from deepalgo.kinds import Kind
from deepalgo.ops.row import Hazard, Row, elementwise

FIELD = elementwise(least=Kind.REAL)
REAL = elementwise(least=Kind.REAL, most=Kind.REAL)
ORDERED = elementwise(least=Kind.INT, most=Kind.REAL)
QUESTION = elementwise(least=Kind.REAL, result=Kind.BOOL)


def _analytic(name: str, torch: str, numpy: str, hazard: Hazard, endpoint: str = "") -> Row:
    """A function of a real or complex operand."""
    return Row(name, FIELD, f"{torch}({{0}})", f"math.{name}({{0}})", f"np.{numpy}({{0}})", hazard, common=Kind.REAL,
               endpoint=endpoint)


def _real(name: str, torch: str, numpy: str, hazard: Hazard, endpoint: str = "") -> Row:
    return Row(name, REAL, f"{torch}({{0}})", f"math.{name}({{0}})", f"{numpy}({{0}})", hazard, common=Kind.REAL, endpoint=endpoint)


def _rounding(name: str, python: str, numpy: str) -> Row:
    return Row(name, REAL, f"torch.{name}({{0}})" if name != "rint" else "torch.round({0})", python, f"np.{numpy}({{0}})",
               Hazard.NONE, common=Kind.REAL)


def _question(name: str) -> Row:
    return Row(name, QUESTION, f"ops.{name}({{0}})", f"math.{name}({{0}})", f"np.{name}({{0}})", Hazard.NONE, common=Kind.REAL)


ROWS = (
    _analytic("sqrt", "ops.sqrt", "sqrt", Hazard.ARISES, "{0} == 0"),
    _real("cbrt", "ops.cbrt", "np.cbrt", Hazard.ARISES, "{0} == 0"),
    _analytic("exp", "torch.exp", "exp", Hazard.ARISES),
    _real("exp2", "torch.exp2", "np.exp2", Hazard.ARISES),
    _analytic("expm1", "torch.expm1", "expm1", Hazard.ARISES),
    _analytic("log", "ops.log", "log", Hazard.ARISES, "{0} == 0"),
    _analytic("log2", "ops.log2", "log2", Hazard.ARISES, "{0} == 0"),
    _analytic("log10", "ops.log10", "log10", Hazard.ARISES, "{0} == 0"),
    _analytic("log1p", "ops.log1p", "log1p", Hazard.ARISES, "{0} == -1"),
    _analytic("sin", "torch.sin", "sin", Hazard.SPREADS),
    _analytic("cos", "torch.cos", "cos", Hazard.SPREADS),
    _analytic("tan", "torch.tan", "tan", Hazard.ARISES),
    _analytic("asin", "ops.asin", "arcsin", Hazard.ARISES, "torch.abs({0}) == 1"),
    _analytic("acos", "ops.acos", "arccos", Hazard.ARISES, "torch.abs({0}) == 1"),
    _analytic("atan", "torch.atan", "arctan", Hazard.SPREADS),
    _analytic("sinh", "torch.sinh", "sinh", Hazard.ARISES),
    _analytic("cosh", "torch.cosh", "cosh", Hazard.ARISES),
    _analytic("tanh", "torch.tanh", "tanh", Hazard.SPREADS),
    _analytic("asinh", "torch.asinh", "arcsinh", Hazard.SPREADS),
    _analytic("acosh", "ops.acosh", "arccosh", Hazard.ARISES, "{0} == 1"),
    _analytic("atanh", "ops.atanh", "arctanh", Hazard.ARISES, "torch.abs({0}) == 1"),
    _real("erf", "torch.erf", "np.vectorize(math.erf)", Hazard.SPREADS),
    _real("erfc", "torch.erfc", "np.vectorize(math.erfc)", Hazard.SPREADS),
    _real("gamma", "ops.gamma", "np.vectorize(math.gamma)", Hazard.ARISES),
    _real("lgamma", "ops.lgamma", "np.vectorize(math.lgamma)", Hazard.ARISES),
    Row("degrees", REAL, "{0} * 57.29577951308232", "math.degrees({0})", "np.degrees({0})", Hazard.NONE, common=Kind.REAL),
    Row("radians", REAL, "{0} * 0.017453292519943295", "math.radians({0})", "np.radians({0})", Hazard.NONE, common=Kind.REAL),
    _question("isnan"),
    _question("isinf"),
    _question("isfinite"),
    _rounding("floor", "float(math.floor({0}))", "floor"),
    _rounding("ceil", "float(math.ceil({0}))", "ceil"),
    _rounding("trunc", "float(math.trunc({0}))", "trunc"),
    _rounding("rint", "float(round({0}))", "rint"),
    Row("round_digits", REAL, "ops.round_digits({0}, {digits})", "round({0}, {digits})", "np.vectorize(round)({0}, {digits})", Hazard.NONE,
        common=Kind.REAL),
    Row("sign", ORDERED, "ops.sign({0})", "((({0} > 0) - ({0} < 0)) if {0} == {0} else {0})", "np.sign({0})", Hazard.NONE, common=Kind.INT),
)
