"""Operators of the user's classes: Python asks the sides in its order, and goes on where one answers NotImplemented."""

import pytest

from tests.like_python import assert_like_python


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return self.amount == (other.amount if isinstance(other, Money) else other)

    def __hash__(self):
        return 0

    def __lt__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount < other.amount

    def __gt__(self, other):
        return self.amount > (other.amount if isinstance(other, Money) else other)

    def __add__(self, other):
        return Money(self.amount + other.amount) if isinstance(other, Money) else NotImplemented

    def __radd__(self, other):
        return Money(other + self.amount)

    def __mul__(self, other):
        return NotImplemented


class Gold(Money):
    def __radd__(self, other):
        return Gold(2.0 * self.amount + other.amount)


class Silent:
    def __eq__(self, other):
        return NotImplemented

    __hash__ = None


def equal_to_a_number(x, y):
    return 1.0 if Money(x) == y else 0.0


def not_equal(x, y):
    return (1.0 if Money(x) != y else 0.0) + (2.0 if x != Money(y) else 0.0)


def reflected_order(x, y):
    return 1.0 if x < Money(y) else 0.0


def no_answer_from_the_left(x, y):
    return (x + Money(y)).amount


def derived_class_first(x, y):
    return (Money(x) + Gold(y)).amount


def nobody_answers(x):
    try:
        Money(x) * 3.0
    except TypeError as error:
        return x + len(str(error))
    return x


def identity_decides(x):
    one = Silent()
    return x + (1.0 if one == one else 0.0) + (2.0 if one == Silent() else 0.0) + (4.0 if one != Silent() else 0.0)


def no_order(x):
    try:
        return x if Money(x) < 3.0 else -x
    except TypeError as error:
        return float(len(str(error)))


def smallest(x, y):
    return min(Money(x), Money(y)).amount


@pytest.mark.parametrize("function", [
    equal_to_a_number, not_equal, reflected_order, no_answer_from_the_left, derived_class_first, nobody_answers, identity_decides, smallest,
], ids=lambda function: function.__name__)
def test_operators_answer_as_in_python(function):
    assert_like_python(function)


def test_the_right_side_is_asked_where_the_left_has_no_order():
    assert_like_python(no_order)
