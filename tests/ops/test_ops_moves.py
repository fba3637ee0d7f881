"""What rows say about numbers that they choose, take, replace, move, fold and round is what their spellings do, over the whole table."""

import functools
import math
import operator

import numpy as np
import pytest

from deepalgo.kinds import Kind
from deepalgo.ops.indexing import index_of
from deepalgo.ops.ranges import ABOVE, BELOW
from deepalgo.ops.table import TABLE, infer
from tests.support.row_cases import all_cases, cases, in_numpy, in_python, label, samples

NAMES = sorted(TABLE.keys() - {"const", "weight"})
NUMBERS = {Kind.BOOL: np.bool_, Kind.INT: np.int64, Kind.REAL: np.float64, Kind.COMPLEX: np.complex128}


def rows_with(claim):
    """The rows of which a claim is true in every case."""
    return {name for name in NAMES if all(map(claim, cases(name)))}


class Kept(np.ndarray):
    """An operand that stays the object that it is where a spelling is filled."""

    def item(self):
        return self.held


def kept(number, kind):
    made = np.asarray(number).view(Kept)
    made.held = NUMBERS[kind](number)
    return made


def chosen(case):
    """Whether Python's spelling gives one of its operands itself, whatever they are."""
    if any(type.shape for type in case.types) or not case.types:
        return False
    nothing = [np.array(math.nan if type.kind is Kind.REAL else False) for type in case.types]
    for numbers in [*samples(case), nothing]:
        operands = [kept(number, type.kind) for number, type in zip(numbers, case.types)]
        found = in_python(case, operands)
        if not any(found is operand.held for operand in operands[TABLE[case.name].apart :]):
            return False
    return True


def test_rows_say_whether_their_result_is_one_of_their_operands():
    assert rows_with(chosen) == {name for name, row in TABLE.items() if row.chooses}


def gives_items(case):
    """Whether the result consists of the items of the first operand at a place."""
    if not case.types or not case.types[0].shape or len(case.types) > 2:
        return False
    key = case.attrs.get("key")
    if len(case.types) == 1 and not (isinstance(key, tuple) and all(isinstance(place, int) for place in key)):
        return False
    if len(case.types) == 2 and case.types[1].kind is not Kind.INT:
        return False
    for operands in samples(case):
        wanted = operands[0][key] if len(operands) == 1 else np.take(*operands, axis=case.attrs.get("axis", 0))
        if not np.array_equal(in_numpy(case, operands), wanted):
            return False
    return True


def takes(case):
    """Whether the result is a part of the first operand: at a key, or at whole numbers."""
    if not case.types or not case.types[0].shape or len(case.types) > 2:
        return False
    if len(case.types) == 1 and "key" not in case.attrs or len(case.types) == 2 and case.types[1].kind is not Kind.INT:
        return False
    for operands in samples(case):
        wanted = operands[0][index_of(case.attrs["key"])] if len(operands) == 1 else np.take(*operands, axis=case.attrs.get("axis", 0))
        if not np.array_equal(in_numpy(case, operands), wanted):
            return False
    return True


def test_rows_say_whether_they_take_a_part():
    assert rows_with(takes) == {name for name, row in TABLE.items() if row.takes}


def test_rows_say_whether_they_give_an_item():
    assert rows_with(gives_items) == {name for name, row in TABLE.items() if row.item}


def replaces(case):
    """Whether the result is the first operand with numbers of the last one at some places."""
    if len(case.types) < 2 or math.prod(case.types[0].shape) < 2:
        return False
    for operands in samples(case):
        found, array, item = in_numpy(case, operands), operands[0], operands[-1]
        if found.shape != array.shape or (found == array).all() or not np.isin(found[found != array], item).all():
            return False
    return True


def test_rows_say_whether_they_replace_numbers():
    assert rows_with(replaces) == {name for name, row in TABLE.items() if row.replaces}


def curve(numbers):
    """A function that keeps no order, no sign and no sum."""
    return np.cos(7 * numbers) + 3


