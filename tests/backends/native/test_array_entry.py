"""Arrays that lie as native code has them are handed over as they are; others give the same numbers the long way."""

import numpy as np
import pytest

from deepalgo.backends.native import compile_kernel, width
from deepalgo.backends.native.array_entry import REFUSED, is_known
from deepalgo.backends.native.kernel import BLOCK, FAILED, Work
from deepalgo.ir import parse

ROOT = """
root(x: real, k: int, row: real[20])
  weight w = 2.0
  %w = weight w
  %zero = const 0.0
  %ok = ge %x %zero
  check %ok else ValueError('math domain error')
  %r = sqrt %x
  %s = mul %r %k
  %t = add %s %w
  %last = take %row key=(19,)
  %u = add %t %last
  return %u, %row, %s
"""


def samples(count):
    rng = np.random.default_rng(count)
    return [rng.uniform(0.0, 9.0, count), rng.integers(-5, 5, count), rng.normal(size=(count, 20))]


@pytest.fixture(scope="module")
def kernel():
    return compile_kernel(parse(ROOT), [2])


def direct(kernel, count, inputs, weights=np.array([2.0])):
    codes, total = np.zeros(count, np.int32), np.empty(kernel.sums)
    results = [np.empty((count, *shape), dtype) for shape, dtype in kernel.shapes]
    return kernel._directly(Work(inputs, weights, results, codes, 10, {}), count, total), results, total


@pytest.mark.parametrize("count", [0, 1, 33, BLOCK + 5, 3 * BLOCK])
def test_both_ways_give_the_same_bits(kernel, count):
    assert is_known()
    inputs = samples(count)
    state, results, total = direct(kernel, count, inputs)
    shared = kernel.run(inputs, np.array([2.0]), threads=3)
    assert state == 0 and not shared.failed
    assert [array.tobytes() for array in (*results, total)] == [array.tobytes() for array in (*shared.results, *shared.sums)]


@pytest.mark.parametrize("change", [
    lambda x, k, row: (x.astype(np.float32), k, row), lambda x, k, row: (np.repeat(x, 2)[::2], k, row), lambda x, k, row: (x[:-1], k, row),
    lambda x, k, row: (x, k.astype(np.int32), row), lambda x, k, row: (x, k, row[:, :19]), lambda x, k, row: (x, k, np.asfortranarray(row)),
    lambda x, k, row: (x.tolist(), k, row), lambda x, k, row: (x.reshape(-1, 1), k, row), lambda x, k, row: (x.view(">f8"), k, row),
])
def test_what_does_not_lie_so_is_refused(kernel, change):
    assert direct(kernel, 40, list(change(*samples(40))))[0] == REFUSED


def test_a_failed_sample_is_told(kernel):
    inputs = samples(100)
    inputs[0][70] = -1.0
    assert direct(kernel, 100, inputs)[0] == FAILED
    outcome = kernel.run(inputs, np.array([2.0]))
    assert outcome.failed and outcome.codes.nonzero()[0].tolist() == [70]


def test_the_number_of_lanes_changes_no_answer(monkeypatch):
    inputs, found = samples(3 * BLOCK + 7), []
    for lanes in (8, 16, 32):
        monkeypatch.setattr(width, "LENGTHS", ((10**6, lanes),))
        kernel = compile_kernel(parse(ROOT), [2])
        assert kernel.lanes == lanes
        outcome = kernel.run(inputs, np.array([2.0]))
        found.append([array.tobytes() for array in outcome.results])
        assert outcome.sums[0] == pytest.approx(np.sqrt(inputs[0]) @ inputs[1], rel=1e-12)
    assert found[0] == found[1] == found[2]
