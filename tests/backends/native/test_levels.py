"""Values that are the same for all samples become one value a lane where samples run different numbers of rounds."""

import numpy as np

import deepalgo as da
from deepalgo.backends.native import engine_of


def grows(x, w=2.0):
    rounds, total = 0.0, 0.0
    while rounds < x:
        inner = 0.0
        for _ in range(3):
            inner = inner + total
        total = (total * w + inner) + 1.0
        rounds = rounds + 1.0
    return total


def test_a_loop_in_a_loop_of_the_samples_own_rounds_carries_a_number_for_each():
    program = da.compile(grows).program
    engine, xs = engine_of(program), np.array([0.5, 3.0, 2.0, 7.5, 0.0])
    weights = np.concatenate([np.ravel(np.array(weight.value, float)) for weight in program.weights])
    assert engine.forward([xs], weights).results[0].tolist() == [grows(x) for x in xs]
    assert engine.reason_against(gradient=True) == ""
    names = [weight.key for weight in program.weights]
    step = 1e-6
    by_w = engine.gradient([xs], weights, [np.ones(5)]).weights[names.index("w")]
    np.testing.assert_allclose(by_w, sum((grows(x, 2.0 + step) - grows(x, 2.0 - step)) / (2 * step) for x in xs), rtol=1e-8)
