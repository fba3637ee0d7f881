"""Operations as formulas.

>>> x = Term(text("x"))
>>> formula("div", (x, formula("add", (x, x), {})), {}).level == ATOM
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deepalgo.drawing.boxes import Box, fenced, fraction, joined, power, root, row, space, stacked, subscript, text
from deepalgo.ir import Attr

#: How tightly an expression holds together.
CHOICE, LOGIC, RELATION, SUM, PRODUCT, SIGN, POWER, ATOM = range(8)
COMMA = row(text(","), space(0.2))


@dataclass(frozen=True, slots=True)
class Term:
    """A formula, how tightly it holds together, the wires that enter it, and how much there is to read in it.

    `number`: it is one, so that a dot has to stand before it. `name`: it is a signal of this name. `value`: it is a constant.
    """

    box: Box
    level: int = ATOM
    wires: frozenset[object] = frozenset()
    size: int = 1
    number: bool = False
    name: str = ""
    value: Attr = None


Rule = Callable[[Sequence[Term], Mapping[str, Attr]], tuple[Box, int]]


def formula(name: str, args: Sequence[Term], attrs: Mapping[str, Attr]) -> Term:
    """One operation of operands that are formulas themselves."""
    if name in SAME:
        return args[0]
    box, level = RULES.get(name, _call(name))(args, attrs)
    wires = frozenset(wire for arg in args for wire in arg.wires)
    return Term(box, level, wires, 1 + sum(arg.size for arg in args))


def bracketed(term: Term, level: int) -> Box:
    """The formula, in brackets if it holds together less tightly."""
    return term.box if term.level >= level else fenced("(", term.box, ")")


def _infix(sign: str, level: int, gap: float = 0.25) -> Rule:
    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
        left, right = args
        middle = row(space(gap), text(sign), space(gap))
        return row(bracketed(left, level), middle, bracketed(right, level + 1)), level

    return rule


def _product(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    """Factors stand side by side, with a dot where the second one is a number."""
    left, right = args
    gap = row(space(0.15), text("·"), space(0.15)) if right.number else space(0.17)
    return row(bracketed(left, PRODUCT), gap, bracketed(right, PRODUCT)), PRODUCT


def _quotient(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    above, below = args
    return fraction(above.box, below.box), ATOM


def _power(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    base, exponent = args
    return power(bracketed(base, ATOM), exponent.box), POWER


def _sign(sign: str) -> Rule:
    return lambda args, attrs: (row(text(sign), space(0.05), bracketed(args[0], PRODUCT)), SIGN)


def _between(before: str, after: str) -> Rule:
    return lambda args, attrs: (fenced(before, joined((arg.box for arg in args), COMMA), after), ATOM)


def _call(name: str) -> Rule:
    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
        return row(_function(name), fenced("(", joined((arg.box for arg in args), COMMA), ")")), ATOM

    return rule


def _function(name: str) -> Box:
    word, _, index = name.partition("_")
    if word.startswith("log") and word[3:].isdigit():
        return subscript(text("log"), text(word[3:]))
    return subscript(text(word), text(index)) if index else text(word)


def _named(name: str) -> Rule:
    """`sin x`, with brackets around anything longer than a letter."""

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
        (arg,) = args
        short = arg.level == ATOM or arg.level == POWER and arg.size <= 3
        inside = row(space(0.18), arg.box) if short else fenced("(", arg.box, ")")
        return row(_function(name), inside), PRODUCT if short else ATOM

    return rule


def _reduction(sign: str) -> Rule:
    """`Σ x`, over an axis where one is meant."""

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
        axis = attrs.get("axis")
        sign_box = text(sign).scaled(1.35)
        head = sign_box if axis is None else subscript(sign_box, text(f"{axis}"))
        inside = fenced("(", args[0].box, ")") if args[0].level < POWER else row(space(0.18), args[0].box)
        return row(head, inside), PRODUCT

    return rule


def _indexed(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    key = attrs.get("key", attrs.get("indices", ()))
    assert isinstance(key, tuple)
    return subscript(bracketed(args[0], ATOM), text(", ".join(map(_place, key)))), ATOM


def _place(entry: Attr) -> str:
    if isinstance(entry, tuple) and entry and entry[0] == "slice":
        start, stop, step = ("" if part is None else str(part) for part in entry[1:])
        return f"{start}:{stop}" + (f":{step}" if step else "")
    return "…" if entry == "..." else str(entry)


def _picked(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    array, index = bracketed(args[0], ATOM), args[1]
    return (subscript(array, index.box) if index.size <= 2 else row(array, fenced("[", index.box, "]"))), ATOM


def _put(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    """An array with one part replaced."""
    key = attrs.get("key")
    place = text(", ".join(map(_place, key))) if isinstance(key, tuple) else args[1].box
    change = row(place, space(0.1), text("←"), space(0.1), args[-1].box)
    return fenced("[", row(bracketed(args[0], ATOM), space(0.15), text("|"), space(0.15), change), "]"), ATOM


def _vector(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    rows = [arg.box for arg in args] if len(args) <= 6 else [*(arg.box for arg in args[:3]), text("⋮"), args[-1].box]
    return fenced("[", stacked(rows, left=False), "]"), ATOM


def _selected(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    condition, then, orelse = args
    return cases(((then.box, condition.box), (orelse.box, None))), CHOICE


def cases(choices: Sequence[tuple[Box, Box | None]]) -> Box:
    """A brace with a line for every case; a case without a condition is for the rest."""
    width = max(value.width for value, _ in choices)
    lines = [
        row(value, space(width - value.width + 0.5), text("otherwise") if condition is None else row(text("if "), space(0.1), condition))
        for value, condition in choices
    ]
    return fenced("{", row(space(0.1), stacked(lines, gap=0.3)), "")


def _transposed(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    return power(bracketed(args[0], ATOM), text("T")), POWER


def _exponential(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    return (power(text("e"), args[0].box), POWER) if args[0].size <= 6 else _named("exp")(args, attrs)


def _norm(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[Box, int]:
    return fenced("‖", args[0].box, "‖"), ATOM


#: Operations that mathematics does not write.
SAME = frozenset({"to_real", "to_complex", "pos", "cut", "broadcast", "reshape", "to_bool"})

RULES: dict[str, Rule] = {
    "add": _infix("+", SUM), "sub": _infix("−", SUM), "mul": _product, "div": _quotient, "pow": _power, "neg": _sign("−"),
    "mod": _infix("mod", PRODUCT), "matmul": _infix("·", PRODUCT, 0.12),
    "floordiv": lambda args, attrs: (fenced("⌊", fraction(args[0].box, args[1].box), "⌋"), ATOM),
    "lt": _infix("<", RELATION), "le": _infix("≤", RELATION), "gt": _infix(">", RELATION), "ge": _infix("≥", RELATION),
    "eq": _infix("=", RELATION), "ne": _infix("≠", RELATION),
    "and": _infix("∧", LOGIC), "or": _infix("∨", LOGIC), "bitand": _infix("∧", LOGIC), "bitor": _infix("∨", LOGIC),
    "not": lambda args, attrs: (row(text("¬"), space(0.05), bracketed(args[0], PRODUCT)), SIGN),
    "sqrt": lambda args, attrs: (root(args[0].box), ATOM),
    "cbrt": lambda args, attrs: (power(bracketed(args[0], ATOM), text("1/3")), POWER),
    "exp": _exponential, "abs": _between("|", "|"), "floor": _between("⌊", "⌋"), "ceil": _between("⌈", "⌉"),
    "norm2": _norm, "stack": _vector, "concat": _vector, "select": _selected, "index": _indexed, "take": _indexed, "pick": _indexed,
    "gather": _picked, "pick_at": _picked, "put": _put, "put_at": _put, "permute": _transposed,
    "sum": _reduction("Σ"), "prod": _reduction("Π"), "amin": _named("min"), "amax": _named("max"), "mean": _named("mean"),
    "argmin": _named("arg min"), "argmax": _named("arg max"), "min": _call("min"), "max": _call("max"),
    **{name: _named(name) for name in "sin cos tan log log2 log10 sinh cosh tanh asin acos atan sign".split()},
}


