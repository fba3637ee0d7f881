"""Minimal programs that the fuzzer once found a compiler wrong on, each under the claim it broke."""

from __future__ import annotations

import pytest

from tests.fuzz.compare import check
from tests.fuzz.program import Program

FOUND = {
    "a function of math raises TypeError on None in a dead arm": ("""
import math

def find_root(x):
    if x < 1.0:
        return None
    return 0.5 * x

def f(x):
    answer = find_root(x)
    if answer is None:
        answer = -0.45
    frac, whole = math.frexp(math.atan2(1.0, answer))
    return whole + frac
""", ({"x": 1.4}, {"x": 0.5}, {"x": 2.25})),
    "a function of math raises TypeError on None": ("""
import math

def f(x):
    found = None if x < 0.0 else x
    return math.atan2(1.5, found)
""", ({"x": 1.4}, {"x": -0.5}, {"x": 2.25})),
    "the number of a round meets a fixed number in double precision": ("""
import math

def f(x):
    total = 0.0
    for n in range(40):
        total += n * math.pi * abs(x) + max(n, math.e)
    return total
""", ({"x": 1.4}, {"x": -0.5}, {"x": 2.25})),
    "a loop carries on after a call that always raises": ("""
def broken(y):
    t = t + y

def f(x):
    hits = 0
    for k in range(4):
        if 1.0 < x:
            part = broken(x)
        hits += 1
    return hits * x
""", ({"x": 0.5}, {"x": 1.5}, {"x": -0.5})),
    "an attribute of a class in a module that is not imported is a weight": ("""
class Model:
    gain = 1.75

    def step(self, x):
        return x * self.gain

model = Model()

def f(x):
    return model.step(x)
""", ({"x": 0.5}, {"x": 1.5}, {"x": -0.5})),
}


@pytest.mark.parametrize("claim", FOUND)
def test_a_program_that_once_failed_answers_as_python_does(claim):
    source, samples = FOUND[claim]
    verdict = check(Program(0, source, "f", samples, {}))
    assert (verdict.word, verdict.reason) == ("ok", ""), verdict.detail
