"""Vector forms of the elementary functions, for `mathematics="vector"`: at most 2 ulp off, and as C has them at special values.

Each form is written once and generated for a width; single numbers are width 1 and get the same bits. They need a processor with fused
steps. Their polynomials come from `python -m benchmarks.minimax`; `python -m benchmarks.mathematics` measures errors and speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from deepalgo.backends.native.mathematics.circular import cos, sin, tan
from deepalgo.backends.native.mathematics.exponentials import exp, exp2, expm1
from deepalgo.backends.native.mathematics.form_writer import FormValue, FormWriter
from deepalgo.backends.native.mathematics.hyperbolic import cosh, sinh, tanh
from deepalgo.backends.native.mathematics.inverse_circular import acos, asin, atan, atan2
from deepalgo.backends.native.mathematics.inverse_hyperbolic import acosh, asinh, atanh
from deepalgo.backends.native.mathematics.logarithms import log, log1p, log2, log10
from deepalgo.backends.native.mathematics.powers import cbrt, pow

#: Whether functions are those of the C library, as in Python, or vector forms.
Mathematics: TypeAlias = Literal["exact", "vector"]
#: The forms under the names that the C library has for the functions.
VECTOR_FORMS: dict[str, Callable[..., FormValue]] = {
    form.__name__: form
    for form in (exp, exp2, expm1, log, log2, log10, log1p, pow, cbrt, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh,
                 acosh, atanh)
}


def define(name: str, count: int, symbol: str, width: int, declared: dict[str, str]) -> str:
    """The text of a function of `count` operands for vectors of a width, under a symbol; `declared` is given what it has to declare."""
    writer = FormWriter(symbol, name, width)
    result = VECTOR_FORMS[name](writer, *(writer.argument(f"%{letter}") for letter in "ab"[:count]))
    declared |= writer.declared
    return writer.defined(result)


__all__ = ["VECTOR_FORMS", "Mathematics", "define"]
