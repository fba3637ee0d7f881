"""Deques, dicts that make their entries, counters and functions with a memory, on data and in arms on data, held against Python."""

import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache, lru_cache, partial, reduce

import pytest

from tests.support.like_python import assert_like_python, refusal


def dq(x, y):
    d = deque([x, y], maxlen=2)
    d.append(1.0)
    d.appendleft(2.0)
    return (list(d), len(d))


def dq_rot(x, y):
    d = deque([x, y, 1.0, 2.0])
    d.rotate(1)
    d.rotate(-3)
    return list(d)


def dq_avg(x, y):
    d = deque(maxlen=3)
    t = 0.0
    for v in [x, y, 1.0, 2.0, x]:
        d.append(v)
        t += sum(d, 0.0) / len(d)
    return t


def dq_while(x, y):
    d = deque([x, y, 2.0])
    t = 0.0
    while d:
        t = t * 0.5 + d.popleft()
    return t


def dq_idx(x, y):
    d = deque([x, y, 2.0])
    d[0] = y
    i = 1 if x > 0 else 2
    d[i] = 7.0
    return d[i] + d[-1] + d[0]


def dq_insert(x, y):
    d = deque([x, y, 2.0])
    d.insert(1, 9.0)
    d.remove(2.0)
    d.reverse()
    return list(d)


def dq_remove_data(x, y):
    d = deque([x, 1.0, y])
    d.remove(1.0)
    return list(d)


def dq_ext(x, y):
    d = deque([x])
    d.extend([y, 1.0])
    d.extendleft((2.0, 3.0))
    e = d.copy()
    e.clear()
    return (list(d), len(e))


def dq_arm(x, y):
    d = deque([x, y])
    if x > y:
        d.append(d.popleft())
    else:
        d[0] = 5.0
    return list(d)


def dq_arm_new(x, y):
    if x > y:
        d = deque([x, 1.0], maxlen=2)
    else:
        d = deque([y, 2.0], maxlen=2)
    d.append(0.5)
    return list(d)


def dq_loop_data(x, y):
    d = deque([0.0, 1.0])
    n = 0
    while d[1] < abs(x) and n < 20:
        d.append(d[0] + d[1])
        d.popleft()
        n += 1
    return (list(d), n)


def dq_add(x, y):
    d = deque([x]) + deque([y])
    e = deque([x]) * 2
    d += [1.0]
    return (list(d), list(e))


def dq_unpack(x, y):
    a, b = deque([x, y])
    return a - b


def dq_alias(x, y):
    d = deque([x, y])
    e = d
    e.rotate(1)
    return list(d)


def dq_obj(x, y):
    class_ = {"q": deque([x])}
    class_["q"].append(y)
    return list(class_["q"])


def dq_bool(x):
    return 1.0 if deque() else x


def dd(x, y):
    d = defaultdict(float)
    d["a"] += x
    d["b"] += y
    d["a"] += 1.0
    return (d["a"], d["b"], d["c"], len(d))


def dd_list(x, y):
    d = defaultdict(list)
    for k, v in [("a", x), ("b", y), ("a", 1.0)]:
        d[k].append(v)
    return (sum(d["a"], 0.0), sum(d["b"], 0.0))


def dd_lambda(x, y):
    d = defaultdict(lambda: x)
    d["a"] += y
    return (d["a"], d["z"])


def dd_arm(x, y):
    d = defaultdict(float)
    d["a"]
    if x > y:
        d["a"] += 2.0
    return d["a"]


def dd_get(x):
    d = defaultdict(float)
    d.get("q")
    return len(d) + x


def dd_nested(x, y):
    d = defaultdict(lambda: defaultdict(float))
    d["a"]["b"] += x
    return d["a"]["b"]


def ctr(x):
    c = Counter("abca")
    return c["a"] * x + c["z"] + c.total() + c.most_common(1)[0][1]


def ctr_data(x, y):
    c = Counter()
    c["a"] += x
    c["b"] += y
    c.update({"a": 1.0})
    return (c["a"], c["b"], sum(c.values(), 0.0))


