"""`while` on data: bounded by a counter, by a contraction, or by a method that converges."""

from __future__ import annotations

from tests.fuzz.constructs.loops import fits
from tests.fuzz.expression import Expr, number
from tests.fuzz.registry import statement
from tests.fuzz.writer import Writer, indent


@statement("while with counter", 1.5)
def counted(writer: Writer) -> list[str] | None:
    rounds = writer.rng.randint(3, 6)
    if not fits(writer, rounds):
        return None
    name = writer.fresh("n")
    writer.declare(name, Expr(name, "int", 0, rounds), writable=False)
    first = writer.chance(0.5)
    with writer.inside(loop=True, rounds=rounds, may_continue=first):
        condition = writer.bool(1).text
        inner = writer.body(3)
    lines = [f"{name} += 1", *inner] if first else [*inner, f"{name} += 1"]
    order = f"{name} < {rounds} and {condition}" if writer.chance(0.7) else f"{condition} and {name} < {rounds}"
    return [f"{name} = 0", f"while {order}:", *indent(lines), *_ending(writer)]


@statement("while contracting", 1.5)
def contracting(writer: Writer) -> list[str] | None:
    if not fits(writer, 8):
        return None
    name = writer.fresh("gap")
    start = writer.within(0.3, 8.0, 1)
    writer.declare(name, Expr(name, "float", 0.0, 9.0), writable=False)
    shrink = writer.pick({f"{name} *= {writer.literal(0.3, 0.7).text}": 3, f"{name} = {name} / {writer.literal(1.6, 3.0).text}": 2,
                          f"{name} -= {writer.literal(0.9, 2.0).text}": 2, f"{name} = 0.5 * {name} - {writer.literal(0.01, 0.2).text}": 1})
    first = writer.chance(0.5)
    with writer.inside(loop=True, rounds=8, may_continue=first):
        inner = writer.body(3)
    lines = [shrink, *inner] if first else [*inner, shrink]
    return [f"{name} = {start.text}", f"while {name} > {writer.literal(0.2, 0.9).text}:", *indent(lines), *_ending(writer)]


@statement("while growing", 0.8)
def growing(writer: Writer) -> list[str] | None:
    if not fits(writer, 8):
        return None
    name = writer.fresh("level")
    top = writer.within(0.5, 9.0, 1)
    start, factor = writer.literal(0.4, 1.5), writer.literal(1.5, 2.5)
    writer.declare(name, Expr(name, "float", 0.4, 25.0), writable=False)
    grow = writer.pick({f"{name} *= {factor.text}": 2, f"{name} += {writer.literal(0.9, 2.0).text}": 2,
                        f"{name} = {name} + {writer.within(0.9, 6.0, 1).text}": 1})
    limit = writer.fresh("top")
    writer.declare(limit, Expr(limit, "float", top.low, top.high), writable=False)
    with writer.inside(loop=True, rounds=8):
        inner = writer.body(2)
    return [f"{name} = {start.text}", f"{limit} = {top.text}", f"while {name} < {limit}:", *indent([grow, *inner]), *_ending(writer)]


@statement("while True", 1.0)
def endless(writer: Writer) -> list[str] | None:
    rounds = writer.rng.randint(3, 6)
    if not fits(writer, rounds):
        return None
    name = writer.fresh("tries")
    writer.declare(name, Expr(name, "int", 0, rounds), writable=False)
    with writer.inside(loop=True, rounds=rounds):
        before = writer.body(1)
        condition = writer.bool(1).text
        after = writer.body(2) if writer.budget > 0 else []
    leave = f"return {writer.give(writer)}" if writer.give is not None and writer.chance(0.15) else "break"
    stop = [f"if {name} >= {rounds} or {condition}:", f"    {leave}"]
    if writer.chance(0.3):
        stop = [f"if {condition}:", "    break", f"if {name} > {rounds - 1}:", "    break"]
    return [f"{name} = 0", f"while {writer.pick({'True': 4, '1': 1})}:", *indent([f"{name} += 1", *before, *stop, *after])]


