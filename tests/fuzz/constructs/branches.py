"""`if` in all its shapes, early returns, and names bound in one arm only."""

from __future__ import annotations

from tests.fuzz.expression import Expr
from tests.fuzz.registry import statement
from tests.fuzz.writer import Guarded, Variable, Writer, indent


@statement("if", 2.5)
def simple(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    return [f"if {writer.bool(2).text}:", *writer.block()]


@statement("if else", 3.0)
def two_arms(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    return [f"if {writer.bool(2).text}:", *writer.block(), "else:", *writer.block()]


@statement("if elif else", 1.8)
def several_arms(writer: Writer) -> list[str] | None:
    if not writer.roomy:
        return None
    lines = [f"if {writer.bool(1).text}:", *writer.block(2)]
    for _ in range(writer.rng.randint(1, 2)):
        lines += [f"elif {writer.bool(1).text}:", *writer.block(2)]
    return [*lines, "else:", *writer.block(2)] if writer.chance(0.7) else lines


@statement("name bound in every arm", 1.6)
def merged(writer: Writer) -> list[str] | None:
    """`if ...: y = a` / `else: y = b`, used afterwards."""
    if not writer.roomy:
        return None
    name = writer.fresh()
    lines, bounds, word = [], [], "if"
    for _ in range(writer.pick({1: 3, 2: 1})):
        condition = writer.bool(1).text
        arm, made = _binding(writer, name)
        lines += [f"{word} {condition}:", *arm]
        bounds.append(made)
        word = "elif"
    arm, made = _binding(writer, name)
    bounds.append(made)
    low, high = min(item.low for item in bounds), max(item.high for item in bounds)
    writer.declare(name, Expr(name, "float", low, high))
    return [*lines, "else:", *arm]


def _binding(writer: Writer, name: str) -> tuple[list[str], Expr]:
    with writer.inside():
        before = writer.statements(1) if writer.budget > 0 and writer.chance(0.3) else []
        made = writer.within(-40.0, 40.0, 2)
        if writer.chance(0.12):
            writer.note("int in one arm, float in the other")
            made = Expr(str(writer.rng.choice((0, 1, 2))), "int", 0, 2)
        return indent([*before, f"{name} = {made.text}"]), made


@statement("early return", 1.6)
def leave(writer: Writer) -> list[str] | None:
    if writer.give is None or not writer.roomy:
        return None
    condition = writer.bool(1).text
    with writer.inside():
        before = writer.statements(1) if writer.budget > 0 and writer.chance(0.4) else []
        writer.note("return in a loop" if writer.in_loop else "return before the end")
        return [f"if {condition}:", *indent([*before, f"return {writer.give(writer)}"])]


@statement("return in both arms, or in nested arms", 0.4)
def leave_nested(writer: Writer) -> list[str] | None:
    if writer.give is None or writer.nesting > 1 or not writer.roomy:
        return None
    outer, inner = writer.bool(1).text, writer.bool(1).text
    with writer.inside():
        first = f"return {writer.give(writer)}"
        rest = writer.statements(1)
        nested = [f"if {inner}:", f"    {first}", *rest]
    return [f"if {outer}:", *indent(nested), "else:", *writer.block(2)]


@statement("name bound in one arm", 1.0)
def half_bound(writer: Writer) -> list[str] | None:
    """The name is read again later, by `read_half_bound`, under the same guard."""
    if not writer.roomy:
        return None
    made = writer.within(-20.0, 20.0, 2)
    if made.kind != "float":
        return None
    name = writer.fresh()
    variable = Variable(name, "float", made.low, made.high)
    if writer.chance(0.5):
        guard = writer.fresh("big")
        condition = writer.bool(1).text
        writer.declare(guard, Expr(guard, "bool", 0, 1), writable=False)
        lines = [f"{guard} = {condition}"]
        text = guard
    else:
        source = writer.some("float")
        if source is None:
            return None
        writer.freeze(source.name)
        text = f"{source.name} > {writer.literal(max(source.low, -2.0), min(source.high, 2.0)).text}"
        lines = []
    writer.guarded.append(Guarded(text, variable))
    return [*lines, f"if {text}:", f"    {name} = {made.text}", *_use(writer, 0.5)]


@statement("read under the same guard", 8.0)
def read_half_bound(writer: Writer) -> list[str] | None:
    return _use(writer, 1.0) or None


def _use(writer: Writer, share: float) -> list[str]:
    if not writer.guarded or not writer.roomy or not writer.chance(share):
        return []
    found = writer.rng.choice(writer.guarded)
    if writer.chance(0.3):
        writer.note("half bound name in a conditional expression")
        name = writer.fresh()
        writer.declare(name, Expr("", "float", min(found.variable.low, -1.0), max(found.variable.high, 1.0)))
        return [f"{name} = {found.variable.name} if {found.guard} else {writer.literal(-1.0, 1.0).text}"]
    with writer.inside():
        writer.scope[found.variable.name] = found.variable
        target = writer.some("float", writable=True) or found.variable
        line = writer.assign(target, Expr(f"({found.variable.name} + {target.name})", "float",
                                          found.variable.low + target.low, found.variable.high + target.high))
        more = writer.statements(1) if writer.budget > 0 and writer.chance(0.3) else []
    return [f"if {found.guard}:", *indent([line, *more])]


@statement("guarded partial operation", 3.5)
def partial_operation(writer: Writer) -> list[str] | None:
    """`/`, `log`, `sqrt`, `asin`, `**` in the arm where the operand is valid, over a name bound before."""
    item, target = writer.some("float"), writer.some("float", writable=True)
    if item is None or target is None or not writer.roomy:
        return None
    name = item.name
    operation = writer.variant("dead arm", {key: weight for key, (weight, _, _) in PARTIAL.items()})
    _, condition, template = PARTIAL[operation]
    made = Expr(template.format(name, writer.literal(0.3, 2.0).text), "float", -1e4, 1e4)
    lines = [f"if {condition.format(name)}:", f"    {writer.assign(target, made)}"]
    return [*lines, "else:", *writer.block(2)] if writer.chance(0.5) else lines


#: Weight, the condition under which it is valid, and the operation.
PARTIAL = {
    "log": (2.0, "{0} > 0.0", "math.log({0})"),
    "sqrt": (2.0, "{0} >= 0.0", "math.sqrt({0})"),
    "/": (2.0, "{0} != 0.0", "({1} / {0})"),
    "/ **": (1.0, "abs({0}) > 0.2", "({1} / {0} ** 2)"),
    "asin": (1.0, "-1.0 <= {0} <= 1.0", "math.asin({0})"),
    "acos": (1.0, "abs({0}) <= 1.0", "math.acos({0})"),
    "acosh": (0.8, "{0} >= 1.0", "math.acosh({0})"),
    "**": (1.5, "{0} > 0.0", "({0} ** {1})"),
    "log1p": (0.8, "{0} > -1.0", "math.log1p({0})"),
    "atanh": (0.8, "abs({0}) < 1.0", "math.atanh({0})"),
    "exp": (0.8, "{0} < 5.0", "math.exp({0})"),
    "log10": (0.8, "not {0} <= 0.0", "math.log10({0})"),
    "gamma": (0.6, "{0} > 0.0", "math.gamma({0} % 3.0 + 0.5)"),
    "%": (0.6, "{0} > 0.3", "({1} % {0})"),
}


@statement("pass", 0.15)
def nothing(writer: Writer) -> list[str] | None:
    return [f"if {writer.bool(1).text}:", "    pass", "else:", *writer.block(1)] if writer.roomy else None
