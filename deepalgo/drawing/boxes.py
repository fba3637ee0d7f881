"""`FormulaBox`: a piece of mathematics with its size, put together from smaller ones.

Sizes are relative to a font of size 1; x points right and y down, from the left end of the baseline.

>>> half = fraction(text("1"), text("2"))
>>> half.width < text("12").width * 1.5, half.ascent > text("1").ascent
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deepalgo.drawing.glyphs import advance

#: The height of the axis on which fraction bars lie, the thickness of lines, and the size of exponents.
AXIS, LINE, SCRIPT = 0.27, 0.055, 0.72


@dataclass(frozen=True, slots=True)
class PaintedMark:
    """Something to be painted: a character, or a shape through points ('line' or 'chip')."""

    kind: str
    x: float
    y: float
    scale: float = 1.0
    font: str = ""
    character: str = ""
    colour: str = "ink"
    points: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class FormulaBox:
    """Marks with their common size."""

    width: float
    ascent: float
    descent: float
    marks: tuple[PaintedMark, ...] = ()

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.ascent + self.descent

    def moved(self, x: float, y: float) -> tuple[PaintedMark, ...]:
        """The marks at another place."""
        return tuple(replace(mark, x=mark.x + x, y=mark.y + y) for mark in self.marks)

    def scaled(self, by: float) -> FormulaBox:
        """The same, larger or smaller."""
        marks = tuple(
            replace(mark, x=mark.x * by, y=mark.y * by, scale=mark.scale * by, points=tuple((x * by, y * by) for x, y in mark.points))
            for mark in self.marks
        )
        return FormulaBox(self.width * by, self.ascent * by, self.descent * by, marks)

    def coloured(self, colour: str) -> FormulaBox:
        """The same in one colour."""
        return replace(self, marks=tuple(replace(mark, colour=colour) for mark in self.marks))


def text(characters: str, font: str = "roman", colour: str = "ink") -> FormulaBox:
    """Characters in a row; all lines of text are equally high."""
    marks, x = [], 0.0
    for character in characters:
        marks.append(PaintedMark("glyph", x, 0.0, font=font, character=character, colour=colour))
        x += advance(font, character)
    return FormulaBox(x, 0.7, 0.2, tuple(marks))


def space(width: float) -> FormulaBox:
    """Nothing, so wide."""
    return FormulaBox(width, 0.0, 0.0)


def row(*boxes: FormulaBox) -> FormulaBox:
    """One after the other on one baseline."""
    marks: list[PaintedMark] = []
    x = 0.0
    for box in boxes:
        marks += box.moved(x, 0.0)
        x += box.width
    return FormulaBox(x, max((box.ascent for box in boxes), default=0.0), max((box.descent for box in boxes), default=0.0), tuple(marks))


def joined(boxes: Iterable[FormulaBox], separator: FormulaBox) -> FormulaBox:
    """A row with a separator between its boxes."""
    found: list[FormulaBox] = []
    for box in boxes:
        found += [separator, box] if found else [box]
    return row(*found)


def fraction(above: FormulaBox, below: FormulaBox) -> FormulaBox:
    """One over the other, with a bar."""
    width = max(above.width, below.width) + 0.3
    gap = 0.14
    up, down = AXIS + gap + above.descent, below.ascent + gap - AXIS
    bar = PaintedMark("line", 0.06, -AXIS, points=((0.0, 0.0), (width - 0.12, 0.0)))
    marks = (*above.moved((width - above.width) / 2, -up), bar, *below.moved((width - below.width) / 2, down))
    return FormulaBox(width, up + above.ascent, down + below.descent, marks)


def power(base: FormulaBox, exponent: FormulaBox) -> FormulaBox:
    """A raised exponent."""
    small = exponent.scaled(SCRIPT)
    lift = max(base.ascent - 0.33, small.descent + 0.2)
    return FormulaBox(base.width + small.width + 0.06, max(base.ascent, lift + small.ascent), base.descent,
               (*base.marks, *small.moved(base.width + 0.05, -lift)))


def subscript(base: FormulaBox, index: FormulaBox) -> FormulaBox:
    """A lowered index."""
    small = index.scaled(SCRIPT)
    drop = 0.18
    return FormulaBox(base.width + small.width + 0.04, base.ascent, max(base.descent, drop + small.descent),
               (*base.marks, *small.moved(base.width + 0.02, drop)))


def root(inside: FormulaBox) -> FormulaBox:
    """A square root."""
    left, top, bottom = 0.55, inside.ascent + 0.16, inside.descent
    hook = ((0.05, -0.25), (0.17, -0.33), (0.32, bottom), (left - 0.03, -top), (left + inside.width + 0.1, -top))
    marks = (PaintedMark("line", 0.0, 0.0, points=hook), *inside.moved(left + 0.04, 0.0))
    return FormulaBox(left + inside.width + 0.14, top + 0.08, bottom + 0.02, marks)


FENCES = {
    "(": ((1.0, 0.0), (0.35, 0.2), (0.12, 0.5), (0.35, 0.8), (1.0, 1.0)),
    ")": ((0.0, 0.0), (0.65, 0.2), (0.88, 0.5), (0.65, 0.8), (0.0, 1.0)),
    "[": ((1.0, 0.0), (0.3, 0.0), (0.3, 1.0), (1.0, 1.0)),
    "]": ((0.0, 0.0), (0.7, 0.0), (0.7, 1.0), (0.0, 1.0)),
    "|": ((0.5, 0.0), (0.5, 1.0)),
    "⌊": ((0.3, 0.0), (0.3, 1.0), (1.0, 1.0)),
    "⌋": ((0.7, 0.0), (0.7, 1.0), (0.0, 1.0)),
    "⌈": ((1.0, 0.0), (0.3, 0.0), (0.3, 1.0)),
    "⌉": ((0.0, 0.0), (0.7, 0.0), (0.7, 1.0)),
    "{": ((1.0, 0.0), (0.6, 0.08), (0.55, 0.42), (0.15, 0.5), (0.55, 0.58), (0.6, 0.92), (1.0, 1.0)),
}


def _fence(sign: str, inside: FormulaBox) -> FormulaBox:
    """A bracket as high as what it holds."""
    top, height = inside.ascent + 0.06, inside.height + 0.12
    kind = "curve" if sign in "(){" else "line"
    if sign == "‖":
        lines = tuple(PaintedMark("line", x, 0.0, points=((0.0, -top), (0.0, height - top))) for x in (0.1, 0.24))
        return FormulaBox(0.34, top, inside.descent + 0.06, lines)
    width = 0.3 if sign in "(){" else 0.24
    points = tuple((x * (width - 0.1), y * height - top) for x, y in FENCES[sign])
    return FormulaBox(width, top, inside.descent + 0.06, (PaintedMark(kind, 0.05, 0.0, points=points),))


def fenced(before: str, inside: FormulaBox, after: str) -> FormulaBox:
    """Something between brackets."""
    gap = space(0.0 if before in "({" else 0.08)
    return row(_fence(before, inside), gap, inside, gap, _fence(after, inside) if after else gap)


def stacked(boxes: Sequence[FormulaBox], gap: float = 0.25, left: bool = True) -> FormulaBox:
    """Lines below each other, around the axis."""
    total = sum(box.height for box in boxes) + gap * (len(boxes) - 1)
    width = max(box.width for box in boxes)
    y, marks = -AXIS - total / 2, list[PaintedMark]()
    for box in boxes:
        marks += box.moved(0.0 if left else (width - box.width) / 2, y + box.ascent)
        y += box.height + gap
    return FormulaBox(width, AXIS + total / 2, total / 2 - AXIS, tuple(marks))


def chip(inside: FormulaBox, colour: str) -> FormulaBox:
    """Something on a coloured ground."""
    side = 0.2
    inside = inside.coloured(colour)
    width = inside.width + 2 * side
    ground = PaintedMark("chip", 0.0, 0.0, colour=colour, points=((0.06, -inside.ascent - 0.1), (width - 0.06, inside.descent + 0.04)))
    return FormulaBox(width, inside.ascent + 0.12, inside.descent + 0.06, (ground, *inside.moved(side, 0.0)))
