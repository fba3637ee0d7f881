"""A method of an operator that answers NotImplemented leaves the answer to the other side, and then to Python."""

import pytest

from tests.small.compare import judge


class Silent:
    def __init__(self, t):
        self.t = t

    def __eq__(self, other):
        return NotImplemented

    def __lt__(self, other):
        return self.t < other.t if isinstance(other, Silent) else NotImplemented

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
    return (Silent(x) == 3) + x, (Silent(x) != 3) + x


def asks_the_other_side(x, y):
    return (x == Ready(y)) + 2 * (Ready(y) == x) + 4 * (x != Ready(y))


def reflected_sum(x):
    return Silent(x) + Ready(x)


def reflected_order(x):
    return Silent(x) < Ready(2.0), Silent(x) < Silent(1.0)


def no_order_of_objects(x):
    return Silent(x) < "a" if x > 0.0 else True


def no_order_of_a_number(x):
    return x < "a" if x > 0.0 else True


def no_sum(x):
    return Silent(x) + 1 if x > 0.0 else x


@pytest.mark.parametrize(
    "function", [equal_to_nothing, asks_the_other_side, reflected_sum, reflected_order, no_order_of_objects, no_order_of_a_number, no_sum]
)
def test_it_answers_and_raises_as_python_does(function):
    verdict = judge(function)
    assert verdict.word == "right", f"{verdict.reason}: {verdict.detail}"
