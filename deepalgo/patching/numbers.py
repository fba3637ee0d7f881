"""Numbers as a person would write them: no more digits than wanted, in the manner of the number that stood there.

>>> spell(rounded(0.21987654321, 2), "0.25"), spell(rounded(0.0000123456, 3), "1e-6"), spell(2054.0, "2040.0"), spell(2.0, "1.5")
('0.22', '1.23e-5', '2054.0', '2.0')
>>> spell(123000.0, "1_000.0"), spell(-1.0, "0.5"), spell(1e300, "2."), spell(0.0, "1e-6"), spell(2e5, "1E5")
('123_000.0', '-1.0', '1e300', '0.0', '2E5')
"""

from __future__ import annotations

import math
import re

#: So many significant digits say a double exactly.
ALL = 17


def rounded(value: float, digits: int) -> float:
    """The nearest number with so many significant digits; with `ALL` the number itself.

    >>> rounded(0.123456, 3), rounded(math.pi, ALL) == math.pi
    (0.123, True)
    """
    return value if digits >= ALL or not math.isfinite(value) else float(f"{value:.{digits - 1}e}")


def digits_within(value: float, tolerance: float) -> int:
    """The fewest digits that change a number by no more than `tolerance`, relative to its size.

    >>> digits_within(0.123456, 0.01), digits_within(0.5, 1e-9), digits_within(1 / 3, 0.0)
    (3, 1, 16)
    """
    fits = (count for count in range(1, ALL) if abs(rounded(value, count) - value) <= tolerance * abs(value))
    return next(fits, ALL)


def spell(number: float, like: str) -> str:
    """The shortest text that means a number; `like` is the text that it replaces."""
    if not math.isfinite(number):
        return f'float("{number}")'
    if "e" in repr(number) or number and re.search("[eE]", like):
        return _scientific(number, "E" if "E" in like else "e")
    return f"{number:_}" if "_" in like else repr(number)


def _scientific(number: float, mark: str) -> str:
    """`1.23e-5`: one digit before the point, no zeros that say nothing."""
    places = next(count for count in range(ALL) if float(f"{number:.{count}e}") == number)
    mantissa, exponent = f"{number:.{places}e}".split("e")
    return f"{mantissa}{mark}{int(exponent)}"
