"""What native code does to a container is a write of the program: an arm takes it back, a second name sees it, or it is refused."""

import collections
import copy
import functools
import operator
import re
from collections import deque

import numpy as np
import pytest

from tests.support.like_python import assert_like_python, refusal


def set_an_item(x):
    items = [1.0, 2.0]
    operator.setitem(items, 0, x)
    return items[0] + items[1]


def set_an_item_in_an_arm(x):
    items = [1.0, 2.0]
    if x > 0:
        operator.setitem(items, 0, 5.0)
    return items[0] + items[1]


def delete_an_item(x):
    items = [1.0, x, 3.0]
    operator.delitem(items, 0)
    return items[0] + len(items)


def add_in_place(x):
    items = [1.0]
    same = operator.iadd(items, [x])
    return len(items) + same[1]


def multiply_in_place(x):
    items = [1, 2]
    other = items
    items *= 2
    return len(other) + x


def multiply_by_function(x):
    items = [1, 2]
    operator.imul(items, 2)
    return len(items) + x


def unite_in_place(x):
    table = {"a": 1}
    operator.ior(table, {"b": x})
    return table["b"]


def a_set_of_two_arms(x):
    found = {1}
    if x > 0:
        if x > 1:
            found ^= {1, 2}
            found |= {1}
            found -= {2}
    return len(found) + x


def append_unbound(x):
    items = []
    list.append(items, 5)
    list.append(items, x)
    return len(items) + items[1]


def store_unbound_in_an_arm(x):
    items = [1, 2]
    if x > 0:
        list.__setitem__(items, 0, 7)
    return items[0] + x


def sort_unbound(x):
    items = [3, 1, 2]
    list.sort(items)
    return items[0] + x


def update_unbound(x):
    table = {}
    dict.update(table, a=x)
    dict.__setitem__(table, "b", 2.0)
    return table["a"] + table["b"]


def add_unbound(x):
    found = {1}
    set.add(found, 2)
    return len(found) + x


def pop_unbound(x):
    items = [x, 2.0]
    last = list.pop(items)
    return last + len(items)


def append_by_map(x):
    items = []
    list(map(items.append, [1, x, 3]))
    return len(items) + items[1]


def append_by_partial(x):
    items = []
    put = functools.partial(items.append)
    put(x)
    functools.partial(list.append, items)(2.0)
    return items[0] + items[1]


def append_by_method_caller(x):
    items = [1.0]
    operator.methodcaller("append", x)(items)
    return items[1] + len(items)


def a_key_that_appends(x):
    seen = []

    def key(item):
        seen.append(item)
        return -item

    return len(seen) + sorted([1, 2, 3], key=key)[0] * x + len(seen)


def a_reduction_that_appends(x):
    seen = []

    def add(total, item):
        seen.append(item)
        return total + item

    return functools.reduce(add, [1.0, x, 3.0]) + len(seen)


def a_copy_into_an_array(x):
    a = np.zeros(3)
    if x > 0:
        np.copyto(a, np.ones(3))
    return a[0] + a[1] + x


def an_array_sorted_in_an_arm(x):
    a = np.array([3, 1, 2])
    if x > 0:
        a.sort()
    return a[0] + 2 * a[1] + x


def an_array_filled_in_an_arm(x):
    a = np.zeros(3)
    if x > 0:
        a.fill(2.0)
    return a[0] + 2 * a[1] + x


def a_diagonal_filled_in_an_arm(x):
    a = np.zeros((2, 2))
    if x > 0:
        np.fill_diagonal(a, 3.0)
    return a.sum() + x


def numbers_put_along_an_axis(x):
    a = np.zeros(4)
    if x > 0:
        np.put_along_axis(a, np.array([1]), 9.0, 0)
    return a.sum() + x


def sums_at_places(x):
    a = np.zeros(3)
    if x > 0:
        np.add(a, 1, out=a)
    return a[0] + a[1] + x


def a_list_inside(x):
    inner = [1, 2]
    outer = (inner, 5)
    operator.setitem(outer[0], 0, 9)
    return inner[0] + x


def a_deep_copy(x):
    table = {"a": [1, 2]}
    other = copy.deepcopy(table)
    other["a"].append(3)
    return len(table["a"]) * 10 + len(other["a"]) + x


def a_copy_of_a_counter(x):
    count = collections.Counter({"a": 1})
    other = copy.copy(count)
    other["a"] = 5
    return count["a"] * 10 + other["a"] + x


