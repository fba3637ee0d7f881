"""Rows for the special functions of mathematics, under SciPy's names.

Functions that SciPy takes an order or a branch for have it as a fixed attribute: `jv(x; order)`, `lambertw(x; branch)`.

>>> next(row.numpy for row in ROWS if row.name == "jv")
'scipy.special.jv({order}, {0})'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.row import Hazard, Row, elementwise

REAL = elementwise(least=Kind.REAL, most=Kind.REAL)


def _one_or_two(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    """The rule of a function whose second operand has a default."""
    if len(args) > 2:
        raise TypeError(f"{len(args)} operands are too many")
    return REAL(args, attrs)


def _special(name: str, hazard: Hazard, endpoint: str = "", *, operands: int = 1, form: str = "", scipy: str = "") -> Row:
    """A function of so many operands with derivatives by all of them."""
    places = ", ".join(f"{{{place}}}" for place in range(operands))
    numpy = scipy or f"scipy.special.{name}({places})"
    return Row(name, REAL, form or f"ops.{name}({places})", numpy, numpy, hazard, common=Kind.REAL, endpoint=endpoint)


def _of_order(name: str, hazard: Hazard) -> Row:
    return _special(name, hazard, form=f"ops.{name}({{0}}, {{order}})", scipy=f"scipy.special.{name}({{order}}, {{0}})")


ROWS = (
    _special("erfinv", Hazard.ARISES, "torch.abs({0}) == 1"),
    _special("erfcinv", Hazard.ARISES, "({0} == 0) | ({0} == 2)"),
    _special("erfcx", Hazard.ARISES),
    _special("ndtr", Hazard.SPREADS),
    _special("log_ndtr", Hazard.SPREADS),
    _special("ndtri", Hazard.ARISES, "({0} == 0) | ({0} == 1)"),
    _special("expit", Hazard.SPREADS),
    _special("logit", Hazard.ARISES, "({0} == 0) | ({0} == 1)"),
    _special("logaddexp", Hazard.SPREADS, scipy="np.logaddexp({0}, {1})", operands=2),
    _special("xlogy", Hazard.ARISES, "{1} == 0", operands=2),
    _special("gammaln", Hazard.ARISES),
    _special("digamma", Hazard.ARISES),
    _special("beta", Hazard.ARISES, operands=2),
    _special("betaln", Hazard.ARISES, operands=2),
    _special("binom", Hazard.ARISES, operands=2),
    _special("comb", Hazard.ARISES, operands=2),
    _special("gammainc", Hazard.ARISES, operands=2),
    _special("gammaincc", Hazard.ARISES, operands=2),
    _special("betainc", Hazard.ARISES, operands=3),
    _special("betaincc", Hazard.ARISES, operands=3),
    _special("j0", Hazard.SPREADS),
    _special("j1", Hazard.SPREADS),
    _special("y0", Hazard.ARISES, "{0} == 0"),
    _special("y1", Hazard.ARISES, "{0} == 0"),
    _special("i0", Hazard.ARISES),
    _special("i1", Hazard.ARISES),
    _special("i0e", Hazard.SPREADS),
    _special("i1e", Hazard.SPREADS),
    _special("k0", Hazard.ARISES, "{0} == 0"),
    _special("k1", Hazard.ARISES, "{0} == 0"),
    _special("k0e", Hazard.ARISES, "{0} == 0"),
    _special("k1e", Hazard.ARISES, "{0} == 0"),
    _of_order("jv", Hazard.ARISES),
    _of_order("iv", Hazard.ARISES),
    _of_order("kv", Hazard.ARISES),
    *(_special(f"{name}_of", Hazard.ARISES, operands=2, scipy=f"scipy.special.{name}({{0}}, {{1}})") for name in ("jv", "iv", "kv")),
    _special("lambertw", Hazard.ARISES, form="ops.lambertw({0}, {branch})", scipy="scipy.special.lambertw({0}, {branch}).real"),
    _special("ellipk", Hazard.ARISES, "{0} == 1"),
    _special("ellipe", Hazard.ARISES, "{0} == 1"),
    Row("zeta", _one_or_two, "ops.zeta({*})", "scipy.special.zeta({*})", "scipy.special.zeta({*})", Hazard.ARISES, common=Kind.REAL),
    _special("exp1", Hazard.ARISES, "{0} == 0"),
    _special("expi", Hazard.ARISES, "{0} == 0"),
    _special("sinc", Hazard.SPREADS, scipy="np.sinc({0})"),
)
