"""Functions that call one method of list, dict, set or tuple each."""

import collections
import dataclasses


@dataclasses.dataclass
class Point:
    a: float
    b: float = 1.5


@dataclasses.dataclass(frozen=True)
class Fixed:
    a: float


@dataclasses.dataclass(order=True)
class Ranked:
    a: float
    b: float


def list_append(x):
    cells = []
    cells.append(x)
    cells.append(2.0 * x)
    return cells


def list_append_in_both_arms(x):
    cells = [0.5]
    if x > 0.0:
        cells.append(x)
    else:
        cells.append(-x)
    return cells


def list_append_as_function(x):
    cells = [x]
    list.append(cells, 5.0)
    return cells


def list_clear(x):
    cells = [x, 1.0]
    cells.clear()
    cells.append(x)
    return cells


def list_copy(x):
    cells = [x, 1.0]
    other = cells.copy()
    other[0] = 9.0
    return cells + other


def list_count(x):
    return [1.0, x, 2.0].count(2.0)


def list_count_same_object(x):
    return [x, x, 1.0].count(x)


def list_extend(items, x):
    cells = [x]
    cells.extend(items)
    cells.extend(t * 2.0 for t in (x, 1.0))
    return cells


def list_index(x):
    return [2.0, x, 1.0].index(x)


def list_index_found(items):
    return items.index(max(items)) if items[0] == items[0] else -1


def list_index_start(x):
    return [x, 1.0, x].index(x, 1)


def list_insert(x):
    cells = [1.0, 2.0]
    cells.insert(1, x)
    return cells


def list_insert_negative(x):
    cells = [1.0, 2.0]
    cells.insert(-1, x)
    cells.insert(99, 0.5)
    return cells


def list_pop(x):
    cells = [x, 2.0, 3.0]
    last = cells.pop()
    return last, cells


def list_pop_place(x):
    cells = [x, 2.0, 3.0]
    return cells.pop(0) * cells.pop(-1)


def list_pop_until_empty(items):
    total = 0.0
    while items:
        total = total * 0.5 + items.pop()
    return total


def list_remove(x):
    cells = [1.0, 2.0, 3.0]
    cells.remove(2.0)
    return sum(cells) * x


def list_remove_data(x):
    cells = [x, 1.0, 2.0]
    cells.remove(x)
    return cells


def list_reverse(x):
    cells = [x, 2.0, 3.0]
    cells.reverse()
    return cells


def list_sort(items):
    items.sort()
    return items


def list_sort_key(items):
    items.sort(key=lambda t: -t)
    return items


def list_sort_reverse(x, y):
    cells = [x, y, 1.0]
    cells.sort(reverse=True)
    return cells


def list_add(x):
    return [x] + [1.0, 2.0 * x]


def list_times(x):
    return [x, 0.5] * 2


def list_contains(x):
    return x in [1.0, 2.0, x]


def list_contains_literal(x):
    return 1.0 in [x, 0.5]


def list_equal(x):
    return [x, 1.0] == [x, 1.0]


def list_not_equal(x, y):
    return [x, y] != [y, x]


def list_unpack(x):
    a, b = [x, 2.0]
    return a / b


def list_as_stack(x):
    stack = [x]
    total = 0.0
    while stack:
        top = stack.pop()
        total += top
        if len(stack) < 2 and total < 4.0 and top > 0.5:
            stack.append(top / 2.0)
    return total


def list_of_lists_alias(x):
    rows = [[0.0] * 2] * 2
    rows[0][1] = x
    return rows


def list_swap_max_to_end(items):
    for i in range(len(items) - 1):
        if items[i] > items[i + 1]:
            items[i], items[i + 1] = items[i + 1], items[i]
    return items[-1]


def dict_clear(x):
    table = {"a": 1.0}
    table.clear()
    table["b"] = x
    return table


def dict_copy(x):
    table = {"a": x}
    other = table.copy()
    other["a"] = 2.0
    return table["a"] - other["a"]


def dict_fromkeys(x):
    return dict.fromkeys(("a", "b"), x)


def dict_get(x):
    table = {"a": x}
    return table.get("a") + table.get("b", 2.5)


def dict_get_none(x):
    value = {"a": x}.get("b")
    return x if value is None else value


def dict_get_data_key(x):
    return {0: 1.5, 1: x}.get(int(x > 0.0), 9.0)


def dict_items(x):
    return sum(len(key) * value for key, value in {"a": x, "bb": 2.0}.items())


def dict_keys(x):
    return sum(len(key) for key in {"a": 1, "bb": 2}.keys()) * x


def dict_pop(x):
    table = {"a": x, "b": 2.0}
    return table.pop("a") + len(table)


def dict_pop_default(x):
    table = {"a": 1.0}
    return table.pop("z", x)


def dict_popitem(x):
    table = {"a": 1.0, "b": x}
    key, value = table.popitem()
    return value * len(key) + len(table)


def dict_setdefault(x):
    table = {"a": x}
    return table.setdefault("a", 5.0) + table.setdefault("b", 2.0)


def dict_setdefault_list(x):
    groups = {}
    groups.setdefault("p", []).append(x)
    groups.setdefault("p", []).append(1.0)
    return groups["p"]


def dict_update(x):
    table = {"a": 1.0}
    table.update({"a": x, "b": 2.0})
    table.update(c=x * x)
    return table


