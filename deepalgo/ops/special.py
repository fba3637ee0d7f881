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


ROWS = (
    Row(
        "erfinv", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=11,
        python="scipy.special.erfinv({0})", numpy="scipy.special.erfinv({0})", torch="ops.erfinv({0})",
        endpoint="torch.abs({0}) == 1",
    ),
    Row(
        "erfcinv", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=800,
        python="scipy.special.erfcinv({0})", numpy="scipy.special.erfcinv({0})", torch="ops.erfcinv({0})",
        endpoint="({0} == 0) | ({0} == 2)",
    ),
    Row(
        "erfcx", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=15,
        python="scipy.special.erfcx({0})", numpy="scipy.special.erfcx({0})", torch="ops.erfcx({0})",
    ),
    Row(
        "ndtr", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=17,
        python="scipy.special.ndtr({0})", numpy="scipy.special.ndtr({0})", torch="ops.ndtr({0})",
    ),
    Row(
        "log_ndtr", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=34,
        python="scipy.special.log_ndtr({0})", numpy="scipy.special.log_ndtr({0})", torch="ops.log_ndtr({0})",
    ),
    Row(
        "ndtri", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=7,
        python="scipy.special.ndtri({0})", numpy="scipy.special.ndtri({0})", torch="ops.ndtri({0})",
        endpoint="({0} == 0) | ({0} == 1)",
    ),
    Row(
        "expit", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=3.5,
        python="scipy.special.expit({0})", numpy="scipy.special.expit({0})", torch="ops.expit({0})",
    ),
    Row(
        "logit", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=33,
        python="scipy.special.logit({0})", numpy="scipy.special.logit({0})", torch="ops.logit({0})",
        endpoint="({0} == 0) | ({0} == 1)",
    ),
    Row(
        "logaddexp", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=14,
        python="np.logaddexp({0}, {1})", numpy="np.logaddexp({0}, {1})", torch="ops.logaddexp({0}, {1})",
    ),
    Row(
        "xlogy", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=14,
        python="scipy.special.xlogy({0}, {1})", numpy="scipy.special.xlogy({0}, {1})", torch="ops.xlogy({0}, {1})",
        endpoint="{1} == 0",
    ),
    Row(
        "gammaln", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=60,
        python="scipy.special.gammaln({0})", numpy="scipy.special.gammaln({0})", torch="ops.gammaln({0})",
    ),
    Row(
        "digamma", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=45,
        python="scipy.special.digamma({0})", numpy="scipy.special.digamma({0})", torch="ops.digamma({0})",
    ),
    Row(
        "beta", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=2200,
        python="scipy.special.beta({0}, {1})", numpy="scipy.special.beta({0}, {1})", torch="ops.beta({0}, {1})",
    ),
    Row(
        "betaln", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=2000,
        python="scipy.special.betaln({0}, {1})", numpy="scipy.special.betaln({0}, {1})", torch="ops.betaln({0}, {1})",
    ),
    Row(
        "binom", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6000,
        python="scipy.special.binom({0}, {1})", numpy="scipy.special.binom({0}, {1})", torch="ops.binom({0}, {1})",
    ),
    Row(
        "comb", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6000,
        python="scipy.special.comb({0}, {1})", numpy="scipy.special.comb({0}, {1})", torch="ops.comb({0}, {1})",
    ),
    Row(
        "gammainc", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=4500,
        python="scipy.special.gammainc({0}, {1})", numpy="scipy.special.gammainc({0}, {1})", torch="ops.gammainc({0}, {1})",
    ),
    Row(
        "gammaincc", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=4300,
        python="scipy.special.gammaincc({0}, {1})", numpy="scipy.special.gammaincc({0}, {1})", torch="ops.gammaincc({0}, {1})",
    ),
    Row(
        "betainc", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6500,
        python="scipy.special.betainc({0}, {1}, {2})", numpy="scipy.special.betainc({0}, {1}, {2})", torch="ops.betainc({0}, {1}, {2})",
    ),
    Row(
        "betaincc", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6500,
        python="scipy.special.betaincc({0}, {1}, {2})", numpy="scipy.special.betaincc({0}, {1}, {2})",
        torch="ops.betaincc({0}, {1}, {2})",
    ),
    Row(
        "j0", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=68,
        python="scipy.special.j0({0})", numpy="scipy.special.j0({0})", torch="ops.j0({0})",
    ),
    Row(
        "j1", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=85,
        python="scipy.special.j1({0})", numpy="scipy.special.j1({0})", torch="ops.j1({0})",
    ),
    Row(
        "y0", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=94,
        python="scipy.special.y0({0})", numpy="scipy.special.y0({0})", torch="ops.y0({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "y1", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=130,
        python="scipy.special.y1({0})", numpy="scipy.special.y1({0})", torch="ops.y1({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "i0", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=16,
        python="scipy.special.i0({0})", numpy="scipy.special.i0({0})", torch="ops.i0({0})",
    ),
    Row(
        "i1", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=11,
        python="scipy.special.i1({0})", numpy="scipy.special.i1({0})", torch="ops.i1({0})",
    ),
    Row(
        "i0e", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=12,
        python="scipy.special.i0e({0})", numpy="scipy.special.i0e({0})", torch="ops.i0e({0})",
    ),
    Row(
        "i1e", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=13,
        python="scipy.special.i1e({0})", numpy="scipy.special.i1e({0})", torch="ops.i1e({0})",
    ),
    Row(
        "k0", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=20,
        python="scipy.special.k0({0})", numpy="scipy.special.k0({0})", torch="ops.k0({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "k1", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=13,
        python="scipy.special.k1({0})", numpy="scipy.special.k1({0})", torch="ops.k1({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "k0e", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=20,
        python="scipy.special.k0e({0})", numpy="scipy.special.k0e({0})", torch="ops.k0e({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "k1e", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=26,
        python="scipy.special.k1e({0})", numpy="scipy.special.k1e({0})", torch="ops.k1e({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "jv", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=1800,
        python="scipy.special.jv({order}, {0})", numpy="scipy.special.jv({order}, {0})", torch="ops.jv({0}, {order})",
    ),
    Row(
        "iv", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=1500,
        python="scipy.special.iv({order}, {0})", numpy="scipy.special.iv({order}, {0})", torch="ops.iv({0}, {order})",
    ),
    Row(
        "kv", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=3000,
        python="scipy.special.kv({order}, {0})", numpy="scipy.special.kv({order}, {0})", torch="ops.kv({0}, {order})",
    ),
    Row(
        "jv_of", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=5700,
        python="scipy.special.jv({0}, {1})", numpy="scipy.special.jv({0}, {1})", torch="ops.jv_of({0}, {1})",
    ),
    Row(
        "iv_of", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=8000,
        python="scipy.special.iv({0}, {1})", numpy="scipy.special.iv({0}, {1})", torch="ops.iv_of({0}, {1})",
    ),
    Row(
        "kv_of", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6500,
        python="scipy.special.kv({0}, {1})", numpy="scipy.special.kv({0}, {1})", torch="ops.kv_of({0}, {1})",
    ),
    Row(
        "lambertw", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=400,
        python="scipy.special.lambertw({0}, {branch}).real", numpy="scipy.special.lambertw({0}, {branch}).real",
        torch="ops.lambertw({0}, {branch})",
    ),
    Row(
        "ellipk", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=740,
        python="scipy.special.ellipk({0})", numpy="scipy.special.ellipk({0})", torch="ops.ellipk({0})",
        endpoint="{0} == 1",
    ),
    Row(
        "ellipe", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=97,
        python="scipy.special.ellipe({0})", numpy="scipy.special.ellipe({0})", torch="ops.ellipe({0})",
        endpoint="{0} == 1",
    ),
    Row(
        "zeta", types=_one_or_two, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=800,
        python="scipy.special.zeta({*})", numpy="scipy.special.zeta({*})", torch="ops.zeta({*})",
    ),
    Row(
        "exp1", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=850,
        python="scipy.special.exp1({0})", numpy="scipy.special.exp1({0})", torch="ops.exp1({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "expi", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=1900,
        python="scipy.special.expi({0})", numpy="scipy.special.expi({0})", torch="ops.expi({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "sinc", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=5.5,
        python="np.sinc({0})", numpy="np.sinc({0})", torch="ops.sinc({0})",
    ),
)
