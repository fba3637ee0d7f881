"""Source of real functions answers as their networks do. `python -m tests.backends.source.test_source_corpus` takes all, CI a sample."""

import contextlib
import functools
import io
import sys
from collections import Counter

import numpy as np
import pytest

import deepalgo as da
from benchmarks.corpus import compile_entry, load_corpus
from tests.support.source_check import differences, is_rounding, shake

pytestmark = [pytest.mark.corpus, pytest.mark.filterwarnings("ignore")]  # the packages warn about all sorts of things

#: Every so many functions are tried in CI.
STRIDE = 12
SHARDS = 2
CALLS = 3


#: Functions with answers that differ by no more than the last digit of an input moves them, a line for each such answer.
ROUNDING = []


@functools.lru_cache(maxsize=1)
def entries():
    return load_corpus().entries()


def compare(entry, calls=CALLS):
    """The calls on which network and source differ, with the heuristic's weights and with others; None for a refusal.

    Where the last digit of an input moves the answer as much, nothing can be said, and the call counts as rounding.
    """
    corpus = load_corpus()
    rows = np.array(entry["samples"])[:calls]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            net = compile_entry(corpus.resolve(entry), *corpus.plain_arguments(entry, rows[0]))
        except da.CompileError:
            return None
        made = [corpus.plain_arguments(entry, row) for row in rows]
        found = differences(net, made) or differences(shake(net, 1), made)
    verdicts = [is_rounding(net, *item) for item in found]
    ROUNDING.extend(entry["id"] for verdict in verdicts if verdict)
    return [item for item, verdict in zip(found, verdicts, strict=True) if not verdict]


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_source_of_real_functions_answers_as_their_networks_do(shard):
    found = [(entry["id"], compare(entry)) for entry in entries()[::STRIDE][shard::SHARDS]]
    assert [(name, wrong) for name, wrong in found if wrong] == []
    assert sum(wrong is not None for _, wrong in found) > 10


def main():
    """Try every function, or those whose name contains the argument, and print where source and network differ."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    right = refused = wrong = 0
    for entry in entries():
        if wanted not in entry["id"]:
            continue
        found = compare(entry)
        refused += found is None
        right += found == []
        if found:
            wrong += 1
            print(entry["id"], str(found[0])[:300])
    print(f"{right} right, {wrong} wrong, {refused} refused by compile; differences that are rounding: {dict(Counter(ROUNDING)) or 'none'}")


if __name__ == "__main__":
    main()
