"""Generators run when their items are asked for, as in Python, whoever asks and whatever data decides."""

import math

import numpy as np
import pytest
import torch

import deepalgo as da

POINTS = [0.7, -1.5, 0.0, 2.0, 3.5, 1e3]


def steps(x, count):
    for place in range(count):
        yield x * place


def above(items, limit):
    for item in items:
        if item > limit:
            yield item


def halving(x):
    while x > 1.0:
        yield x
        x = x / 2.0


def fibonacci(a, b):
    while True:
        yield a
        a, b = b, a + b


def nested(x):
    yield 1.0
    yield from steps(x, 3)
    yield from [x, 2.0]


def with_answer(x):
    yield x
    return 3.0 * x


def sum_of_a_generator(x):
    return sum(steps(x, 4))


def list_of_a_generator(x):
    found = list(steps(x, 3))
    return found[0] + 2.0 * found[2] + len(found)


def sum_of_what_data_keeps(x):
    return sum(above([x, 2.0, -x, 1.0], 0.5))


def largest_of_what_data_keeps(x):
    return max(above([x, 2.0, -x], 0.5))


def loop_over_what_data_keeps(x):
    total = 0.0
    for item in above([x, 2.0, -x], 0.5):
        total = total * 0.5 + item
    return total


def loop_whose_length_data_decides(x):
    total = 0.0
    for item in halving(x):
        total += item * item
    return total


def loop_that_stops_on_data(x):
    total = 0.0
    for item in fibonacci(1.0, 2.0):
        if item > x:
            break
        total += item
    return total


def loop_with_else(x):
    for item in steps(x, 4):
        if item > 5.0:
            found = item
            break
    else:
        found = -1.0
    return found


def return_from_the_loop(x):
    for item in steps(x, 5):
        if item > 2.0:
            return item * 10.0
    return x


def continue_in_the_loop(x):
    total = 0.0
    for item in steps(x, 5):
        if item < 1.0:
            continue
        total += item
    return total


def next_again_and_again(x):
    numbers = fibonacci(x, 1.0)
    first, second = next(numbers), next(numbers)
    return first + 10.0 * second + 100.0 * next(numbers)


def next_in_a_static_loop(x):
    numbers, total = fibonacci(x, 1.0), 0.0
    for place in range(4):
        total += next(numbers) * (place + 1)
    return total


def next_with_a_default(x):
    numbers = steps(x, 1)
    return next(numbers, 5.0) + next(numbers, 7.0)


def first_of_a_search(x):
    return next((item for item in [x, 2.0, 3.0] if item > 1.0), -1.0)


def first_of_nothing(x):
    try:
        return next(item for item in [x, -x] if item > 1.0)
    except StopIteration:
        return -2.0


def yields_from(x):
    return [item * 2.0 for item in nested(x)]


def answer_of_yield_from(x):
    def outer(y):
        answer = yield from with_answer(y)
        yield answer + 1.0

    return sum(outer(x))


def yield_as_a_value(x):
    def echo(y):
        got = yield y
        yield 1.0 if got is None else got

    return sum(echo(x))


def names_are_read_late(x):
    factor = 2.0
    run = (item * factor for item in [x, 1.0])
    factor = 3.0
    return sum(run)


def rounds_change_what_is_read(x):
    factor, total = x, 0.0
    for item in (item * factor for item in [1.0, 2.0, 3.0]):
        total += item
        factor = factor + 1.0
    return total


def spent_generator_is_empty(x):
    run = (item for item in [x, 2.0, -x] if item > 0.5)
    return sum(run) + sum(run)


def any_stops(x):
    return 1.0 if any(1 / (v - x) > 0.5 for v in [2.0, 0.7]) else 0.0


def all_stops(x):
    return 1.0 if all(math.sqrt(x - v) > 1.0 for v in [-2.0, 0.7]) else 0.0


def in_stops(x):
    return 1.0 if 0.5 in (1 / (x - v) for v in [0.0, 0.7]) else 0.0


def enumerated(x):
    total = 0.0
    for place, item in enumerate(above([x, 2.0, -x], 0.5), 1):
        total += place * item
    return total


def zipped(x):
    return sum(a * b for a, b in zip(steps(x, 3), [1.0, 2.0], strict=False))


def mapped_and_filtered(x):
    return sum(filter(lambda item: item > 1.0, map(lambda item: item * 2.0, steps(x, 4))))


def made_and_used_later(x):
    run = steps(x, 3)
    x = x + 1.0
    return sum(run) * x


def recursive(x):
    def walk(tree):
        for part in tree:
            if isinstance(part, tuple):
                yield from walk(part)
            else:
                yield part * x

    return sum(walk((1.0, (2.0, (3.0,)), 4.0)))


