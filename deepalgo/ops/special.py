"""Rows for the special functions of mathematics, under SciPy's names.

Functions that SciPy takes an order or a branch for have it as a fixed attribute: `jv(x; order)`, `lambertw(x; branch)`.

>>> next(row.numpy for row in ROWS if row.name == "jv")
'scipy.special.jv({order}, {0})'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.ir import Attr, Kind, Type
from deepalgo.ops.row import Row, elementwise

REAL = elementwise(least=Kind.REAL, most=Kind.REAL)


def _one_or_two(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    """The rule of a function whose second operand has a default."""
    if len(args) > 2:
        raise TypeError(f"{len(args)} operands are too many")
    return REAL(args, attrs)


def _special(name: str, endpoint: str = "", *, operands: int = 1, form: str = "", scipy: str = "") -> Row:
    """A function of so many operands with derivatives by all of them."""
    places = ", ".join(f"{{{place}}}" for place in range(operands))
    numpy = scipy or f"scipy.special.{name}({places})"
    return Row(name, REAL, form or f"ops.{name}({places})", numpy, numpy, common=Kind.REAL, endpoint=endpoint)


def _of_order(name: str) -> Row:
    return _special(name, form=f"ops.{name}({{0}}, {{order}})", scipy=f"scipy.special.{name}({{order}}, {{0}})")


ROWS = (
    _special("erfinv", "torch.abs({0}) == 1"),
    _special("erfcinv", "({0} == 0) | ({0} == 2)"),
    _special("erfcx"),
    _special("ndtr"),
    _special("log_ndtr"),
    _special("ndtri", "({0} == 0) | ({0} == 1)"),
    _special("expit"),
    _special("logit", "({0} == 0) | ({0} == 1)"),
    _special("xlogy", "{1} == 0", operands=2),
    _special("gammaln", form="ops.lgamma({0})"),
    _special("digamma"),
    _special("beta", operands=2),
    _special("betaln", operands=2),
    _special("binom", operands=2),
    _special("comb", operands=2),
    _special("gammainc", operands=2),
    _special("gammaincc", operands=2),
    _special("betainc", operands=3),
    _special("betaincc", operands=3),
    _special("j0"),
    _special("j1"),
    _special("y0", "{0} == 0"),
    _special("y1", "{0} == 0"),
    _special("i0"),
    _special("i1"),
    _special("i0e"),
    _special("i1e"),
    _special("k0", "{0} == 0"),
    _special("k1", "{0} == 0"),
    _special("k0e", "{0} == 0"),
    _special("k1e", "{0} == 0"),
    _of_order("jv"),
    _of_order("iv"),
    _of_order("kv"),
    _special("lambertw", form="ops.lambertw({0}, {branch})", scipy="scipy.special.lambertw({0}, {branch}).real"),
    _special("ellipk", "{0} == 1"),
    _special("ellipe", "{0} == 1"),
    Row("zeta", _one_or_two, "ops.zeta({*})", "scipy.special.zeta({*})", "scipy.special.zeta({*})", common=Kind.REAL),
    _special("exp1", "{0} == 0"),
    _special("expi", "{0} == 0"),
    _special("sinc", scipy="np.sinc({0})"),
)