def an_entry_that_get_hands_out(x):
    table = {"a": [1.0, 2.0]}
    if x > 0:
        table.get("a")[0] = 5.0
    return table["a"][0] + x


def an_entry_that_setdefault_hands_out(x):
    table = {"a": [1.0]}
    table.setdefault("a", []).append(x)
    table.setdefault("b", []).append(2.0)
    return table["a"][1] + table["b"][0]


def a_method_by_its_special_name(x):
    items = [1.0, 2.0]
    if x > 0:
        items.__setitem__(0, x)
        items.__iadd__([2.0])
        items.__delitem__(2)
    return items[0] + items.__getitem__(1) + items.__len__()


def cleared_and_filled(x):
    items = [1.0, 2.0]
    if x > 0:
        items.clear()
        items.extend([3.0, x])
    return items[0] + items[1]


def taken_out_at_a_place_of_data(x):
    items = [1.0, 2.0, 3.0]
    place = 0 if x > 1 else 1
    taken = items.pop(place)
    items.insert(place + (1 if x > 0 else 0), 10.0)
    del items[place]
    return taken + 10 * items[0] + 100 * items[1]


def an_array_that_extends_a_list(x):
    items = [1.0]
    items.extend(np.array([x, 2.0]))
    return items[1] + items[2] + len(items)


CHANGES = [item for item in list(vars().values()) if getattr(item, "__module__", None) == __name__ and not isinstance(item, type)]


@pytest.mark.parametrize("function", CHANGES, ids=lambda function: function.__name__)
def test_changes_by_native_code_are_writes(function):
    assert_like_python(function)


OUTSIDE = [1.0, 2.0]


def test_nothing_outside_of_the_function_is_changed():
    def through_operator(x):
        operator.setitem(OUTSIDE, 0, 5.0)
        return x

    def unbound(x):
        list.append(OUTSIDE, 5)
        return x

    def handed_out(x):
        dict.get({"a": OUTSIDE}, "a").append(5)
        return x

    for function in (through_operator, unbound, handed_out):
        assert refusal(function) == "this writes to an object that lives outside of the function"
        assert OUTSIDE == [1.0, 2.0]


def test_bytes_that_change_are_refused():
    def grown(x):
        held = bytearray(b"abc")
        if x > 0:
            held.append(5)
        return len(held) + x

    assert refusal(grown) == "this writes to an object that lives outside of the function"


def test_a_view_that_native_code_gives_is_not_written_to():
    def parts(x):
        a = np.array([3.0, 1.0, 2.0, 4.0])
        np.split(a, 2)[0][0] = x
        return a[0]

    def spread(x):
        a = np.array([3.0, 1.0, 2.0])
        b = np.broadcast_arrays(a, 1.0)[0]
        a[0] = x
        return b.sum()

    for function in (parts, spread):
        assert refusal(function) == "this writes into an array that is one of several, depending on data"


def test_iterators_are_spent_by_native_code():
    def extended(x):
        run, items = iter([1, 2]), [0]
        items.extend(run)
        return len(items) + len(list(run)) + x

    def updated(x):
        run, table = zip("ab", [1, 2], strict=True), {}
        table.update(run)
        return len(table) + len(list(run)) + x

    def joined(x):
        run = (letter for letter in "ab")
        return len("".join(run)) + 10 * len(set(run)) + x

    for function in (extended, updated):
        assert refusal(function) == "this goes on with an iterator that was run over before"
    assert_like_python(joined)


def test_the_order_of_keys_must_not_depend_on_data():
    def order(x):
        table = {}
        if x > 0:
            table["a"] = 1.0
            table["b"] = 2.0
        else:
            table["b"] = 2.0
            table["a"] = 1.0
        return next(iter(table.values()))

    assert refusal(order) == "the order of the keys of a dict depends on data"


