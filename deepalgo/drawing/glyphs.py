"""Outlines and widths of characters, from the fonts that come with Matplotlib, so that a figure looks the same everywhere.

>>> advance("italic", "x") > 0.3, outline("roman", "1").startswith("M")
(True, True)
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

#: Outlines are in so many units to the size of the font.
UNITS = 1000
FILES = {"italic": "STIXGeneralItalic.ttf", "roman": "STIXGeneral.ttf", "sans": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}


@functools.cache
def _font(name: str) -> Any:
    import matplotlib as mpl
    from matplotlib.ft2font import FT2Font

    font = FT2Font(str(Path(mpl.get_data_path(), "fonts", "ttf", FILES[name])))
    font.set_size(UNITS, 72)
    return font


@functools.cache
def font_for(name: str, character: str) -> str:
    """The font itself, or the first other one that has the character."""
    return next((other for other in (name, "roman", "sans") if _font(other).get_char_index(ord(character))), "sans")


@functools.cache
def advance(name: str, character: str) -> float:
    """The width of a character, for a font of size 1."""
    return float(_load(name, character).linearHoriAdvance) / 65536 / UNITS


def _load(name: str, character: str) -> Any:
    from matplotlib.ft2font import LoadFlags

    return _font(font_for(name, character)).load_char(ord(character), flags=LoadFlags.NO_HINTING)


@functools.cache
def outline(name: str, character: str) -> str:
    """The path of a character as SVG writes it, with y pointing down."""
    _load(name, character)
    vertices, codes = _font(font_for(name, character)).get_path()
    words, place = [], 0
    while place < len(codes):
        letter, count = {1: ("M", 1), 2: ("L", 1), 3: ("Q", 2), 4: ("C", 3), 79: ("Z", 1)}[int(codes[place])]
        points = vertices[place : place + count] if letter != "Z" else ()
        words.append(letter + " ".join(f"{round(x)} {round(-y)}" for x, y in points))
        place += count
    return "".join(words)
