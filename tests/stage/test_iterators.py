"""Iterators give their items once, and as they are when they are asked for: anything else is refused."""

import numpy as np
import pytest

import deepalgo as da


def a_list_that_changes(x):
    items = [x, 2.0]
    run = iter(items)
    items[1] = 3.0 * x
    return next(run) + next(run)


def a_list_that_grows(x):
    items = [x, 2.0]
    run = iter(items)
    items.append(x)
    return sum(run)


def an_array_that_changes_between_rounds(x):
    items = np.array([x, 2.0, 4.0])
    total = 0.0
    for item in iter(items):
        total += item
        items[2] = x
    return total


def a_list_behind_map(x):
    items = [x, 2.0]
    run = map(abs, items)
    items[0] = 9.0
    return sum(run)


def a_list_behind_zip_and_a_generator(x):
    items = [x, 2.0]
    run = zip(items, items, strict=True)
    items[0] = 9.0
    return sum(one * other for one, other in run)


def a_name_of_a_generator(x):
    factor = 2.0
    run = (item * factor for item in [x, 1.0])
    factor = 3.0
    return sum(run)


def a_name_of_a_mapped_function(x):
    factor = 2.0
    run = map(lambda item: item * factor, [x, 1.0])
    factor = 3.0
    return sum(run)


def a_name_of_a_generator_between_rounds(x):
    factor, total = x, 0.0
    for item in (item * factor for item in [1.0, 2.0, 3.0]):
        total += item
        factor = factor + 1.0
    return total


class Model:
    def __init__(self, factor):
        self.factor = factor


def an_object_of_a_generator(x):
    model = Model(x)
    run = (item * model.factor for item in [x, 1.0])
    model.factor = 3.0
    return sum(run)


@pytest.mark.parametrize("function", [
    a_list_that_changes, a_list_that_grows, an_array_that_changes_between_rounds, a_list_behind_map, a_name_of_a_mapped_function,
], ids=lambda function: function.__name__)
def test_what_an_iterator_is_made_of_may_not_change_before_it_is_used(function):
    with pytest.raises(da.CompileError, match="what this iterator is made of has changed since"):
        da.compile(function)


def zipped_twice(x):
    pairs = zip([x, 2.0], [1.0, x], strict=True)
    first = sum(one * other for one, other in pairs)
    return first + sum(one for one, _ in pairs)


def sifted_twice(x):
    positive = (item for item in [x, 2.0, -x] if item > 0.5)
    return sum(positive) + sum(positive)


def the_next_of_sifted(x):
    positive = (item for item in [x, 2.0, -x] if item > 0.5)
    return next(positive) + next(positive)


def test_the_next_item_that_data_keeps_is_refused():
    with pytest.raises(da.CompileError, match="which item of this generator comes next depends on data"):
        da.compile(the_next_of_sifted)


def mapped_in_one_arm_and_after(x):
    run = map(abs, [x, -2.0])
    total = sum(run) if x > 0.0 else 1.0
    return total + sum(run)


@pytest.mark.parametrize("function", [zipped_twice, mapped_in_one_arm_and_after],
                         ids=lambda function: function.__name__)
def test_items_are_given_once(function):
    with pytest.raises(da.CompileError, match="this goes on with an iterator that was run over before"):
        da.compile(function)


def inline(x):
    products = sum(one * other for one, other in zip([x, 2.0], [1.0, x], strict=True))
    largest = max(abs(item) for place, item in enumerate([x, -2.0]) if place)
    nested = sum(item for item in (part * x for part in map(abs, reversed([x, -2.0]))))
    return products, largest, nested, dict(zip("ab", [x, 2.0], strict=True))["a"]


def a_list_written_by_its_own_rounds(x):
    items = [x, 2.0, 3.0]
    for place, item in enumerate(items):
        items[(place + 1) % 3] = item * x
    return sum(items)


def the_rest_after_the_first(x):
    run = iter([x, 2.0, 3.0])
    total = next(run)
    for item in run:
        total = total * item
    return total


def kept_and_used_once(x):
    pairs, scaled = zip([x, 2.0], [3.0, x], strict=True), map(lambda item: item * x, [1.0, 2.0])
    total = 0.0
    for one, other in pairs:
        total += one * other
    first, second = scaled
    return total + first - second


@pytest.mark.parametrize("function", [
    inline, a_list_written_by_its_own_rounds, the_rest_after_the_first, kept_and_used_once, a_list_behind_zip_and_a_generator,
    a_name_of_a_generator, a_name_of_a_generator_between_rounds, an_object_of_a_generator, sifted_twice,
], ids=lambda function: function.__name__)
@pytest.mark.parametrize("x", [0.7, -1.5])
def test_iterators_answer_as_in_python(function, x):
    expected, found = function(x), da.compile(function)(x)
    for one, other in zip(np.atleast_1d(expected), found if isinstance(found, tuple) else [found], strict=True):
        assert other.item() == pytest.approx(one, rel=1e-12)
