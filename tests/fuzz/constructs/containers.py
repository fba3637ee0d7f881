"""Lists that grow, dicts, classes, dataclasses, namedtuples, and two names for one of them."""

from __future__ import annotations

from tests.fuzz.constructs.arrays import some
from tests.fuzz.expression import Expr
from tests.fuzz.registry import rich
from tests.fuzz.writer import Thing, Writer, indent


@rich("list built in a loop", 3.0)
def built(writer: Writer) -> list[str] | None:
    if not writer.roomy or writer.rounds > 4:
        return None
    name, i = writer.fresh("items"), writer.fresh("i")
    with writer.inside(loop=True, rounds=3):
        writer.declare(i, Expr(i, "int", 0, 2), writable=False)
        made = writer.within(-9.0, 9.0, 2).text
    size = 3
    more: list[str] = []
    way = writer.variant("list", {"append": 3, "extend": 1, "pop": 1, "insert": 1, "comprehension": 1})
    lines = [f"{name} = []", f"for {i} in range(3):", f"    {name}.append({made})"]
    if way == "comprehension":
        lines = [f"{name} = [{made} for {i} in range(3)]"]
    elif way == "extend":
        more, size = [f"{name}.extend([{writer.within(-9.0, 9.0, 1).text}, {writer.literal().text}])"], 5
    elif way == "pop":
        last = writer.fresh("last")
        writer.declare(last, Expr("", "float", -9.0, 9.0))
        more, size = [f"{last} = {name}.pop()"], 2
    elif way == "insert":
        more, size = [f"{name}.insert(0, {writer.within(-9.0, 9.0, 1).text})"], 4
    writer.things[name] = Thing(name, "list", (size,), -9.0, 9.0)
    return [*lines, *more]


@rich("two names for one list or array", 2.0)
def alias(writer: Writer) -> list[str] | None:
    held = some(writer, None, writer.pick({"list": 1, "array": 1}))
    if held is None:
        return None
    other = writer.fresh("same")
    key = ", ".join("0" for _ in held.shape)
    made = writer.within(held.low, held.high, 1).text
    write = [f"{other}[{key}] = {made}"]
    if writer.roomy and writer.chance(0.5):
        write = [f"if {writer.bool(1).text}:", *indent(write)]
    return [f"{other} = {held.name}", *write]


