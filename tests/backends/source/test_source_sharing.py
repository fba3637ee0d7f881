"""Source changes an array in place only where no other name holds its numbers."""

import numpy as np
import pytest

import deepalgo as da
from tests.support.source_check import differences


def chosen_by_where(a, c):
    b = a * 2.0
    y = np.where(c > 0.0, b, a)
    b[0] = 5.0
    return y + 0.0, b + 1.0


def chosen_by_an_expression(a, c):
    b = a * 2.0
    y = b.copy() if c > 0 else a.copy()
    b[0] = 5.0
    return y + 0.0, b + 1.0


def chosen_by_a_branch(a, c):
    b = a * 2.0
    if c > 0:
        y = b.copy()
    else:
        if c < -1.0:
            raise ValueError("too small")
        y = a.copy()
    b[0] = 5.0
    return y + 0.0, b + 1.0


def chosen_by_an_exception(a, c):
    b = a * 2.0
    try:
        d = 1.0 / c
        y = b.copy()
    except ZeroDivisionError:
        y = a.copy()
        d = 0.0
    b[0] = 5.0
    return y + d, b + 1.0


def carried_by_a_loop(a, c):
    b = a * 2.0
    y = b.copy()
    while c > 0.0:
        y = y * 2.0
        c = c - 1.0
    b[0] = 5.0
    return y + 0.0, b + 1.0


FUNCTIONS = (chosen_by_where, chosen_by_an_expression, chosen_by_a_branch, chosen_by_an_exception, carried_by_a_loop)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_source_keeps_arrays_apart_that_the_heuristic_keeps_apart(function):
    calls = [((np.array([1.0, 2.0, 3.0]), c), {}) for c in (0.0, 1.0, 2.5, -0.5)]
    net = da.compile(function, example=calls[0])
    assert differences(net, calls) == []


def test_source_changes_an_array_in_place_that_nothing_else_holds():
    def place(a):
        b = a * 2.0
        b[0] = 5.0
        return b

    text = da.source(da.compile(place, example=((np.ones(3),), {})))
    assert "copy" not in text