def ctr_sub(x):
    c = Counter(a=3, b=1)
    c.subtract({"a": 1})
    return c["a"] * x + len(c + Counter(b=1)) + len(c - Counter(a=5)) + sum((1 for _ in c.elements()))


def ctr_arm(x):
    c = Counter("ab")
    if x > 0:
        c["a"] += 1
    return c["a"] + x


def ctr_upd_arm(x):
    c = Counter("ab")
    if x > 0:
        c.update("a")
    return c["a"] + x


def ctr_init_data(x, y):
    c = Counter({"a": x, "b": y})
    return c["a"] - c["b"]


def od(x, y):
    d = OrderedDict(a=x, b=y)
    d.move_to_end("a")
    k, v = d.popitem(last=False)
    return (v, list(d.values()))


def od_loop(x):
    d = OrderedDict(a=1.0, b=2.0)
    for i in range(3):
        d.move_to_end("a" if i % 2 else "b")
    return list(d.values())[0] * x


def lru_local(x, y):

    @lru_cache(maxsize=None)
    def f(n):
        return x if n == 0 else f(n - 1) * 0.5 + y
    return f(5)


def lru_local_plain(x, y):

    @cache
    def f(v):
        return v * v + x
    return f(y) + f(2.0)


def part(x, y):
    f = partial(pow, x)
    g = partial(lambda a, b=1.0, c=2.0: a - b * c, c=x)
    return (f(2), g(y), g(y, b=3.0))


def red(x, y):
    return (reduce(lambda a, b: a * 0.5 + b, [x, y, 1.0]), reduce(operator.add, [x, y], 1.0))


@lru_cache(maxsize=None)
def _square(v):
    return v * v


def a_function_with_a_memory(x, y):
    return _square(x) + _square(y) + _square(x)


def a_list_has_no_hash(x):
    try:
        return _square([x])
    except TypeError:
        return 7.0


class _Ball:
    def __init__(self, radius):
        self.radius = radius

    @functools.cached_property
    def area(self):
        return self.radius * self.radius


def a_property_that_stays(x):
    ball = _Ball(x)
    first = ball.area
    ball.radius = 5.0
    return first + ball.area


CASES = [
    item for item in list(vars().values())
    if getattr(item, "__module__", None) == __name__ and not isinstance(item, type) and not item.__name__.startswith("_")
]


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_answers_are_those_of_python(function):
    assert_like_python(function)


def test_what_depends_on_data_or_on_the_memory_is_refused():
    def order(x):
        table = OrderedDict(a=1.0, b=2.0)
        if x > 0:
            table.move_to_end("a")
        return next(iter(table.values()))

    def new_entry(x):
        table = defaultdict(float)
        if x > 0:
            table["a"] += 2.0
        return table["a"]

    def key_of_data(x):
        table = defaultdict(float)
        table["a"] += 1.0
        return table[x]

    def changes(x):
        seen = []

        @cache
        def f(v):
            seen.append(v)
            return v

        return f(1) + f(1) + len(seen) + x

    def reads_what_changes(x):
        held = [1.0]

        @cache
        def f(v):
            return v * held[0]

        first = f(2)
        held[0] = x
        return first + f(2)

    def hands_out_a_deque(x):
        return deque([x])

    def grows_while_it_is_run_over(x):
        items = deque([1.0, x])
        for item in items:
            items.append(item)
        return x

    for function, reason in (
        (order, "the order of the keys of a dict depends on data"),
        (new_entry, "the keys of a dict depend on data"),
        (key_of_data, "an entry of a dict that makes new ones is chosen by data"),
        (changes, "a function with a cache changes something outside of it"),
        (reads_what_changes, "a function with a cache reads something that has changed since"),
        (hands_out_a_deque, "the function returns a deque"),
        (grows_while_it_is_run_over, "this loop changes the deque that it runs over"),
    ):
        assert refusal(function) == reason
