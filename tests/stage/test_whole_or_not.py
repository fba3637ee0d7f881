"""Whether a number is an int or a float: known where every path agrees, and refused where data decides and the answer matters."""

import pytest

import deepalgo as da
from tests.support.like_python import assert_like_python

REASON = "whether this number is an int or a float depends on data"


def counted_up(x):
    k = 1
    if x > 0:
        k = x
    for _ in range(3):
        k = k + 1
    return 1.0 if isinstance(k, int) else 2.0


def perhaps_no_round(x):
    total = 0
    while x > 1.0:
        total += x
        x = x / 2
    return 1.0 if isinstance(total, int) else 2.0


def in_a_list(x):
    pair = [1, 2.0] if x > 0 else [x, 3.0]
    return 1.0 if isinstance(pair[0], int) else 2.0


def carried_in_a_list(x):
    held = [0]
    while x > 1.0:
        held[0] = held[0] + x
        x = x / 2
    return 1.0 if type(held[0]) is int else 2.0


@pytest.mark.parametrize("function", [counted_up, perhaps_no_round, in_a_list, carried_in_a_list], ids=lambda function: function.__name__)
def test_it_is_refused_where_data_decides(function):
    with pytest.raises(da.CompileError) as caught:
        da.compile(function)
    assert caught.value.reason == REASON


def after_some_rounds(x, y):
    total = 0
    for item in (x, y, 1):
        total += item
    return total if isinstance(total, float) else -1.0


def after_counted_rounds(x):
    total = 0
    for k in range(4):
        total = total * 0.5 + k * x
    return total * 2 if isinstance(total, float) else -1.0


def whole_throughout(x):
    count = 0
    while x > 1.0:
        count += 1
        x = x / 2
    return count * 1.0 if isinstance(count, int) else -1.0


@pytest.mark.parametrize("function", [after_some_rounds, after_counted_rounds, whole_throughout], ids=lambda function: function.__name__)
def test_it_is_known_where_every_path_agrees(function):
    assert_like_python(function, (0.0, -0.0, 1.0, 2.0, 1e200))
