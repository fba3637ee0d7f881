"""The certificate compares arms and rounds where it knows both, and finds no difference where there is none."""

import importlib.util
import itertools

import numpy as np
import pytest

import deepalgo as da
from tests.support.nested_loops import function

QUARTERS = [number / 4 for number in (-9, -4, -1, 0, 1, 2, 5, 9)]
PAIRS = list(itertools.product(QUARTERS, QUARTERS))[::3]


def counted(x):
    used = 0
    total = 0.0
    for w in [x, x, x, x]:
        for j in range(3):
            if j > used:
                break
            total += w
        if total > 1.0:
            used += 1
    return total


def test_rounds_of_an_inner_loop_that_depend_on_no_data_are_no_difference():
    certificate = da.compile(counted).verify([0.1, 0.4, 2.0], gradients=False)
    assert certificate.paths == 3
    (inner,) = [item for item in certificate.loops if "range(3)" in item.span.lines[0]]
    assert (inner.least, inner.most) == (8, 11)  # as Python counts them: the first outer round depends on no data


def peeled(x):
    total = 0.0
    for w in [x, x]:
        n = 0
        while n < 3 and (n < 1 or total < 4.0):
            n += 1
            total += w
    return total


def test_a_while_that_starts_without_data_is_no_difference():
    certificate = da.compile(peeled).verify([0.1, 1.0, 9.0], gradients=False)
    assert certificate.paths == 3


def needless(x):
    total, last = 0.0, 0.0
    for w in [x, 2.0 * x, 3.0 * x]:
        last = 0.0
        while last < w:
            last += 1.0
        total += w
    return total + last


def test_a_loop_whose_result_no_one_needs_is_no_difference():
    assert da.compile(needless).verify([0.5, 3.0], gradients=False).paths == 2


def load(tmp_path, seeds):
    path = tmp_path / "nested.py"
    path.write_text("".join(function(f"f{seed}", seed) for seed in seeds))
    spec = importlib.util.spec_from_file_location("nested", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{seed}") for seed in seeds]


@pytest.mark.parametrize("start", [pytest.param(start, marks=pytest.mark.slow) for start in range(0, 400, 50)])
def test_loops_in_loops_take_the_ways_of_the_function(tmp_path, start):
    x, y = (list(column) for column in zip(*PAIRS, strict=True))
    for heuristic in load(tmp_path, range(start, start + 50)):
        certificate = da.compile(heuristic).verify(x, y, gradients=False)
        assert certificate.paths == certificate.compared == len(PAIRS) and not certificate.excused and not certificate.near_ties


def reciprocal(x):
    return 1.0 if np.where(x != 0, 1 / x, 0) < 2.0 else 0.0


def smallest(x):
    return 1.0 if np.sort(x)[0] < 2.0 else 0.0


@pytest.mark.parametrize(
    ("heuristic", "example", "samples"), [(reciprocal, np.float64(1.0), [0.5, 0.25]), (smallest, np.ones(2), [[2.0, 3.0]])]
)
def test_what_torch_and_numpy_round_alike_is_no_near_tie(heuristic, example, samples):
    certificate = da.compile(heuristic, example=((example,), {})).verify(np.array(samples), gradients=False)
    assert certificate.near_ties == {}
