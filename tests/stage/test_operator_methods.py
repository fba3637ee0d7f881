"""Operators of the user's classes: Python asks the sides in its order, and goes on where one answers NotImplemented."""

import pytest

from tests.support.like_python import assert_like_python


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


class Shy:
    def __init__(self, t):
        self.t = t

    def __eq__(self, other):
        return NotImplemented

    def __lt__(self, other):
        return self.t < other.t if isinstance(other, Shy) else NotImplemented

    def __add__(self, other):
        return NotImplemented


class Ready:
    def __init__(self, t):
        self.t = t

    def __eq__(self, other):
        return self.t == other

    def __radd__(self, other):
        return self.t + 1.0

    def __gt__(self, other):
        return True


def equal_to_nothing(x):
    return (Shy(x) == 3) + x, (Shy(x) != 3) + x


def asks_the_other_side(x, y):
    return (x == Ready(y)) + 2 * (Ready(y) == x) + 4 * (x != Ready(y))


def reflected_sum(x):
    return Shy(x) + Ready(x)


def reflected_order_of_objects(x):
    return Shy(x) < Ready(2.0), Shy(x) < Shy(1.0)


def no_order_of_objects(x):
    return Shy(x) < "a" if x > 0.0 else True


def no_order_of_a_number(x):
    return x < "a" if x > 0.0 else True


def no_sum(x):
    return Shy(x) + 1 if x > 0.0 else x


@pytest.mark.parametrize("function", [
    equal_to_a_number, not_equal, reflected_order, no_answer_from_the_left, derived_class_first, nobody_answers, identity_decides, smallest,
    no_order, equal_to_nothing, asks_the_other_side, reflected_sum,
    reflected_order_of_objects, no_order_of_objects, no_order_of_a_number, no_sum,
], ids=lambda function: function.__name__)
def test_operators_answer_as_in_python(function):
    assert_like_python(function)
