"""`heapq` and `bisect` on items that depend on data: every item is where Python puts it, also where items are equal."""

import bisect
import heapq

import pytest

from tests.support.like_python import EDGES, assert_like_python, refusal


def heapsort(x, y):
    h = [x, 1.0, y, 0.5]
    heapq.heapify(h)
    return [heapq.heappop(h) for _ in range(4)]


def the_list_behind_a_heap(x, y):
    h = [x, 1.0, y, 0.5, -x]
    heapq.heapify(h)
    return h


def pushed_one_by_one(x, y):
    h = []
    for v in [x, 1.0, y, 0.5]:
        heapq.heappush(h, v)
    return h


def until_it_is_empty(x, y):
    h = [5, 3, 1]
    heapq.heapify(h)
    t = 0.0
    while h:
        t = t * 0.5 + heapq.heappop(h) * x
    return t


def until_a_heap_of_data_is_empty(x, y):
    h = []
    for v in [x, y, 0.7]:
        heapq.heappush(h, v)
    t = 0.0
    while h:
        t = t * 0.5 + heapq.heappop(h)
    return t


def items_with_priorities(x, y):
    h = []
    for i, v in enumerate([x, y, 1.0, 0.3]):
        heapq.heappush(h, (v, i, v * 2))
    a = heapq.heappop(h)
    b = heapq.heappop(h)
    return (a[1], a[2], b[0], b[1])


def replaced_and_pushed(x, y):
    h = [0.1, 1.0, 2.0]
    a = heapq.heapreplace(h, x)
    b = heapq.heappushpop(h, y)
    return (a, b, h)


def smallest_and_largest(x, y):
    return (heapq.nsmallest(2, [x, y, 1.0, 0.3]), heapq.nlargest(2, [x, y, 1.0, 0.3]))


def smallest_and_largest_by_key(x, y):
    return (heapq.nsmallest(2, [x, y, 1.0, 0.3], key=lambda v: -v), heapq.nlargest(1, [(x, 1), (y, 2)], key=lambda p: p[0])[0][1])


def smallest_of_fixed_numbers(x):
    return heapq.nsmallest(2, [3, 1, 2])[0] * x


def merged_numbers(x, y):
    return list(heapq.merge([x], [y], [0.5]))


def replaced_in_an_arm(x, y):
    h = [0.2, 0.4, 0.9]
    if x > y:
        heapq.heapreplace(h, x)
    return h


def replaced_in_an_arm_of_fixed_numbers(x, y):
    h = [2, 4, 9]
    if x > y:
        heapq.heapreplace(h, 7)
    return (h, x)


def replaced_in_a_loop(x, y):
    h = [0.2, 0.4, 0.9]
    for i in range(5):
        heapq.heapreplace(h, x + i * y)
    return h


def shortest_ways(x, y):
    graph = {0: [(1, abs(x)), (2, 4.0)], 1: [(2, abs(y)), (3, 5.0)], 2: [(3, 1.0)], 3: []}
    dist = [0.0, float("inf"), float("inf"), float("inf")]
    for _ in range(4):
        h = []
        for u in graph:
            for v, w in graph[u]:
                heapq.heappush(h, (dist[u] + w, v))
        while h:
            d, v = heapq.heappop(h)
            if d < dist[v]:
                dist[v] = d
    return dist


def places_in_a_table(x, y):
    t = [-1.0, 0.3, 1.0, 2.5]
    return (bisect.bisect_left(t, x), bisect.bisect_right(t, x), bisect.bisect(t, y))


def a_fixed_place(x):
    return bisect.bisect_left([1, 2, 3], 2) * x


def places_within_bounds(x, y):
    t = [-1.0, 0.3, 1.0, 2.5]
    return (bisect.bisect_left(t, x, 1), bisect.bisect_right(t, x, 0, 2), bisect.bisect(t, y, hi=3))


def a_place_by_key(x, y):
    t = [(-1.0, 1), (0.3, 2), (1.0, 5)]
    return bisect.bisect_left(t, x, key=lambda p: p[0])


def a_place_in_a_list_of_data(x, y):
    t = sorted([0.1, x, y]) if x == x and y == y else [0.0, 0.0, 0.0]
    return bisect.bisect_left(t, 0.5)


def a_place_in_any_list(x, y):
    t = [x, y, 0.2, -x]
    return (bisect.bisect_left(t, 0.5), bisect.bisect_right(t, 0.5))


def inserted_in_order(x, y):
    t = [-1.0, 0.3, 1.0]
    bisect.insort(t, x)
    bisect.insort_left(t, y)
    return t


def inserted_by_key(x, y):
    t = [(-1.0, 1), (0.3, 2)]
    bisect.insort(t, (x, 7), key=lambda p: p[0])
    return (t[0][1], t[1][1], t[2][0])


def grade(x):
    return "FDCBA"[0] and [0.0, 1.0, 2.0, 3.0][bisect.bisect([0.0, 1.0, 2.0], x)]


def a_table_of_forty(x, y):
    t = [i * 0.1 for i in range(40)]
    return bisect.bisect_left(t, x)


def an_event_queue(x, y):
    q = [(0.0, 0, x), (1.0, 1, y)]
    heapq.heapify(q)
    t = 0.0
    out = 0.0
    for k in range(6):
        t, i, v = heapq.heappop(q)
        out += v * t
        heapq.heappush(q, (t + abs(v) + 0.1, i, v * 0.5))
    return (t, out)


def a_table_of_three_hundred(x, y):
    t = [i * 0.1 for i in range(300)]
    return (bisect.bisect_left(t, x), bisect.bisect(t, y))


def merged_rows(x, y):
    return list(heapq.merge([x, y], [0.5, 2.0, 2.0], [1.0]))


def merged_by_key(x, y):
    return [b for a, b in heapq.merge([(x, 1), (3.0, 2)], [(0.5, 3), (y, 4)], key=lambda p: p[0], reverse=True)]


#: Where `sorted` meets NaN, the sample is told to have no answer.
ORDERED = {smallest_and_largest, smallest_and_largest_by_key, merged_numbers, merged_rows, merged_by_key}
CASES = [item for item in list(vars().values()) if getattr(item, "__module__", None) == __name__]


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_items_are_where_python_puts_them(function):
    assert_like_python(function, [edge for edge in EDGES if edge == edge or function not in ORDERED])


def test_a_length_that_depends_on_data_is_refused():
    def pushed_sometimes(x):
        heap = [0.2]
        if x > 0:
            heapq.heappush(heap, x)
        return heap[0]

    assert refusal(pushed_sometimes) == "the length of a list depends on data: 2 and 1 items on different paths"


def test_errors_are_those_of_python():
    def empty(x):
        return heapq.heappop([]) + x

    def negative(x):
        return bisect.bisect_left([1.0, 2.0], x, -1)

    assert refusal(empty) == "the function raises IndexError on every input: index out of range"
    assert refusal(negative) == "the function raises ValueError on every input: lo must be non-negative"
