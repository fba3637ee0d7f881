"""Small programs of numbers and arrays, evaluated on infinities, NaN, negative zeros, ties, huge and denormal numbers.

>>> program = generate(5)
>>> program.source == generate(5).source, len(program.samples)
(True, 28)
"""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

from tests.fuzz.program import Program
from tests.fuzz.small_program import Draft
from tests.small.inputs import EDGES

PREAMBLE = "import cmath\nimport math\nimport numpy as np"
ORDINARY, MIXED, TRIES = 4, 9, 40
#: Expressions in numbers (`#`), whole numbers (`$`), truth values (`?`), arrays (`@`) and lists of numbers (`&`).
NUMBERS = (
    "# + #", "# - #", "# * #", "# / #", "# // #", "# % #", "# ** 2", "# ** #", "-#", "+#", "abs(#)", "abs(#) ** 0.5", "# ** -1",
    "2.0 ** #", "divmod(#, #)",
    "min(#, #)", "max(#, #)", "min(#, #, 0.0)", "max(#, -0.0, #)", "min([#, #, 1.0])", "max((#, #))", "sum([#, #])", "sum([#, #, #], 0.5)",
    "sum((-0.0, #))",
    "round(#)", "round(#, 1)", "int(#)", "float(#)", "bool(#)", "# or #", "# and #", "not #", "# if # > # else #", "# if # == # else -#",
    "# if # else 2.5",
    "# < #", "# <= #", "# > #", "# >= #", "# == #", "# != #", "# < # < #", "# == # == 1.0", "# in (#, 0.0)", "# in [#, #]",
    "# not in (1.0, #)", "(#, #) == (#, #)", "[#] == [#]",
    "(#, #) < (#, #)", "[#, 1.0] <= [#, #]", "(#, 2) != (#, 2)", "[#, #].index(#) if # in [#, #] else 5", "(#, #, #).count(#)",
    "[#, 0.0, #].count(0.0)",
    "sorted([#, #, #])", "sorted([#, #], reverse=True)", "sorted((#, #, #), key=abs)", "sorted([(#, 1), (#, 2)])", "math.fsum([#, #, #])",
    "math.prod([#, #])",
    "math.floor(#)", "math.ceil(#)", "math.trunc(#)", "math.sqrt(#)", "math.exp(#)", "math.expm1(#)", "math.log(#)", "math.log1p(#)",
    "math.log2(#)", "math.log10(#)",
    "math.log(#, 2.0)", "math.sin(#)", "math.cos(#)", "math.tan(#)", "math.asin(#)", "math.acos(#)", "math.atan(#)", "math.atan2(#, #)",
    "math.sinh(#)", "math.cosh(#)",
    "math.tanh(#)", "math.asinh(#)", "math.acosh(#)", "math.atanh(#)", "math.hypot(#, #)", "math.dist([#], [#])", "math.fabs(#)",
    "math.copysign(#, #)", "math.fmod(#, #)",
    "math.remainder(#, #)", "math.pow(#, #)", "math.pow(#, 0.5)", "math.modf(#)", "math.frexp(#)", "math.ldexp(#, 3)", "math.isnan(#)",
    "math.isinf(#)", "math.isfinite(#)",
    "math.isclose(#, #)", "math.degrees(#)", "math.radians(#)", "math.gamma(#)", "math.lgamma(#)", "math.erf(#)", "math.erfc(#)",
    "math.cbrt(#)", "math.exp2(#)",
    "complex(#, #)", "complex(#, #) + #", "complex(#, #) * complex(#, 1.0)", "abs(complex(#, #))", "complex(#, #).conjugate()",
    "-complex(#, #)", "complex(#, #).imag",
    "complex(#, #) * 2.0", "complex(#, #) == complex(#, #)", "complex(#, #) - 1j", "cmath.phase(complex(#, #))",
    "cmath.sqrt(complex(#, #))", "complex(#, #) / complex(#, 2.0)",
    "np.float64(#) / np.float64(#)", "np.float64(#) ** 0.5", "np.sqrt(#)", "np.log(#)", "np.maximum(#, #)", "np.fmin(#, #)", "np.sign(#)",
    "np.where(# > #, #, #)", "np.clip(#, -1.0, 2.0)",
    "#.is_integer()", "$ + 1", "$ * #", "$ // 2", "$ % 3", "# == $", "# < $", "? and ?", "not ?", "? + ?", "# if ? else #", "? == ?",
    "round($, 1)", "float($)",
)
ARRAYS = (
    "np.abs(@)", "np.sqrt(@)", "np.exp(@)", "np.log(@)", "np.log1p(@)", "np.expm1(@)", "np.sign(@)", "np.floor(@)", "np.ceil(@)",
    "np.rint(@)", "np.trunc(@)", "np.tanh(@)",
    "np.sin(@)", "np.arctan(@)", "np.arcsin(@)", "np.cbrt(@)", "np.square(@)", "np.reciprocal(@)", "np.signbit(@)", "np.isnan(@)",
    "np.isinf(@)", "np.isfinite(@)", "np.negative(@)",
    "@ + #", "@ - @", "@ * @", "@ / @", "@ // @", "@ % @", "@ ** 2", "@ ** 0.5", "@ > @", "@ == @", "@ != #", "@ <= 0.0",
    "np.divmod(@, @)[0]", "np.fmod(@, @)",
    "np.fmax(@, 1.5)", "np.minimum(@, -1.5)", "np.copysign(@, @)", "np.hypot(@, @)", "np.arctan2(@, @)", "np.logaddexp(@, @)",
    "np.heaviside(@, 0.5)", "np.nan_to_num(@)",
    "np.where(@ > 0.0, @, -1.0)", "np.where(@ == @, 1.0 / @, 0.0)", "np.clip(@, -1.0, 1.0)", "np.max(@)", "np.min(@)", "np.nanmax(@)",
    "np.nanmin(@)", "@.max()", "np.argmax(@)",
    "np.argmin(@)", "np.sort(@)", "np.median(@)", "np.nansum(np.sign(@))", "np.sum(@ > 0.0)", "np.any(@)", "np.all(@)",
    "np.count_nonzero(@)", "np.ptp(@)", "np.diff(@)", "np.cumprod(@)",
    "np.maximum.accumulate(@)", "np.isclose(@, @)", "np.array_equal(@, @)", "np.round(@, 1)", "np.interp(@, [0.0, 1.0], [2.0, 3.0])",
    "np.searchsorted([0.0, 1.0, 2.0], @)",
    "np.digitize(@, [0.0, 1.0])", "np.histogram(@, bins=[-2.0, 0.0, 2.0])[0]", "np.sinc(@)", "np.exp2(@)", "np.mod(@, 1.5)",
    "np.float_power(@, 2.0)", "@.tolist()", "list(@)", "max(@)", "min(@)",
    "sorted(@)", "sum(@)", "@[0]", "@[::-1]", "# in @", "np.nanprod(np.sign(@))", "np.any(@ > 1.0)", "np.flip(@)", "np.concatenate([@, @])",
)
#: Expressions with jumps, or that look at the sign of NaN.
JUMPS = re.compile(
    r"[%<>=!]|//|sign|divmod|mod\(|remainder|round|floor|ceil|trunc|rint|int\(|sorted|index|count| in |searchsorted|digitize|modf|arg"
)
#: How operands are spelled, and the kinds of values that may stand for them.
OPERANDS = {"#": ("float",), "$": ("int",), "?": ("bool",), "@": ("vector",), "&": ("floats",)}


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(f"edges/{seed}")
    names = ["x", "y", "z"][: rng.randint(1, 3)] + (["v"] if rng.random() < 0.4 else [])
    samples = _samples(rng, names)
    draft = Draft(rng, {name: [sample[name] for sample in samples[:1]] for name in names}, PREAMBLE)
    used: set[str] = set()
    wanted = rng.choice((1, 2, 2, 3))
    for _ in range(TRIES):
        template = rng.choice(ARRAYS if "v" in names and rng.random() < 0.6 else NUMBERS)
        text = _filled(draft, template)
        if text is not None and draft.add(text) is not None:
            used.add(template)
        if len(draft.made) == wanted:
            break
    if not draft.made:
        draft.add(f"{names[0]} * 1.5")
    return Program(seed, draft.text("program"), "program", tuple(samples), {}, frozenset(used), "edges", ORDINARY)


