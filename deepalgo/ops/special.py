"""Rows for the special functions of mathematics, under SciPy's names.

Functions that SciPy takes an order or a branch for have it as a fixed attribute: `jv(x; order)`, `lambertw(x; branch)`.

>>> next(row.numpy for row in ROWS if row.name == "jv")
'scipy.special.jv({order}, {0})'
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from deepalgo.kinds import Attr, Kind, Type
from deepalgo.ops.ranges import Range
from deepalgo.ops.row import Hazard, Row, elementwise
from deepalgo.ops.slope import Numerical, Slope

REAL = elementwise(least=Kind.REAL, most=Kind.REAL)


def _one_or_two(args: Sequence[Type], attrs: Mapping[str, Attr]) -> Type:
    """The rule of a function whose second operand has a default."""
    if len(args) > 2:
        raise TypeError(f"{len(args)} operands are too many")
    return REAL(args, attrs)


#: Weights of a difference that is exact to sixth order, for the numbers one, two and three steps away on both sides.
WEIGHTS = (0.75, -0.15, 1 / 60)
#: A step by which orders of Bessel functions differ.
STEP = 2.0**-7


def _by_order(name: str) -> str:
    """The derivative of a Bessel function by its order; for other than positive numbers only whole orders have a value."""
    pairs = [(place * STEP, weight / STEP) for place, weight in enumerate(WEIGHTS, 1)]
    terms = (f"({name}(x + {step}, y) - {name}(x - {step}, y)) * {weight}" for step, weight in pairs)
    return f"select(y <= 0, 0.0, {' + '.join(terms)})"


def _by_parameter(name: str, rest: str, letters: str, letter: str) -> str:
    """The derivative of a tail of a distribution by a parameter; `rest` is the other tail.

    It is a difference of the logarithm of the smaller tail, which has all its digits.
    """
    step, other = f"minimum({letter} / 40, 0.05 * sqrt({letter}))", f"{rest}({letters})"

    def log_tail(sign: str, place: int) -> str:
        there = letters.replace(letter, f"{letter} {sign} {float(place)} * {step}")
        return f"log(select({name} < {other}, {name}({there}), {rest}({there})))"

    terms = (f"{weight} * ({log_tail('+', place)} - {log_tail('-', place)})" for place, weight in enumerate(WEIGHTS, 1))
    slope = f"select({name} < {other}, {name}, -{other}) * ({' + '.join(terms)}) / {step}"
    return f"select(minimum({name}, {other}) > 0, {slope}, 0.0)"

def _finite(slope: str) -> str:
    """A derivative that counts as 0 where it is infinite, as at 0 for some orders of Bessel functions."""
    return f"select(abs({slope}) == inf, 0.0, {slope})"


def _beta_density(sign: str) -> str:
    """The derivative of a tail of the beta distribution by its end, 0 at the ends of the interval where it is infinite."""
    inside = f"{sign}exp((x - 1) * log(z) + (y - 1) * log1p(-z) - betaln(x, y))"
    return f"select(z == 0, select(x == 1, {sign}y, 0.0), select(z == 1, select(y == 1, {sign}x, 0.0), {inside}))"


ROWS = (
    Row(
        "erfinv", types=REAL, common=Kind.REAL,
        means=("scipy.special.erfinv",),
        hazard=Hazard.ARISES, exact=False, cost=11,
        slope=Slope("0.886226925452758 * exp(erfinv * erfinv)", at={"x == 1 or x == -1": 0.0}),
        python="scipy.special.erfinv({0})", numpy="scipy.special.erfinv({0})", torch="ops.erfinv({0})",
        endpoint="torch.abs({0}) == 1",
    ),
    Row(
        "erfcinv", types=REAL, common=Kind.REAL,
        means=("scipy.special.erfcinv",),
        hazard=Hazard.ARISES, exact=False, cost=800,
        slope=Slope("-0.886226925452758 * exp(erfcinv * erfcinv)", at={"x == 0 or x == 2": 0.0}),
        python="scipy.special.erfcinv({0})", numpy="scipy.special.erfcinv({0})", torch="ops.erfcinv({0})",
        endpoint="({0} == 0) | ({0} == 2)",
    ),
    Row(
        "erfcx", types=REAL, common=Kind.REAL,
        means=("scipy.special.erfcx",),
        hazard=Hazard.ARISES, exact=False, cost=15, range=Range(0.0),
        slope=Slope("2 * x * erfcx - 1.1283791670955126"),
        python="scipy.special.erfcx({0})", numpy="scipy.special.erfcx({0})", torch="ops.erfcx({0})",
    ),
    Row(
        "ndtr", types=REAL, common=Kind.REAL,
        means=("scipy.special.ndtr",),
        hazard=Hazard.SPREADS, exact=False, cost=17, range=Range(0.0, 1.0),
        slope=Slope("0.3989422804014327 * exp(-x * x / 2)"),
        python="scipy.special.ndtr({0})", numpy="scipy.special.ndtr({0})", torch="ops.ndtr({0})",
    ),
    Row(
        "log_ndtr", types=REAL, common=Kind.REAL,
        means=("scipy.special.log_ndtr",),
        hazard=Hazard.SPREADS, exact=False, cost=34, range=Range(-math.inf, 0.0),
        slope=Slope("0.3989422804014327 * exp(-x * x / 2 - log_ndtr)"),
        python="scipy.special.log_ndtr({0})", numpy="scipy.special.log_ndtr({0})", torch="ops.log_ndtr({0})",
    ),
    Row(
        "ndtri", types=REAL, common=Kind.REAL,
        means=("scipy.special.ndtri",),
        hazard=Hazard.ARISES, exact=False, cost=7,
        slope=Slope("2.5066282746310002 * exp(ndtri * ndtri / 2)", at={"x == 0 or x == 1": 0.0}),
        python="scipy.special.ndtri({0})", numpy="scipy.special.ndtri({0})", torch="ops.ndtri({0})",
        endpoint="({0} == 0) | ({0} == 1)",
    ),
    Row(
        "expit", types=REAL, common=Kind.REAL,
        means=("scipy.special.expit",),
        hazard=Hazard.SPREADS, exact=False, cost=3.5, range=Range(0.0, 1.0),
        slope=Slope("expit * expit(-x)"),
        python="scipy.special.expit({0})", numpy="scipy.special.expit({0})", torch="ops.expit({0})",
    ),
    Row(
        "logit", types=REAL, common=Kind.REAL,
        means=("scipy.special.logit",),
        hazard=Hazard.ARISES, exact=False, cost=33,
        slope=Slope("1 / (x * (1 - x))", at={"x == 0 or x == 1": 0.0}),
        python="scipy.special.logit({0})", numpy="scipy.special.logit({0})", torch="ops.logit({0})",
        endpoint="({0} == 0) | ({0} == 1)",
    ),
    Row(
        "logaddexp", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=14,
        slope=Slope("expit(x - y)", "expit(y - x)", at={"x == y": 0.5}),
        python="np.logaddexp({0}, {1})", numpy="np.logaddexp({0}, {1})", torch="ops.logaddexp({0}, {1})",
    ),
    Row(
        "xlogy", types=REAL, common=Kind.REAL,
        means=("scipy.special.xlogy",),
        hazard=Hazard.ARISES, exact=False, cost=14,
        slope=Slope("log(y)", "x / y", at={"y <= 0": (0.0, None), "y == 0": (None, 0.0)}),
        python="scipy.special.xlogy({0}, {1})", numpy="scipy.special.xlogy({0}, {1})", torch="ops.xlogy({0}, {1})",
        endpoint="{1} == 0",
    ),
    Row(
        "special_gamma", types=REAL, common=Kind.REAL,
        means=("scipy.special.gamma",),
        hazard=Hazard.ARISES, exact=False, cost=300,
        slope=Slope("special_gamma * digamma(x)", at={"x <= 0 and x == floor(x)": 0.0}),
        python="scipy.special.gamma({0})", numpy="scipy.special.gamma({0})", torch="ops.special_gamma({0})",
    ),
    Row(
        "gammaln", types=REAL, common=Kind.REAL,
        means=("scipy.special.gammaln",),
        hazard=Hazard.ARISES, exact=False, cost=60,
        slope=Slope("digamma(x)", at={"x <= 0 and x == floor(x)": 0.0}),
        python="scipy.special.gammaln({0})", numpy="scipy.special.gammaln({0})", torch="ops.gammaln({0})",
    ),
    Row(
        "digamma", types=REAL, common=Kind.REAL,
        means=("scipy.special.digamma", "scipy.special.psi"),
        hazard=Hazard.ARISES, exact=False, cost=45,
        slope=Slope("select(x > 0, zeta(2.0, x), (pi / sin(pi * x)) ** 2.0 - zeta(2.0, 1.0 - x))"),
        python="scipy.special.digamma({0})", numpy="scipy.special.digamma({0})", torch="ops.digamma({0})",
    ),
    Row(
        "beta", types=REAL, common=Kind.REAL,
        means=("scipy.special.beta",),
        hazard=Hazard.ARISES, exact=False, cost=2200,
        slope=Slope("beta * (digamma(x) - digamma(x + y))", "beta * (digamma(y) - digamma(x + y))"),
        python="scipy.special.beta({0}, {1})", numpy="scipy.special.beta({0}, {1})", torch="ops.beta({0}, {1})",
    ),
    Row(
        "betaln", types=REAL, common=Kind.REAL,
        means=("scipy.special.betaln",),
        hazard=Hazard.ARISES, exact=False, cost=2000,
        slope=Slope("digamma(x) - digamma(x + y)", "digamma(y) - digamma(x + y)"),
        python="scipy.special.betaln({0}, {1})", numpy="scipy.special.betaln({0}, {1})", torch="ops.betaln({0}, {1})",
    ),
    Row(
        "binom", types=REAL, common=Kind.REAL,
        means=("scipy.special.binom",),
        hazard=Hazard.ARISES, exact=False, cost=6000,
        slope=Slope("binom * (digamma(x + 1) - digamma(x - y + 1))", "binom * (digamma(x - y + 1) - digamma(y + 1))",
                    at={"abs(x) < 0.001 or y >= x + 1": "ops.binom"}),
        python="scipy.special.binom({0}, {1})", numpy="scipy.special.binom({0}, {1})", torch="ops.binom({0}, {1})",
    ),
    Row(
        "comb", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6000,
        slope=Slope("comb * (digamma(x + 1) - digamma(x - y + 1))", "comb * (digamma(x - y + 1) - digamma(y + 1))",
                    at={"y > x or x < 0 or y < 0": 0.0}),
        python="scipy.special.comb({0}, {1})", numpy="scipy.special.comb({0}, {1})", torch="ops.comb({0}, {1})",
    ),
    Row(
        "gammainc", types=REAL, common=Kind.REAL,
        means=("scipy.special.gammainc",),
        hazard=Hazard.ARISES, exact=False, cost=4500, range=Range(-0.1, 1.1),
        slope=Slope(_by_parameter("gammainc", "gammaincc", "x, y", "x"), "exp((x - 1) * log(y) - y - gammaln(x))",
                    at={"y == 0": (None, 0.0), "y == 0 and x == 1": (None, 1.0)}),
        python="scipy.special.gammainc({0}, {1})", numpy="scipy.special.gammainc({0}, {1})", torch="ops.gammainc({0}, {1})",
    ),
    Row(
        "gammaincc", types=REAL, common=Kind.REAL,
        means=("scipy.special.gammaincc",),
        hazard=Hazard.ARISES, exact=False, cost=4300, range=Range(-0.1, 1.1),
        slope=Slope(_by_parameter("gammaincc", "gammainc", "x, y", "x"), "-exp((x - 1) * log(y) - y - gammaln(x))",
                    at={"y == 0": (None, 0.0), "y == 0 and x == 1": (None, -1.0)}),
        python="scipy.special.gammaincc({0}, {1})", numpy="scipy.special.gammaincc({0}, {1})", torch="ops.gammaincc({0}, {1})",
    ),
    Row(
        "betainc", types=REAL, common=Kind.REAL,
        means=("scipy.special.betainc",),
        hazard=Hazard.ARISES, exact=False, cost=6500, range=Range(-0.1, 1.1),
        slope=Slope(_by_parameter("betainc", "betaincc", "x, y, z", "x"), _by_parameter("betainc", "betaincc", "x, y, z", "y"),
                    _beta_density("")),
        python="scipy.special.betainc({0}, {1}, {2})", numpy="scipy.special.betainc({0}, {1}, {2})", torch="ops.betainc({0}, {1}, {2})",
    ),
    Row(
        "betaincc", types=REAL, common=Kind.REAL,
        means=("scipy.special.betaincc",),
        hazard=Hazard.ARISES, exact=False, cost=6500, range=Range(-0.1, 1.1),
        slope=Slope(_by_parameter("betaincc", "betainc", "x, y, z", "x"), _by_parameter("betaincc", "betainc", "x, y, z", "y"),
                    _beta_density("-")),
        python="scipy.special.betaincc({0}, {1}, {2})", numpy="scipy.special.betaincc({0}, {1}, {2})",
        torch="ops.betaincc({0}, {1}, {2})",
    ),
    Row(
        "j0", types=REAL, common=Kind.REAL,
        means=("scipy.special.j0",),
        hazard=Hazard.SPREADS, exact=False, cost=68, range=Range(-0.5, 1.0),
        slope=Slope("-j1(x)"),
        python="scipy.special.j0({0})", numpy="scipy.special.j0({0})", torch="ops.j0({0})",
    ),
    Row(
        "j1", types=REAL, common=Kind.REAL,
        means=("scipy.special.j1",),
        hazard=Hazard.SPREADS, exact=False, cost=85, range=Range(-0.6, 0.6),
        slope=Slope("j0(x) - j1 / x", at={"x == 0": 0.5}),
        python="scipy.special.j1({0})", numpy="scipy.special.j1({0})", torch="ops.j1({0})",
    ),
    Row(
        "y0", types=REAL, common=Kind.REAL,
        means=("scipy.special.y0",),
        hazard=Hazard.ARISES, exact=False, cost=94, range=Range(high=0.6),
        slope=Slope("-y1(x)", at={"x == 0": 0.0}),
        python="scipy.special.y0({0})", numpy="scipy.special.y0({0})", torch="ops.y0({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "y1", types=REAL, common=Kind.REAL,
        means=("scipy.special.y1",),
        hazard=Hazard.ARISES, exact=False, cost=130,
        slope=Slope("y0(x) - y1 / x", at={"x == 0": 0.0}),
        python="scipy.special.y1({0})", numpy="scipy.special.y1({0})", torch="ops.y1({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "i0", types=REAL, common=Kind.REAL,
        means=("scipy.special.i0",),
        hazard=Hazard.ARISES, exact=False, cost=16, range=Range(0.9),
        slope=Slope("i1(x)"),
        python="scipy.special.i0({0})", numpy="scipy.special.i0({0})", torch="ops.i0({0})",
    ),
    Row(
        "i1", types=REAL, common=Kind.REAL,
        means=("scipy.special.i1",),
        hazard=Hazard.ARISES, exact=False, cost=11,
        slope=Slope("i0(x) - i1 / x", at={"x == 0": 0.5}),
        python="scipy.special.i1({0})", numpy="scipy.special.i1({0})", torch="ops.i1({0})",
    ),
    Row(
        "i0e", types=REAL, common=Kind.REAL,
        means=("scipy.special.i0e",),
        hazard=Hazard.SPREADS, exact=False, cost=12, range=Range(0.0, 1.0),
        slope=Slope("i1e(x) - sign(x) * i0e"),
        python="scipy.special.i0e({0})", numpy="scipy.special.i0e({0})", torch="ops.i0e({0})",
    ),
    Row(
        "i1e", types=REAL, common=Kind.REAL,
        means=("scipy.special.i1e",),
        hazard=Hazard.SPREADS, exact=False, cost=13, range=Range(-0.3, 0.3),
        slope=Slope("i0e(x) - i1e * (sign(x) + 1 / x)", at={"x == 0": 0.5}),
        python="scipy.special.i1e({0})", numpy="scipy.special.i1e({0})", torch="ops.i1e({0})",
    ),
    Row(
        "k0", types=REAL, common=Kind.REAL,
        means=("scipy.special.k0",),
        hazard=Hazard.ARISES, exact=False, cost=20, range=Range(0.0),
        slope=Slope("-k1(x)", at={"x == 0": 0.0}),
        python="scipy.special.k0({0})", numpy="scipy.special.k0({0})", torch="ops.k0({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "k1", types=REAL, common=Kind.REAL,
        means=("scipy.special.k1",),
        hazard=Hazard.ARISES, exact=False, cost=13, range=Range(0.0),
        slope=Slope("-k0(x) - k1 / x", at={"x == 0": 0.0}),
        python="scipy.special.k1({0})", numpy="scipy.special.k1({0})", torch="ops.k1({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "k0e", types=REAL, common=Kind.REAL,
        means=("scipy.special.k0e",),
        hazard=Hazard.ARISES, exact=False, cost=20, range=Range(0.0),
        slope=Slope("k0e - k1e(x)", at={"x == 0": 0.0}),
        python="scipy.special.k0e({0})", numpy="scipy.special.k0e({0})", torch="ops.k0e({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "k1e", types=REAL, common=Kind.REAL,
        means=("scipy.special.k1e",),
        hazard=Hazard.ARISES, exact=False, cost=26, range=Range(0.0),
        slope=Slope("k1e * (1 - 1 / x) - k0e(x)", at={"x == 0": 0.0}),
        python="scipy.special.k1e({0})", numpy="scipy.special.k1e({0})", torch="ops.k1e({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "jv", types=REAL, common=Kind.REAL,
        means=("scipy.special.jv",),
        hazard=Hazard.ARISES, exact=False, cost=1800,
        slope=Slope(_finite("0.5 * (jv(x, order=order - 1) - jv(x, order=order + 1))")),
        python="scipy.special.jv({order}, {0})", numpy="scipy.special.jv({order}, {0})", torch="ops.jv({0}, {order})",
    ),
    Row(
        "iv", types=REAL, common=Kind.REAL,
        means=("scipy.special.iv",),
        hazard=Hazard.ARISES, exact=False, cost=1500,
        slope=Slope(_finite("0.5 * (iv(x, order=order - 1) + iv(x, order=order + 1))")),
        python="scipy.special.iv({order}, {0})", numpy="scipy.special.iv({order}, {0})", torch="ops.iv({0}, {order})",
    ),
    Row(
        "kv", types=REAL, common=Kind.REAL,
        means=("scipy.special.kv",),
        hazard=Hazard.ARISES, exact=False, cost=3000,
        slope=Slope(_finite("-0.5 * (kv(x, order=order - 1) + kv(x, order=order + 1))")),
        python="scipy.special.kv({order}, {0})", numpy="scipy.special.kv({order}, {0})", torch="ops.kv({0}, {order})",
    ),
    Row(
        "jv_of", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=5700,
        slope=Slope(_by_order("jv_of"), _finite("0.5 * (jv_of(x - 1, y) - jv_of(x + 1, y))")),
        python="scipy.special.jv({0}, {1})", numpy="scipy.special.jv({0}, {1})", torch="ops.jv_of({0}, {1})",
    ),
    Row(
        "iv_of", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=8000,
        slope=Slope(_by_order("iv_of"), _finite("0.5 * (iv_of(x - 1, y) + iv_of(x + 1, y))")),
        python="scipy.special.iv({0}, {1})", numpy="scipy.special.iv({0}, {1})", torch="ops.iv_of({0}, {1})",
    ),
    Row(
        "kv_of", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=6500,
        slope=Slope(_by_order("kv_of"), _finite("-0.5 * (kv_of(x - 1, y) + kv_of(x + 1, y))")),
        python="scipy.special.kv({0}, {1})", numpy="scipy.special.kv({0}, {1})", torch="ops.kv_of({0}, {1})",
    ),
    Row(
        "lambertw", types=REAL, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=400,
        slope=Slope("exp(-lambertw) / (1 + lambertw)", at={"lambertw == -1": 0.0, "abs(lambertw) == inf": 0.0}),
        python="scipy.special.lambertw({0}, {branch}).real", numpy="scipy.special.lambertw({0}, {branch}).real",
        torch="ops.lambertw({0}, {branch})",
    ),
    Row(
        "ellipk", types=REAL, common=Kind.REAL,
        means=("scipy.special.ellipk",),
        hazard=Hazard.ARISES, exact=False, cost=740, range=Range(0.0),
        slope=Slope("(ellipe(x) / (1 - x) - ellipk) / (2 * x)", at={"x == 0": 0.39269908169872414, "x == 1": 0.0}),
        python="scipy.special.ellipk({0})", numpy="scipy.special.ellipk({0})", torch="ops.ellipk({0})",
        endpoint="{0} == 1",
    ),
    Row(
        "ellipe", types=REAL, common=Kind.REAL,
        means=("scipy.special.ellipe",),
        hazard=Hazard.ARISES, exact=False, cost=97, range=Range(0.9),
        slope=Slope("(ellipe - ellipk(x)) / (2 * x)", at={"x == 0": -0.39269908169872414, "x == 1": 0.0}),
        python="scipy.special.ellipe({0})", numpy="scipy.special.ellipe({0})", torch="ops.ellipe({0})",
        endpoint="{0} == 1",
    ),
    Row(
        "zeta", types=_one_or_two, common=Kind.REAL,
        hazard=Hazard.ARISES, exact=False, cost=800,
        slope=Slope(Numerical("ops.zeta", "a sum of logarithms"), "-x * zeta(x + 1, y)"),
        python="scipy.special.zeta({*})", numpy="scipy.special.zeta({*})", torch="ops.zeta({*})",
    ),
    Row(
        "exp1", types=REAL, common=Kind.REAL,
        means=("scipy.special.exp1",),
        hazard=Hazard.ARISES, exact=False, cost=850, range=Range(0.0),
        slope=Slope("-exp(-x) / x", at={"x == 0": 0.0}),
        python="scipy.special.exp1({0})", numpy="scipy.special.exp1({0})", torch="ops.exp1({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "expi", types=REAL, common=Kind.REAL,
        means=("scipy.special.expi",),
        hazard=Hazard.ARISES, exact=False, cost=1900,
        slope=Slope("exp(x) / x", at={"x == 0": 0.0}),
        python="scipy.special.expi({0})", numpy="scipy.special.expi({0})", torch="ops.expi({0})",
        endpoint="{0} == 0",
    ),
    Row(
        "sinc", types=REAL, common=Kind.REAL,
        hazard=Hazard.SPREADS, exact=False, cost=5.5, range=Range(-0.3, 1.0),
        slope=Slope("(cos(pi * x) - sinc) / x", at={"x == 0": 0.0}),
        python="np.sinc({0})", numpy="np.sinc({0})", torch="ops.sinc({0})",
    ),
)
