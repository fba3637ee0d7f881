"""The source of a network answers as the network does, with the heuristic's weights and with others."""

import copy

import pytest

import deepalgo as da
from tests.support.cases import BY_NAME, network
from tests.support.source_check import agree, differences, load, outcome, shake


@pytest.mark.parametrize("name", BY_NAME)
def test_the_source_of_a_heuristic_answers_as_its_network_does_and_needs_no_torch(name):
    case = BY_NAME[name]
    calls = [case.arrange(*row) for row in case.rows(12)]
    net = copy.deepcopy(network(name, errors="raise"))
    assert differences(net, calls) == []
    assert differences(shake(net, 1), calls) == []
    words = da.source(net).replace("Made by deepalgo", "")
    assert "torch" not in words and "deepalgo" not in words


def test_the_check_finds_a_wrong_constant_and_a_lost_error():
    case = BY_NAME["dew_point"]
    net = network("dew_point", errors="raise")
    text = da.source(net)
    wrong, careless = load(text.replace("17.62 -", "17.6200001 -")), load(text.replace("if humidity <= 0:", "if False:"))
    calls = [case.arrange(*row) for row in case.rows(4)]
    assert not all(agree(outcome(net, *call), outcome(wrong, *call)) for call in calls)
    assert outcome(net, (10.0, 0.0), {}) == "ValueError"
    assert outcome(load(text.replace("raise ValueError", "raise TypeError")), (10.0, 0.0), {}) == "TypeError"
    assert outcome(careless, (10.0, -5.0), {}) == "ValueError"  # Python's own