def effects_take_turns(x):
    log = []

    def noting():
        for item in [x, 2.0]:
            log.append(item)
            yield item

    for item in noting():
        log.append(-item)
    return log[0] + 10.0 * log[1] + 100.0 * log[2] + 1000.0 * log[3]


def unpacked(x):
    first, second, *rest = nested(x)
    return first + second + sum(rest)


def in_a_branch(x):
    if x > 1.0:
        return sum(steps(x, 3))
    return max(steps(x, 2))


def array_of_a_generator(x):
    return np.array(list(steps(x, 3))).sum()


def walrus_in_a_generator(x):
    last = 0.0
    total = sum((last := item * 2.0) for item in [x, 3.0])
    return total + last


class Countdown:
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        value = self.start
        while value > 0.0:
            yield value
            value -= 1.0


class Steps:
    def __init__(self, step):
        self.step, self.place = step, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.place += 1
        if self.place > 3:
            raise StopIteration
        return self.step * self.place


def an_iterable_of_ones_own(x):
    total = 0.0
    for value in Countdown(x if x < 10.0 else 3.0):
        total += value
    return total


def an_iterator_of_ones_own(x):
    total = 0.0
    for value in Steps(x):
        total += value
    return total


def sum_over_rounds_that_data_counts(x):
    return sum(halving(x)) + max(halving(x), default=0.5)


class Bag:
    def __iter__(self):
        return iter([1.0, 2.0])


BAG = Bag()


def an_object_made_elsewhere(x):
    return sum(x * v for v in BAG)


FUNCTIONS = [
    sum_over_rounds_that_data_counts, an_object_made_elsewhere,
    sum_of_a_generator, list_of_a_generator, sum_of_what_data_keeps, largest_of_what_data_keeps, loop_over_what_data_keeps,
    loop_whose_length_data_decides, loop_that_stops_on_data, loop_with_else, return_from_the_loop, continue_in_the_loop,
    next_again_and_again, next_in_a_static_loop, next_with_a_default, first_of_a_search, first_of_nothing, yields_from,
    answer_of_yield_from, yield_as_a_value, names_are_read_late, rounds_change_what_is_read, spent_generator_is_empty, any_stops, all_stops,
    in_stops, enumerated, zipped, mapped_and_filtered, made_and_used_later, recursive, effects_take_turns, unpacked, in_a_branch,
    array_of_a_generator, walrus_in_a_generator, an_iterable_of_ones_own, an_iterator_of_ones_own,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_generators_answer_as_in_python(function):
    network = da.compile(function)
    for x in POINTS:
        try:
            expected = np.atleast_1d(function(x))
        except (ValueError, ZeroDivisionError) as error:
            with pytest.raises(da.HeuristicError, match=type(error).__name__):
                network(x)
            continue
        found = network(x)
        answers = [float(item.detach()) for item in (found if isinstance(found, (list, tuple)) else [found])]
        assert answers == pytest.approx(list(expected), rel=1e-12)


@pytest.mark.parametrize("function", [sum_of_what_data_keeps, loop_whose_length_data_decides, return_from_the_loop, next_again_and_again],
                         ids=lambda function: function.__name__)
@pytest.mark.parametrize("x", [1.7, 3.5, 9.3])
def test_gradients_through_generators_are_those_of_differences(function, x):
    given = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    da.compile(function)(given).backward()
    assert given.grad.item() == pytest.approx((function(x + 1e-6) - function(x - 1e-6)) / 2e-6, rel=1e-6, abs=1e-8)


def left_and_asked_again(x):
    run = steps(x, 4)
    for item in run:
        if item > 2.0:
            break
    return sum(run)


def in_an_arm_and_after(x):
    run = steps(x, 3)
    total = sum(run) if x > 0.0 else 1.0
    return total + sum(run)


@pytest.mark.parametrize("function", [left_and_asked_again, in_an_arm_and_after], ids=lambda function: function.__name__)
def test_a_generator_that_stopped_where_data_said_is_refused(function):
    with pytest.raises(da.CompileError, match="this goes on with a generator that was run over before"):
        da.compile(function)


def guarded(x):
    def careful():
        try:
            yield x
        except ZeroDivisionError:
            yield 1.0

    total = 0.0
    for item in careful():
        total += 1 / item
    return total


def test_a_yield_inside_of_try_is_refused():
    with pytest.raises(da.CompileError, match=r"this `yield` stands inside of a `try` or `with`"):
        da.compile(guarded)


def next_in_an_arm(x):
    run = steps(x, 3)
    if x > 0.0:
        return next(run)
    return x


def test_the_next_item_in_a_branch_is_refused():
    with pytest.raises(da.CompileError, match="this asks a generator for its next item in a branch or a loop of its own"):
        da.compile(next_in_an_arm)


def test_a_generator_as_the_heuristic_is_refused():
    with pytest.raises(da.CompileError, match="`halving` is a generator"):
        da.compile(halving)
