"""Tuples, unpacking, swaps and small lists of fixed length."""

from __future__ import annotations

from tests.fuzz.expression import Expr
from tests.fuzz.registry import expression, statement
from tests.fuzz.writer import Writer


@statement("tuple unpacking", 0.9)
def unpack(writer: Writer) -> list[str]:
    items = [writer.within(-20.0, 20.0, 2) for _ in range(writer.rng.randint(2, 3))]
    names = [writer.fresh() for _ in items]
    for name in names:
        writer.declare(name, Expr(name, "float", -20.0, 20.0))
    left, right = ", ".join(names), ", ".join(item.text for item in items)
    return [f"({left}) = ({right})"] if writer.chance(0.2) else [f"{left} = {right}"]


@statement("simultaneous update", 0.8)
def together(writer: Writer) -> list[str] | None:
    """`a, b = b, a + b`: the right side sees the old values."""
    found = writer.variables("float", writable=True)
    if len(found) < 2:
        return None
    first, second = writer.rng.sample(found, 2)
    one, two = writer.assign(first, _sum(first.read(), second.read())), writer.assign(second, writer.float(1))
    return [f"{first.name}, {second.name} = {one.split(' = ', 1)[1]}, {two.split(' = ', 1)[1]}"]


def _sum(first: Expr, second: Expr) -> Expr:
    return Expr(f"({second.text} - 0.5 * {first.text})", "float", second.low - first.reach, second.high + first.reach)


@statement("swap", 0.7)
def swap(writer: Writer) -> list[str] | None:
    found = writer.variables("float", writable=True)
    pairs = [(a, b) for a in found for b in found if a.name < b.name and (a.low, a.high) == (b.low, b.high)]
    if not pairs:
        first, second = writer.fresh(), writer.fresh()
        one, two = writer.within(-9.0, 9.0, 1), writer.within(-9.0, 9.0, 1)
        for name in (first, second):
            writer.declare(name, Expr(name, "float", -9.0, 9.0))
        line = [f"{first}, {second} = {one.text}, {two.text}"]
    else:
        (first, second), line = [item.name for item in writer.rng.choice(pairs)], []
    if writer.roomy and writer.chance(0.6):
        return [*line, f"if {first} {writer.pick({'>': 1, '<': 1})} {second}:", f"    {first}, {second} = {second}, {first}"]
    return [*line, f"{first}, {second} = {second}, {first}"]


@statement("starred unpacking", 0.5)
def starred(writer: Writer) -> list[str]:
    items = [writer.within(-9.0, 9.0, 1).text for _ in range(writer.rng.randint(3, 4))]
    first, rest, name = writer.fresh("first"), writer.fresh("rest"), writer.fresh()
    writer.declare(first, Expr(first, "float", -9.0, 9.0))
    writer.declare(name, Expr(name, "float", -30.0, 30.0))
    left = writer.pick({f"{first}, *{rest}": 2, f"*{rest}, {first}": 1})
    use = writer.pick({f"sum({rest})": 2, f"max({rest})": 1, f"{rest}[0] - {rest}[-1]": 1, f"max(*{rest}, 0.5)": 0.5})
    return [f"{left} = {', '.join(items)}", f"{name} = {use}"]


@statement("nested unpacking", 0.4)
def nested(writer: Writer) -> list[str]:
    items = [writer.within(-9.0, 9.0, 1).text for _ in range(3)]
    names = [writer.fresh() for _ in items]
    for name in names:
        writer.declare(name, Expr(name, "float", -9.0, 9.0))
    return [f"({names[0]}, {names[1]}), {names[2]} = ({items[0]}, {items[1]}), {items[2]}"]


@statement("tuple kept in a variable", 0.6)
def kept(writer: Writer) -> list[str]:
    """A pair that is built in arms or once, then read by index."""
    pair, name = writer.fresh("pair"), writer.fresh()
    build = [f"({writer.within(-9.0, 9.0, 1).text}, {writer.within(-9.0, 9.0, 1).text})" for _ in range(2)]
    condition = writer.bool(1).text
    writer.declare(name, Expr(name, "float", -20.0, 20.0))
    use = f"{name} = {pair}[0] {writer.pick({'-': 1, '+': 1})} {pair}[{writer.pick({'1': 1, '-1': 1})}]"
    if writer.roomy and writer.chance(0.5):
        writer.note("tuple bound in both arms")
        return [f"if {condition}:", f"    {pair} = {build[0]}", "else:", f"    {pair} = {build[1]}", use]
    return [f"{pair} = {build[0]}", use]


@statement("list of signals", 0.6)
def listed(writer: Writer) -> list[str]:
    values, name = writer.fresh("values"), writer.fresh()
    count = writer.rng.randint(2, 4)
    items = ", ".join(writer.within(-9.0, 9.0, 1).text for _ in range(count))
    writer.declare(name, Expr(name, "float", -330.0, 330.0))
    use = writer.pick({f"sum({values}) / len({values})": 2, f"max({values}) - min({values})": 2, f"{values}[1] * 0.5": 1,
                       f"sum([v * v for v in {values}])": 1, f"sum(v for v in {values} if v > 0.0)": 0.1,
                       f"sum({values}[1:])": 0.7, f"{values}[::-1][0]": 0.3})
    return [f"{values} = [{items}]", f"{name} = {use}"]


@expression("float", "item of a tuple", 0.4)
def item(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    items = [writer.float(depth - 1) for _ in range(2)]
    index = writer.rng.randrange(2)
    return Expr(f"({items[0].text}, {items[1].text})[{index}]", "float", items[index].low, items[index].high)
