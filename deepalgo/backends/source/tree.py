"""Statements of Python as data, and their text.

>>> root = Branch(Fragment("x < 0", 4), [Return(Fragment("-x", 11))], [Assign(("y",), (Fragment("x * x", 10),)), Return(Fragment("y"))])
>>> print("\\n".join(lines([root])))
if x < 0:
    return -x
else:
    y = x * x
    return y
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from deepalgo.backends.expression import ATOM, COMPARISON, NOT, Fragment, bracket
from deepalgo.backends.source.wrap import WIDTH, closes_last, is_tuple, wrapped


@dataclass(slots=True)
class Assign:
    """`targets = values`; with an operator `target += value`."""

    targets: tuple[str, ...]
    values: tuple[Fragment, ...]
    operator: str = ""


@dataclass(slots=True)
class Expression:
    """A line that only may raise."""

    text: Fragment


@dataclass(slots=True)
class Raise:
    """`raise text`."""

    text: str


@dataclass(slots=True)
class Return:
    """`return text`."""

    text: Fragment


@dataclass(slots=True)
class Break:
    """`break`."""


@dataclass(slots=True)
class Branch:
    """`if`, with or without an `else`."""

    condition: Fragment
    then: list[Tree]
    orelse: list[Tree] = field(default_factory=list)


@dataclass(slots=True)
class Repeat:
    """`while condition`."""

    condition: Fragment
    body: list[Tree]


@dataclass(slots=True)
class Count:
    """`for name in range(count)`."""

    name: str
    count: str
    body: list[Tree]


@dataclass(slots=True)
class Attempt:
    """`try` with its handlers: the classes that each catches, and its statements."""

    body: list[Tree]
    handlers: list[tuple[str, list[Tree]]]


Tree: TypeAlias = Assign | Expression | Raise | Return | Break | Branch | Repeat | Count | Attempt


def negated(condition: Fragment) -> Fragment:
    """The opposite of a condition.

    >>> negated(Fragment("x == 0", 4)).text, negated(Fragment("x < 0", 4)).text, negated(Fragment("not x < 0", 3)).text
    ('x != 0', 'not x < 0', 'x < 0')
    """
    if condition.text.startswith("not ") and condition.level == NOT:
        inner = condition.text[4:]
        if inner.startswith("(") and closes_last(inner):
            return Fragment(inner[1:-1], 0)
        return Fragment(inner, ATOM if inner.isidentifier() else COMPARISON)
    if condition.level == COMPARISON:
        for sign, opposite in ((" == ", " != "), (" != ", " == ")):
            if condition.text.count(sign) == 1:
                return Fragment(condition.text.replace(sign, opposite), condition.level)
    return Fragment(f"not {bracket(condition, NOT).text}", NOT)


def lines(statements: Sequence[Tree], indent: str = "") -> Iterator[str]:
    """The text of statements, line by line."""
    for statement in statements:
        yield from _lines(statement, indent)


def _lines(statement: Tree, indent: str) -> Iterator[str]:
    inner = indent + "    "
    match statement:
        case Assign(targets, values, operator):
            yield from wrapped(indent, f"{', '.join(targets)} {operator}= ", ", ".join(value.text for value in values), "")
        case Expression(text):
            yield from wrapped(indent, "", text.text, "")
        case Raise(text):
            yield f"{indent}raise {text}"
        case Return(text):
            bare = text.text[1:-1] if is_tuple(text.text) and len(text.text) + len(indent) < WIDTH else text.text
            yield from wrapped(indent, "return ", bare, "")
        case Break():
            yield f"{indent}break"
        case Branch():
            yield from _branch(statement, indent, "if")
        case Repeat(condition, body):
            yield from wrapped(indent, "while ", condition.text, ":")
            yield from lines(body or [Expression(Fragment("pass"))], inner)
        case Count(name, count, body):
            yield f"{indent}for {name} in range({count}):"
            yield from lines(body or [Expression(Fragment("pass"))], inner)
        case Attempt(body, handlers):
            yield f"{indent}try:"
            yield from lines(body or [Expression(Fragment("pass"))], inner)
            for classes, handler in handlers:
                yield f"{indent}except {classes}:"
                yield from lines(handler or [Expression(Fragment("pass"))], inner)


def _branch(branch: Branch, indent: str, word: str) -> Iterator[str]:
    yield from wrapped(indent, f"{word} ", branch.condition.text, ":")
    yield from lines(branch.then or [Expression(Fragment("pass"))], indent + "    ")
    match branch.orelse:
        case []:
            return
        case [Branch() as inner]:
            yield from _branch(inner, indent, "elif")
        case orelse:
            yield f"{indent}else:"
            yield from lines(orelse, indent + "    ")
