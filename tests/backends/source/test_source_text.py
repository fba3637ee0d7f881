"""What the text looks like: whole texts, compared word for word."""

import math

import numpy as np
import pytest

import deepalgo as da
from tests.support.source_check import load


class Unstable(Exception):
    pass


def friction(reynolds, roughness, tolerance=1e-9):
    """Colebrook (1939) by fixed-point iteration."""
    x = 8.0
    while True:
        y = -2.0 * math.log10(roughness / 3.7 + 2.51 * x / reynolds)
        if abs(y - x) < tolerance:
            break
        x = y
    return 1.0 / y**2


def test_a_loop_with_a_break_comes_back_as_it_was_written():
    assert da.source(da.compile(friction)) == '''\
import math


def friction(reynolds, roughness, tolerance=1e-09):
    """Colebrook (1939) by fixed-point iteration."""
    x = 8.0
    while True:
        y = -2.0 * math.log10(roughness / 3.7 + 2.51 * x / reynolds)
        if abs(y - x) < tolerance:
            break
        x = y
    return 1.0 / y ** 2'''


def settle(x, limit):
    """Several exits, and an error of one's own."""
    for _ in range(10):
        if x < 0.5:
            return x
        if x > limit:
            raise Unstable(f"{x} is too large")
        x = 0.5 * x + 0.1 / x
    else:
        raise ValueError("no end")


def test_exits_and_errors_of_a_loop():
    text = da.source(da.compile(settle))
    assert text == '''\
class Unstable(Exception):
    pass


def settle(x, limit):
    """Several exits, and an error of one's own."""
    for _ in range(10):
        if x < 0.5:
            return x
        if x > limit:
            raise Unstable(f"{x} is too large")
        x = 0.5 * x + 0.1 / x
    raise ValueError("no end")'''
    with pytest.raises(Exception, match="9.0 is too large"):
        load(text, "settle")(9.0, 5.0)


def leave_unless(load):
    """A loop that goes on only under a condition."""
    tries = 0.0
    while True:
        tries += 1.0
        if not math.floor(load) > 2:
            break
        if tries > 2.0:
            break
    return tries


def test_a_loop_is_left_unless_a_condition_holds():
    text = da.source(da.compile(leave_unless))
    assert "        if not math.floor(load) > 2:\n            return tries\n" in text
    assert [load(text, "leave_unless")(x) for x in (-1.0, 1.5, 3.5)] == [leave_unless(x) for x in (-1.0, 1.5, 3.5)]


def user_message(a, b):
    if b == 0:
        raise ZeroDivisionError("b must not be zero")
    return a / b


def test_the_users_own_words_are_kept():
    assert '    if b == 0:\n        raise ZeroDivisionError("b must not be zero")\n    return a / b' in da.source(da.compile(user_message))


def numpy_number(x):
    return np.log(x) / x


def test_what_numpy_does_not_raise_the_source_does_not_raise():
    function = load(da.source(da.compile(numpy_number, example=((np.float64(2.0),), {}))))
    with np.errstate(all="ignore"):
        assert function(0.0) == -math.inf
        assert math.isnan(function(-1.0))


def order_of_errors(x, y):
    first = math.sqrt(x)
    second = 1.0 / y
    return second + first


def test_the_first_error_comes_first():
    function = load(da.source(da.compile(order_of_errors)))
    with pytest.raises(ValueError, match="math domain error"):
        function(-1.0, 0.0)


def change(points, factor):
    for k in range(3):
        points[k] = points[k] * factor
    return sum(points)


def test_arguments_are_changed_in_place():
    function = load(da.source(da.compile(change, example=((np.ones(3), 2.0), {}))))
    points = np.array([1.0, 2.0, 3.0])
    assert function(points, 2.0) == 12.0
    assert points.tolist() == [2.0, 4.0, 6.0]


def test_numbers_are_exact():
    def scale(x):
        return 0.1 * x

    net = da.compile(scale)
    with np.errstate(all="ignore"):
        net.weights["c" + str(scale.__code__.co_firstlineno + 1)].data.fill_(1.0 / 3.0)
    assert "0.3333333333333333 * x" in da.source(net)


def test_an_overflow_that_a_branch_asks_for_is_not_raised():
    def share(x):
        try:
            return math.exp(1e3 * math.log(x))
        except (ValueError, OverflowError) as error:
            return {ValueError: 1.0, OverflowError: 3.0}[type(error)]

    run = load(da.source(da.compile(share)))
    with np.errstate(over="ignore"):
        assert [run(value) for value in (1.0, 30.0, -1.0)] == [share(value) for value in (1.0, 30.0, -1.0)] == [1.0, 3.0, 1.0]


class _Late(Exception):
    pass


def test_exceptions_have_the_class_and_the_text_of_the_heuristics():
    def check(x):
        if x > 2.0:
            raise _Late("late")
        if x > 1.0:
            raise KeyError("k")
        return x

    run = load(da.source(da.compile(check)), "check")
    for value in (3.0, 1.5):
        with pytest.raises(Exception) as wanted:  # noqa: PT011  # which one is what is compared
            check(value)
        with pytest.raises(Exception) as found:  # noqa: PT011
            run(value)
        assert (type(found.value).__name__, str(found.value)) == (type(wanted.value).__name__, str(wanted.value))
