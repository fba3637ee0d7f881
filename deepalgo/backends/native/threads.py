"""Threads that share the samples of a call; they last as long as the process, and a process that was forked has its own.

>>> share(lambda part: part * 2, [1, 2, 3])
[2, 4, 6]
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Found = TypeVar("Found")
_pools: list[ThreadPoolExecutor] = []
_lock = threading.Lock()


def share(work: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """What the work finds for each part: the first one here, the others in threads of their own.

    An exception, Ctrl-C among them, leaves this at once; what others compute then is lost, and the next call finds them ready.
    """
    others = [_pool(len(parts)).submit(work, part) for part in parts[1:]]
    return [work(parts[0]), *(other.result() for other in others)]


def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads are started when they are needed, up to as many as were ever asked for."""
    with _lock:
        if not _pools or _pools[-1]._max_workers < threads:
            _pools.append(ThreadPoolExecutor(threads, thread_name_prefix="deepalgo"))
        return _pools[-1]


def _after_fork() -> None:
    """The threads of the parent are not here, and its lock may be held by one of them."""
    global _lock  # noqa: PLW0603  # nothing else runs yet
    _lock = threading.Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
