"""`style="numpy"`: one call for a whole batch, NaN where the heuristic raises."""

import copy

import numpy as np
import pytest
import torch

import deepalgo as da
from tests.support.cases import BY_NAME, network
from tests.support.oracle import leaves
from tests.support.source_check import close, live_arguments, load, outcome, shake


def answers(function, case, rows):
    """The columns that a function of a batch returns."""
    args, kwargs = case.arrange(*map(np.array, zip(*rows)))
    with torch.no_grad():
        return [np.broadcast_to(np.asarray(leaf, dtype=float), len(rows)) for leaf in leaves(function(args, kwargs))]


def differing(net, case, rows):
    """The places where network and source differ; integers of failed samples are the network's own business."""
    function = load(da.source(net, style="numpy"), net.program.name if net.program.name.isidentifier() else "function")
    ours = answers(lambda args, kwargs: net(*args, **kwargs), case, rows)

    def theirs(args, kwargs):
        args, kwargs = live_arguments(net, args, kwargs)
        return function(*args, **kwargs)

    pairs = zip(ours, answers(theirs, case, rows), strict=True)
    failed = [isinstance(outcome(raising(case), *case.arrange(*row)), str) for row in rows]
    return [(row, a, b) for first, second in pairs for row, bad, a, b in zip(rows, failed, first, second)
            if not (np.isnan(b) if bad else close(a, b, 1e-10))]


def raising(case):
    return network(case.id, errors="raise")


@pytest.mark.parametrize("name", BY_NAME)
def test_the_source_for_a_batch_answers_as_the_network_does(name):
    case = BY_NAME[name]
    net = copy.deepcopy(network(name))
    rows = case.rows(12)
    assert differing(net, case, rows) == []


@pytest.mark.parametrize("name", ["haaland", "colebrook", "barometric", "wet_bulb", "kepler", "pid_step", "newton_with_line_search"])
def test_the_source_for_a_batch_has_the_weights_of_the_network(name):
    case = BY_NAME[name]
    assert differing(shake(copy.deepcopy(network(name)), 2), case, case.rows(12)) == []


def test_the_check_finds_a_wrong_answer():
    case = BY_NAME["haaland"]
    net = copy.deepcopy(network("haaland"))
    text = da.source(net, style="numpy").replace("1.11", "1.1100001")
    rows = case.rows(4)
    wrong = answers(lambda args, kwargs: load(text)(*args, **kwargs), case, rows)
    right = answers(lambda args, kwargs: net(*args, **kwargs), case, rows)
    assert not all(close(a, b, 1e-10) for first, second in zip(wrong, right) for a, b in zip(first, second))


def test_a_program_of_arrays_has_no_form_for_a_batch():
    def norm(x):
        return np.sum(x * x)

    net = da.compile(norm, example=((np.ones(3),), {}))
    with pytest.raises(da.InputError, match="norm works on arrays and has no form for a whole batch"):
        da.source(net, style="numpy")


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match="style must be 'python', 'numpy' or 'numbers', not 'c'"):
        da.source(network("haaland"), style="c")
