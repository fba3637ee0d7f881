"""What functions return: something that most of the names in scope flow into, so that no statement is idle."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.fuzz.bounds import fit
from tests.fuzz.expression import Expr, add, multiply, subtract
from tests.fuzz.writer import Variable, Writer, unread

Give = Callable[[Writer], str]


def summary(writer: Writer, most: int = 5, idle: Sequence[Variable] = ()) -> Expr:
    """A weighted sum of what was computed so far, `idle` variables before others."""
    inner = [item for item in writer.scope.values() if item.name not in writer.sources and item not in idle]
    others = inner if len(inner) > 1 else list(writer.scope.values())
    found = list(idle[:6])
    found += writer.rng.sample(others, min(len(others), max(1, writer.rng.randint(max(1, most - 2), most) - len(found))))
    if not found:
        return writer.float(2)
    terms = [_term(writer, item.read()) for item in found]
    total = terms[0]
    for term in terms[1:]:
        total = add(total, term) if writer.chance(0.7) else subtract(total, term)
    if writer.chance(0.2):
        total = multiply(total, writer.within(-3.0, 3.0, 1))
    return total


def _term(writer: Writer, item: Expr) -> Expr:
    if item.kind == "bool":
        return multiply(writer.literal(0.2, 2.0), item) if writer.chance(0.6) else item
    if writer.chance(0.35):
        return multiply(writer.literal(-1.5, 1.5), item)
    return item if writer.chance(0.8) else fit(writer, item, -5.0, 5.0)


def last_return(writer: Writer, lines: list[str], give: Give, word: str) -> list[str]:
    """The end of the entry: variables that nothing has read yet go into the answer."""
    idle = unread(list(writer.scope.values()), lines)
    if word in ("bool", "int") or not idle:
        return [f"return {give(writer)}"]
    if word == "float":
        return [f"return {summary(writer, 5, idle).text}"]
    name = writer.fresh("result")
    rest = summary(writer, 5, idle)
    writer.declare(name, Expr(name, "float", rest.low, rest.high))
    return [f"{name} = {rest.text}", f"return {give(writer)}"]


def one_number(writer: Writer) -> str:
    return (summary(writer) if writer.chance(0.75) else writer.float(2)).text


def bounded(writer: Writer) -> str:
    """A number that helpers promise to keep small."""
    return fit(writer, summary(writer, 3) if writer.chance(0.6) else writer.float(2), -15.0, 15.0).text


def entry_result(writer: Writer) -> tuple[Give, str]:
    """How every `return` of the entry looks, and what to call it."""
    names = writer.rng.sample(("value", "slope", "error", "gain"), writer.rng.randint(2, 3))
    shapes: dict[str, Give] = {
        "float": one_number,
        "int and float": lambda w: one_number(w) if w.chance(0.7) else w.int(1).text,
        "int": lambda w: f"round({one_number(w)})" if w.chance(0.5) else w.int(2).text,
        "bool": lambda w: f"({one_number(w)} > {w.literal().text})" if w.chance(0.5) else w.bool(2).text,
        "tuple": lambda w: f"({', '.join(one_number(w) for _ in names)})",
        "list": lambda w: f"[{', '.join(one_number(w) for _ in names)}]",
        "dict": lambda w: f"{{{', '.join(f'{name!r}: {one_number(w)}' for name in names)}}}",
        "mixed tuple": lambda w: f"({one_number(w)}, {w.int(1).text}, {w.bool(1).text})",
        "nested tuple": lambda w: f"({one_number(w)}, ({one_number(w)}, {w.float(1).text}))",
    }
    word = writer.pick({"float": 14, "int and float": 1, "int": 0.5, "bool": 0.4, "tuple": 2.5, "list": 0.6, "dict": 0.8,
                        "mixed tuple": 0.6, "nested tuple": 0.5})
    return shapes[word], word
