"""Generators that are compiled in place of `map`, `filter`, `zip` and `enumerate` where these run over a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def mapped(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """`map(function, items)`."""
    for item in items:
        yield function(item)


def filtered(function: Callable[[Any], Any] | None, items: Iterable[Any]) -> Iterator[Any]:
    """`filter(function, items)`."""
    for item in items:
        if item if function is None else function(item):
            yield item


def enumerated(items: Iterable[Any], start: int) -> Iterator[tuple[int, Any]]:
    """`enumerate(items, start)`."""
    number = start
    for item in items:
        yield number, item
        number += 1


def zipped(items: Iterable[Any], place: int, others: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """`zip` of sequences with a generator at one place; the generator is not asked where a sequence before it has ended."""
    number = 0
    before = min((len(other) for other in others[:place]), default=None)
    if before == 0:
        return
    for item in items:
        if any(number == len(other) for other in others):
            return
        row = [other[number] for other in others]
        yield (*row[:place], item, *row[place:])
        number += 1  # noqa: SIM113  # `enumerate` would be one more generator to run
        if number == before:
            return


def followed(iterator: Iterator[Any]) -> Iterator[Any]:
    """What an iterator that is an object of the user's gives."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item
