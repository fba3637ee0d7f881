"""Code around arrays: loops over rows, iterations on vectors, helpers that write into what they are given, tables read by data."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.constructs.arrays import clipped, index, some, vector
from tests.fuzz.expression import Expr
from tests.fuzz.registry import rich, rich_expression
from tests.fuzz.writer import Thing, Writer, indent


@rich_expression("entry of a table chosen by data", 2.0)
def entry(writer: Writer, depth: int) -> Expr | None:
    if not writer.module.tables:
        return None
    name = writer.rng.choice(sorted(writer.module.tables))
    values = writer.module.tables[name]
    return Expr(f"{name}[{index(writer, len(values))}]", "float", min(values), max(values))


@rich_expression("polynomial", 1.0)
def polynomial(writer: Writer, depth: int) -> Expr:
    coefficients = [writer.literal(-1.5, 1.5).text for _ in range(writer.rng.randint(2, 4))]
    if writer.chance(0.3):
        coefficients[-1] = writer.within(-1.5, 1.5, 0).text
    return Expr(f"np.polyval([{', '.join(coefficients)}], {writer.within(-2.0, 2.0, depth - 1).text})", "float", -23.0, 23.0)


@rich("for over rows, pairs or positions", 3.0)
def rows(writer: Writer) -> list[str] | None:
    if not writer.roomy or writer.rounds > 4:
        return None
    way = writer.variant("walk", {"rows": 2, "enumerate": 2, "zip": 2, "shape": 1})
    held = some(writer, (2, 3) if way in ("rows", "shape") else (3,))
    if held is None:
        return None
    total, step = writer.fresh(), writer.literal(-0.9, 0.9).text
    start = f"{total} = {writer.literal(-1.0, 1.0).text}"
    bounded = Expr("", "float", -400.0, 400.0)
    match way:
        case "rows":
            loop = [f"for row in {held.name}:", f"    {total} += {step} * row[{writer.rng.randrange(3)}]"]
        case "enumerate":
            loop = [f"for k, v in enumerate({held.name}):", f"    {total} += {step} * v * (k + 1)"]
        case "zip":
            loop = [f"for v, w in zip({held.name}, {clipped(vector(writer, (3,), 0), -3.0, 3.0).text}):", f"    {total} += v * w"]
        case _:
            loop = [f"for r in range({held.name}.shape[0]):", f"    for c in range({held.name}.shape[1]):",
                    f"        if {held.name}[r, c] > {writer.literal(-1.0, 1.0).text}:",
                    f"            {total} += {step} * {held.name}[r, c]"]
    writer.declare(total, bounded)
    return [start, *loop]


@rich("while on a vector", 2.0)
def shrinking(writer: Writer) -> list[str] | None:
    """An iteration that ends when a vector is short enough."""
    if not writer.roomy or writer.rounds > 2:
        return None
    name, before = writer.fresh("vec"), writer.fresh("before")
    made = clipped(vector(writer, (3,), 1), -20.0, 20.0).text
    matrix = writer.pick({"0.5 * {0}": 1, "0.4 * {0} + 0.1 * np.roll({0}, 1)": 1,
                          "np.array([[0.4, 0.1, 0.0], [0.0, 0.5, 0.1], [0.1, 0.0, 0.3]]) @ {0}": 1}).format(name)
    keep = [f"{before} = {name}"] if writer.chance(0.4) else []
    store = [f"{name}[{writer.rng.randrange(3)}] *= {writer.literal(0.2, 0.9).text}"] if writer.chance(0.4) else []
    length = writer.pick({f"np.linalg.norm({name})": 1, f"np.max(np.abs({name}))": 1, f"np.sum({name} ** 2)": 1})
    writer.things[name] = Thing(name, "array", (3,), -30.0, 30.0)
    return [f"{name} = {made} + 0.0", f"while {length} > {writer.literal(0.5, 2.0).text}:", *indent([*keep, f"{name} = {matrix}", *store])]


@rich("helper that writes into an array", 2.5)
def writes(writer: Writer) -> list[str] | None:
    held = some(writer)
    if held is None or not writer.roomy:
        return None
    name = writer.fresh("update")
    key = ", ".join(str(writer.rng.randrange(size)) for size in held.shape)
    value = writer.literal(max(held.low, -3.0), min(held.high, 3.0)).text
    test = f"    if x > {writer.literal(-1.0, 1.0).text}:"
    writer.module.extra += [f"def {name}(a, x):", test, f"        a[{key}] = {value}", f"    return a[{key}] * x"]
    result = writer.fresh()
    writer.declare(result, Expr("", "float", -90.0, 90.0))
    return [f"{result} = {name}({held.name}, {writer.within(-2.0, 2.0, 1).text})"]


@rich("array written in both arms", 3.0)
def both_arms(writer: Writer) -> list[str] | None:
    held = some(writer)
    if held is None or not writer.roomy:
        return None
    keys = [", ".join(index(writer, size) for size in held.shape) for _ in range(2)]
    values = [fit(writer, writer.float(1), held.low, held.high).text for _ in range(2)]
    return [f"if {writer.bool(1).text}:", f"    {held.name}[{keys[0]}] = {values[0]}", "else:", f"    {held.name}[{keys[1]}] = {values[1]}"]


@rich("row chosen by data", 2.0)
def chosen_row(writer: Writer) -> list[str] | None:
    held = some(writer, (2, 3))
    if held is None:
        return None
    row, result = writer.fresh("row"), writer.fresh()
    lines = [f"{row} = {held.name}[int({writer.within(0.0, 1.99, 1).text})]"]
    if writer.chance(0.5):
        lines.append(f"{row}[{writer.rng.randrange(3)}] = {fit(writer, writer.float(1), held.low, held.high).text}")
    writer.declare(result, Expr("", "float", 3.0 * held.low, 3.0 * held.high))
    return [*lines, f"{result} = {writer.pick({f'{row}.sum()': 1, f'{row}[0] + {row}[1] + {row}[2]': 1, f'np.max({row})': 1})}"]
