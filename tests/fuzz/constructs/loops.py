"""`for` over ranges, lists, tuples, `zip` and `enumerate`, with `break`, `continue`, `else` and ranges that depend on data."""

from __future__ import annotations

from tests.fuzz.expression import Expr
from tests.fuzz.registry import statement
from tests.fuzz.writer import Writer, indent

MOST_ROUNDS = 30


def loop(writer: Writer, head: str, names: dict[str, Expr], rounds: int, most: int = 3, first: list[str] | None = None,
         may_continue: bool = True) -> list[str]:
    """A loop with its body; `names` are bound by its head and steer it."""
    with writer.inside(loop=True, rounds=rounds, may_continue=may_continue):
        for name, item in names.items():
            writer.declare(name, item, writable=False)
        lines = [head, *indent([*(first or []), *writer.body(most)])]
    return [*lines, *_ending(writer)]


def _ending(writer: Writer) -> list[str]:
    if not writer.chance(0.1):
        return []
    writer.note("else of a loop")
    return ["else:", *writer.block(1)]


def fits(writer: Writer, rounds: int) -> bool:
    return writer.roomy and writer.rounds * rounds <= MOST_ROUNDS


@statement("for range", 2.5)
def over_range(writer: Writer) -> list[str] | None:
    text, rounds, low, high = _range(writer)
    if not fits(writer, rounds):
        return None
    name = writer.fresh(writer.rng.choice(("i", "k", "round_"))) if writer.chance(0.8) else "_"
    names = {name: Expr(name, "int", low, high)} if name != "_" else {}
    return loop(writer, f"for {name} in {text}:", names, rounds)


def _range(writer: Writer) -> tuple[str, int, int, int]:
    """Text, number of rounds, smallest and largest index."""
    way = writer.variant("range", {"stop": 4, "start, stop": 2, "step": 1, "negative step": 1, "option": 0.6, "reversed": 0.8})
    rounds = writer.rng.randint(2, 5)
    start = writer.rng.randint(-2, 3)
    match way:
        case "stop":
            return f"range({rounds})", rounds, 0, rounds - 1
        case "start, stop":
            return f"range({start}, {start + rounds})", rounds, start, start + rounds - 1
        case "step":
            return f"range({start}, {start + 2 * rounds}, 2)", rounds, start, start + 2 * rounds - 2
        case "negative step":
            return f"range({start + rounds}, {start}, -1)", rounds, start + 1, start + rounds
        case "reversed":
            return f"reversed(range({rounds}))", rounds, 0, rounds - 1
        case _:
            return (f"range({writer.rng.choice(writer.sizes)})", 5, 0, 4) if writer.sizes else (f"range({rounds})", rounds, 0, rounds - 1)


@statement("for over a list", 1.2)
def over_list(writer: Writer) -> list[str] | None:
    count = writer.rng.randint(2, 4)
    if not fits(writer, count):
        return None
    name = writer.fresh(writer.rng.choice(("c", "w", "item", "value")))
    way = writer.variant("list", {"literals": 2, "table": 2, "signals": 2, "tuple": 1})
    if way == "table" and writer.module.tables:
        table = writer.rng.choice(sorted(writer.module.tables))
        values = writer.module.tables[table]
        return loop(writer, f"for {name} in {table}:", {name: Expr(name, "float", min(values), max(values))}, len(values))
    if way == "signals":
        items = [writer.within(-10.0, 10.0, 1).text for _ in range(count)]
        return loop(writer, f"for {name} in [{', '.join(items)}]:", {name: Expr(name, "float", -10.0, 10.0)}, count)
    literals = ", ".join(writer.literal(-2.0, 2.0).text for _ in range(count))
    text = f"({literals})" if way == "tuple" else f"[{literals}]"
    return loop(writer, f"for {name} in {text}:", {name: Expr(name, "float", -2.0, 2.0)}, count)


@statement("for over tuples", 0.7)
def over_tuples(writer: Writer) -> list[str] | None:
    count = writer.rng.randint(2, 3)
    if not fits(writer, count):
        return None
    first, second = writer.fresh("a"), writer.fresh("b")
    pairs = ", ".join(f"({writer.within(-5.0, 5.0, 1).text}, {writer.literal(0.2, 2.0).text})" for _ in range(count))
    names = {first: Expr(first, "float", -5.0, 5.0), second: Expr(second, "float", 0.2, 2.0)}
    return loop(writer, f"for {first}, {second} in (({pairs})):", names, count)


