"""Operations as formulas.

>>> x = Term(text("x"))
>>> formula("div", (x, formula("add", (x, x), {})), {}).level == ATOM
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from deepalgo.drawing.boxes import FormulaBox, fenced, fraction, joined, power, root, row, space, stacked, subscript, text
from deepalgo.ir import Attr
from deepalgo.ops.table import TABLE

#: How tightly an expression holds together.
CHOICE, LOGIC, RELATION, SUM, PRODUCT, SIGN, POWER, ATOM = range(8)
COMMA = row(text(","), space(0.2))


@dataclass(frozen=True, slots=True)
class Term:
    """A formula, how tightly it holds together, the wires that enter it, and how much there is to read in it.

    `number`: it is one, so that a dot has to stand before it. `name`: it is a signal of this name. `value`: it is a constant.
    """

    box: FormulaBox
    level: int = ATOM
    wires: frozenset[object] = frozenset()
    size: int = 1
    number: bool = False
    name: str = ""
    value: Attr = None


Rule = Callable[[Sequence[Term], Mapping[str, Attr]], tuple[FormulaBox, int]]


def formula(name: str, args: Sequence[Term], attrs: Mapping[str, Attr]) -> Term:
    """One operation of operands that are formulas themselves."""
    style, _, signs = TABLE[name].drawn.partition(" ")
    if style == ITSELF:
        return args[0]
    box, level = (STYLES[style](signs) if style else _call(name))(args, attrs)
    wires = frozenset(wire for arg in args for wire in arg.wires)
    return Term(box, level, wires, 1 + sum(arg.size for arg in args))


def bracketed(term: Term, level: int) -> FormulaBox:
    """The formula, in brackets if it holds together less tightly."""
    return term.box if term.level >= level else fenced("(", term.box, ")")


def _infix(sign: str) -> Rule:
    level, gap = LEVELS[sign], 0.12 if sign == "·" else 0.25

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
        left, right = args
        middle = row(space(gap), text(sign), space(gap))
        return row(bracketed(left, level), middle, bracketed(right, level + 1)), level

    return rule


def _product(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    """Factors stand side by side, with a dot where the second one is a number."""
    left, right = args
    gap = row(space(0.15), text("·"), space(0.15)) if right.number else space(0.17)
    return row(bracketed(left, PRODUCT), gap, bracketed(right, PRODUCT)), PRODUCT


def _quotient(fences: str) -> Rule:
    """A fraction, perhaps between fences."""

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
        made = fraction(args[0].box, args[1].box)
        return (fenced(fences.split(maxsplit=1)[0], made, fences.split()[1]) if fences else made), ATOM

    return rule


def _power(exponent: str) -> Rule:
    """The first operand to the second, or to what the style says."""

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
        return power(bracketed(args[0], ATOM), text(exponent) if exponent else args[1].box), POWER

    return rule


def _sign(sign: str) -> Rule:
    return lambda args, attrs: (row(text(sign), space(0.05), bracketed(args[0], PRODUCT)), SIGN)


def _between(fences: str) -> Rule:
    before, after = fences.split()
    return lambda args, attrs: (fenced(before, joined((arg.box for arg in args), COMMA), after), ATOM)


def _call(name: str) -> Rule:
    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
        return row(_function(name), fenced("(", joined((arg.box for arg in args), COMMA), ")")), ATOM

    return rule


def _function(name: str) -> FormulaBox:
    word, _, index = name.partition("_")
    if word.startswith("log") and word[3:].isdigit():
        return subscript(text("log"), text(word[3:]))
    return subscript(text(word), text(index)) if index else text(word)


def _named(name: str) -> Rule:
    """`sin x`, with brackets around anything longer than a letter."""

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
        (arg,) = args
        short = arg.level == ATOM or arg.level == POWER and arg.size <= 3
        inside = row(space(0.18), arg.box) if short else fenced("(", arg.box, ")")
        return row(_function(name), inside), PRODUCT if short else ATOM

    return rule


def _reduction(sign: str) -> Rule:
    """`Σ x`, over an axis where one is meant."""

    def rule(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
        axis = attrs.get("axis")
        sign_box = text(sign).scaled(1.35)
        head = sign_box if axis is None else subscript(sign_box, text(f"{axis}"))
        inside = fenced("(", args[0].box, ")") if args[0].level < POWER else row(space(0.18), args[0].box)
        return row(head, inside), PRODUCT

    return rule


def _indexed(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    key = attrs.get("key", attrs.get("indices", ()))
    assert isinstance(key, tuple)
    return subscript(bracketed(args[0], ATOM), text(", ".join(map(_place, key)))), ATOM


def _place(entry: Attr) -> str:
    if isinstance(entry, tuple) and entry and entry[0] == "slice":
        start, stop, step = ("" if part is None else str(part) for part in entry[1:])
        return f"{start}:{stop}" + (f":{step}" if step else "")
    return "…" if entry == "..." else str(entry)


def _picked(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    array, index = bracketed(args[0], ATOM), args[1]
    return (subscript(array, index.box) if index.size <= 2 else row(array, fenced("[", index.box, "]"))), ATOM


def _put(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    """An array with one part replaced."""
    key = attrs.get("key")
    place = text(", ".join(map(_place, key))) if isinstance(key, tuple) else args[1].box
    change = row(place, space(0.1), text("←"), space(0.1), args[-1].box)
    return fenced("[", row(bracketed(args[0], ATOM), space(0.15), text("|"), space(0.15), change), "]"), ATOM


def _vector(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    rows = [arg.box for arg in args] if len(args) <= 6 else [*(arg.box for arg in args[:3]), text("⋮"), args[-1].box]
    return fenced("[", stacked(rows, left=False), "]"), ATOM


def _selected(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    condition, then, orelse = args
    return cases(((then.box, condition.box), (orelse.box, None))), CHOICE


def cases(choices: Sequence[tuple[FormulaBox, FormulaBox | None]]) -> FormulaBox:
    """A brace with a line for every case; a case without a condition is for the rest."""
    width = max(value.width for value, _ in choices)
    lines = [
        row(value, space(width - value.width + 0.5), text("otherwise") if condition is None else row(text("if "), space(0.1), condition))
        for value, condition in choices
    ]
    return fenced("{", row(space(0.1), stacked(lines, gap=0.3)), "")


def _exponential(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    return (power(text("e"), args[0].box), POWER) if args[0].size <= 6 else _named("exp")(args, attrs)


def _root(args: Sequence[Term], attrs: Mapping[str, Attr]) -> tuple[FormulaBox, int]:
    return root(args[0].box), ATOM


def _always(rule: Rule) -> Callable[[str], Rule]:
    return lambda signs: rule


#: The style of operations that mathematics does not write.
ITSELF = "itself"
#: How tightly signs between operands hold together.
LEVELS = {
    "∧": LOGIC, "∨": LOGIC, **dict.fromkeys("<≤>≥=≠", RELATION), "+": SUM, "−": SUM, "mod": PRODUCT, "·": PRODUCT,
}
#: The ways in which rows say that they are drawn, each with its signs.
STYLES: dict[str, Callable[[str], Rule]] = {
    "infix": _infix, "sign": _sign, "fences": _between, "name": _named, "reduction": _reduction, "fraction": _quotient, "power": _power,
    "product": _always(_product), "root": _always(_root), "exponential": _always(_exponential), "column": _always(_vector),
    "cases": _always(_selected), "index": _always(_indexed), "place": _always(_picked), "change": _always(_put),
}
