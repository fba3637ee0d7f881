"""Torch forms of the operations that torch itself spells otherwise; written torch code calls this module `ops`.

They are total: no operand makes one raise or hang, because masked-out samples are computed, too.
"""

import importlib

from deepalgo.ops.forms.arrays import conj, gather, imag, real, stack, sum
from deepalgo.ops.forms.bessel import i0, i0e, i1, i1e, j0, j1, k0, k0e, k1, k1e, y0, y1
from deepalgo.ops.forms.bessel_data_order import iv_of, jv_of, kv_of
from deepalgo.ops.forms.bessel_fixed_order import iv, jv, kv
from deepalgo.ops.forms.choice import where
from deepalgo.ops.forms.complexes import complex_add, complex_div, complex_neg, complex_of, complex_sub
from deepalgo.ops.forms.decompositions import eig_is_real, eig_v, eig_w, eigh_v, eigh_w, svd_s, svd_u, svd_vh
from deepalgo.ops.forms.division import floordiv, fmod, lshift, mod, remainder, rshift
from deepalgo.ops.forms.elliptic import ellipe, ellipk
from deepalgo.ops.forms.endpoints import acos, acosh, asin, atanh, cbrt, log, log1p, log2, log10, sqrt
from deepalgo.ops.forms.exact_sum import fsum
from deepalgo.ops.forms.exponent import exponent, mantissa
from deepalgo.ops.forms.exponential_integral import exp1, expi, sinc
from deepalgo.ops.forms.fourier import fft, ifft
from deepalgo.ops.forms.gammas import beta, betaln, binom, comb, digamma, gammaln, special_gamma
from deepalgo.ops.forms.incomplete import betainc, betaincc, gammainc, gammaincc
from deepalgo.ops.forms.indexing import pick, pick_at, put, put_at, take
from deepalgo.ops.forms.lambert import lambertw
from deepalgo.ops.forms.linear import (
    cholesky,
    cross,
    det,
    det_log,
    det_sign,
    eigvalsh,
    inv,
    is_positive,
    is_singular,
    matmul,
    norm2,
    pinv,
    solve,
)
from deepalgo.ops.forms.normal import erfcinv, erfcx, erfinv, expit, log_ndtr, logaddexp, logit, ndtr, ndtri, xlogy
from deepalgo.ops.forms.order import fmax, fmin, max, maximum, min, minimum, sign
from deepalgo.ops.forms.ordering import argsort, interp, searchsorted, sort
from deepalgo.ops.forms.overflow import isfinite, isinf, isnan, no_overflow
from deepalgo.ops.forms.places import add_at, take_along
from deepalgo.ops.forms.plane import angle, atan2, copysign, hypot
from deepalgo.ops.forms.power import at_pow, pow
from deepalgo.ops.forms.quotient import quotient
from deepalgo.ops.forms.reductions import all, amax, amin, any, argmax, argmin, cumprod, cumsum, prod
from deepalgo.ops.forms.riemann import zeta
from deepalgo.ops.forms.root import at_root
from deepalgo.ops.forms.rounding import round_digits
from deepalgo.ops.forms.shapes import broadcast, concat, lead, permute, reshape
from deepalgo.ops.forms.soft import or_inf, soft_choice
from deepalgo.ops.forms.special import gamma, lgamma
from deepalgo.ops.table import TABLE

__all__ = [
    "acos",
    "acosh",
    "add_at",
    "all",
    "amax",
    "amin",
    "angle",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "at_pow",
    "at_root",
    "atan2",
    "atanh",
    "beta",
    "betainc",
    "betaincc",
    "betaln",
    "binom",
    "broadcast",
    "cbrt",
    "cholesky",
    "comb",
    "complex_add",
    "complex_div",
    "complex_neg",
    "complex_of",
    "complex_sub",
    "concat",
    "conj",
    "copysign",
    "cross",
    "cumprod",
    "cumsum",
    "det",
    "det_log",
    "det_sign",
    "digamma",
    "eig_is_real",
    "eig_v",
    "eig_w",
    "eigh_v",
    "eigh_w",
    "eigvalsh",
    "ellipe",
    "ellipk",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp1",
    "expi",
    "expit",
    "exponent",
    "fft",
    "floordiv",
    "fmax",
    "fmin",
    "fmod",
    "fsum",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "gather",
    "hypot",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "ifft",
    "imag",
    "interp",
    "inv",
    "is_positive",
    "is_singular",
    "isfinite",
    "isinf",
    "isnan",
    "iv",
    "iv_of",
    "j0",
    "j1",
    "jv",
    "jv_of",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kv",
    "kv_of",
    "lambertw",
    "lead",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_ndtr",
    "logaddexp",
    "logit",
    "lshift",
    "mantissa",
    "matmul",
    "max",
    "maximum",
    "min",
    "minimum",
    "mod",
    "ndtr",
    "ndtri",
    "no_overflow",
    "norm2",
    "or_inf",
    "permute",
    "pick",
    "pick_at",
    "pinv",
    "pow",
    "prod",
    "put",
    "put_at",
    "quotient",
    "real",
    "remainder",
    "reshape",
    "round_digits",
    "rshift",
    "searchsorted",
    "sign",
    "sinc",
    "soft_choice",
    "solve",
    "sort",
    "special_gamma",
    "sqrt",
    "stack",
    "sum",
    "svd_s",
    "svd_u",
    "svd_vh",
    "take",
    "take_along",
    "where",
    "xlogy",
    "y0",
    "y1",
    "zeta",
]


def __getattr__(name: str) -> object:
    """The form of an operation whose row names another module for it, imported with its first use."""
    row = TABLE.get(name)
    if row is None or not row.torch_form:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    form: object = getattr(importlib.import_module(row.torch_form), name)
    globals()[name] = form
    return form
