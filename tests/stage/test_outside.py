"""The trial of packages that nobody has looked at finds what can be tried, and tells right from refused and wrong."""

import sys

import pytest

import deepalgo as da
from benchmarks import outside

TEXT = """
import math

import numpy as np

def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)

def turned(vector):
    return np.array([vector[1], -vector[0], vector[2]]).reshape(3)

def told(x):
    return 2.0 * x + len(repr(x))

def named(x):
    return "x"

def stuck(x):
    while True:
        pass

def _hidden(x):
    return x
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "heuristics_of_others.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    yield "heuristics_of_others"
    sys.modules.pop("heuristics_of_others", None)


def test_functions_are_found_and_scored(package):
    words = {name: outside.examine((module, name)).word for module, name in outside.functions(package) if name != "stuck"}
    assert words == {"hypotenuse": "right", "turned": "right", "told": "refused", "named": None}


def test_calls_that_take_long_are_no_trial(package, monkeypatch):
    monkeypatch.setattr(outside, "makers", lambda: [lambda rng: rng.random()])
    assert outside.examine((package, "stuck")).word is None


def test_a_wrong_answer_is_told(package, monkeypatch):
    compile = da.compile
    monkeypatch.setattr(outside.da, "compile", lambda function, **options: lambda *inputs: compile(function, **options)(*inputs) * 1.001)
    score = outside.examine((package, "hypotenuse"))
    assert score.word == "wrong" and "instead of" in score.reason