def moves(case):
    """Whether it is the same to change numbers and then move them, whichever numbers and however they are changed."""
    quantities = [place for place in range(len(case.types)) if TABLE[case.name].slope.of(place) is not None]
    for operands in samples(case):
        changed = [curve(item) if place in quantities else item for place, item in enumerate(operands)]
        if not np.array_equal(in_numpy(case, changed), curve(in_numpy(case, operands))):
            return False
    return True


@pytest.mark.parametrize("case", [case for case in all_cases() if TABLE[case.name].moves], ids=label)
def test_what_moves_numbers_does_nothing_else_to_them(case):
    assert moves(case)


@pytest.mark.parametrize("name", ["add", "neg", "min", "fmax", "sort", "abs", "cumsum", "add_at", "amax"])
def test_what_does_more_than_to_move_numbers_is_found_out(name):
    assert not TABLE[name].moves and not all(map(moves, cases(name)))


@pytest.mark.parametrize("case", [case for case in all_cases() if TABLE[case.name].rearranges], ids=label)
def test_what_rearranges_numbers_does_it_in_the_same_way_for_all_numbers(case):
    def other(number):
        return -(number * number * number)  # products round alike wherever a number lies in memory; powers may not

    for operands in samples(case):
        assert np.array_equal(in_numpy(case, [*map(other, operands)]), other(in_numpy(case, operands)))


def test_rows_that_take_data_for_places_do_not_rearrange():
    moving = {name for name, row in TABLE.items() if row.moves and not row.rearranges}
    assert moving == {"select", "cut", "gather", "pick_at", "put_at", "take_along"}


def reduces(case):
    """Whether the case makes one number of many, along an axis."""
    if len(case.types) != 1 or "axis" not in case.attrs:
        return False
    shape, axis = case.types[0].shape, case.attrs["axis"]
    return infer(case.name, case.types, case.attrs).shape == (() if axis is None else tuple(np.delete(shape, axis)))


REDUCTIONS = [case for case in all_cases() if reduces(case)]


def rows_along(case, array):
    axis = case.attrs["axis"]
    return array.reshape(1, -1) if axis is None else np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])


@pytest.mark.parametrize("case", [case for case in REDUCTIONS if TABLE[case.name].repeats], ids=label)
def test_a_row_repeats_the_operation_that_it_says(case):
    joined = {"add": operator.add, "mul": operator.mul, "or": operator.or_, "and": operator.and_}[TABLE[case.name].repeats]
    is_truth = infer(case.name, case.types, case.attrs).kind is Kind.BOOL
    for (array,) in samples(case):
        array = array > 0 if is_truth else array
        wanted = [functools.reduce(joined, row) for row in rows_along(case, array)]
        np.testing.assert_allclose(np.ravel(in_numpy(case, [array])), wanted, rtol=1e-13)


@pytest.mark.parametrize("case", REDUCTIONS, ids=label)
def test_a_row_says_which_number_it_finds(case):
    tried = [(rows_along(case, array), np.ravel(in_numpy(case, [array]))) for (array,) in samples(case)]
    for way, searches in ((BELOW, (np.min, np.argmin)), (ABOVE, (np.max, np.argmax))):
        found = [all(np.array_equal(search(rows, axis=1), result) for rows, result in tried) for search in searches]
        assert any(found) == (TABLE[case.name].extreme == way)


def test_rows_that_make_one_number_of_many_say_how():
    assert {case.name for case in REDUCTIONS if not TABLE[case.name].repeats and not TABLE[case.name].extreme} == {"norm2"}


def rounds(case):
    """Whether Python's spelling gives a whole number beside its operand."""
    if [type.kind for type in case.types] != [Kind.REAL] or case.types[0].shape or case.attrs:
        return False
    found = [(numbers[0].item(), in_python(case, numbers)) for numbers in samples(case)]
    return all(isinstance(result, float) and result.is_integer() and abs(result - number) < 1 for number, result in found)


def test_rows_say_how_rounding_to_a_whole_number_is_written():
    rounding = {name: row for name, row in TABLE.items() if row.rounding}
    assert rows_with(rounds) == rounding.keys()
    for row in rounding.values():
        for number in (2.5, -2.5, 0.5, -0.1, 7.0, 1e300):
            whole = eval(row.rounding.format(number), {"math": math})
            assert type(whole) is int and whole == eval(row.python.format(number), {"math": math})
