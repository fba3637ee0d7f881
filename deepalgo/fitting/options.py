"""`SearchOptions`: the optimiser of `fit` and its settings, for those who do not want the usual ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ParamSpec, TypeVar

from deepalgo.errors import InputError
from deepalgo.fitting.search.optimiser import Optimiser

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search: `da.fit(net, inputs, targets, search=da.SearchOptions(rate=0.05))`.

    `optimiser`: "adam" (one cycle, clipped), "lbfgs", or a class of `torch.optim`; `batch_size` samples take part in each of its steps
    (1024 unless said otherwise). `rate` is the largest step relative to each weight's own size, `clip` the longest gradient.
    `patience`: how many hundredths of the run, in its second half, may pass without a gain. `seeds` runs start at different weights;
    the best on validation is taken. `polished`: steps of least squares run wherever the loss has a name (before the optimiser and in its
    place where the weights are few, nobody asked for another one, and they converge; L-BFGS otherwise), and weights that have no gradient
    are tried.

    >>> SearchOptions(seeds=4).seeds
    4
    """

    optimiser: Optimiser = "adam"
    batch_size: int | None = None
    rate: float = 0.01
    clip: float | None = 10.0
    patience: int = 20
    seeds: int = 1
    polished: bool = True


USUAL = SearchOptions()


def names_search_options(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function with `search=` say of an option that is given beside it where it belongs.

    >>> names_search_options(print)(rate=0.05)
    Traceback (most recent call last):
    deepalgo.errors.InputError: rate= is an option of the search: search=da.SearchOptions(rate=0.05)
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        known = [item.name for item in fields(SearchOptions)]
        beside = {name: item for name, item in kwargs.items() if name in known}
        if beside:
            names, what = ", ".join(f"{name}=" for name in beside), "is an option" if len(beside) == 1 else "are options"
            options = ", ".join(f"{name}={_written(item)}" for name, item in beside.items())
            raise InputError(f"{names} {what} of the search: search=da.SearchOptions({options})")
        return function(*args, **kwargs)

    return checked


def _written(item: Any) -> str:
    """An argument as one would write it."""
    return f"{item.__module__}.{item.__qualname__}" if isinstance(item, type) else repr(item)


def positive(name: str, number: int) -> int:
    """A positive whole number, or InputError."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError(f"{name} must be a positive whole number, not {number!r}")
    return number
