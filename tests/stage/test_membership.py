"""`in` asks an object of the user's as Python does: by its own method, or by what it iterates over."""

import pytest

from tests.support.like_python import assert_like_python


class Band:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __contains__(self, t):
        return self.low <= t <= self.high


class Loud:
    def __contains__(self, t):
        return 3 if t > 1 else []


class Pair:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        return iter([self.a, 1.0])


class Stream:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        yield self.a
        yield 1.0 / self.a


def within(x, y):
    return (x in Band(0.0, y)) + 2 * (x not in Band(0.0, 1.0)) + 4 * (2.0 in Band(x, y))


def by_truth(x):
    return (x in Loud()) + 2 * (2.0 in Loud())


def among(x, y):
    return (x in Pair(y)) + 2 * (1.0 in Pair(y))


def until_found(x):
    return 1.0 if 0.0 in Stream(x) else 2.0


@pytest.mark.parametrize("function", [within, by_truth, among, until_found], ids=lambda function: function.__name__)
def test_membership_is_what_python_finds(function):
    assert_like_python(function, (0.0, -0.0, 1.0, 2.0, 1e200))
