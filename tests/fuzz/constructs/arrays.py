"""NumPy arrays: elementwise, reductions, stores, views, masks, index chosen by data."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr, add, multiply, subtract
from tests.fuzz.registry import rich, rich_expression
from tests.fuzz.writer import Thing, Writer, indent

Shape = tuple[int, ...]


def some(writer: Writer, shape: Shape | None = None, kind: str = "array") -> Thing | None:
    found = [item for item in writer.things.values() if item.kind == kind and shape in (None, item.shape)]
    return writer.rng.choice(found) if found else None


def clipped(item: Expr, low: float, high: float) -> Expr:
    return item if item.lies_in(low, high) else Expr(f"np.clip({item.text}, {low}, {high})", "float", low, high)


def vector(writer: Writer, shape: Shape, depth: int) -> Expr:
    """An expression with an array of a shape as its value; the interval is that of every item."""
    held = some(writer, shape)
    if depth <= 0 or writer.chance(0.2):
        return held.read() if held else _made(writer, shape)
    inner = vector(writer, shape, depth - 1)
    way = writer.variant("array", {"+": 3, "-": 2, "*": 2, "scaled": 3, "function": 3, "where": 2, "maximum": 2, "divided": 1, "made": 2,
                                   "order": 1.5, "other shape": 2.5})
    match way:
        case "+" | "-" | "*":
            other = vector(writer, shape, depth - 1)
            return {"+": add, "-": subtract, "*": multiply}[way](clipped(inner, -20.0, 20.0), clipped(other, -20.0, 20.0))
        case "scaled":
            return multiply(clipped(inner, -30.0, 30.0), writer.within(-3.0, 3.0, 1))
        case "function":
            name, low, high = writer.pick({("sin", -1.0, 1.0): 2, ("cos", -1.0, 1.0): 1, ("tanh", -1.0, 1.0): 2, ("arctan", -1.6, 1.6): 1})
            return Expr(f"np.{name}({inner.text})", "float", low, high)
        case "where":
            other = vector(writer, shape, depth - 1)
            text = f"np.where({inner.text} > {writer.literal(-1.0, 1.0).text}, {inner.text}, {other.text})"
            return Expr(text, "float", min(inner.low, other.low), max(inner.high, other.high))
        case "maximum":
            limit = writer.within(-2.0, 2.0, 1)
            return Expr(f"np.maximum({inner.text}, {limit.text})", "float", max(inner.low, limit.low), max(inner.high, limit.high))
        case "divided":
            return Expr(f"({inner.text} / (1.0 + np.abs({inner.text})))", "float", -1.0, 1.0)
        case "order" if len(shape) == 1:
            form = writer.pick({"np.sort({0})": 1, "{0}[::-1]": 1, "np.roll({0}, 1)": 1, "np.cumsum({0}) / 3.0": 1, "np.flip({0})": 0.5,
                                "np.convolve({0}, [0.25, 0.5, 0.25], 'same')": 1, "np.pad({0}[1:], (0, 1))": 1,
                                "np.polyval([0.25, -0.5], {0})": 1, "(0.5 * np.eye(" + str(shape[0]) + ") @ {0})": 1,
                                "np.append({0}[1:], {0}[0])": 0.5})
            return Expr(f"({form.format(inner.text)})", "float", min(inner.low, -inner.reach) - 0.5, inner.reach + 0.5)
        case "other shape":
            return _from_other(writer, shape, depth - 1)
        case _:
            return _made(writer, shape)


def _made(writer: Writer, shape: Shape) -> Expr:
    if len(shape) == 2:
        return Expr(f"np.stack([{', '.join(vector(writer, shape[1:], 0).text for _ in range(shape[0]))}])", "float", -60.0, 60.0)
    items = [writer.within(-9.0, 9.0, 1).text for _ in range(shape[0])]
    text = writer.pick({f"np.array([{', '.join(items)}])": 5, f"np.linspace({items[0]}, {items[1]}, {shape[0]})": 1,
                        f"{items[0]} * np.ones({shape[0]})": 1, f"np.full({shape[0]}, {items[0]})": 1,
                        f"np.arange({shape[0]}) * ({items[0]}) / {float(shape[0])}": 1})
    return Expr(f"({text})", "float", -9.0, 9.0)


def _from_other(writer: Writer, shape: Shape, depth: int) -> Expr:
    """Out of arrays of other shapes: rows, columns, sums along an axis, products, joins."""
    if len(shape) == 2:
        row, column = vector(writer, shape[1:], depth), vector(writer, shape[:1], depth)
        row, column = clipped(row, -5.0, 5.0), clipped(column, -5.0, 5.0)
        text = writer.pick({f"np.outer({column.text}, {row.text})": 1, f"({column.text}[:, None] + {row.text})": 1})
        return Expr(text, "float", -25.0, 25.0)
    whole: Shape = (2, 3)
    table = clipped(vector(writer, whole, depth), -9.0, 9.0)
    other = 1 if shape == (2,) else 0
    forms = {f"{table.text}.mean(axis={other})": 1.0, f"{table.text}.sum(axis={other})": 1.0, f"np.max({table.text}, axis={other})": 1.0}
    if shape == (2,):
        partner = clipped(vector(writer, (3,), 0), -2.0, 2.0)
        forms |= {f"({table.text} @ {partner.text})": 2.0, f"{table.text}[:, {writer.rng.randrange(3)}]": 1.0,
                  f"np.dot({table.text}, {partner.text})": 1.0}
    elif shape == (3,):
        partner = clipped(vector(writer, (2,), 0), -2.0, 2.0)
        forms |= {f"({table.text}.T @ {partner.text})": 1.0, f"{table.text}[{writer.rng.randrange(2)}]": 2.0,
                  f"np.concatenate([{partner.text}, [{writer.within(-5.0, 5.0, 0).text}]])": 1.0, f"{table.text}.reshape(3, 2)[:, 0]": 0.5,
                  f"np.cross({table.text}[0], {table.text}[1]) / 20.0": 0.7}
    return Expr(f"({writer.pick(forms)})", "float", -60.0, 60.0)


def index(writer: Writer, size: int) -> str:
    """A whole number below `size`: static, or chosen by data."""
    if writer.chance(0.6):
        return str(writer.rng.randrange(-1, size))
    writer.note("index chosen by data")
    return f"int({writer.within(0.0, size - 0.01, 1).text})"


@rich_expression("item of an array", 4.0)
def item(writer: Writer, depth: int) -> Expr | None:
    held = some(writer)
    if held is None:
        return None
    keys = [index(writer, size) for size in held.shape]
    text = f"{held.name}[{']['.join(keys) if writer.chance(0.3) else ', '.join(keys)}]"
    return Expr(f"float({text})" if writer.chance(0.2) else text, "float", held.low, held.high)


@rich_expression("item of a list", 2.0)
def list_item(writer: Writer, depth: int) -> Expr | None:
    held = some(writer, None, "list")
    return Expr(f"{held.name}[{index(writer, held.shape[0])}]", "float", held.low, held.high) if held else None


@rich_expression("reduction", 4.0)
def reduced(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    shape = writer.pick({(3,): 3, (2, 3): 1, (2,): 1})
    inner = clipped(vector(writer, shape, depth - 1), -20.0, 20.0)
    form = writer.variant("reduction", {"{0}.sum()": 2, "np.sum({0})": 2, "{0}.mean()": 1, "np.mean({0})": 1, "np.max({0})": 1,
                                        "{0}.min()": 1, "np.linalg.norm({0})": 1, "np.prod(np.tanh({0}))": 0.5,
                                        "np.ptp({0})": 0.3, "np.median({0})": 0.3,
                                        "np.count_nonzero({0} > 0.5)": 0.5, "np.argmax({0})": 0.5, "np.argmin({0})": 0.5,
                                        "np.std({0})": 0.3, "np.trapezoid({0}.ravel())": 0.3,
                                        "np.var({0})": 0.5})
    reach = 400.0 if "var" in form else 6.0 * inner.reach + 6.0
    return Expr(f"float({form.format(inner.text)})" if writer.chance(0.2) else form.format(inner.text), "float", -reach, reach)


@rich_expression("product of vectors", 2.0)
def product(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    left, right = (clipped(vector(writer, (3,), depth - 1), -9.0, 9.0).text for _ in range(2))
    text = writer.pick({f"({left} @ {right})": 1, f"np.dot({left}, {right})": 1, f"np.sum({left} * {right})": 1})
    return Expr(text, "float", -243.0, 243.0)


@rich_expression("interpolation", 1.0)
def interpolated(writer: Writer, depth: int) -> Expr:
    knots = "[-2.0, -0.5, 1.0, 2.5]"
    values = [writer.literal(-3.0, 3.0).text for _ in range(4)]
    return Expr(f"np.interp({writer.within(-3.0, 3.0, depth - 1).text}, {knots}, [{', '.join(values)}])", "float", -3.0, 3.0)


@rich_expression("any or all of an array", 1.0)
def quantified(writer: Writer, depth: int) -> Expr | None:
    held = some(writer)
    if held is None:
        return None
    test = writer.pick({f"np.any({held.name} > 0.5)": 1, f"({held.name} < 1.5).all()": 1, f"np.all({held.name} != 0.0)": 1})
    return Expr(f"({writer.literal().text} if {test} else {writer.literal().text})", "float", -3.0, 3.0)


@rich("new array", 7.0)
def bind(writer: Writer) -> list[str]:
    shape = writer.pick({(3,): 4, (2, 3): 2, (2,): 1})
    made = clipped(vector(writer, shape, 2), -30.0, 30.0)
    name = writer.fresh(writer.rng.choice(("values", "profile", "field", "weights")))
    writer.things[name] = Thing(name, "array", shape, -30.0, 30.0)
    return [f"{name} = {made.text}" if made.text not in writer.things else f"{name} = {made.text}.copy()"]


def _stored(writer: Writer, held: Thing, depth: int = 2) -> str:
    return fit(writer, writer.float(depth), held.low, held.high).text


@rich("store into an array or a list", 6.0)
def store(writer: Writer) -> list[str] | None:
    held = some(writer) or some(writer, None, "list")
    if held is None:
        return None
    keys = ", ".join(index(writer, size) for size in held.shape)
    return [f"{held.name}[{keys}] = {_stored(writer, held)}"]


@rich("slice written", 3.0)
def sliced(writer: Writer) -> list[str] | None:
    held = some(writer)
    if held is None:
        return None
    keys = {(3,): {"1:": (2,), ":2": (2,), "::2": (2,), ":": (3,)},
            (2, 3): {"0": (3,), "1": (3,), ":, 1": (2,), ":, 1:": (2, 2)}, (2,): {":": (2,)}}
    key, shape = writer.rng.choice(list(keys[held.shape].items()))
    made = vector(writer, shape, 1) if shape in ((2,), (3,)) and writer.chance(0.7) else writer.float(1)
    return [f"{held.name}[{key}] = {clipped(made, held.low, held.high).text}"]


@rich("written through a view", 2.0)
def viewed(writer: Writer) -> list[str] | None:
    held = some(writer)
    if held is None:
        return None
    view = writer.fresh("view")
    key = writer.rng.choice({(3,): ("1:", "::-1"), (2, 3): ("0", "1", ":, 0"), (2,): (":1",)}[held.shape])
    change = writer.pick({f"{view} *= {writer.literal(-0.9, 0.9).text}": 1, f"{view}[0] = {_stored(writer, held, 1)}": 2,
                          f"{view}[...] = {_stored(writer, held, 1)}": 1})
    if "*=" in change and not held.low <= 0.0 <= held.high or held.low > -held.high * 0.9:
        return None
    return [f"{view} = {held.name}[{key}]", change]


@rich("mask", 4.0)
def masked(writer: Writer) -> list[str] | None:
    held = some(writer)
    if held is None or held.low > -held.high * 0.95:
        return None
    test = f"{held.name} {writer.pick({'>': 1, '<': 1})} {writer.literal(-1.0, 1.0).text}"
    way = writer.variant("mask", {"=": 2, "*=": 1, "+=": 1, "named": 1})
    if way == "=":
        return [f"{held.name}[{test}] = {_stored(writer, held, 1)}"]
    if way == "*=":
        return [f"{held.name}[{test}] *= {writer.literal(-0.9, 0.9).text}"]
    if way == "+=":
        sign = writer.pick({"+=": 2, "-=": 1})
        return [f"{held.name}[{test}] {sign} {writer.within(-1.0, 1.0, 1).text}",
                f"{held.name} = np.clip({held.name}, {held.low}, {held.high})"]
    mask = writer.fresh("mask")
    return [f"{mask} = {test}", f"{held.name}[{mask}] = {_stored(writer, held, 1)}"]


@rich("array changed in place", 3.0)
def changed(writer: Writer) -> list[str] | None:
    held = some(writer)
    if held is None:
        return None
    if held.low <= 0.0 <= held.high and held.low <= -0.9 * held.high and writer.chance(0.5):
        return [f"{held.name} *= {writer.literal(-0.9, 0.9).text}"]
    made = vector(writer, held.shape, 1)
    return [f"{held.name} = {clipped(add(held.read(), made), held.low, held.high).text}"]


@rich("array filled in a loop", 3.0)
def filled(writer: Writer) -> list[str] | None:
    if not writer.roomy or writer.rounds > 4:
        return None
    name, i = writer.fresh("out"), writer.fresh("i")
    source = some(writer, (3,)) or some(writer, (3,), "list")
    with writer.inside(loop=True, rounds=3):
        writer.declare(i, Expr(i, "int", 0, 2), writable=False)
        if source is not None:
            writer.declare(f"{source.name}[{i}]", Expr("", "float", source.low, source.high), writable=False)
        before = writer.statements(1) if writer.chance(0.3) else []
        made = writer.within(-30.0, 30.0, 2).text
        arms = [f"{name}[{i}] = {made}"]
        if writer.chance(0.5):
            writer.note("store in one arm")
            arms = [f"if {writer.bool(1).text}:", f"    {name}[{i}] = {made}"]
    writer.things[name] = Thing(name, "array", (3,), -30.0, 30.0)
    start = writer.pick({"np.zeros(3)": 3, "np.ones(3)": 1, "np.full(3, 0.5)": 1})
    return [f"{name} = {start}", f"for {i} in range(3):", *indent([*before, *arms])]


@rich("for over an array", 3.0)
def iterated(writer: Writer) -> list[str] | None:
    held = some(writer, (3,)) or some(writer, (3,), "list")
    if held is None or not writer.roomy or writer.rounds > 4:
        return None
    value = writer.fresh("v")
    with writer.inside(loop=True, rounds=3):
        writer.declare(value, held.read(), writable=False)
        body = writer.body(2)
    if held.kind == "array" and f"{held.name} " in "\n".join(body):
        return None
    return [f"for {value} in {held.name}:", *indent(body)]


@rich("system of equations", 1.0)
def solved(writer: Writer) -> list[str]:
    """A matrix that is far from singular, and what it is solved for."""
    name = writer.fresh("solution")
    a, b = writer.within(-1.0, 1.0, 1).text, writer.within(-1.0, 1.0, 1).text
    side = clipped(vector(writer, (2,), 1), -9.0, 9.0).text
    form = writer.pick({f"np.linalg.solve(np.array([[3.0, {a}], [{b}, 2.5]]), {side})": 2,
                        f"np.linalg.inv(np.array([[3.0, {a}], [{b}, 2.5]])) @ {side}": 1,
                        f"np.linalg.pinv(np.array([[3.0, {a}], [{b}, 2.5]])) @ {side}": 1,
                        f"np.linalg.det(np.array([[3.0, {a}], [{b}, 2.5]])) * {side} / 9.0": 1})
    writer.things[name] = Thing(name, "array", (2,), -30.0, 30.0)
    return [f"{name} = np.clip({form}, -30.0, 30.0)"]
