"""Text of expressions with as few brackets as Python's precedence allows.

>>> fill("{0} * {1}", (Fragment("a + b", SUM), Fragment("x")))
Fragment(text='(a + b) * x', level=10)
>>> fill("ops.sqrt({0})", (Fragment("a + b", SUM),)).text
'ops.sqrt(a + b)'
>>> fill("{0} * 2.5", (Fragment("a + b", SUM),)).text
'(a + b) * 2.5'
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LEVELS = {"or": 1, "and": 2, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8,
          "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "**": 12}
NOT, COMPARISON, SUM, UNARY, ATOM = 3, 4, 9, 11, 13
INFIX = re.compile(r"\{0\} (\S+) (?:\{1\}|[\d.]+)$")
PLACE = re.compile(r"\{(\w+|\*)\}")
#: A string, or a name that is neither an attribute nor the name of an argument.
WORD = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])([^\W\d]\w*+)(?!=[^=])")


@dataclass(frozen=True, slots=True)
class Fragment:
    """An expression and how tightly its outermost operator binds."""

    text: str
    level: int = ATOM


def literal(value: object) -> Fragment:
    """A number as Python writes it."""
    text = repr(value)
    return Fragment(text, UNARY if text.startswith("-") else ATOM)


@functools.cache
def template_level(template: str) -> int:
    """How tightly the operator of a template binds."""
    infix = INFIX.match(template)
    if infix is not None:
        return LEVELS[infix[1]]
    if template.startswith("not "):
        return NOT
    return UNARY if template[0] in "+-~" else ATOM


def fill(template: str, operands: Sequence[Fragment], attrs: Mapping[str, object] | None = None) -> Fragment:
    """The template with its operands, in brackets where they bind less tightly than the place they stand in."""
    level = template_level(template)

    def place(found: re.Match[str]) -> str:
        name = found[1]
        if name == "*":
            return ", ".join(operand.text for operand in operands)
        if not name.isdigit():
            return str((attrs or {})[name])
        return bracket(operands[int(name)], _needed(template, found, level)).text

    return Fragment(PLACE.sub(place, template), level)


def words(lines: Iterable[str]) -> list[str]:
    """The names that lines of code read or bind, each once and in order; comments have lines of their own.

    >>> words(["# of y", "t = ops.max(x * 2.5, dim=1) == x"])
    ['t', 'ops', 'x']
    """
    code = (line for line in lines if not line.lstrip().startswith("#"))
    return list(dict.fromkeys(word for line in code for word in WORD.findall(line) if word))


def bracket(operand: Fragment, needed: int) -> Fragment:
    """The operand, in brackets if it binds less tightly than needed."""
    return operand if operand.level >= needed else Fragment(f"({operand.text})")


def _needed(template: str, found: re.Match[str], level: int) -> int:
    """A right operand must bind more tightly, a left one as tightly; arguments of a call may be anything."""
    if template[found.end() : found.end() + 1] in ("[", "."):
        return ATOM
    if level == ATOM:
        return 0
    right = found.start() > 0 and level not in (UNARY, NOT)
    if level == LEVELS["**"]:
        return UNARY if right else ATOM
    return level + 1 if right or level == COMPARISON else level