def _filled(draft: Draft, template: str) -> str | None:
    """The template with a name, or now and then a number, for each operand; what looks at signs gets inputs: NaN has no sign."""
    text = ""
    for letter in template:
        if letter not in OPERANDS:
            text += letter
            continue
        exact = JUMPS.search(template) is not None  # a rounding in the last place before a jump would be no difference of anyone's
        found = [name for name in draft.of(*OPERANDS[letter]) if name in draft.inputs or not exact]
        if letter == "#" and draft.rng.random() < 0.12:
            found = [draft.rng.choice(("0.5", "-1.5", "2.0", "0.0"))]
        if not found:
            return None
        text += draft.rng.choice(found)
    return text


def _samples(rng: random.Random, names: list[str]) -> list[dict[str, Any]]:
    ordinary = [{name: _drawn(name, lambda: rng.uniform(-3.0, 3.0)) for name in names} for _ in range(ORDINARY)]
    edges = [{name: _drawn(name, lambda edge=edge: edge * 1.0) for name in names} for edge in EDGES]
    return [*ordinary, *edges, *({name: _drawn(name, lambda: _either(rng)) for name in names} for _ in range(MIXED))]


def _either(rng: random.Random) -> float:
    return rng.choice(EDGES) * 1.0 if rng.random() < 0.6 else rng.uniform(-3.0, 3.0)


def _drawn(name: str, draw: Any) -> Any:
    return np.array([draw() for _ in range(3)]) if name == "v" else draw()