def dict_values(x):
    return max({"a": x, "b": 0.5}.values())


def dict_union(x):
    return {"a": 1.0, "b": 2.0} | {"b": x}


def dict_len(x):
    return len({"a": 1, "b": 2}) * x


def dict_missing(x):
    return {"a": 1.0}["b"] * x if x > 0.0 else x


def dict_count_kinds(items):
    counts = {"low": 0, "high": 0}
    for item in items:
        counts["high" if item > 1.0 else "low"] += 1
    return counts


def dict_iterate_sorted(x):
    return [k * x for k in sorted({3: 1, 1: 2})]


def dict_best_key(x, y):
    scores = {"a": x, "b": y, "c": 0.5}
    best = max(scores, key=scores.get)
    return scores[best]


def set_add(x):
    seen = {1, 2}
    seen.add(3)
    seen.add(2)
    return len(seen) * x


def set_clear(x):
    seen = {1}
    seen.clear()
    return len(seen) + x


def set_copy(x):
    seen = {1}
    other = seen.copy()
    other.add(2)
    return len(seen) * x


def set_difference(x):
    return sum({1, 2, 3}.difference({2})) * x


def set_difference_update(x):
    seen = {1, 2, 3}
    seen.difference_update({1})
    return sum(seen) * x


def set_discard(x):
    seen = {1, 2}
    seen.discard(2)
    seen.discard(5)
    return sum(seen) * x


def set_intersection(x):
    return sum({1, 2, 3} & {2, 3, 4}) * x


def set_intersection_update(x):
    seen = {1, 2, 3}
    seen.intersection_update([2, 3])
    return len(seen) * x


def set_isdisjoint(x):
    return {1, 2}.isdisjoint({3}) * x


def set_issubset(x):
    return ({1} <= {1, 2}) * x + {1}.issubset([1])


def set_issuperset(x):
    return {1, 2}.issuperset({1}) * x


def set_pop(x):
    seen = {7}
    return seen.pop() * x


def set_remove(x):
    seen = {1, 2}
    seen.remove(1)
    return sum(seen) * x


def set_symmetric_difference(x):
    return sum({1, 2} ^ {2, 3}) * x


def set_symmetric_difference_update(x):
    seen = {1, 2}
    seen.symmetric_difference_update({2, 5})
    return sum(seen) * x


def set_union(x):
    return len({1}.union([2, 3], (4,))) * x


def set_update(x):
    seen = {1}
    seen.update([2, 2, 3])
    return len(seen) * x


def set_contains_data(x):
    return x in {0.0, 1.0, 2.0}


def set_seen_before(x):
    seen = set()
    n = int(abs(x)) % 5 if abs(x) < 1e6 else 1
    for k in (1, 2, 1):
        if k in seen:
            n += 10
        seen.add(k)
    return n


def frozenset_methods(x):
    return len(frozenset({1, 2}) | {3}) * x


def tuple_count(x):
    return (1.0, x, 1.0).count(1.0)


def tuple_index(x):
    return (3.0, x, 2.0).index(2.0)


def tuple_index_missing(x):
    return (1.0, 2.0).index(x)


def tuple_add(x):
    return (x, 1.0) + (2.0,)


def tuple_times(x):
    return (x,) * 3


def tuple_slice(x):
    return (x, 1.0, 2.0, 3.0)[1:]


def tuple_compare(x, y):
    return (x, y) < (y, x)


def tuple_as_key(x):
    return {(0, 1): x}[(0, 1)]


def tuple_contains(x):
    return x in (x, 1.0)


def deque_rotate(items):
    queue = collections.deque(items)
    queue.rotate(1)
    queue.appendleft(0.5)
    return list(queue)


def deque_maxlen(items):
    window = collections.deque(maxlen=2)
    for item in items:
        window.append(item)
    return sum(window)


def deque_popleft(items):
    queue = collections.deque(items)
    first = queue.popleft()
    queue.append(first * 2.0)
    return list(queue)


def namedtuple_fields(x):
    Pair = collections.namedtuple("Pair", "a b")
    pair = Pair(x, b=2.0)
    return pair.a * pair.b + pair._replace(a=1.0).a


def counter_of_letters(x):
    return collections.Counter("abca")["a"] * x


def defaultdict_of_lists(x):
    groups = collections.defaultdict(list)
    groups["a"].append(x)
    groups["a"].append(2.0)
    return groups["a"]


def ordered_dict_move(x):
    table = collections.OrderedDict(a=x, b=2.0)
    table.move_to_end("a")
    return list(table.values())


def dataclass_fields(x):
    return Point(x).a * Point(x).b


def dataclass_write(x):
    p = Point(x)
    p.a = 3.0 * x
    return p.a


def dataclass_equal(x, y):
    return Point(x) == Point(y)


def dataclass_order(x, y):
    return Ranked(x, 1.0) < Ranked(y, 2.0)


def dataclass_replace(x):
    return dataclasses.replace(Point(x), b=2.0 * x).b


def dataclass_frozen_write(x):
    p = Fixed(x)
    if x > 1.0:
        p.a = 3.0
    return p.a


def dataclass_frozen_caught(x):
    p = Fixed(x)
    try:
        p.a = 3.0
    except dataclasses.FrozenInstanceError:
        return 2.0 * p.a
    return p.a


def dataclass_as_dict(x):
    return dataclasses.asdict(Point(x))
