"""Functions in Python that are compiled in place of those of `functools` and `math`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any


def until(function: Callable[[], Any], sentinel: Any) -> Iterator[Any]:
    """`iter(function, sentinel)`."""
    while True:
        item = function()
        if item == sentinel:
            return
        yield item


class Key:
    """What `functools.cmp_to_key(compare)` makes of an item."""

    __hash__ = None  # type: ignore[assignment]  # as in `functools`

    def __init__(self, compare: Callable[[Any, Any], Any], obj: Any) -> None:
        self.compare = compare
        self.obj = obj

    def __lt__(self, other: Any) -> bool:
        return self.compare(self.obj, other.obj) < 0  # type: ignore[no-any-return]  # what the user's function compares

    def __gt__(self, other: Any) -> bool:
        return self.compare(self.obj, other.obj) > 0  # type: ignore[no-any-return]  # what the user's function compares

    def __le__(self, other: Any) -> bool:
        return self.compare(self.obj, other.obj) <= 0  # type: ignore[no-any-return]  # what the user's function compares

    def __ge__(self, other: Any) -> bool:
        return self.compare(self.obj, other.obj) >= 0  # type: ignore[no-any-return]  # what the user's function compares

    def __eq__(self, other: object) -> bool:
        return self.compare(self.obj, other.obj) == 0  # type: ignore[no-any-return, attr-defined]  # what the user's function compares


class Dispatched:
    """What `functools.singledispatch` makes of a function that is defined inside of another."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.registry: dict[Any, Callable[..., Any]] = {object: function}

    def register(self, cls: type, function: Callable[..., Any] | None = None) -> Any:
        """Another function for objects of a class."""
        if function is None:
            return lambda given: self.register(cls, given)
        self.registry[cls] = function
        return function

    def __call__(self, first: Any, *args: Any, **kwargs: Any) -> Any:
        for cls in first.__class__.__mro__:
            if cls in self.registry:
                return self.registry[cls](first, *args, **kwargs)
        return NotImplemented


def gcd(*numbers: int) -> int:
    """The greatest common divisor, by Euclid's algorithm."""
    found = 0
    for number in numbers:
        left, right = found, abs(number)
        while right != 0:
            left, right = right, left % right
        found = left
    return found


def lcm(*numbers: int) -> int:
    """The least common multiple."""
    found = 1
    for number in numbers:
        found = 0 if found == 0 or number == 0 else found // gcd(found, number) * abs(number)
    return found


def isqrt(n: int) -> int:
    """The whole part of a root."""
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    found = int(math.sqrt(n))
    if found * found > n:
        return found - 1
    return found + 1 if (found + 1) * (found + 1) <= n else found


def factorial(n: int) -> int:
    """The product of the whole numbers up to one."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    found = 1
    for number in range(2, n + 1):
        found = found * number
    return found


def _refuse_negative(n: int, k: int) -> None:
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")


def comb(n: int, k: int) -> int:
    """In how many ways some of several things can be chosen."""
    _refuse_negative(n, k)
    if k > n:
        return 0
    found = 1
    for number in range(k):
        found = found * (n - number) // (number + 1)
    return found


def perm(n: int, k: int | None = None) -> int:
    """In how many orders some of several things can be laid."""
    if k is None:
        return factorial(n)
    _refuse_negative(n, k)
    if k > n:
        return 0
    found = 1
    for number in range(k):
        found = found * (n - number)
    return found
