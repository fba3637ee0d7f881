"""Source after every transformation: it answers as the grown network does, also with weights that moved, and stays readable."""

import numpy as np
import pytest

import deepalgo as da
from tests.support import heuristics as h
from tests.support.source_check import differences, shake


def fifth_root(s):
    x = 1.0
    for _ in range(3):
        x = x - 1.0 * (x**5 - s) / (5 * x**4)
    return x


def gap(x, s):
    return abs(x**5 - s)


def miss(answer, s):
    return abs(answer**5 - s)


def distance(x, y):
    d = x - y
    return np.sqrt(np.sum(d * d))


NUMBERS = [((1.7,), {}), ((2.9,), {}), ((0.4,), {}), ((31.0,), {})]
VECTORS = [((np.array([1.0, 2.0, 4.0]), np.array([0.3, 1.0, 1.0])), {}), ((np.zeros(3), np.array([0.0, -2.0, 1.0])), {})]
PIPES = [((1000.0, 0.01), {}), ((2300.0, 0.01), {}), ((9000.0, 0.02), {}), ((0.0, 0.02), {})]


def root():
    return da.compile(fifth_root)


def metric():
    return da.compile(distance, example=VECTORS[0])


GROWN = {
    "untie": (lambda: da.untie(root()), NUMBERS),
    "untie a loop that data ends": (lambda: da.untie(da.compile(h.damped_newton), rounds=2), [((3.0, 5.0), {}), ((3.0, 50.0), {})]),
    "untie calls": (lambda: da.untie(da.compile(h.wet_bulb)), [((20.0, 50.0), {}), ((-3.0, 80.0), {})]),
    "remember": (lambda: da.remember(root(), depth=2), NUMBERS),
    "choose": (lambda: da.choose(da.untie(root()), "x", steps=(0.5, 1.0, 1.5), by=gap), NUMBERS),
    "guard": (lambda: da.guard(da.untie(root()), by=miss), NUMBERS),
    "correct": (lambda: da.correct(root(), "x", hidden=3), NUMBERS),
    "soften": (lambda: da.soften(da.compile(h.haaland), np.array([1000.0, 2000.0, 9000.0]), 0.01), PIPES),
    "Diagonal": (lambda: da.widen(metric(), "d", da.Diagonal()), VECTORS),
    "Dense": (lambda: da.widen(metric(), "d", da.Dense()), VECTORS),
    "Toeplitz": (lambda: da.widen(metric(), "d", da.Toeplitz()), VECTORS),
    "LowRank": (lambda: da.widen(metric(), "d", da.LowRank(1)), VECTORS),
    "Product": (lambda: da.widen(metric(), "d", da.Product(da.Toeplitz(3), 2)), VECTORS),
    "Kronecker": (lambda: da.widen(metric(), "d", da.Kronecker(2)), VECTORS),
    "several": (lambda: da.choose(da.remember(da.untie(root()), depth=1), "x", steps=(0.9, 1.1), by=gap), NUMBERS),
}


@pytest.mark.filterwarnings("ignore::deepalgo.tensorize.choose.NewHeuristic")
@pytest.mark.parametrize("name", GROWN)
def test_source_of_a_grown_network_answers_as_the_network_does(name):
    make, calls = GROWN[name]
    net = make()
    assert differences(net, calls) == []
    for seed in range(2):
        assert differences(shake(net, seed, 0.1), calls) == []


def test_weights_of_the_rounds_are_a_table():
    line = fifth_root.__code__.co_firstlineno + 3
    assert da.source(da.untie(root())).replace(f"FACTOR_{line}", "FACTOR") == """\
FACTOR = (1.0, 1.0, 1.0)


def fifth_root(s):
    \"\"\"Made by deepalgo from test_source_tensorize.py.\"\"\"
    x = 1.0
    for i in range(3):
        x -= FACTOR[i] * (x ** 5 - s) / (5 * x ** 4)
    return x"""


def test_a_softened_branch_is_a_branch():
    make, _ = GROWN["soften"]
    assert da.source(make()) == da.source(da.compile(h.haaland))


@pytest.mark.parametrize("style", ["python", "numpy", "numbers"])
def test_a_network_that_blends_has_no_source(style):
    make, calls = GROWN["soften"]
    net = make()
    da.anneal(net, 0.5)
    with pytest.raises(da.InputError, match=r"da.anneal\(net, 0.0\) makes its guards hard"):
        da.source(net, style)
    da.anneal(net, 0.0)
    assert differences(net, calls) == []
