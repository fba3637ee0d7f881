"""Arrays that a mask on data has shortened are arrays of their own: all names see what is written, in branches and loops too."""

import numpy as np
import pytest

import deepalgo as da


def two_names(v):
    a = v[v > 1.0]
    b = a
    b += 1
    return a.sum() + b.sum()


def in_a_call(v):
    a = v[v > 1.0]

    def less(q):
        q -= 1

    less(a)
    return a.sum()


def seen_by_others(v):
    a = v[v > 1.0]
    b, c, d = np.asarray(a), a.T, np.ravel(a)
    a += 1
    return b.sum() + c.sum() * 10 + d.sum() * 100


def copies(v):
    a = v[v > 1.0]
    b, c, d = a.copy(), np.copy(a), np.array(a)
    b -= 5
    c += 2
    d *= 3
    return a.sum() + 10 * b.sum() + 100 * c.sum() + 1000 * d.sum()


def in_a_list(v):
    a = v[v > 1.0]
    held = [a]
    held[0] += 1
    return a.sum()


def stored_by_a_mask(v):
    a = v[v > 1.0]
    a[a > 2.0] = -1
    return a.sum()


def signs(v):
    def sign(x):
        found = np.ones_like(x)
        found[x < 0] = -1
        return found

    m = np.abs(v) > 1.0
    out = np.zeros(4)
    out[m] = sign(v[m]) * 7.0
    return out


def two_ways(v):
    kept = v[v > 0.2]
    w = np.full_like(kept, np.nan)
    small = kept <= 2.0
    w[~small] = np.log(kept[~small])
    if np.any(small):
        z = kept[small]
        w[small] = z * z
    return w.sum()


def by_branch(v):
    a = v[v > 1.0] if v[0] > 0 else v[v < 0.5]
    return a.sum()


def one_mask_two_ways(v):
    m = v > 1.0
    out = np.zeros(4)
    a = v[m] * 2 if v[0] > 0 else v[m] * 3
    out[m] = a
    return out


def written_in_a_branch(v):
    a = v[v > 1.0]
    if v[0] > 0:
        a += 1
    return a.sum()


def written_in_a_loop(v):
    a = v[v > 1.0]
    for _ in range(3):
        a = a * 1.5 - a.sum()
        a += 1
    return a.sum()


def until_large(v):
    a = v[v > 1.0]
    rounds = 0
    while a.sum() < 30.0 and rounds < 20:
        a = a * 1.5 + 1
        rounds += 1
    return a.sum()


FUNCTIONS = [
    two_names, in_a_call, seen_by_others, copies, in_a_list, stored_by_a_mask, signs, two_ways, by_branch, one_mask_two_ways,
    written_in_a_branch, written_in_a_loop, until_large,
]
SAMPLES = [[0.5, 1.5, 2.5, -3.0], [-0.5, -1.5, -2.5, 3.0], [5.0, 1.1, 0.3, 2.0], [0.1, 0.2, 0.3, 0.4]]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda item: item.__name__)
def test_writes_are_seen_as_in_numpy(function):
    network = da.compile(function, example=((np.array(SAMPLES[0]),), {}))
    for sample in SAMPLES:
        expected = function(np.array(sample))
        assert network(np.array(sample)).detach().numpy() == pytest.approx(expected, rel=1e-15)


def test_a_write_behind_a_view_is_refused():
    def behind(v):
        rows = v.reshape(2, 2)[v[:2] > 0.0]
        column = rows[:, 0]
        rows += 1
        return column.sum()

    with pytest.raises(da.CompileError):
        da.compile(behind, example=((np.array(SAMPLES[0]),), {}))
