"""Sorting, finding and comparing sequences whose items depend on data."""

import itertools

import pytest

import deepalgo as da
from deepalgo.errors import HeuristicError


def in_place(x, y):
    values = [x, y, 1.0]
    values.sort()
    return values[0] + 2 * values[1] + 3 * values[2]


def by_key(x, y):
    points = [(x, 1.0), (y, 2.0), (0.5, 3.0), (0.5, 4.0)]
    far = sorted(points, key=lambda point: abs(point[0] - 0.5), reverse=True)
    return sum((place + 1) * point[1] for place, point in enumerate(far))


def by_key_in_place(x, y):
    points = [[x, 1.0], [y, 2.0], [0.5, 3.0]]
    points.sort(key=lambda point: -point[0])
    return points[0][1] + 10 * points[1][1]


def by_fixed_key(x, y):
    order = {"b": 2, "a": 1}
    total = 0.0
    for _, value in sorted({"b": x, "a": y}.items(), key=lambda entry: order[entry[0]]):
        total = 0.5 * total + value
    return total


def pairs(x, y):
    return sorted([(x, 1.0), (y, 2.0), (0.5, 3.0)])[0][1]


def many(x, y):
    values = sorted([x * k % 1.7 - y for k in range(12)], reverse=True)
    return sum(value * place for place, value in enumerate(values))


def lexicographic(x, y):
    return (x, y) < (2.0, 1.0), [x, y] >= [x, 0.5], (x, 1.0) <= (x, 1.0, y)


def place_of_smallest(x, y):
    values = [x, y, 1.0, 4.0]
    return values.index(min(values)) + 10 * values.index(max(values), 1)


def without_largest(x, y):
    values = [x, y, 1.0]
    values.remove(max(values))
    return values[0] + 10 * values[1]


def how_many(x, y):
    return (x, y, 0.5).count(0.5) + [x, y].count(x)


CASES = [in_place, by_key, by_key_in_place, by_fixed_key, pairs, many, lexicographic, place_of_smallest, without_largest, how_many]


@pytest.mark.parametrize("function", CASES)
def test_answers_are_those_of_python(function):
    columns = list(zip(*itertools.product((2.0, -3.0, 0.5, 1.0, 0.25), repeat=2), strict=True))
    assert da.compile(function).verify(*columns).compared == 25


def test_what_is_not_there_raises():
    def place(x):
        return [x, 2.0].index(7.0)

    def taken(x):
        values = [x, 2.0]
        values.remove(x + 1.0)
        return values[0]

    def in_tuple(x):
        return (x, 2.0).index(7.0)

    for function, message in ((place, "7.0 is not in list"), (taken, "list.remove"), (in_tuple, "x not in tuple")):
        with pytest.raises(HeuristicError, match=f"raises ValueError: .*{message}"):
            da.compile(function)(3.0)
    assert da.compile(place)(7.0) == 0


def test_nan_has_no_place_in_an_order():
    def nearest(x):
        return sorted([(x, 1.0), (0.5, 3.0)], key=lambda point: point[0])[0][1]

    with pytest.raises(HeuristicError, match="NaN has no place in an order"):
        da.compile(nearest)([1.0, float("nan")])
