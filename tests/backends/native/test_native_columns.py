"""Native code reads and writes arrays of samples where they lie, or block by block: the numbers are the same either way."""

import tracemalloc

import numpy as np
import pytest

from deepalgo.backends.native import compile_kernel
from deepalgo.backends.native.kernel import BLOCK
from deepalgo.ir import parse

POINTS = """
f(p: real[3], k: int, on: bool, x: real)
  %first = take %p key=(0,)
  %last = take %p key=(2,)
  %s = mul %first %k
  %t = add %s %last
  %u = select %on %t %x
  %both = stack %u %first
  return %both, %k, %u
"""


def expected(points, k, on, x):
    u = np.where(on, points[:, 0] * k + points[:, 2], x)
    return [np.stack([u, points[:, 0]], axis=1), k, u]


def samples(count):
    rng = np.random.default_rng(count)
    return rng.normal(size=(count, 3)), rng.integers(-5, 5, count), rng.random(count) < 0.5, rng.normal(size=count)


@pytest.fixture(scope="module")
def kernel():
    return compile_kernel(parse(POINTS), [2])


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 31, 32, 33, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 32, 3 * BLOCK + 5])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_number_of_samples_is_computed_whole(kernel, count, threads):
    given = samples(count)
    outcome = kernel.run(given, np.zeros(0), threads=threads)
    wanted = expected(*given)
    for ours, theirs in zip(outcome.results, wanted[:2], strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
    assert outcome.sums[0] == pytest.approx(wanted[2].sum(), rel=1e-12, abs=1e-12)
    assert outcome.codes.shape == (count,)


@pytest.mark.parametrize("count", [5, BLOCK + 11])
def test_arrays_may_lie_in_memory_in_any_way(kernel, count):
    points, k, on, x = samples(count)
    straight = kernel.run([points, k, on, x], np.zeros(0))
    ways = [np.asfortranarray(points), np.repeat(points, 2, axis=0)[::2], points[::-1].copy()[::-1]]
    for other in ways:
        found = kernel.run([other, k.astype(np.int32), np.repeat(on, 3)[::3], np.repeat(x, 2)[::2]], np.zeros(0))
        pairs = zip((*found.results, *found.sums), (*straight.results, *straight.sums), strict=True)
        assert all(ours.tobytes() == theirs.tobytes() for ours, theirs in pairs)
    wide = kernel.run([points, k, on, np.broadcast_to(x[:1], (count,))], np.zeros(0))
    assert wide.results[0].tolist() == expected(points, k, on, np.full(count, x[0]))[0].tolist()


def test_a_call_needs_memory_for_its_results_and_little_else():
    kernel = compile_kernel(parse("f(x: real)\n  %y = mul %x %x\n  return %y"))
    xs = np.linspace(0.0, 1.0, 1_000_001)
    kernel.run([xs[:100]], np.zeros(0))
    tracemalloc.start()
    try:
        found = kernel.run([xs], np.zeros(0))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.results[0].tolist() == (xs * xs).tolist()
    assert most < found.results[0].nbytes + 4 * len(xs) + 500_000  # the numbers of failed checks take four bytes each
