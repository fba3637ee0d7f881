"""Names and numbers as mathematics writes them: Greek letters, indices, powers of ten."""

from __future__ import annotations

import math
import re

from deepalgo.drawing.boxes import FormulaBox, power, row, space, subscript, text

NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega"
).split()
LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK = dict(zip(NAMES, LETTERS, strict=True)) | {
    name.capitalize(): letter for name, letter in zip(NAMES, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", strict=True)
}
PRIME = "′"
#: A longer number of digits is cut.
DIGITS = 5


def name_box(name: str) -> FormulaBox:
    """A variable: `alpha_0` is an alpha with an index, and primes stay primes.

    >>> name_box("x0").width < name_box("x").width + name_box("00").width
    True
    """
    if name.endswith(PRIME):
        return row(name_box(name.rstrip(PRIME)), text(name[len(name.rstrip(PRIME)) :]))
    found = re.fullmatch(r"([A-Za-z]+?)_?(\d+)", name) or re.fullmatch(rf"([A-Za-z]{{1,2}}|{'|'.join(NAMES)})_(\w+)", name)
    if found is not None:
        return subscript(_word(found[1]), text(found[2].replace("_", " "), "roman" if found[2].isdigit() else "italic"))
    return _word(name.rstrip("_") or name)


def _word(name: str) -> FormulaBox:
    return text(GREEK.get(name, name), "italic")


def number_box(value: complex) -> FormulaBox:
    """A number with few digits; a very large or small one with a power of ten."""
    if isinstance(value, complex):
        return row(text("("), number_box(value.real), text(" + "), number_box(value.imag), text("i", "italic"), text(")"))
    if isinstance(value, bool):
        return text("yes" if value else "no")
    if math.isinf(value) or math.isnan(value):
        return text(str(value).replace("inf", "∞").replace("-", "−"))
    short = f"{value:.{DIGITS}g}"
    mantissa, _, exponent = short.partition("e")
    digits = text(mantissa.replace("-", "−"))
    if not exponent:
        return digits
    ten = power(text("10"), text(str(int(exponent)).replace("-", "−")))
    if mantissa in ("1", "-1"):
        return row(text("−"), ten) if mantissa == "-1" else ten
    return row(digits, space(0.12), text("·"), space(0.12), ten)