@statement("for zip", 0.9)
def over_zip(writer: Writer) -> list[str] | None:
    count = writer.rng.randint(2, 4)
    if not fits(writer, count):
        return None
    first, second = writer.fresh("a"), writer.fresh("b")
    left = ", ".join(writer.literal(-2.0, 2.0).text for _ in range(count))
    right = f"({', '.join(writer.within(-5.0, 5.0, 0).text for _ in range(count))})"
    if writer.chance(0.3):
        writer.note("zip with range")
        names = {first: Expr(first, "float", -2.0, 2.0), second: Expr(second, "int", 0, count)}
        return loop(writer, f"for {first}, {second} in zip([{left}], range({count + 1})):", names, count)
    names = {first: Expr(first, "float", -2.0, 2.0), second: Expr(second, "float", -5.0, 5.0)}
    return loop(writer, f"for {first}, {second} in zip([{left}], {right}):", names, count)


@statement("for enumerate", 0.9)
def over_enumerate(writer: Writer) -> list[str] | None:
    count = writer.rng.randint(2, 4)
    if not fits(writer, count):
        return None
    index, value = writer.fresh("i"), writer.fresh("v")
    if writer.module.tables and writer.chance(0.5):
        table = writer.rng.choice(sorted(writer.module.tables))
        text, count = table, len(writer.module.tables[table])
        low, high = min(writer.module.tables[table]), max(writer.module.tables[table])
    else:
        text, low, high = f"({', '.join(writer.within(-5.0, 5.0, 1).text for _ in range(count))})", -5.0, 5.0
    start = writer.pick({"": 3, ", 1": 1, ", start=1": 1})
    names = {index: Expr(index, "int", 0, count), value: Expr(value, "float", low, high)}
    return loop(writer, f"for {index}, {value} in enumerate({text}{start}):", names, count)


@statement("for over dict items", 0.4)
def over_dict(writer: Writer) -> list[str] | None:
    if not fits(writer, 3):
        return None
    key, value = writer.fresh("key"), writer.fresh("value")
    keys = writer.rng.sample(("low", "mid", "high", "top"), 3)
    items = ", ".join(f"{name!r}: {writer.within(-5.0, 5.0, 1).text}" for name in keys)
    first = [f"if {key} == {keys[0]!r}:", f"    {value} = {value} * {writer.literal(0.2, 1.0).text}"] if writer.chance(0.5) else []
    return loop(writer, f"for {key}, {value} in {{{items}}}.items():", {value: Expr(value, "float", -5.0, 5.0)}, 3, first=first)


@statement("for range on data", 0.8)
def over_data(writer: Writer) -> list[str] | None:
    if not fits(writer, 5):
        return None
    count = Expr(f"int({writer.within(0.0, 5.0, 1).text})", "int", 0, 5)
    name = writer.fresh("k")
    if writer.chance(0.4):
        steps = writer.fresh("steps")
        writer.declare(steps, Expr(steps, "int", 0, 5), writable=False)
        body = loop(writer, f"for {name} in range({steps}):", {name: Expr(name, "int", 0, 4)}, 5)
        return [f"{steps} = {count.text}", *body]
    start = writer.pick({"": 3, "1, ": 1})
    return loop(writer, f"for {name} in range({start}{count.text}):", {name: Expr(name, "int", 0, 4)}, 5)


@statement("break", 1.3)
def stop(writer: Writer) -> list[str] | None:
    if not writer.in_loop:
        return None
    condition = writer.bool(1).text
    return [f"if {condition}:", *indent([*_before(writer), "break"])]


@statement("continue", 1.0)
def skip(writer: Writer) -> list[str] | None:
    if not writer.in_loop or not writer.may_continue:
        return None
    condition = writer.bool(1).text
    return [f"if {condition}:", *indent([*_before(writer), "continue"])]


def _before(writer: Writer) -> list[str]:
    if writer.budget <= 0 or not writer.roomy or not writer.chance(0.4):
        return []
    with writer.inside():
        return writer.statements(1)


@statement("for else search", 0.6)
def search(writer: Writer) -> list[str] | None:
    """Look for the first entry that passes; `else` is what happens when none does."""
    item = writer.some("float")
    if item is None or not fits(writer, 4):
        return None
    found, name = writer.fresh("found"), writer.fresh("limit")
    literals = ", ".join(str(value) for value in sorted(writer.literal(-2.0, 3.0).low for _ in range(4)))
    inner = writer.within(-10.0, 10.0, 1)
    writer.declare(found, Expr(found, "float", min(inner.low, -3.0), max(inner.high, 3.0)))
    other = writer.literal(-3.0, 3.0)
    return [f"for {name} in ({literals}):", f"    if {item.name} < {name}:", f"        {found} = {inner.text}", "        break",
            "else:", f"    {found} = {other.text}"]