@statement("Newton's method", 0.7)
def newton(writer: Writer) -> list[str] | None:
    """A damped Newton iteration for a square or cube root: the trip count depends on the sample."""
    if not fits(writer, 8):
        return None
    root, goal = writer.fresh("root"), writer.fresh("goal")
    tolerance, damping = writer.literal(0.001, 0.6), writer.rng.choice((0.5, 0.8, 1.0, 0.9))
    value = writer.within(0.2, 12.0, 1)
    writer.declare(goal, Expr(goal, "float", value.low, value.high), writable=False)
    writer.declare(root, Expr(root, "float", 0.05, 14.0), writable=False)
    power, slope = writer.pick({(f"{root} * {root}", f"(2 * {root})"): 2, (f"{root} ** 3", f"(3.0 * {root} ** 2)"): 1,
                                (f"{root} ** 2", f"(2.0 * {root})"): 1})
    step = f"{root} = {root} - {damping} * ({power} - {goal}) / {slope}"
    if writer.chance(0.4):
        step = f"{root} -= {damping} * ({power} - {goal}) / {slope}"
    start = writer.pick({f"{goal} + 1.0": 2, f"max({goal}, 1.0)": 1})
    with writer.inside(loop=True, rounds=8, may_continue=False):
        inner = writer.body(1) if writer.chance(0.4) else []
    return [f"{goal} = {value.text}", f"{root} = {start}", f"while abs({power} - {goal}) > {tolerance.text}:", *indent([step, *inner])]


@statement("bisection", 0.6)
def bisection(writer: Writer) -> list[str] | None:
    if not fits(writer, 8):
        return None
    low, high, middle = writer.fresh("lo"), writer.fresh("hi"), writer.fresh("mid")
    left, right = number(round(-writer.rng.uniform(0.5, 3.0), 2)), writer.within(0.5, 6.0, 1)
    for name in (low, high):
        writer.declare(name, Expr(name, "float", -4.0, 6.0), writable=False)
    with writer.inside(loop=True, rounds=8, may_continue=False):
        writer.declare(middle, Expr(middle, "float", -4.0, 6.0), writable=False)
        inner = writer.body(1) if writer.chance(0.3) else []
        value = writer.rng.choice((f"{middle} ** 3 - {writer.float(0).text}", f"{middle} - {writer.float(1).text}", f"math.sin({middle})"))
    test = [f"if {value} > {writer.literal(-1.0, 1.0).text}:", f"    {high} = {middle}", "else:", f"    {low} = {middle}"]
    return [f"{low}, {high} = {left.text}, {right.text}", f"while {high} - {low} > {writer.literal(0.1, 0.6).text}:",
            *indent([f"{middle} = {writer.pick({'0.5': 1, '1 / 2': 0.3})} * ({low} + {high})", *inner, *test])]


@statement("while on an int", 0.6)
def halving(writer: Writer) -> list[str] | None:
    """Digits of a whole number that depends on data."""
    if not fits(writer, 6):
        return None
    name = writer.fresh("n")
    start = writer.within(0.0, 40.0, 1)
    base = writer.rng.choice((2, 3, 4))
    writer.declare(name, Expr(name, "int", 0, 41), writable=False)
    first = writer.chance(0.5)
    with writer.inside(loop=True, rounds=6, may_continue=first):
        inner = writer.body(2)
    step = writer.pick({f"{name} //= {base}": 2, f"{name} = {name} // {base}": 1})
    lines = [step, *inner] if first else [*inner, step]
    return [f"{name} = {writer.pick({'int': 2, 'round': 1, 'math.ceil': 1})}({start.text})",
            f"while {writer.pick({name: 1, f'{name} > 0': 2})}:", *indent(lines), *_ending(writer)]


def _ending(writer: Writer) -> list[str]:
    if not writer.chance(0.12):
        return []
    writer.note("else of a while")
    return ["else:", *writer.block(1)]
