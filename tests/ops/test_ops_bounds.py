"""What rows say about results by what is known of the operands: ranges, comparisons and questions, over the whole table by sampling."""

import itertools
import math
import random

import pytest
import torch

from deepalgo.backends.expression import Fragment, fill
from deepalgo.ops import forms, ranges
from deepalgo.ops.ranges import ABOVE, ANY, BELOW, EQUAL, FINITE, INFINITE, NAN, UNORDERED, Range
from deepalgo.ops.table import TABLE

INF = math.inf
POINTS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 1e-9, -1e-9, 1e-300, 7.25, -20.0, 700.0, 6.1e4, 1e5, -1e30, 1e308, INF, -INF,
          math.nan]
SEED = 20261118
RULED = [row.name for row in TABLE.values() if (row.bounds or row.range is not ANY) and row.broadcasts and not row.name.startswith("to_")]


def contains(range, value):
    """Whether a range allows a number."""
    if math.isnan(value):
        return range.nan
    if math.isinf(value) and not range.inf:
        return False
    if (value == 0 and not range.zero) or (range.whole and math.isfinite(value) and value % 1 != 0):
        return False
    return range.low <= value <= range.high


def some_range(chance):
    """A range with bounds among the points, and remarks."""
    low, high = sorted(chance.choices([point for point in POINTS if not math.isnan(point)], k=2))
    low, high = chance.choice([(low, high), (low, INF), (-INF, high), (low, low)])
    return Range(low, high, *(chance.random() < 0.5 for _ in range(3)), chance.random() < 0.2)


def members(range, chance, count=4):
    """Numbers that a range allows, its ends among others."""
    ends = [max(range.low, -1e308), min(range.high, 1e308)]
    low, high = max(range.low, -50.0), min(range.high, 50.0)
    inner = [chance.uniform(low, high) for _ in "abc"] if low < high else []
    found = [value for value in (*POINTS, *ends, *inner, *(float(round(value)) for value in inner)) if contains(range, value)]
    return chance.sample(found, min(count, len(found)))


def arity(row):
    return max(place + 1 for place in (0, 1, 2) if f"{{{place}}}" in row.torch)


def torch_results(row, columns):
    """The torch form of a row."""
    names = "abc"[: len(columns)]
    return eval(fill(row.torch, [*map(Fragment, names)], {}).text, {"torch": torch, "ops": forms, **dict(zip(names, columns, strict=True))})


def test_the_rules_are_many():
    assert {"add", "mul", "div", "sqrt", "exp", "min", "floor", "pow"} <= set(RULED)


@pytest.mark.parametrize("bits", [torch.float64, torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("name", RULED)
def test_results_lie_in_the_range_that_the_row_gives(name, bits):
    row, chance = TABLE[name], random.Random(f"{SEED} {name}")
    for _ in range(60 if bits == torch.float64 else 30):
        same = arity(row) == 2 and chance.random() < 0.25
        args = [some_range(chance)] * 2 if same else [some_range(chance) for _ in range(arity(row))]
        known = (row.bounds(args, same) if row.bounds else ANY).meet(row.range)
        points = [(value, value) for value in members(args[0], chance)] if same else [
            *itertools.product(*(members(item, chance) for item in args))]
        columns = [torch.tensor(column, dtype=torch.float64).to(bits) for column in zip(*points, strict=True)]
        # A precision that rounds a number out of its range says nothing.
        kept = [all(map(contains, args, point)) for point in zip(*(column.tolist() for column in columns), strict=True)]
        if not any(kept):
            continue
        columns = [column[torch.tensor(kept)] for column in columns]
        if row.apart:
            columns[0] = columns[0] > 0
        for place, result in enumerate(torch_results(row, columns).tolist()):
            point = [column[place].item() for column in columns]
            assert contains(known, result), f"{name}{point} is {result}, not in {known} of {[*map(str, args)]}, {same}"


def test_the_checker_finds_a_number_outside():
    assert contains(Range(0.0, 1.0, nan=False), 0.5)
    assert not any(contains(Range(0.0, 1.0, False, False), value) for value in (math.nan, 0.0, -0.0, 1.5, INF))
    assert not contains(Range(whole=True), 0.5)
    assert not contains(Range(inf=False), -INF)


@pytest.mark.parametrize("name", [row.name for row in TABLE.values() if row.order])
def test_comparisons_are_decided_by_ranges_only_where_all_numbers_agree(name):
    row, chance = TABLE[name], random.Random(f"{SEED} {name}")
    for _ in range(500):
        a, b = some_range(chance), some_range(chance)
        possible = ranges.outcomes(a, b)
        for x, y in itertools.product(members(a, chance), members(b, chance)):
            held = BELOW if x < y else ABOVE if x > y else EQUAL if x == y else UNORDERED
            assert possible & held, (x, y, str(a), str(b))
            assert row.fold(x, y) == bool(row.order & held)


def test_a_comparison_leaves_in_the_range_what_it_allows():
    chance = random.Random(SEED)
    for _ in range(2000):
        a, b, order = some_range(chance), some_range(chance), chance.randrange(1, 16)
        left = ranges.compared(a, b, order)
        right = ranges.compared(b, a, ranges.mirrored(order))
        for x, y in itertools.product(members(a, chance, 6), members(b, chance, 6)):
            held = BELOW if x < y else ABOVE if x > y else EQUAL if x == y else UNORDERED
            if order & held:
                assert contains(left, x), (x, y, order, str(a), str(b), str(left))
                assert contains(right, y), (x, y, order, str(a), str(b), str(right))


def test_a_comparison_of_a_number_with_itself_can_only_be_equal_or_unordered():
    assert ranges.outcomes(ANY, ANY, same=True) == EQUAL | UNORDERED
    assert ranges.outcomes(Range(0.0, 1.0, nan=False), Range(0.0, 1.0, nan=False), same=True) == EQUAL


@pytest.mark.parametrize("name", [row.name for row in TABLE.values() if row.sorts != (0, 0)])
def test_questions_about_a_number_are_answered_by_its_sort(name):
    row = TABLE[name]
    for x in POINTS:
        sort = NAN if math.isnan(x) else INFINITE if math.isinf(x) else FINITE
        for operand in POINTS:
            text = fill(row.python, [Fragment("x"), Fragment("y")], {}).text
            answer = eval(text, {"math": math, "x": x, "y": operand})
            assert answer or not row.sorts[0] & sort
            assert not answer or not row.sorts[1] & sort


def test_what_two_say_and_what_either_says():
    chance = random.Random(SEED)
    for _ in range(1000):
        a, b = some_range(chance), some_range(chance)
        for x in POINTS:
            assert contains(a.meet(b), x) or not (contains(a, x) and contains(b, x))
            assert contains(a.join(b), x) or not (contains(a, x) or contains(b, x))


@pytest.mark.parametrize("name", [row.name for row in TABLE.values() if row.fold and "run." not in row.torch])
def test_what_is_folded_is_what_torch_computes(name):
    row = TABLE[name]
    pool = [False, True] if row.name in ("and", "or", "xor", "not") else [0.0, 1.0, -2.0, 3.5, INF, math.nan, 2, -3]
    for point in itertools.product(pool, repeat=arity(row)):
        try:
            found = row.fold(*point)
        except (OverflowError, ValueError):
            continue
        if found is None:
            continue
        columns = [torch.tensor([value], dtype=torch.float64 if isinstance(value, float) else None) for value in point]
        if row.apart:
            columns[0] = columns[0] != 0
        result = torch_results(row, columns).item()
        assert found == result or (found != found and result != result), (name, point)
