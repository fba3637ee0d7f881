"""Calls of the module's helpers, and functions made on the spot: lambdas, closures, partials."""

from __future__ import annotations

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr
from tests.fuzz.registry import expression, statement
from tests.fuzz.writer import Helper, Parameter, Writer, indent


def arguments(writer: Writer, helper: Helper, depth: int = 1) -> str:
    """Arguments for a helper: by position, by name, defaults left out now and then."""
    parts: list[str] = []
    by_name = False
    for item in helper.parameters:
        if item.default and writer.chance(0.5):
            by_name = True
            writer.note("default argument left out")
            continue
        text = _argument(writer, item, depth)
        by_name = by_name or item.keyword or (not helper.star and writer.chance(0.12))
        if by_name:
            writer.note("keyword argument")
        parts.append(f"{item.name}={text}" if by_name else text)
    if helper.star:
        parts += [_argument(writer, helper.parameters[0], depth) for _ in range(writer.rng.randint(1, 3))]
        if writer.chance(0.2):
            writer.note("starred argument in a call")
            parts[-1] = f"*({parts[-1]}, {_argument(writer, helper.parameters[0], 0)})"
    return ", ".join(parts)


def _argument(writer: Writer, item: Parameter, depth: int) -> str:
    if item.kind == "int":
        return str(writer.rng.randint(int(item.low), int(item.high)))
    return writer.within(item.low, item.high, depth).text


def _helpers(writer: Writer, gives: str) -> list[Helper]:
    return [item for item in writer.module.helpers.values() if item.gives == gives] if writer.callable else []


@expression("float", "helper call", 4.0)
def call(writer: Writer, depth: int) -> Expr | None:
    found = _helpers(writer, "float")
    if not found or depth <= 0 or writer.rounds > 12:
        return None
    helper = writer.rng.choice(found)
    writer.needs.add(helper.name)
    return Expr(f"{helper.name}({arguments(writer, helper, depth - 1)})", "float", helper.low, helper.high)


@expression("bool", "predicate call", 3.0)
def ask(writer: Writer, depth: int) -> Expr | None:
    found = _helpers(writer, "bool")
    if not found or depth <= 0 or writer.rounds > 12:
        return None
    helper = writer.rng.choice(found)
    writer.needs.add(helper.name)
    return Expr(f"{helper.name}({arguments(writer, helper, depth - 1)})", "bool", 0, 1)


@statement("helper that gives a pair", 6.0)
def pair(writer: Writer) -> list[str] | None:
    found = _helpers(writer, "pair")
    if not found or writer.rounds > 12:
        return None
    helper = writer.rng.choice(found)
    writer.needs.add(helper.name)
    first, second = writer.fresh(), writer.fresh()
    text = f"{helper.name}({arguments(writer, helper)})"
    if writer.chance(0.15):
        writer.declare(first, Expr("", "float", helper.low, helper.high))
        return [f"{first} = {text}[{writer.rng.randrange(2)}]"]
    for name in (first, second):
        writer.declare(name, Expr("", "float", helper.low, helper.high))
    return [f"{first}, {second} = {text}"]


