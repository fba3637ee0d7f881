"""`python -m tests.small [NAME ...]`: how many small functions are right, refused, wrong or crashed, and each that is not right."""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tests.fuzz.campaign import Slow, limit
from tests.small.catalogue import catalogue
from tests.small.compare import WORDS, Verdict, judge

SECONDS, BYTES = 20.0, 2**30


def main() -> int:
    """Print the verdicts; the exit code says whether any function is wrong or crashed."""
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + BYTES, resource.RLIM_INFINITY))
    chosen = {name: function for name, function in catalogue().items() if not sys.argv[1:] or name in sys.argv[1:]}
    count: Counter[str] = Counter()
    start = time.process_time()
    for name, function in chosen.items():
        verdict = _within_limits(function)
        count[verdict.word] += 1
        if verdict.word != "right":
            print(f"{verdict.word} {name}: {verdict.reason}\n    {verdict.detail}", flush=True)
    print(f"{len(chosen)} functions in {time.process_time() - start:.0f} s: " + ", ".join(f"{count[word]} {word}" for word in WORDS))
    return 1 if count["wrong"] + count["crashed"] else 0


def _within_limits(function: Callable[..., Any]) -> Verdict:
    """The verdict, also where compiling does not end or fills the memory."""
    try:
        with limit(SECONDS):
            return judge(function)
    except (Slow, MemoryError) as error:
        return Verdict("crashed", type(error).__name__)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    sys.exit(main())
