"""The functions of `math`, each with the interval its argument is brought into and the interval of its value."""

from __future__ import annotations

import math

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr, multiply
from tests.fuzz.registry import expression
from tests.fuzz.writer import Writer

ANY = (-200.0, 200.0)

ONE: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "sin": (ANY, (-1, 1)),
    "cos": (ANY, (-1, 1)),
    "tan": ((-1.3, 1.3), (-3.7, 3.7)),
    "asin": ((-1.0, 1.0), (-1.6, 1.6)),
    "acos": ((-1.0, 1.0), (0, 3.2)),
    "atan": (ANY, (-1.6, 1.6)),
    "sinh": ((-4.0, 4.0), (-28, 28)),
    "cosh": ((-4.0, 4.0), (1, 28)),
    "tanh": (ANY, (-1, 1)),
    "asinh": (ANY, (-6, 6)),
    "acosh": ((1.0, 60.0), (0, 5)),
    "atanh": ((-0.95, 0.95), (-1.9, 1.9)),
    "exp": ((-8.0, 4.0), (0, 55)),
    "exp2": ((-8.0, 6.0), (0, 64)),
    "expm1": ((-8.0, 4.0), (-1, 55)),
    "log": ((0.05, 200.0), (-3, 5.4)),
    "log2": ((0.05, 200.0), (-4.4, 7.7)),
    "log10": ((0.05, 200.0), (-1.4, 2.4)),
    "log1p": ((-0.9, 200.0), (-2.4, 5.4)),
    "sqrt": ((0.0, 200.0), (0, 15)),
    "cbrt": (ANY, (-6, 6)),
    "erf": (ANY, (-1, 1)),
    "erfc": ((-5.0, 4.0), (0, 2)),
    "gamma": ((0.3, 4.5), (0.8, 12)),
    "lgamma": ((0.3, 30.0), (-0.2, 72)),
    "degrees": ((-3.2, 3.2), (-184, 184)),
    "radians": (ANY, (-3.5, 3.5)),
    "fabs": (ANY, (0, 200)),
}

OFTEN = {"sin": 3, "cos": 3, "exp": 4, "log": 4, "sqrt": 5, "tanh": 2, "atan": 1.5}


@expression("float", "math", 4.0)
def function(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    name = writer.variant("math", {name: OFTEN.get(name, 1.0) for name in ONE})
    (low, high), (least, most) = ONE[name]
    argument = fit(writer, writer.float(depth - 1), low, high)
    return Expr(f"math.{name}({argument.text})", "float", least, most)


@expression("float", "math of two", 1.6)
def function_of_two(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    first, second = writer.float(depth - 1), writer.float(depth - 1)
    name = writer.variant("math", {"atan2": 2, "hypot": 2, "fmod": 1, "remainder": 0.6, "copysign": 1, "pow": 1, "log with base": 0.6,
                                   "ldexp": 0.5, "dist": 0.5, "fsum": 0.4, "prod": 0.4, "hypot of three": 0.3})
    pair = f"{first.text}, {second.text}"
    reach = first.reach + second.reach
    match name:
        case "atan2":
            return Expr(f"math.atan2({pair})", "float", -3.2, 3.2)
        case "hypot":
            return Expr(f"math.hypot({pair})", "float", 0.0, reach)
        case "hypot of three":
            third = writer.float(0)
            return Expr(f"math.hypot({pair}, {third.text})", "float", 0.0, reach + third.reach)
        case "fmod":
            return Expr(f"math.fmod({first.text}, {writer.literal(0.4, 4.0).text})", "float", -4.0, 4.0)
        case "remainder":
            return Expr(f"math.remainder({first.text}, {writer.literal(0.4, 4.0).text})", "float", -2.0, 2.0)
        case "copysign":
            return Expr(f"math.copysign({pair})", "float", -first.reach, first.reach)
        case "pow":
            base, exponent = writer.within(0.05, 10.0, depth - 1), writer.within(-1.0, 2.0, depth - 1)
            return Expr(f"math.pow({base.text}, {exponent.text})", "float", 0.0, 100.0)
        case "log with base":
            base = writer.pick({"10": 1, "2": 1, "2.5": 1, "10.0": 1})
            return Expr(f"math.log({writer.positive(depth - 1).text}, {base})", "float", -4.0, 8.0)
        case "ldexp":
            exponent = writer.rng.choice((-2, -1, 1, 2))
            return Expr(f"math.ldexp({first.text}, {exponent})", "float", -4 * first.reach, 4 * first.reach)
        case "dist":
            third = writer.literal()
            return Expr(f"math.dist(({pair}), ({third.text}, {writer.float(0).text}))", "float", 0.0, 3 * reach + 200)
        case "fsum":
            return Expr(f"math.fsum([{pair}])", "float", -reach, reach)
        case _:
            made = multiply(first, second)
            return Expr(f"math.prod(({pair}))", "float", made.low, made.high)


@expression("float", "math constant", 0.2)
def constant(writer: Writer, depth: int) -> Expr:
    name = writer.variant("math", {"pi": 3, "e": 1, "tau": 1})
    return Expr(f"math.{name}", "float", getattr(math, name), getattr(math, name))


@expression("bool", "math question", 0.6)
def question(writer: Writer, depth: int) -> Expr:
    item = writer.float(min(depth, 1))
    name = writer.variant("math", {"isclose": 3, "isnan": 1, "isinf": 1, "isfinite": 1})
    if name == "isclose":
        tolerance = writer.pick({"abs_tol=0.8": 2, "rel_tol=0.3": 2, "rel_tol=0.1, abs_tol=0.4": 1})
        return Expr(f"math.isclose({item.text}, {writer.float(0).text}, {tolerance})", "bool", 0, 1)
    return Expr(f"math.{name}({item.text})", "bool", 0, 1)
