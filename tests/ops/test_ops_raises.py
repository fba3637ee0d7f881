"""What a row says that Python raises by itself is what its Python spelling raises, at numbers where operations fail."""

import itertools
import math
import re

import numpy as np
import pytest

from deepalgo.backends.expression import Fragment, fill
from deepalgo.ops.table import TABLE
from deepalgo.stage.rules.python.mathematics import functions_of_one_number

NUMBERS = (
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.0, -3.0, 60.0, 700.0, -700.0, 800.0, 1e155, 1e308, -1e308, 5e-324, math.inf, -math.inf,
    math.nan,
)
WHOLE = (0, 1, -1, 2, -2, 7, 60)
#: Operands of whole numbers only.
BITS = {"bitand", "bitor", "bitxor", "invert", "lshift", "rshift"}
NAMES = "abc"
PLACE = re.compile(r"\{(\w+|\*)\}")


def is_scalar(row):
    """Whether the Python spelling is of single numbers alone."""
    places = set(PLACE.findall(row.python))
    return places and places <= set("012") and not re.search(r"\b(np|scipy)\.|\[|put\(", row.python) and row.broadcasts


SCALAR = sorted(name for name, row in TABLE.items() if is_scalar(row))


def raised(template, *operands):
    names = NAMES[: len(operands)]
    try:
        eval(f"lambda {', '.join(names)}: {fill(template, [Fragment(name) for name in names]).text}", {"math": math})(*operands)
    except (ArithmeticError, ValueError) as error:
        return type(error).__name__
    return None


def errors(name, *templates):
    count = max(int(place) + 1 for place in PLACE.findall(TABLE[name].python))
    groups = (WHOLE,) if name in BITS else (NUMBERS, WHOLE)
    points = [point for group in groups for point in itertools.product(group, repeat=count)]
    return {raised(template, *point) for template in templates for point in points} - {None}


@pytest.mark.parametrize("name", SCALAR)
def test_a_row_says_what_its_python_spelling_raises(name):
    others = ["math.pow({0}, {1})"] if name == "pow" else []  # the same operation under another name
    assert errors(name, TABLE[name].python, *others) == set(TABLE[name].raises)


@pytest.mark.parametrize("name", sorted(name for name, row in TABLE.items() if row.fails))
def test_a_row_says_where_its_python_spelling_raises_a_value_error(name):
    for number in (*NUMBERS, *(math.nextafter(end, toward) for end in (0.0, 1.0, -1.0) for toward in (-math.inf, math.inf))):
        space = {"abs": abs, "floor": np.floor, "isinf": math.isinf, "isfinite": math.isfinite, "x": number}
        assert (raised(TABLE[name].python, number) == "ValueError") is bool(eval(TABLE[name].fails, space)), number


def test_every_function_of_one_number_that_raises_a_value_error_says_where():
    functions = {name for name in functions_of_one_number() if "ValueError" in TABLE[name].raises}
    assert functions == {name for name, row in TABLE.items() if row.fails}


def test_most_rows_of_numbers_are_asked():
    assert len(SCALAR) > 80
    assert {"div", "pow", "sqrt", "exp", "to_int"} <= set(SCALAR)
