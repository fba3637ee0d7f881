"""Truth: comparisons, `and`/`or`/`not` with operand semantics, conditional expressions."""

from __future__ import annotations

from tests.fuzz.expression import Expr, either, number, truth
from tests.fuzz.registry import expression
from tests.fuzz.writer import Writer

OPERATORS = {"<": 4.0, ">": 4.0, "<=": 2.0, ">=": 2.0, "==": 0.3, "!=": 0.3}


def threshold(writer: Writer, item: Expr) -> Expr:
    """A literal near the middle of where the item's values are likely to be."""
    low, high = max(item.low, -4.0), min(item.high, 4.0)
    if high - low < 0.2:
        return writer.float(0)
    return writer.literal(low + 0.2 * (high - low), high - 0.2 * (high - low))


@expression("bool", "comparison", 7.0)
def comparison(writer: Writer, depth: int) -> Expr:
    item = _subject(writer, depth)
    operator = writer.variant("compare", OPERATORS)
    other = threshold(writer, item) if writer.chance(0.65) else writer.float(0)
    if other.text == item.text:
        other = threshold(writer, item)
    if operator in ("==", "!="):
        other = number(writer.rng.choice((0.0, 1.0, -1.0, 0.5)))
    pair = (item.text, other.text) if writer.chance(0.85) else (other.text, item.text)
    return truth(f"{pair[0]} {operator} {pair[1]}")


def _subject(writer: Writer, depth: int) -> Expr:
    inputs = [writer.scope[name] for name in writer.sources if name in writer.scope]
    if inputs and writer.chance(0.4):
        return writer.rng.choice(inputs).read()
    return writer.float(min(depth, 1))


@expression("bool", "int comparison", 1.2)
def int_comparison(writer: Writer, depth: int) -> Expr:
    item = writer.int(max(depth, 1))
    operator = writer.pick({"<": 1, ">": 1, "==": 2, "!=": 1, "<=": 1, ">=": 1})
    if writer.chance(0.4):
        return truth(f"{item.text} % {writer.rng.choice((2, 3))} {writer.pick({'==': 2, '!=': 1})} {writer.rng.choice((0, 1))}")
    return truth(f"{item.text} {operator} {writer.rng.choice((0, 1, 2, 3, -1))}")


@expression("bool", "membership", 0.6)
def membership(writer: Writer, depth: int) -> Expr:
    item = writer.int(depth) if writer.chance(0.7) else writer.float(0)
    choices = writer.pick({"(1, 3)": 2, "(0, 2, 4)": 2, "[-1, 1]": 1, "{2, 3}": 0.7, "(0.0, 1.0)": 0.7, "range(3)": 0.7})
    return truth(f"{item.text} {writer.pick({'in': 3, 'not in': 1})} {choices}")


@expression("bool", "chained comparison", 1.2)
def chain(writer: Writer, depth: int) -> Expr:
    item = _subject(writer, depth)
    low, high = sorted((writer.literal(-3.0, 0.5).low, writer.literal(0.0, 3.0).low))
    first, second = writer.pick({"<": 1, "<=": 1}), writer.pick({"<": 1, "<=": 1})
    if writer.chance(0.2):
        writer.note("chain of variables")
        return truth(f"{writer.float(0).text} {first} {item.text} {second} {writer.float(0).text}")
    if writer.chance(0.15):
        return truth(f"{high} {'>' + first[1:]} {item.text} {'>' + second[1:]} {low}")
    return truth(f"{low} {first} {item.text} {second} {high}")


