"""Numbers that a mask on data keeps: NumPy's functions count those, in their order, and nothing else."""

import inspect

import numpy as np
import pytest
import torch

import deepalgo as da
from tests.support.oracle import answer

ROWS = [
    [0.5, -1.0, 2.0, 3.5], [-0.5, -1.0, -2.0, -3.5], [1.0, 2.0, 3.0, 4.0], [0.0, 5.0, -0.0, 1.0], [2.0, 2.0, 2.0, -1.0],
    [np.nan, 1.0, 2.0, 7.0],
]


def size_of_kept(v):
    return v[v > 0].size


def length_of_kept(v):
    return len(v[v > 0]) * 1.0


def shape_of_kept(v):
    return v[v > 0].shape[0] + v[v > 0].ndim


def spread_of_kept(v):
    return np.std(v[v > 0]) + 10.0 * np.var(v[v > 0], ddof=1) if len(v[v > 0]) > 1 else 0.0


def spread_by_method(v):
    kept = v[v > 0]
    return kept.std() if kept.size else -1.0


def median_of_kept(v):
    kept = v[v > 0]
    return np.median(kept) if len(kept) else -1.0


def percentile_of_kept(v):
    kept = v[v > 0]
    return np.percentile(kept, 30) + 10.0 * np.quantile(kept, 0.75) if len(kept) else -1.0


def product_of_kept(v):
    return np.dot(v[v > 0], (v * v)[v > 0])


def norm_of_kept(v):
    return np.linalg.norm(v[v > 0] + 1.0)


def first_and_last(v):
    kept = v[v > 0]
    if kept.size == 0:
        return -1.0
    return kept[0] + 10.0 * kept[-1]


def third_of_kept(v):
    return v[v > 0][2]


def kept_twice(v):
    kept = v[v > 0]
    return kept[kept < 3.0].sum()


def loop_over_kept(v):
    total = 0.0
    for item in v[v > 0]:
        total = total * 0.5 + item
    return total


def sum_of_kept_items(v):
    return sum(item * item for item in v[v > 0])


def positions(v):
    places = np.where(v > 0)[0]
    if len(places) > 0:
        return places[0] + 10.0 * places[-1] + 100.0 * len(places)
    return -1.0


def cumulated(v):
    return np.cumsum(v[v > 0]).sum()


def alike(v):
    kept = v[v > 0]
    return (np.zeros_like(kept) + np.asarray(kept)).sum() + np.ones_like(kept).sum()


def chosen_of_kept(v):
    kept = v[v > 0]
    return np.where(kept > 1.5, kept, 0.5).sum() + np.count_nonzero(kept > 1.5)


def rows_by_mask(v):
    table = np.stack([v, v * 2.0, v + 1.0], axis=1)
    mask = v > 0
    table[mask, 0] = np.sqrt(v[mask])
    table[mask, 1:] = table[mask, 1:] / v[mask, np.newaxis]
    return table


def row_by_mask(v):
    table = np.stack([v, v * 2.0], axis=1)
    scaled = table[v > 0] * np.array([1.0, 3.0])
    table[v > 0] = scaled
    return table.sum()


def shapes_of_a_broadcast(v):
    return np.zeros(np.broadcast(v, np.ones((2, 1))).shape) + v


def lengths_of_kept_rows(v):
    table = np.outer(v, [1.0, -2.0, 0.5])
    kept = table[v > 0]
    lengths = np.linalg.norm(kept, axis=-1)
    table[v > 0] = kept / lengths[..., np.newaxis] + lengths[:, None]
    return table


def kept_rows_along_axes(v):
    table = np.outer(v, [1.0, -2.0, 0.5])
    kept = table[v > 0]
    found = np.sum(kept, axis=1) + kept.mean(axis=-1) + kept.max(axis=1) + np.std(kept, axis=1) + np.argmin(kept, axis=1)
    return np.sum(found) + np.sum(np.sum(kept, axis=1, keepdims=True) * kept) + np.median(kept, axis=1).sum() + np.sort(kept)[:, 0].sum()


def columns_of_kept_rows(v):
    table = np.outer(v, [1.0, -2.0, 0.5])
    kept = table[v > 0, :]
    return kept[:, 0].sum() + 10.0 * kept[..., 1:].sum() + kept[:, -1].max() if len(kept) else -1.0


def products_of_kept_rows(v):
    table = np.outer(v, [1.0, -2.0, 0.5])
    kept = table[v > 0]
    turned = np.dot(kept, np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])) @ np.array([1.0, 2.0])
    crossed = np.cross(kept + 1.0, np.where(np.isclose(kept[:, :1], 2.0), np.array([[1.0, 2.0, 0.0]]), [[0.0, 2.0, 1.0]]))
    return np.sum(turned) + crossed.sum()


def row_stored_by_mask(v):
    table = np.zeros((4, 3)) + v[0]
    table[v > 0] = np.array([1.0, 2.0, 3.0])
    return table


def as_many_zeros(v):
    mask = v > 0
    start = np.zeros(v[mask].shape)
    rows = np.ones((np.count_nonzero(mask), 2)) + np.empty(v[mask].size)[:, None] * 0.0
    return np.sum(start + v[mask]) + rows.sum()


def one_row_or_none(v):
    there = np.sum(v) > 0
    table = np.zeros(4)
    if np.any(there):
        part = np.empty(v[there, 1:].shape)
        part = v[there, 1:] / np.abs(v[0])[there, np.newaxis]
        table[1:] = 7.0
        return np.sum(part * np.exp(-v[1])[there][..., np.newaxis])
    return table[1]


def kept_kind(v):
    return 1.0 if v[v > 0].dtype == np.float64 else 2.0


FUNCTIONS = [item for name, item in sorted(globals().items()) if inspect.isfunction(item) and item.__module__ == __name__]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_kept_numbers_answer_as_in_numpy(function):
    network = da.compile(function, example=((np.array(ROWS[0]),), {}), errors="nan")
    for row in ROWS:
        _, failures = network.outcomes([torch.tensor([row], dtype=torch.float64)])
        wanted = answer(function, np.array(row))
        assert failures[0] == wanted.error, (row, failures)
        if wanted.error is not None:
            continue
        expected = np.asarray(function(np.array(row)), dtype=float)
        np.testing.assert_allclose(network(np.array([row])).detach().numpy().reshape(expected.shape), expected, rtol=1e-12)


@pytest.mark.parametrize("function", [spread_of_kept, median_of_kept, percentile_of_kept, first_and_last, rows_by_mask],
                         ids=lambda function: function.__name__)
def test_gradients_of_kept_numbers_are_those_of_differences(function):
    network = da.compile(function, example=((np.array(ROWS[0]),), {}))
    network.verify([np.array(row) for row in ROWS[:3]])


def test_a_slice_of_kept_numbers_is_refused():
    def ends(v):
        return v[v > 0][1:].sum()

    with pytest.raises(da.CompileError, match="how many items this array has depends on data"):
        da.compile(ends, example=((np.array(ROWS[0]),), {}))