@expression("float", "lambda called at once", 0.15)
def immediate(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    item = writer.within(-8.0, 8.0, depth - 1)
    return Expr(f"(lambda t: t * {writer.literal(-1.0, 1.0).text} + {writer.literal().text})({item.text})", "float", -12.0, 12.0)


@statement("local lambda", 0.6)
def local_lambda(writer: Writer) -> list[str] | None:
    """A lambda that closes over a local variable, used twice."""
    kept = writer.some("float")
    if kept is None or not writer.callable:
        return None
    name, target = writer.fresh("shape"), writer.fresh()
    inner = fit(writer, kept.read(), -5.0, 5.0).text
    body = writer.pick({f"t * {writer.literal(-1.5, 1.5).text} + {inner}": 2, f"math.tanh(t) * {inner}": 1,
                        f"t if t > {inner} else {inner}": 1, f"(t - {inner}) * 0.5 if t > 0.0 else {writer.literal().text}": 1})
    first, second = writer.within(-8.0, 8.0, 1).text, writer.within(-8.0, 8.0, 1).text
    writer.declare(target, Expr("", "float", -40.0, 40.0))
    if writer.chance(0.25):
        writer.note("lambda with a default")
        made = f"lambda t, k={inner}: k - {writer.literal(-1.5, 1.5).text} * t"
        return [f"{name} = {made}", f"{target} = {name}({first}) + {name}({second}, k=0.5)"]
    return [f"{name} = lambda t: {body}", f"{target} = {name}({first}) - {name}({second})"]


@statement("local function", 0.8)
def local_function(writer: Writer) -> list[str] | None:
    """A nested `def` that closes over the variables around it."""
    if not writer.roomy or not writer.callable or writer.nesting > 1:
        return None
    name, parameter, target = writer.fresh("inner"), writer.fresh("t"), writer.fresh()
    inner = writer.child(min(2, writer.budget), lambda other: other.within(-15.0, 15.0, 2).text)
    inner.scope = {key: item for key, item in writer.scope.items() if item.kind == "float"}
    for key in inner.scope:
        inner.freeze(key)
    inner.declare(parameter, Expr("", "float", -8.0, 8.0))
    inner.nesting, inner.callable = 1, False
    body = inner.statements(2)
    lines = [f"def {name}({parameter}):", *indent([*body, f"return {inner.within(-15.0, 15.0, 2).text}"])]
    writer.absorb(inner)
    between = writer.statements(1) if writer.budget > 0 and writer.chance(0.3) else []
    call = f"{name}({writer.within(-8.0, 8.0, 1).text})"
    writer.declare(target, Expr("", "float", -15.0, 15.0))
    return [*lines, *between, f"{target} = {call}"]


@statement("partial of a helper", 1.0)
def local_partial(writer: Writer) -> list[str] | None:
    found = [item for item in _helpers(writer, "float")
             if len(item.parameters) > 1 and not item.star and all(part.kind == "float" for part in item.parameters)]
    if not found or writer.rounds > 12:
        return None
    helper = writer.rng.choice(found)
    first, *rest = helper.parameters
    if first.keyword or first.default:
        return None
    writer.needs.add(helper.name)
    name, target = writer.fresh("bound"), writer.fresh()
    fixed = _argument(writer, first, 1)
    others = ", ".join(f"{item.name}={_argument(writer, item, 1)}" if item.keyword else _argument(writer, item, 1) for item in rest)
    if writer.chance(0.4):
        writer.note("partial by keyword")
        last = rest[-1]
        given = ", ".join(f"{item.name}={_argument(writer, item, 1)}" for item in helper.parameters[:-1])
        lines = [f"{name} = functools.partial({helper.name}, {last.name}={_argument(writer, last, 0)})", f"{target} = {name}({given})"]
        writer.declare(target, Expr("", "float", helper.low, helper.high))
        return lines
    writer.declare(target, Expr("", "float", helper.low, helper.high))
    return [f"{name} = functools.partial({helper.name}, {fixed})", f"{target} = {name}({others})"]


@statement("function passed to a helper", 0.4)
def passed(writer: Writer) -> list[str] | None:
    """A local `apply` that takes a function; data are captured by the lambda."""
    kept = writer.some("float")
    if kept is None or not writer.callable:
        return None
    name, target = writer.fresh("twice"), writer.fresh()
    inner = fit(writer, kept.read(), -5.0, 5.0).text
    start = writer.within(-4.0, 4.0, 1).text
    writer.declare(target, Expr("", "float", -40.0, 40.0))
    body = writer.pick({f"0.5 * t + {inner}": 2, f"math.sin(t) - {inner}": 1, f"max(t * 0.7, {inner})": 1})
    return [f"def {name}(fn, t):", "    return fn(fn(t))", f"{target} = {name}(lambda t: {body}, {start})"]