@rich("dict changed in arms", 3.0)
def dictionary(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    name, result = writer.fresh("state"), writer.fresh()
    first, second, change = (writer.within(-9.0, 9.0, 1).text for _ in range(3))
    arm = writer.pick({f"{name}['x'] = {change}": 2, f"{name}['x'] += {change}": 1, f"{name}.update(v={change})": 1})
    use = writer.pick({f"{name}['x'] - {name}['v']": 2, f"sum({name}.values())": 1, f"{name}.get('x', 0.5) + len({name})": 1,
                       f"max({name}['x'], {name}.get('w', 0.25))": 1})
    writer.declare(result, Expr("", "float", -40.0, 40.0))
    return [f"{name} = {{'x': {first}, 'v': {second}}}", f"if {writer.bool(1).text}:", f"    {arm}", f"{result} = {use}"]


def _class(writer: Writer, way: str) -> str:
    """Bring a class into the module; its name."""
    name = writer.fresh("Body")
    gain, loss = writer.literal(0.2, 1.5).text, writer.literal(0.1, 0.9).text
    methods = [f"def step(self, dt={gain}):", "    self.x = self.x + dt * self.v", "    if self.x > 4.0:",
               f"        self.v = -{loss} * self.v",
               "    return self.x", "@property", "def energy(self):", f"    return {loss} * self.v * self.v + {gain} * abs(self.x)",
               "def __add__(self, other):", f"    return {name}(self.x + other.x, self.v - other.v)"]
    if way == "dataclass":
        head = ["@dataclasses.dataclass", f"class {name}:", "    x: float", "    v: float = 0.5"]
    else:
        head = [f"class {name}:", "    def __init__(self, x, v=0.5):", "        self.x = x", "        self.v = v"]
    writer.module.extra += [*head, *indent(methods)]
    return name


@rich("object", 4.0)
def instance(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    kind = _class(writer, writer.variant("object", {"class": 1, "dataclass": 1}))
    name, result = writer.fresh("body"), writer.fresh()
    x, v, other = (writer.within(-5.0, 5.0, 1).text for _ in range(3))
    lines = [f"{name} = {kind}({x}, {v})" if writer.chance(0.7) else f"{name} = {kind}({x})"]
    arm = writer.pick({f"{name}.x = {other}": 2, f"{name}.step()": 2, f"{name}.v *= {writer.literal(-0.9, 0.9).text}": 1,
                       f"{name} = {name} + {kind}({other})": 1, f"{name} = {kind}({other}, 0.25)": 1})
    lines += [f"if {writer.bool(1).text}:", f"    {arm}"]
    if writer.chance(0.4):
        lines += [f"for _ in range({writer.rng.randint(2, 4)}):", f"    {name}.step({writer.literal(0.1, 0.9).text})"]
    use = writer.pick({f"{name}.energy": 2, f"{name}.x - {name}.v": 2, f"{name}.step({writer.within(-1.0, 1.0, 0).text})": 1})
    writer.declare(result, Expr("", "float", -60.0, 60.0))
    return [*lines, f"{result} = max(-60.0, min(60.0, {use}))"]


@rich("namedtuple", 1.5)
def named(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    kind, name, result = writer.fresh("Pair"), writer.fresh("pair"), writer.fresh()
    writer.module.extra.append(f"{kind} = collections.namedtuple({kind!r}, ['low', 'high'])")
    a, b, c = (writer.within(-5.0, 5.0, 1).text for _ in range(3))
    writer.declare(result, Expr("", "float", -20.0, 20.0))
    return [f"{name} = {kind}({a}, {b})", f"if {writer.bool(1).text}:", f"    {name} = {name}._replace(high={c})",
            f"{result} = {name}.low + {writer.pick({f'{name}.high': 1, f'{name}[1]': 1})}"]


@rich("with", 1.5)
def context(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    kind, name, result = writer.fresh("Scope"), writer.fresh("scope"), writer.fresh()
    writer.module.extra += [f"class {kind}:", "    def __init__(self, scale):", "        self.scale = scale", "        self.closed = 0.0",
                            "    def __enter__(self):", "        return self", "    def __exit__(self, *details):",
                            f"        self.closed = {writer.literal(-1.0, 1.0).text}", "        return False"]
    writer.declare(result, Expr("", "float", -40.0, 40.0))
    a, b = (writer.within(-5.0, 5.0, 1).text for _ in range(2))
    return [f"with {kind}({a}) as {name}:", f"    {result} = {name}.scale * {b}", f"{result} = {result} + {name}.closed"]


@rich("complex number", 2.0)
def complex_number(writer: Writer) -> list[str]:
    name, result = writer.fresh("z"), writer.fresh()
    a, b = (writer.within(-3.0, 3.0, 1).text for _ in range(2))
    made = writer.pick({f"complex({a}, {b})": 2, f"({a}) + 1j * ({b})": 2, f"cmath.exp(1j * ({a}))": 1, f"cmath.sqrt(complex({a}, {b}))": 1,
                        f"({a}) * cmath.exp(complex(0.0, {b}))": 1})
    use = writer.pick({f"abs({name})": 2, f"({name} * {name}).real": 1, f"{name}.imag - {name}.real": 1,
                       f"({name} * {name}.conjugate()).real": 1,
                       f"abs({name} / (3.5 + {name} ** 2 * 0.1))": 1, f"(1.0 / ({name} + 9.0)).imag": 1})
    writer.declare(result, Expr("", "float", -20.0, 20.0))
    return [f"{name} = {made}", f"{result} = {use}"]
