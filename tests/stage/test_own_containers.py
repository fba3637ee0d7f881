"""Lists and dicts of classes written in Python keep their items, their attributes and their methods; entries that data chooses."""

import copy

import pytest
import torch

import deepalgo as da


class Row(list):
    scale = 3.0

    def __init__(self, items=(), unit=1.0):
        self.unit = unit
        super().__init__(items)

    def total(self):
        return sum(self) * self.scale * self.unit


class Plain(list):
    """Has nothing of its own."""


class Table(dict):
    def __init__(self, *args, **kwargs):
        self.note = kwargs.pop("note", 2.0)
        super().__init__(*args, **kwargs)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error


class Entries(dict):
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
    __getattr__ = Table.__getattr__


class Doubling(list):
    def __getitem__(self, place):
        return list.__getitem__(self, place) * 2


def built(x):
    return Row([x, 2 * x], unit=x).total()


def grows(x):
    row = Row()
    for number in range(3):
        row.append(x * number)
    row += [1.0]
    row[0] = x
    row.insert(1, 7.0)
    return row.total() + len(row) + row[-1] + sum(row[1:])


def chosen_in_a_branch(x):
    row = Row([x, 1.0], unit=2.0) if x > 1 else Row([x * 3, x], unit=5.0)
    return row.total() + row[0]


def other_lengths(x):
    row = Row([x]) if x > 1 else Plain([x, 2.0])
    return sum(row) + len(row) + isinstance(row, Row)


def changed_in_a_branch(x):
    row, table = Row([x, 1.0]), Table(a=x)
    if x > 1:
        row[0], row.unit, table["a"], table.note = 5.0, 3.0, 9.0, x
    return row.total() + table.a + table.note


def changed_in_a_loop(x):
    row, table = Row([x, 0.0]), Entries(sum=0.0)
    steps = 0
    while x < 4.0 and steps < 9:
        x, steps = x * 1.5, steps + 1
        row[1] += x
        table.sum = table.sum + row[1]
    return row.total() + table.sum


def entries(x):
    table = Table([("a", x)], b=2 * x, note=x)
    table["c"] = table.a + table.get("b") + table.get("d", 4.0)
    table.update(e=x)
    return sum(table.values()) + table.note + len(table) + ("a" in table) + hasattr(table, "zz")


def entries_as_attributes(x):
    table = Entries(a=x, good=True)
    table.b = x * 2
    setattr(table, "c", 5.0)
    if table.a > 1 and table.good:
        table.b = 1.0
    return table.a + table["b"] + len(table)


def missing(x):
    table = Table(a=x)
    try:
        return table.b
    except AttributeError:
        return table.a * 2


def plain_results(x):
    row, table = Row([x, 2.0]), Table(a=x)
    parts = (row + [1.0], row * 2, row[:1], row.copy(), table | {"b": 1.0}, table.copy(), list(row), dict(table))
    return [sum(type(part) in (list, dict) for part in parts), sum(parts[0]), sum(parts[1]), parts[4]["b"], row == [x, 2.0], {**table}["a"]]


def copied(x):
    row = Row([x, 2.0], unit=4.0)
    other = copy.copy(row)
    other.append(1.0)
    return row.total() + sum(other)


def returned(x):
    return Row([x, Table(a=x)])


def by_code(x):
    code = 0 if x < 1 else 1 if x < 2 else 7
    word = {0: "low", 7: "high"}.get(code)
    by_word = x if word == "low" else 2 * x if word is None else 3 * x
    return [{0: 1.5, 1: x}.get(code, 9.0), by_word, {}.get(code, x), {True: x, 7.0: 2.0}.get(x > 1, 8.0)]


FUNCTIONS = [
    built, grows, chosen_in_a_branch, other_lengths, changed_in_a_branch, changed_in_a_loop, entries, entries_as_attributes, missing,
    plain_results, returned, by_code,
]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in numbers(item)]
    return [value.item() if isinstance(value, torch.Tensor) else float(value)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda item: item.__name__)
def test_answers_are_those_of_python(function):
    network = da.compile(function, example=((1.3,), {}))
    for x in (0.5, 1.5, 2.5):
        assert numbers(network(x)) == pytest.approx(numbers(function(x)), rel=1e-15)


def test_a_copy_is_right_or_refused():
    try:
        network = da.compile(copied, example=((1.3,), {}))
    except da.CompileError:
        return
    assert network(1.3).item() == copied(1.3)


def test_a_class_with_items_of_its_own_making_is_refused():
    def doubled(x):
        return Doubling([x, 3.0])[0]

    with pytest.raises(da.CompileError):
        da.compile(doubled, example=((1.3,), {}))
