"""Globals that a function writes and sets back, and iterators of the user that give names."""

import pytest

import deepalgo as da
from deepalgo.errors import CompileError

MODE = "fast"
GAIN = 2.0


class Mode:
    def __init__(self, mode):
        self.mode, self.before = mode, MODE

    def __enter__(self):
        set_mode(self.mode)
        return self

    def __exit__(self, *_):
        set_mode(self.before)


class Methods:
    def __init__(self, **methods):
        self.methods = methods

    def __iter__(self):
        yield from self.methods

    def lower(self):
        for name in self.methods:
            yield name.lower()


METHODS = Methods(Fast=1, Slow=2)


def set_mode(mode):
    global MODE
    MODE = mode


def scale(x):
    return GAIN * x if MODE == "fast" else 3.0 * x


def inside_with(x):
    with Mode("slow"):
        y = scale(x)
    return y + 10.0 * scale(x)


def weight_for_a_while(x):
    global GAIN
    before = GAIN
    GAIN = x
    y = scale(2.0)
    GAIN = before
    return y + scale(1.0)


def in_one_arm(x):
    if x > 1.0:
        with Mode("slow"):
            return scale(x)
    return scale(x) + len(tuple(METHODS)) + ("slow" in METHODS.lower())


@pytest.mark.parametrize("function", [inside_with, weight_for_a_while, in_one_arm])
def test_answers_are_those_of_python(function):
    assert da.compile(function).verify([0.5, 1.0, 2.5]).compared == 3
    assert (MODE, GAIN) == ("fast", 2.0)


def test_a_trace_is_refused():
    def for_good(x):
        set_mode("slow")
        return scale(x)

    def sometimes(x):
        global GAIN
        if x > 0:
            GAIN = 3.0
        return GAIN * x

    for function, name in ((for_good, "MODE"), (sometimes, "GAIN")):
        with pytest.raises(CompileError, match=f"this writes to the global variable `{name}`"):
            da.compile(function)
    assert (MODE, GAIN) == ("fast", 2.0)
