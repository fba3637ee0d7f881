"""What touches no data: options, dictionaries, `isinstance`, constants that steer."""

from __future__ import annotations

from tests.fuzz.expression import Expr, truth
from tests.fuzz.registry import expression, statement
from tests.fuzz.writer import Writer


@statement("if on a string option", 3.0)
def on_option(writer: Writer) -> list[str] | None:
    if not writer.options or not writer.roomy:
        return None
    name = writer.rng.choice(sorted(writer.options))
    choices = writer.options[name]
    lines = [f"if {name} == {choices[0]!r}:", *writer.block(2)]
    if len(choices) > 2:
        lines += [f"elif {name} in {choices[1:2]!r}:", *writer.block(2)]
    return [*lines, "else:", *writer.block(2)]


@statement("if on a bool option", 3.0)
def on_flag(writer: Writer) -> list[str] | None:
    if not writer.flags or not writer.roomy:
        return None
    name = writer.rng.choice(writer.flags)
    return [f"if {writer.pick({name: 2, f'not {name}': 1})}:", *writer.block(2)]


@statement("if on a constant", 0.4)
def on_constant(writer: Writer) -> list[str] | None:
    """A static decision on a float that a person wrote."""
    if not writer.module.constants or not writer.roomy:
        return None
    name = writer.rng.choice(sorted(writer.module.constants))
    return [f"if {name} > {writer.literal(-1.0, 1.0).text}:", *writer.block(2), "else:", *writer.block(2)]


@expression("float", "dict look-up", 0.8)
def looked_up(writer: Writer, depth: int) -> Expr | None:
    if not writer.module.options:
        return None
    table = writer.rng.choice(sorted(writer.module.options))
    entries = writer.module.options[table]
    low, high = min(entries.values()), max(entries.values())
    named = [name for name, choices in writer.options.items() if set(choices) <= set(entries)]
    if named and writer.chance(0.7):
        writer.note("dict look-up by option")
        return Expr(f"{table}[{writer.rng.choice(named)}]", "float", low, high)
    key = writer.rng.choice(sorted(entries))
    text = writer.pick({f"{table}[{key!r}]": 2, f"{table}.get({key!r}, 0.25)": 1, f"{table}.get('missing', 0.25)": 0.5})
    return Expr(text, "float", min(low, 0.25), max(high, 0.25))


@expression("int", "len", 0.5)
def length(writer: Writer, depth: int) -> Expr:
    if writer.module.tables and writer.chance(0.7):
        return Expr(f"len({writer.rng.choice(sorted(writer.module.tables))})", "int", 2, 5)
    return Expr(f"len({writer.rng.choice(('abc', 'ab'))!r})", "int", 2, 3)


@expression("int", "static math", 0.3)
def combinatorial(writer: Writer, depth: int) -> Expr:
    text = writer.pick({"math.factorial(3)": 1, "math.comb(4, 2)": 1, "math.gcd(12, 18)": 1, "math.isqrt(17)": 1, "pow(3, 4, 5)": 0.5})
    return Expr(text, "int", 1, 6)


@expression("bool", "isinstance", 0.5)
def has_type(writer: Writer, depth: int) -> Expr | None:
    item = writer.some(writer.pick({"float": 3, "int": 1, "bool": 0.5}))  # type: ignore[type-var]  # the keys are kinds
    if item is None:
        return None
    kinds = writer.pick({"float": 2, "int": 2, "(int, float)": 1, "bool": 0.5, "str": 0.3, "complex": 0.2})
    return Expr(f"isinstance({item.name}, {kinds})", "bool", 0, 1)


@expression("bool", "option test", 0.5)
def option_test(writer: Writer, depth: int) -> Expr | None:
    if not writer.options:
        return None
    name = writer.rng.choice(sorted(writer.options))
    choices = writer.options[name]
    return truth(writer.pick({f"{name} == {choices[0]!r}": 2, f"{name} != {choices[0]!r}": 1, f"{name} in {choices[:2]!r}": 1,
                              f"{name}.startswith({choices[0][:1]!r})": 0.5}))


@statement("static list work", 0.5)
def prepared(writer: Writer) -> list[str]:
    """A table computed once from static numbers, then used on data."""
    table, name = writer.fresh("grid"), writer.fresh()
    item = writer.within(-3.0, 3.0, 1)
    writer.declare(name, Expr(name, "float", -40.0, 40.0))
    build = writer.pick({"[i / 4 for i in range(5)]": 2, "list(range(4))": 1, "[2 ** k for k in range(3)]": 1,
                         "[0.5] * 3": 1, "sorted([0.7, -0.2, 1.1])": 1, "tuple(i * 0.3 for i in range(4))": 0.5})
    use = writer.pick({f"{table}[-1] * {item.text}": 1, f"sum(g * {item.text} for g in {table})": 1,
                       f"({item.text} - {table}[0]) / (1.0 + {table}[1] ** 2)": 1})
    return [f"{table} = {build}", f"{name} = {use}"]
