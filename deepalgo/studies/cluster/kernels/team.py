"""Work shared by threads: by those of torch itself where they can be called.

Torch's threads stay awake for some milliseconds after each operation. Threads of our own would meet them on the same processors.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import torch

Result = TypeVar("Result")
#: Parts of the work for each thread: with several, a quick thread takes over from a slow one.
PARTS = 2

_TASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def share(count: int, threads: int, work: Callable[[int, int], Result]) -> list[Result]:
    """What `work(start, stop)` returns for parts of `range(count)`, in their order; the parts depend on the numbers only.

    >>> share(5, 1, range), share(5, 2, range)
    ([range(0, 5)], [range(0, 1), range(1, 2), range(2, 4), range(4, 5)])
    """
    parts = min(PARTS * threads, count) if threads > 1 else 1
    if parts <= 1:
        return [work(0, count)]
    edges = np.linspace(0, count, parts + 1).round().astype(int).tolist()
    found: dict[int, Result] = {}
    failed: list[BaseException] = []
    turns = iter(range(parts))

    def task(_: Any = None) -> None:
        try:
            _take(turns, edges, work, found)
        except BaseException as error:  # noqa: BLE001  # it must not leave a thread that is not Python's
            failed.append(error)

    _start(min(threads, parts), task)
    if failed:
        raise failed[0]
    return [found[turn] for turn in range(parts)]


def _take(turns: Iterator[int], edges: list[int], work: Callable[[int, int], Result], found: dict[int, Result]) -> None:
    for turn in turns:
        found[turn] = work(edges[turn], edges[turn + 1])


def _start(threads: int, task: Callable[[Any], None]) -> None:
    """Run the task in so many threads at once, and wait for them."""
    run = _runtime()
    if run is not None:
        return run(_TASK(task), None, threads, 0)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(task, range(threads)))
    return None


@functools.cache
def _runtime() -> Callable[..., None] | None:
    """`GOMP_parallel` of the OpenMP that torch runs on, if there is one."""
    try:
        run = ctypes.CDLL(torch._C.__file__).GOMP_parallel
    except (OSError, AttributeError):
        return None
    run.argtypes, run.restype = [_TASK, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint], None
    return run
