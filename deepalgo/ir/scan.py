"""The lexer: the text of a program as tokens, and errors that say where they are.

>>> scanner = Scanner("%y = add %x\\n  (1.0,\\n  2.0)")
>>> [token.text for token in scanner.tokens]
['%y', '=', 'add', '%x', '\\n', '(', '1.0', ',', '2.0', ')', '\\n', '']
>>> scanner.take(), scanner.expect("is")
Traceback (most recent call last):
deepalgo.ir.scan.ParseError: line 1, column 4: expected `is`, found `=`
    %y = add %x
       ^
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

WORD = re.compile(
    r"""[ \t]*(?:\#[^\n]*)?(?:
     (?P<value>%(?:[^\W\d]\w*(?:\.\d+)?|\d+)(?![\w.]))
    |(?P<name>(?![bB]['"])[^\W\d]\w*(?:\.[^\W\d]\w*)*|<lambda>)
    |(?P<line>\n)
    |(?P<mark>\.\.\.|[()\[\]{}:,=])
    |(?P<number>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)(?![\w.])|[-+](?:inf|nan)\b)
    |(?P<string>[bB]?(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"))
    |(?P<end>\Z)
    |(?P<wrong>.))""",
    re.VERBOSE,
)


class ParseError(ValueError):
    """A text that is no program: the line and the column, what is expected there, and the line itself."""


class Token(NamedTuple):
    """A word: its kind (value, number, string, name, mark, line, end), its text, and where it starts."""

    kind: str
    text: str
    start: int


class Scanner:
    """The words of a text one after the other; a line goes on as long as a bracket is open."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.place = 0
        self.tokens = list(self._split())

    def _split(self) -> Iterator[Token]:
        """Blank lines are left out, and so are line breaks inside of brackets."""
        brackets: list[Token] = []
        begun = False
        for found in WORD.finditer(self.text):
            kind = str(found.lastgroup)
            token = Token(kind, found[kind], found.start(kind))
            if kind == "line":
                if begun and not brackets:
                    yield token
                    begun = False
                continue
            if kind == "mark":
                if token.text in "([{":
                    brackets.append(token)
                elif token.text in ")]}" and brackets:
                    brackets.pop()
            elif kind == "wrong":
                self.fail("there is no such word", token)
            elif kind == "end":
                break
            begun = True
            yield token
        if brackets:
            self.fail(f"this `{brackets[-1].text}` is never closed", brackets[-1])
        if begun:
            yield Token("line", "\n", len(self.text))
        yield Token("end", "", len(self.text))

    @property
    def next(self) -> Token:
        """The word that comes next."""
        return self.tokens[self.place]

    def take(self) -> Token:
        """The next word, and go on."""
        token = self.tokens[self.place]
        self.place += token.kind != "end"
        return token

    def accept(self, text: str) -> bool:
        """Go on if the next word is this one."""
        token = self.tokens[self.place]
        if token.text != text or token.kind not in ("name", "mark"):
            return False
        self.place += 1
        return True

    def expect(self, text: str) -> None:
        """Go on; complain unless the next word is this one."""
        if not self.accept(text):
            self.miss(f"`{text}`")

    def expect_kind(self, kind: str, what: str) -> Token:
        """The next word, which has to be of a kind."""
        if self.next.kind != kind:
            self.miss(what)
        return self.take()

    def end_line(self) -> None:
        """Nothing more stands in this line."""
        self.expect_kind("line", "the end of the line")

    def column(self, token: Token) -> int:
        """How far a word is from the start of its line."""
        return token.start - self.text.rfind("\n", 0, token.start) - 1

    def miss(self, what: str) -> NoReturn:
        """Complain that the next word is not what is expected."""
        token = self.next
        found = {"line": "the end of the line", "end": "the end of the text"}.get(token.kind, f"`{token.text}`")
        self.fail(f"expected {what}, found {found}")

    def fail(self, complaint: str, token: Token | None = None) -> NoReturn:
        """Complain about a word, the next one if none is given."""
        token = token or self.next
        number, column = self.text.count("\n", 0, token.start) + 1, self.column(token)
        lines = self.text.split("\n")
        line = lines[number - 1] if number <= len(lines) else ""
        raise ParseError(f"line {number}, column {column + 1}: {complaint}\n    {line}\n    {' ' * column}^")
