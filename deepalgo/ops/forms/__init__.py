"""Torch forms of the operations that torch itself spells otherwise; emitted code calls this module `ops`.

They are total: no operand makes one raise or hang, because samples that do not come this way are computed along.
"""

from deepalgo.ops.forms.arrays import conj, gather, imag, real, stack, sum
from deepalgo.ops.forms.division import floordiv, fmod, lshift, mod, remainder, rshift
from deepalgo.ops.forms.endpoints import acos, acosh, asin, atanh, cbrt, log, log1p, log2, log10, sqrt
from deepalgo.ops.forms.order import fmax, fmin, max, maximum, min, minimum, sign
from deepalgo.ops.forms.overflow import no_overflow
from deepalgo.ops.forms.plane import atan2, copysign, hypot
from deepalgo.ops.forms.power import at_pow, pow
from deepalgo.ops.forms.rounding import round_digits
from deepalgo.ops.forms.special import gamma, lgamma

__all__ = [
    "acos", "acosh", "asin", "at_pow", "atan2", "atanh", "cbrt", "conj", "copysign", "floordiv", "fmax", "fmin", "fmod",
    "gamma", "gather", "hypot", "imag", "lgamma", "log", "log1p", "log2", "log10", "lshift", "max", "maximum", "min", "minimum",
    "mod", "no_overflow", "pow", "real", "remainder", "round_digits", "rshift", "sign", "sqrt", "stack", "sum",
]
