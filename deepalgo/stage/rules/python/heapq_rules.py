"""The modules `heapq` and `bisect`, compiled from functions in Python: their own are written in C.

Places are fixed wherever they can be. Which child of a heap rises and which half of a list is searched are choices between fixed
places, and the comparisons are those that Python makes, in the same order; so NaN and items that are equal end up where Python puts them.
"""

from __future__ import annotations

import bisect
import heapq
from typing import Any

from deepalgo.stage.rules.replacements import written

#: In longer lists the place is found by a loop, not by choices between fixed places.
FEW = 64


@written(heapq.heappush)
def heappush(heap: list[Any], item: Any, /) -> None:
    """Put an item into a heap."""
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


@written(heapq.heappop)
def heappop(heap: list[Any], /) -> Any:
    """Take the smallest item out of a heap."""
    last = heap.pop()
    if heap:
        smallest = heap[0]
        heap[0] = last
        _sift_down(heap, 0)
        return smallest
    return last


@written(heapq.heapreplace)
def heapreplace(heap: list[Any], item: Any, /) -> Any:
    """Take the smallest item out, then put one in."""
    smallest = heap[0]
    heap[0] = item
    _sift_down(heap, 0)
    return smallest


@written(heapq.heappushpop)
def heappushpop(heap: list[Any], item: Any, /) -> Any:
    """Put an item in, then take the smallest out."""
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _sift_down(heap, 0)
    return item


@written(heapq.heapify)
def heapify(heap: list[Any], /) -> None:
    """Make a heap of a list."""
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sift_down(heap, place)


def _rise(heap: list[Any], start: int, place: int) -> None:
    """Let the item at a place rise as long as it is less than its parent."""
    if place > start:
        parent = (place - 1) // 2
        if heap[place] < heap[parent]:
            heap[place], heap[parent] = heap[parent], heap[place]
            _rise(heap, start, parent)


def _sift_down(heap: list[Any], place: int) -> bool:
    """Let the item at a place sink to the bottom, along the lesser children, and rise again; whether it came back to this place."""
    child = 2 * place + 1
    if child >= len(heap):
        return True
    if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
        return _sift_down_along(heap, place, child + 1)
    return _sift_down_along(heap, place, child)


def _sift_down_along(heap: list[Any], place: int, child: int) -> bool:
    heap[place], heap[child] = heap[child], heap[place]
    if _sift_down(heap, child) and heap[child] < heap[place]:
        heap[place], heap[child] = heap[child], heap[place]
        return True
    return False


@written(heapq.nsmallest)
def nsmallest(n: int, iterable: Any, key: Any = None) -> Any:
    """The smallest items; of one, what `min` finds."""
    items = list(iterable)
    if n == 1 and items:
        return [min(items, key=key)]
    return sorted(items, key=key)[: max(n, 0)]


@written(heapq.nlargest)
def nlargest(n: int, iterable: Any, key: Any = None) -> Any:
    """The largest items; of one, what `max` finds."""
    items = list(iterable)
    if n == 1 and items:
        return [max(items, key=key)]
    return sorted(items, key=key, reverse=True)[: max(n, 0)]


@written(heapq.merge)
def merge(*iterables: Any, key: Any = None, reverse: bool = False) -> Any:
    """The items of several sequences, the smallest of the first ones that are left at a time."""
    rows = [list(items) for items in iterables]
    keys = [[_ranked(item if key is None else key(item)) for item in row] for row in rows]
    places = [0 for _ in rows]
    found = []
    for _ in range(sum([len(row) for row in rows])):
        best, value, item = -1, None, None
        for number in range(len(rows)):
            if places[number] < len(rows[number]):
                held = keys[number][places[number]]
                if best < 0 or (value < held if reverse else held < value):
                    best, value, item = number, held, rows[number][places[number]]
        places[best] += 1
        found.append(item)
    return iter(found)


def _ranked(key: Any) -> Any:
    """The key itself; `sorted` leaves samples open in which it is NaN."""
    return sorted([key, key])[0]


@written(bisect.bisect_left)
def bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> Any:
    """Where to insert an item, before those that are equal."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    if hi - lo <= FEW:
        return _left(a, x, lo, hi, key)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def _left(a: Any, x: Any, lo: int, hi: int, key: Any) -> Any:
    if lo < hi:
        middle = (lo + hi) // 2
        held = a[middle] if key is None else key(a[middle])
        return _left(a, x, middle + 1, hi, key) if held < x else _left(a, x, lo, middle, key)
    return lo


@written(bisect.bisect_right)
def bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> Any:
    """Where to insert an item, behind those that are equal."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    if hi - lo <= FEW:
        return _right(a, x, lo, hi, key)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


def _right(a: Any, x: Any, lo: int, hi: int, key: Any) -> Any:
    if lo < hi:
        middle = (lo + hi) // 2
        held = a[middle] if key is None else key(a[middle])
        return _right(a, x, lo, middle, key) if x < held else _right(a, x, middle + 1, hi, key)
    return lo


@written(bisect.insort_left)
def insort_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
    """Insert an item where it belongs, before those that are equal."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@written(bisect.insort_right)
def insort_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
    """Insert an item where it belongs, behind those that are equal."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
