"""`try` around arithmetic, functions as arguments, and recursion that data ends."""

from __future__ import annotations

from tests.fuzz.expression import Expr
from tests.fuzz.registry import rich
from tests.fuzz.writer import Writer, indent

#: What may fail, and the errors it fails with.
RISKS = {
    "{target} = {a} / round({x})": ("ZeroDivisionError", "ArithmeticError"),
    "{target} = math.sqrt({x})": ("ValueError",),
    "{target} = math.log({x})": ("ValueError", "(ValueError, ZeroDivisionError)"),
    "{target} = math.exp({x} * 300.0) * 0.0 + {a}": ("OverflowError", "ArithmeticError"),
    "{target} = math.asin({x}) + {a}": ("ValueError", "Exception"),
    "{target} = {a} % round({x})": ("ZeroDivisionError",),
    "{target} = {a} / max({x}, 0.0)": ("ZeroDivisionError",),
}


@rich("try", 6.0)
def attempt(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    target = writer.fresh()
    x, a, other = writer.within(-3.0, 3.0, 1).text, writer.within(-9.0, 9.0, 1).text, writer.within(-9.0, 9.0, 1).text
    template, errors = writer.rng.choice(list(RISKS.items()))
    body = [template.format(target=target, x=x, a=a)]
    way = writer.variant("try", {"plain": 4, "else": 1, "finally": 1, "as e": 1, "several": 1, "re-raise": 0.5, "nested": 1, "return": 0.5})
    error = writer.rng.choice(errors)
    lines = ["try:", *indent(body), f"except {error}:", f"    {target} = {other}"]
    match way:
        case "else":
            lines += ["else:", f"    {target} = {target} * {writer.literal(0.2, 0.9).text}"]
        case "finally":
            lines += ["finally:", f"    {target} = {target} + 1.0"]
        case "as e":
            lines[-2] = f"except {error} as e:"
        case "several":
            lines[-2:] = ["except (TypeError, KeyError):", f"    {target} = 0.5", f"except {error}:", f"    {target} = {other}"]
        case "re-raise":
            lines[-1:] = [f"    if {writer.bool(1).text} and {x} > 2.7:", "        raise", f"    {target} = {other}"]
        case "nested":
            lines = ["try:", *indent(["try:", *indent(body), "except TypeError:", f"    {target} = 0.25"]), f"except {error}:",
                     f"    {target} = {other}"]
        case "return" if writer.give is not None:
            lines[-1:] = [f"    return {writer.give(writer)}"]
    writer.declare(target, Expr("", "float", -90.0, 90.0))
    return [*lines, f"{target} = max(-90.0, min(90.0, {target}))"]


@rich("function as an argument", 3.0)
def passed(writer: Writer) -> list[str] | None:
    """A solver of the module, called with a closure over data."""
    if not writer.roomy or writer.rounds > 2:
        return None
    way = writer.variant("solver", {"bisect": 1, "newton": 1, "fixed point": 1})
    name, result, level = writer.fresh("solver"), writer.fresh("root"), writer.fresh("goal")
    tolerance = writer.literal(0.02, 0.4).text
    value = writer.within(-2.0, 2.0, 1).text
    if way == "bisect":
        writer.module.extra += [f"def {name}(f, lo, hi):", f"    while hi - lo > {tolerance}:", "        mid = 0.5 * (lo + hi)",
                                "        if f(mid) > 0.0:", "            hi = mid", "        else:", "            lo = mid",
                                "    return 0.5 * (lo + hi)"]
        call = f"{name}(lambda t: t ** 3 + t - {level}, -3.0, 3.0 + 0.1 * {level})"
    elif way == "newton":
        writer.module.extra += [f"def {name}(f, slope, x):", "    for _ in range(12):", "        step = f(x) / slope(x)",
                                "        x = x - step",
                                f"        if abs(step) < {tolerance}:", "            break", "    return x"]
        call = f"{name}(lambda t: t ** 3 + 2.0 * t - {level}, lambda t: 3.0 * t * t + 2.0, {level})"
    else:
        writer.module.extra += [f"def {name}(g, x):", "    count = 0", f"    while abs(g(x) - x) > {tolerance} and count < 20:",
                                "        x = g(x)", "        count += 1", "    return x"]
        call = f"{name}(lambda t: 0.5 * math.cos(t) + {level}, 0.25)"
    writer.declare(result, Expr("", "float", -5.0, 5.0))
    return [f"{level} = {value}", f"{result} = {call}"]


@rich("recursion ended by data", 2.5)
def recursion(writer: Writer) -> list[str] | None:
    if not writer.roomy or writer.rounds > 2:
        return None
    name, result = writer.fresh("descend"), writer.fresh()
    way = writer.variant("recursion", {"tail": 2, "not tail": 1})
    again = f"{name}(x * {writer.literal(0.3, 0.6).text}, total + x)"
    if way == "not tail":
        again = f"{writer.literal(0.2, 0.9).text} * {again} + {writer.literal(-1.0, 1.0).text}"
    writer.module.extra += [f"def {name}(x, total):", f"    if abs(x) < {writer.literal(0.5, 1.5).text}:", "        return total + x",
                            f"    return {again}"]
    writer.declare(result, Expr("", "float", -60.0, 60.0))
    return [f"{result} = {name}({writer.within(-9.0, 9.0, 1).text}, {writer.within(-2.0, 2.0, 1).text})"]
