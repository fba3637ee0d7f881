"""Loops that accumulate: counts, sums, products, polynomials, running extremes."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.constructs.loops import fits
from tests.fuzz.expression import Expr
from tests.fuzz.registry import statement
from tests.fuzz.writer import Writer, indent


@statement("counter in a loop", 0.8)
def counter(writer: Writer) -> list[str] | None:
    rounds = writer.rng.randint(3, 5)
    if not fits(writer, rounds):
        return None
    name, index = writer.fresh("hits"), writer.fresh("k")
    with writer.inside(loop=True, rounds=rounds):
        writer.declare(index, Expr(index, "int", 0, rounds), writable=False)
        body = [*(writer.statements(1) if writer.chance(0.6) else []), f"if {writer.bool(1).text}:", f"    {name} += 1"]
    writer.declare(name, Expr(name, "int", 0, rounds), writable=False)
    return [f"{name} = 0", f"for {index} in range({rounds}):", *indent(body)]


@statement("Horner", 0.6)
def horner(writer: Writer) -> list[str] | None:
    if not writer.module.tables or not fits(writer, 4):
        return None
    table = writer.rng.choice(sorted(writer.module.tables))
    name, entry = writer.fresh("value"), writer.fresh("c")
    item = fit(writer, writer.float(0), -1.5, 1.5)
    writer.declare(name, Expr(name, "float", -60.0, 60.0))
    first = writer.pick({"0.0": 2, "0": 1})
    return [f"{name} = {first}", f"for {entry} in {writer.pick({table: 2, f'reversed({table})': 1})}:",
            f"    {name} = {name} * {item.text} + {entry}"]


@statement("loop over indices", 0.8)
def indexed(writer: Writer) -> list[str] | None:
    """`for i in range(len(table))` with `table[i]`: the index is static, the table may hold data."""
    item = writer.some("float")
    if item is None or not fits(writer, 4):
        return None
    name, index = writer.fresh("acc"), writer.fresh("i")
    inner = fit(writer, item.read(), -1.5, 1.5).text
    lines, table = [f"{name} = {writer.pick({'0.0': 2, '0': 1})}"], writer.rng.choice(sorted(writer.module.tables) or [""])
    if not table or writer.chance(0.4):
        table = writer.fresh("points")
        lines.append(f"{table} = [{', '.join(writer.within(-4.0, 4.0, 1).text for _ in range(3))}]")
    term = writer.pick({f"{table}[{index}] * {inner} ** {index}": 2, f"({table}[{index}] - {inner}) / (1 + {index})": 1,
                        f"{table}[{index}] * {table}[{index} - 1]": 1, f"{table}[{index}] if {inner} > {table}[{index}] else {index}": 1})
    writer.declare(name, Expr(name, "float", -160.0, 160.0))
    return [*lines, f"for {index} in range(len({table})):", f"    {name} += {term}"]


@statement("running sum", 0.8)
def running(writer: Writer) -> list[str] | None:
    rounds = writer.rng.randint(2, 5)
    if not fits(writer, rounds):
        return None
    name, index = writer.fresh("acc"), writer.fresh("j")
    start = writer.pick({"0.0": 3, "0": 1, "1.0": 1})
    with writer.inside(loop=True, rounds=rounds):
        writer.declare(index, Expr(index, "int", 1, rounds), writable=False)
        term = writer.within(-3.0, 3.0, 2)
        skip = [f"if {writer.bool(1).text}:", "    continue"] if writer.chance(0.3) else []
        body = [*skip, f"{name} {writer.pick({'+=': 3, '-=': 1})} {term.text}"]
    writer.declare(name, Expr(name, "float", -3.0 * rounds - 1, 3.0 * rounds + 1))
    return [f"{name} = {start}", f"for {index} in range(1, {rounds + 1}):", *indent(body)]


@statement("running extreme", 0.5)
def extreme(writer: Writer) -> list[str] | None:
    """Keep the best of several values; the index of the best one is an int that depends on data."""
    rounds = writer.rng.randint(3, 4)
    if not fits(writer, rounds):
        return None
    best, where, index, value = writer.fresh("best"), writer.fresh("where"), writer.fresh("i"), writer.fresh("v")
    items = ", ".join(writer.within(-8.0, 8.0, 1).text for _ in range(rounds))
    start = writer.pick({"-1e9": 2, "float('-inf')": 1, "-math.inf": 1})
    writer.declare(best, Expr(best, "float", -8.0, 8.0))
    writer.declare(where, Expr(where, "int", -1, rounds))
    return [f"{best}, {where} = {start}, -1", f"for {index}, {value} in enumerate(({items})):",
            f"    if {value} > {best}:", f"        {best}, {where} = {value}, {index}"]


@statement("comprehension", 0.9)
def comprehension(writer: Writer) -> list[str] | None:
    item = writer.some("float")
    if item is None:
        return None
    item_text = fit(writer, item.read(), -2.0, 2.0).text
    name, entry = writer.fresh(), writer.fresh("c")
    way = writer.variant("comprehension", {"list": 2, "generator": 2, "filter": 1, "max": 1, "dict": 0.6, "math.fsum": 0.5})
    source = writer.rng.choice(sorted(writer.module.tables)) if writer.module.tables and writer.chance(0.6) else "(0.5, -1.25, 2.0)"
    writer.declare(name, Expr(name, "float", -80.0, 80.0))
    match way:
        case "list":
            return [f"{name} = sum([{entry} * {item_text} for {entry} in {source}])"]
        case "generator":
            power = writer.fresh("p")
            return [f"{name} = sum({entry} * {item_text} ** {power} for {power}, {entry} in enumerate({source}))"]
        case "filter":
            return [f"{name} = sum({entry} - {item_text} for {entry} in {source} if {entry} > 0.0)"]
        case "max":
            return [f"{name} = {writer.pick({'max': 1, 'min': 1})}({entry} - {item_text} for {entry} in {source})"]
        case "dict":
            return [f"{name} = {{k: k * {item_text} for k in range(4)}}[{writer.rng.randrange(4)}]"]
        case _:
            return [f"{name} = math.fsum(abs({entry} - {item_text}) for {entry} in {source})"]
