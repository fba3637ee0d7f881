"""What changes no answer is left out with a note; objects of the user's are given back as they were."""

import logging
from dataclasses import dataclass, field

import numpy as np
import pytest

import deepalgo as da
from tests.support.like_python import assert_like_python, refusal

LOGGER = logging.getLogger(__name__)


def chatty(x):
    print("x is", x)
    LOGGER.info("%s", x)
    logging.debug("here")
    return 2.0 * x


def test_prints_and_logs_are_left_out_with_a_note():
    network = da.compile(chatty)
    assert network(3.0).item() == 6.0
    texts = [note.partition(": ")[2] for note in network.notes]
    assert texts == ["what is printed here is left out", "the message logged here is left out", "the message logged here is left out"]


class Settings:
    def __init__(self):
        self.mode, self.gain = "fast", 2.0


SETTINGS = Settings()


def set_for_a_while(x):
    before = SETTINGS.gain
    SETTINGS.gain = x
    result = SETTINGS.gain * 3.0
    SETTINGS.gain = before
    return result + SETTINGS.gain


def set_in_an_arm(x):
    before = SETTINGS.gain
    if x > 0.0:
        SETTINGS.gain = x
    result = SETTINGS.gain
    SETTINGS.gain = before
    return result


def left_changed(x):
    SETTINGS.gain = x
    return SETTINGS.gain


@pytest.mark.parametrize("function", [set_for_a_while, set_in_an_arm], ids=lambda function: function.__name__)
def test_an_object_may_be_written_to_if_it_is_set_back(function):
    assert_like_python(function)
    assert vars(SETTINGS) == {"mode": "fast", "gain": 2.0}


def test_an_object_that_is_left_changed_is_refused_and_given_back():
    assert refusal(left_changed) == "this writes to an object that lives outside of the function"
    assert vars(SETTINGS) == {"mode": "fast", "gain": 2.0}


def named_number(x):
    try:
        x.name = "x"
    except AttributeError:
        return x * 2.0
    return x


def named_array(x):
    values = np.array([x, 1.0])
    try:
        values.name = "values"
    except AttributeError as error:
        return values.sum() + len(str(error))
    return x


@pytest.mark.parametrize("function", [named_number, named_array], ids=lambda function: function.__name__)
def test_numbers_and_arrays_take_no_attributes(function):
    assert_like_python(function)


@dataclass(order=True)
class Bid:
    price: float
    amount: float
    label: str = field(default="", compare=False)


def equal_bids(x, y):
    return 1.0 if Bid(x, 1.0, "a") == Bid(y, 1.0, "b") else 0.0


def larger_bid(x, y):
    return max(Bid(x, y), Bid(y, x)).price


def other_bids(x, y):
    return 1.0 if Bid(x, 1.0) != Bid(1.0, y) else 2.0


def equal_dicts(x, y):
    return 1.0 if {"a": x, "b": 2.0} == {"b": 2.0, "a": y} else 0.0


@pytest.mark.parametrize("function", [equal_bids, other_bids, equal_dicts, larger_bid], ids=lambda function: function.__name__)
def test_dataclasses_and_dicts_compare_by_their_contents(function):
    assert_like_python(function, edges=(0.0, -0.0, 1.0, 2.0, float("inf")))