@expression("bool", "not", 0.8)
def negation(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    if writer.chance(0.25):
        writer.note("not of a float")
        return truth(f"not {writer.float(0).text}")
    return truth(f"not {writer.bool(depth - 1).text}")


@expression("bool", "and", 1.4)
def both(writer: Writer, depth: int) -> Expr | None:
    return _joined(writer, depth, "and")


@expression("bool", "or", 1.2)
def one(writer: Writer, depth: int) -> Expr | None:
    return _joined(writer, depth, "or")


def _joined(writer: Writer, depth: int, word: str) -> Expr | None:
    if depth <= 0:
        return None
    items = [writer.bool(depth - 1) for _ in range(writer.pick({2: 4, 3: 1}))]
    return truth(f" {word} ".join(item.text for item in items))


@expression("bool", "short circuit protects", 0.7)
def protected(writer: Writer, depth: int) -> Expr | None:
    """The second operand is valid only where the first holds."""
    item = writer.some("float")
    if item is None:
        return None
    limit = writer.literal(-2.0, 2.0).text
    match writer.variant("short circuit", {"division": 2, "log": 1, "sqrt": 1, "or": 1}):
        case "division":
            return truth(f"{item.name} != 0.0 and {writer.float(0).text} / {item.name} > {limit}")
        case "log":
            return truth(f"{item.name} > 0.0 and math.log({item.name}) < {limit}")
        case "sqrt":
            return truth(f"{item.name} >= 0.0 and math.sqrt({item.name}) < {abs(float(limit.strip('()')))}")
        case _:
            return truth(f"{item.name} <= 0.0 or math.log({item.name}) < {limit}")


@expression("bool", "bool()", 0.4)
def converted(writer: Writer, depth: int) -> Expr:
    item = writer.float(0) if writer.chance(0.6) else writer.int(max(0, depth - 1))
    return Expr(f"bool({item.text})", "bool", 0, 1)


@expression("bool", "any and all", 0.5)
def quantified(writer: Writer, depth: int) -> Expr | None:
    item = writer.some("float")
    if item is None:
        return None
    word = writer.variant("quantifier", {"any": 1, "all": 1})
    if writer.module.tables and writer.chance(0.6):
        table = writer.rng.choice(sorted(writer.module.tables))
        return Expr(f"{word}({item.name} {writer.pick({'<': 1, '>': 1})} c for c in {table})", "bool", 0, 1)
    return Expr(f"{word}([{writer.bool(0).text}, {writer.bool(0).text}])", "bool", 0, 1)


@expression("float", "conditional expression", 2.0)
def chosen(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    first, second, condition = writer.float(depth - 1), writer.float(depth - 1), writer.bool(depth - 1)
    return either(f"{first.text} if {condition.text} else {second.text}", first, second, number(0.0))


@expression("float", "conditional expression, int and float", 0.4)
def chosen_mixed(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    first, second, condition = writer.float(depth - 1), number(writer.rng.choice((0, 1, 2))), writer.bool(depth - 1)
    if first.kind != "float":
        return None
    made = either(f"{first.text} if {condition.text} else {second.text}", first, second)
    return made if writer.chance(0.7) else either(f"{second.text} if {condition.text} else {first.text}", second, first)


@expression("float", "or between floats", 0.4)
def fallback(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    first, second = _maybe_zero(writer), writer.float(depth - 1)
    return either(f"{first.text} or {second.text}", first, second)


@expression("float", "and between floats", 0.4)
def conjunction(writer: Writer, depth: int) -> Expr | None:
    if depth <= 0:
        return None
    first, second = _maybe_zero(writer), writer.float(depth - 1)
    return either(f"{first.text} and {second.text}", first, second)


def _maybe_zero(writer: Writer) -> Expr:
    """Something that is zero for some samples."""
    item = writer.float(0)
    return Expr(f"max({item.text}, 0.0)", "float", 0.0, max(item.high, 0.0)) if writer.chance(0.5) else item


@expression("float", "and/or between truth and float", 0.5)
def old_conditional(writer: Writer, depth: int) -> Expr | None:
    """`test and a or b`, the conditional expression of old, and `test and a`, which may give False."""
    if depth <= 0:
        return None
    condition, first, second = writer.bool(depth - 1), writer.float(0), writer.float(depth - 1)
    if writer.chance(0.5):
        return either(f"{condition.text} and {first.text} or {second.text}", first, second)
    made = either(f"{condition.text} and {second.text}", condition, second)
    return Expr(f"({made.text} + {first.text})", "float", made.low + first.low, made.high + first.high)


@expression("float", "guarded conditional expression", 1.2)
def guarded(writer: Writer, depth: int) -> Expr | None:
    """A partial operation in the arm where it is valid."""
    item = writer.some("float")
    if item is None or depth <= 0:
        return None
    name, other = item.name, writer.float(depth - 1)
    match writer.variant("guarded", {"log": 2, "sqrt": 2, "/": 2, "asin": 1, "**": 1, "acosh": 0.5, "log1p": 0.5, "atanh": 0.5}):
        case "log":
            text, inner = f"math.log({name}) if {name} > 0.0 else {other.text}", (-800.0, 6.0)
        case "sqrt":
            text, inner = f"math.sqrt({name}) if {name} >= 0.0 else {other.text}", (0.0, 15.0)
        case "/":
            text, inner = f"{other.text} if abs({name}) < 0.05 else {writer.literal().text} / {name}", (-60.0, 60.0)
        case "asin":
            text, inner = f"math.asin({name}) if -1.0 <= {name} <= 1.0 else {other.text}", (-1.6, 1.6)
        case "acosh":
            text, inner = f"{other.text} if {name} < 1.0 else math.acosh({name})", (0.0, 6.0)
        case "log1p":
            text, inner = f"math.log1p({name}) if {name} > -1.0 else {other.text}", (-40.0, 6.0)
        case "atanh":
            text, inner = f"math.atanh({name}) if abs({name}) < 1.0 else {other.text}", (-20.0, 20.0)
        case _:
            exponent = writer.literal(0.3, 1.8)
            text, inner = f"{name} ** {exponent.text} if {name} > 0.0 else {other.text}", (0.0, max(item.high, 1.0) ** 1.8)
    return either(text, Expr("", "float", *inner), other)
