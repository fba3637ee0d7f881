"""The checker of the small functions finds every kind of wrong answer."""

import math

import pytest

from tests.small.compare import judge
from tests.small.functions.errors import raise_value_error
from tests.small.functions.expressions import add, list_display, multiply, negate


def other_value(x, y):
    return x + y + 0.5000001


def other_structure(x):
    return [x, 2.0 * x]


def other_sign_of_zero(x):
    return 0.0 - x


def other_text(x):
    if x < 0.0:
        raise ValueError("less than zero")
    return 2.0 * x


def other_class(x):
    if x < 0.0:
        raise TypeError("negative")
    return 2.0 * x


def no_error(x):
    return 2.0 * x


def whole(x):
    return math.floor(x) if abs(x) < 1e9 else 0


def real(x):
    return float(math.floor(x)) if abs(x) < 1e9 else 0.0


@pytest.mark.parametrize(("function", "compiled", "reason"), [
    (add, other_value, "another value"),
    (list_display, other_structure, "another structure"),
    (negate, other_sign_of_zero, "another value"),
    (raise_value_error, other_text, "another text"),
    (raise_value_error, other_class, "another error"),
    (raise_value_error, no_error, "another error"),
    (whole, real, "another value"),
])
def test_a_wrong_answer_is_found(function, compiled, reason):
    verdict = judge(function, compiled)
    assert (verdict.word, verdict.reason) == ("wrong", reason), verdict


@pytest.mark.parametrize("function", [add, multiply, negate, list_display, raise_value_error, whole])
def test_a_right_answer_is_not(function):
    assert judge(function).word == "right"


def test_a_wrong_slope_is_found():
    from tests.small import compare

    def spoiled(total, by):
        return [1.001 * slope for slope in right(total, by)]

    right = compare._derivatives
    compare._derivatives = spoiled
    try:
        verdict = judge(multiply)
    finally:
        compare._derivatives = right
    assert (verdict.word, verdict.reason) == ("wrong", "another slope")