#: Calls of every method that changes a container, with arguments that keep its length or its keys.
METHODS = [
    ("[4, 5, 6]", "c.append(c.pop(0))"), ("[4, 5, 6]", "c.clear(); c.extend((1, 2, 3))"), ("[4, 5, 6]", "c.insert(1, c.pop())"),
    ("[4, 5, 6]", "c.remove(5); c.append(5)"), ("[4, 5, 6]", "c.reverse()"), ("[6, 5, 4]", "c.sort()"),
    ("[4, 5, 6]", "c.sort(key=lambda v: -v)"),
    ("[4, 5, 6]", "c[1] = 9"), ("[4, 5, 6]", "c[:2] = (7, 8)"), ("[4, 5, 6]", "del c[0]; c += [1]"), ("[4, 5, 6]", "c *= 2; del c[3:]"),
    ("{'a': 1, 'b': 2}", "c.update(a=5)"), ("{'a': 1, 'b': 2}", "c.update({'b': 7})"), ("{'a': 1, 'b': 2}", "c.setdefault('a', 9)"),
    ("{'a': 1, 'b': 2}", "k, v = c.popitem(); c[k] = v + 1"), ("{'a': 1, 'b': 2}", "c['b'] = c.pop('b') + 1"),
    ("{'a': 1, 'b': 2}", "c.clear(); c['a'] = 7; c['b'] = 8"), ("{'a': 1, 'b': 2}", "c |= {'a': 3}"), ("{'a': 1, 'b': 2}", "c['a'] += 3"),
    ("{1, 2, 3}", "c.add(2)"), ("{1, 2, 3}", "c.discard(9)"), ("{1, 2, 3}", "c.remove(1); c.add(1)"), ("{1, 2, 3}", "c.update({1})"),
    ("{1, 2, 3}", "c.intersection_update({1, 2, 3})"), ("{1, 2, 3}", "c.difference_update({5})"),
    ("{1, 2, 3}", "c.clear(); c |= {1, 2, 3}"),
    ("{1, 2, 3}", "c.symmetric_difference_update(set())"),
    ("deque([4, 5, 6])", "c.append(c.popleft())"), ("deque([4, 5, 6])", "c.appendleft(c.pop())"), ("deque([4, 5, 6])", "c.rotate(1)"),
    ("deque([4, 5, 6])", "c.clear(); c.extendleft((1, 2, 3))"), ("deque([4, 5, 6])", "c.reverse()"),
    ("deque([4, 5, 6])", "c.insert(1, c.pop())"),
    ("deque([4, 5, 6])", "c.remove(5); c.append(5)"), ("deque([4, 5, 6], 3)", "c.append(9)"), ("deque([4, 5, 6], 3)", "c.extend((7, 8))"),
    ("deque([4, 5, 6])", "c[1] = 9"), ("deque([4, 5, 6], 3)", "c += [1]"), ("deque([4, 5, 6])", "del c[0]; c.append(1)"),
]
CALLED = [(made, step) for made, step in METHODS if step.startswith("c.") and ";" not in step and "c.pop" not in step]


def _loaded(tmp_path, text):
    path = tmp_path / "arm.py"
    path.write_text(text)
    scope = {"deque": deque, "operator": operator, "functools": functools, "__name__": "arm"}
    exec(compile(text, str(path), "exec"), scope)
    return scope["f"]


def _values(made):
    return "sum(c) + len(c)" if made.startswith("{1") else "[*c.values()]" if made.startswith("{") else "[*c]"


@pytest.mark.parametrize(("made", "step"), METHODS)
def test_every_method_in_an_arm_on_data(tmp_path, made, step):
    values = _values(made)
    text = f"def f(x):\n    c = {made}\n    d = c\n    if x > 0:\n        {step}\n    return {values}, {values.replace('c', 'd')}, x\n"
    assert_like_python(_loaded(tmp_path, text))


@pytest.mark.parametrize(("made", "step"), CALLED)
def test_every_method_taken_from_its_class(tmp_path, made, step):
    kind = "deque" if made.startswith("deque") else "list" if made.startswith("[") else "dict" if "'" in made else "set"
    name, _, rest = step.removeprefix("c.").partition("(")
    call = f"{kind}.{name}(c, {rest}" if rest != ")" else f"{kind}.{name}(c)"
    text = f"def f(x):\n    c = {made}\n    if x > 0:\n        {call}\n    return {_values(made)}, x\n"
    assert_like_python(_loaded(tmp_path, text))


@pytest.mark.parametrize(("made", "step"), [case for case in CALLED if not case[0].startswith("{1")])
def test_every_method_of_a_container_with_data(tmp_path, made, step):
    made, step = re.sub(r"(\d)(?!\)$)", r"\1.0", made), step if "rotate" in step else re.sub(r"(\d)", r"\1.0", step)
    filled = made.replace("4.0", "4.0 * x").replace("'a': 1.0", "'a': x")
    text = f"def f(x):\n    c = {filled}\n    if x > 0:\n        {step}\n    return {_values(made)}, x\n"
    assert_like_python(_loaded(tmp_path, text), edges=(0.0, -0.0, 1.0, 1e200))
