"""Comprehensions whose length depends on data, iterators, and `functools.reduce`."""

import functools

import numpy as np
import pytest

import deepalgo as da
from deepalgo.errors import CompileError

TABLE = {"low": 1.5, "high": 2.5}


def total(x):
    return sum(v for v in (1.0, 2.0, x) if v > 1.5)


def mean(x):
    kept = [v for v in (3.0, 1.0, x) if v > 0.8]
    return sum(kept) / len(kept) + max(kept) - min(kept)


def largest_or_default(x):
    return max((v for v in (0.5, x) if v > 1.0), default=-1.0)


def first_above(x):
    return next(place for place, v in enumerate([0.5, 1.5, 100.0]) if v > x), next((v for v in (1.0, 2.0) if v > x), 9.0)


def guarded_item(x):
    return sum(1.0 / (v - 1.0) for v in (x, 1.0, 1.25) if v > 1.2 if v < 1.9)


def loop_with_break(x):
    kept = [v for v in (x, 2.0, x * x) if v > 1.0]
    if not kept:
        return -1.0
    result = 0.0
    for v in kept:
        if v > 3.0:
            break
        result += 1.0 / (v - 1.0)
    else:
        result += 100.0
    return result


def nested(x):
    pairs = [(v, w) for v in (x, -x) for w in (1.0, x) if v > 0 and w > 0.8]
    return sum(a * b for a, b in pairs if b < 1.5) + len(pairs)


def questions(x):
    return any(v > 1.0 for v in (x, 0.5) if v != 0.5), all(v > 1.0 for v in (x, 2.0) if v > 0.9)


def product(x):
    return functools.reduce(lambda a, b: a * b, (v for v in (x, 2.0) if v > 1.0)) + functools.reduce(max, [x, 2.0, 0.1 * x], 0.3)


def iterators(x):
    values = iter([x, 2.0 * x, 3.0])
    scaled = (v * x for v in (1.0, 2.0))
    return next(values) + 10 * next(values) + sum(values) + next(iter(TABLE.values())) + next(scaled) * next(scaled)


def filtered(x):
    return sum(filter(lambda v: v > 1.0, (x, 2.0, 0.5))) + len(list(filter(None, [x, 0.0, 2.0])))


def numpy_choice(x):
    clean = np.nan_to_num(np.array([x, np.inf, -np.inf, np.nan]), nan=0.25, posinf=0, neginf=7)
    return np.select([x < 0, x < 1], [x * x, 2.0 * x], default=5.0) + np.sinc(np.array([x, 0.0])).sum() + clean.sum()


def inner_loop(x):
    return sum(v * w for v in (x, 2.0) if v > 1.0 for w in (1.0, 2.0))


def spent(x):
    values = (v * x for v in (1.0, 2.0))
    return sum(values) + sum(values)


CASES = [total, mean, largest_or_default, first_above, guarded_item, loop_with_break]
CASES += [nested, questions, product, iterators, filtered, numpy_choice, spent, inner_loop]


@pytest.mark.parametrize("function", CASES)
def test_answers_are_those_of_python(function):
    assert da.compile(function).verify([0.3, 0.7, 1.25, 1.7, 2.5, 4.0, -0.5]).compared == 7


def test_an_empty_selection_raises_as_in_python():
    def smallest(x):
        return min(v for v in (x, 2.0) if v > 5.0)

    def found(x):
        return next(v for v in (x, 2.0) if v > 5.0)

    for function, error in ((smallest, ValueError), (found, StopIteration)):
        network = da.compile(function, errors="nan")
        assert network([6.0, 1.0])[0] == 6.0
        assert [item.partition(": ")[2][: len(error.__name__)] for item in network.failures] == [error.__name__]


def test_what_would_have_a_length_that_depends_on_data_is_refused():
    def item(x):
        return [v for v in (x, 2.0) if v > 1.0][0]

    def small(x):
        return np.array([300.0 * x]).astype(np.uint8)[0]

    for function, reason in ((item, "how many items this has"), (small, "array of uint8")):
        with pytest.raises(CompileError, match=reason):
            da.compile(function)


class Countdown:
    """An iterator of the user's own."""

    def __init__(self, start):
        self.left = start

    def __next__(self):
        self.left = self.left - 1.0
        return self.left


def test_next_of_an_object_calls_its_method():
    def second(x):
        count = Countdown(x)
        next(count)
        return next(count)

    assert da.compile(second).verify([0.5, 3.0]).compared == 2


def test_selections_without_a_rule_say_why():
    def keys(x):
        return {name: v for name, v in (("a", x), ("b", 2.0)) if v > 1.0}["b"]

    def inner(x):
        return len([v * w for v in (x, 2.0) if v > 1.0 for w in (1.0, 2.0)])

    def no_iterator(x):
        return next([x, 2.0])

    for function, reason in (
        (keys, "which keys this dict has depends on data"),
        (inner, "whether the inner loop of this comprehension runs depends on data"),
        (no_iterator, "TypeError on every input: 'list' object is not an iterator"),
    ):
        with pytest.raises(CompileError, match=reason):
            da.compile(function)
