"""`da.source(net, style="numbers")`: small arrays written out number by number, with the network's answers, and fit for Numba."""

import numba
import numpy as np
import pytest

import deepalgo as da
from deepalgo.studies.newton.deep import deep_newton
from deepalgo.studies.newton.fast import batched
from deepalgo.studies.newton.tasks import TASKS

RNG = np.random.default_rng(0)
TABLE = np.array([[1.0, 2.0], [3.0, 5.0], [8.0, 13.0]])


def moved(a):
    b = np.concatenate([a.T, a.T[::-1]], axis=0)
    c = np.stack([b[:, 0], np.broadcast_to(b[0, 1], (6,))], axis=1).reshape(3, 4)
    c[1, ::2] = a[0, :2]
    return c @ np.ones(4) + np.transpose(c)[0]


def reduced(a):
    return np.sum(a, axis=0) * np.prod(a) + np.max(a, axis=0) - np.min(a) + np.argmax(a, axis=0)


def decided(a):
    x = a[0]
    if np.all(x > -1.0) and np.any(a[1] > 0.5):
        x = 2.0 * x + a[1]
    for k in range(3):
        x = x * TABLE[np.array([k])][0][0] - TABLE[np.argmin(abs(x))][1]
    while np.sum(x * x) > 1.0:
        x = x / 2.0
    return x


def solved(a):
    A = np.stack([a[0], a[1], a[0] * a[1] + 0.5])
    return np.linalg.solve(A, np.array([1.0, 2.0, 3.0]))


def multiplied(a):
    b = a @ a.T
    return b @ b + (a @ a[0])[:, None] + a[0] @ a[1]


def picked(a):
    k = int(abs(a[0, 0]) * 10) % 3
    places = np.array([k, 2 - k])
    around = np.stack([places, 2 - places])
    return np.concatenate([np.take(a, places).ravel(), np.take(a, places, axis=-1).ravel(), np.take(a, around, axis=-1).ravel(),
                           np.take(a, around).ravel()])


@pytest.mark.parametrize("heuristic", [moved, reduced, decided, solved, multiplied, picked])
def test_numbers_are_those_of_the_network(heuristic):
    A = RNG.standard_normal((40, 2, 3))
    net = da.compile(heuristic, example=((A[0],), {}))
    namespace = {}
    exec(da.source(net, style="numbers"), namespace)
    wanted = net(A).detach().numpy().reshape(40, -1)
    assert np.allclose([namespace[heuristic.__name__](a) for a in A], wanted, rtol=1e-9)
    fast = numba.njit(error_model="numpy")(namespace[heuristic.__name__])
    assert np.allclose([fast(a) for a in A[:5]], wanted[:5], rtol=1e-9)


def test_the_first_of_equals_and_nan_win_as_with_numpy():
    def places(a):
        return np.argmin(a), np.argmax(a), np.min(a)

    A = np.array([[1.0, 1.0, 2.0], [2.0, np.nan, 1.0], [np.nan, 0.0, np.nan], [3.0, 2.0, 2.0]])
    namespace = {}
    exec(da.source(da.compile(places, example=((A[0],), {})), style="numbers"), namespace)
    for a in A:
        assert np.array_equal(namespace["places"](a), places(a), equal_nan=True)


def test_a_matrix_without_an_inverse_raises():
    def unit(a):
        return np.linalg.solve(a, np.array([1.0, 0.0]))

    namespace = {}
    exec(da.source(da.compile(unit, example=((np.eye(2),), {})), style="numbers"), namespace)
    assert namespace["unit"](2 * np.eye(2)) == [0.5, 0.0]
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        namespace["unit"](np.ones((2, 2)))


def test_what_cannot_be_written_is_refused():
    net = da.compile(lambda a: np.sort(a), example=((np.ones(2),), {}))
    with pytest.raises(da.InputError, match="`sort` of arrays cannot be written in single numbers"):
        da.source(net, style="numbers")


@pytest.mark.slow
@pytest.mark.parametrize("history", [False, True])
def test_deep_newton_runs_as_a_compiled_loop(history):
    task = TASKS["2D-poly T3"]
    net = deep_newton(task, history=history)
    S = task.draw(np.random.default_rng(0), 100)
    assert np.allclose(batched(net)(S), net(S).detach().numpy(), rtol=1e-9)
