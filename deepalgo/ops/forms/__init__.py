"""Torch forms of the operations that torch itself spells otherwise; emitted code calls this module `ops`.

They are total: no operand makes one raise or hang, because samples that do not come this way are computed along.
"""

from deepalgo.ops.forms.arrays import conj, gather, imag, real, stack, sum
from deepalgo.ops.forms.division import floordiv, fmod, lshift, mod, remainder, rshift
from deepalgo.ops.forms.endpoints import acos, acosh, asin, atanh, cbrt, log, log1p, log2, log10, sqrt
from deepalgo.ops.forms.indexing import pick, pick_at, put, put_at, take
from deepalgo.ops.forms.linear import (
    cholesky,
    cross,
    det,
    eigvalsh,
    inv,
    is_positive,
    is_singular,
    matmul,
    norm2,
    pinv,
    solve,
)
from deepalgo.ops.forms.order import fmax, fmin, max, maximum, min, minimum, sign
from deepalgo.ops.forms.ordering import argsort, interp, searchsorted, sort
from deepalgo.ops.forms.overflow import no_overflow
from deepalgo.ops.forms.plane import atan2, copysign, hypot
from deepalgo.ops.forms.power import at_pow, pow
from deepalgo.ops.forms.reductions import all, amax, amin, any, argmax, argmin, cumprod, cumsum, prod
from deepalgo.ops.forms.rounding import round_digits
from deepalgo.ops.forms.shapes import broadcast, concat, permute, reshape
from deepalgo.ops.forms.special import gamma, lgamma

__all__ = [
    "acos", "acosh", "all", "amax", "amin", "any", "argmax", "argmin", "argsort", "asin", "at_pow", "atan2", "atanh",
    "broadcast", "cbrt", "cholesky", "concat", "conj", "copysign", "cross", "cumprod", "cumsum", "det", "eigvalsh", "floordiv",
    "fmax", "fmin", "fmod", "gamma", "gather", "hypot", "imag", "interp", "inv", "is_positive", "is_singular", "lgamma", "log",
    "log1p", "log2", "log10", "lshift", "matmul", "max", "maximum", "min", "minimum", "mod", "no_overflow", "norm2", "permute",
    "pick", "pick_at", "pinv", "pow", "prod", "put", "put_at", "real", "remainder", "reshape", "round_digits", "rshift",
    "searchsorted", "sign", "solve", "sort", "sqrt", "stack", "sum", "take",
]
