"""Minimal programs that the fuzzer once found a compiler wrong on, each under the claim it broke."""

from __future__ import annotations

import math

import numpy as np
import pytest

import deepalgo as da
from tests.fuzz.compare import check
from tests.fuzz.oracle import Oracle
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
    "a name that no round has bound is undefined after loops in loops": ("""
import math

def f(x):
    for bound in [0.5, 1.0]:
        for _ in (1, 2, 3):
            if x < 1.0:
                break
        else:
            found = 0.75 * x
        if math.isclose(1.0, found, rel_tol=0.5):
            return found + bound
    return 2.0 * found
""", ({"x": 1.4}, {"x": 0.5}, {"x": 3.25})),
    "a table is interpolated in an arm that no sample reaches": ("""
import numpy as np

def f(x):
    if x > 0.0:
        raise ValueError
    return 1.0 if x > -9.0 else np.interp(x, [0.0, 0.5, 1.0], [0.5, 0.25 * x, 0.5])
""", ({"x": 1.4}, {"x": 0.5})),
    "a counter that starts below its bound meets a question that may fail": ("""
import math

def f(x):
    n = 0
    while n < 5 and math.log(x):
        n += 1
    return n + x
""", ({"x": 1.4}, {"x": -0.5}, {"x": 2.25})),
    "a loop that carries nothing ends before its first round": ("""
def is_inside(x):
    return x != 0.0 and round(0.25 * x) == 1

def f(x):
    while is_inside(x):
        pass
    return 1.5 * x
""", ({"x": 0.5}, {"x": 0.25})),
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

def test_a_sample_on_which_pythons_number_raises_and_numpys_does_not_is_named():
    def f(x, p):
        return 1.0 / min(1.0, p[0])

    network = da.compile(f, example=((0.5, np.ones(2)), {}))
    assert network(0.5, np.array([0.25, 1.0])).item() == 4.0
    with pytest.raises(da.HeuristicError) as caught:
        network(0.5, np.zeros(2))
    assert caught.value.error == "PythonOrNumPy"
    assert str(caught.value).splitlines()[-4].endswith(
        "Python raises ZeroDivisionError here and NumPy does not, and data decides whose number this is"
    )
    assert str(caught.value).splitlines()[-1] == (
        "Sample 0 (1 of 1). Convert it first, with float or np.float64, leave them out, or compile with errors='nan' to get NaN for them."
    )


ROWS = tuple({"x": x, "p": np.array([[0.25, 0.5, x], [1.0, -2.0, 3.0]])} for x in (0.5, 1.25, 0.1))

ARRAYS = {
    "a number looked up in an arm that all samples compute": """
import numpy as np

def f(x, p):
    turns = round(x)
    try:
        share = (1.0 if turns else 2.0 if np.any(p) else 3.0) / max(min(-turns, 1.0), 1.0)
    except ZeroDivisionError:
        share = 4.0
    return x * np.array([share, 1.0])
""",
    "an error of several lines that is raised again": """
import math

def f(x, p):
    try:
        y = math.asin(3.0 * x)
        y = math.log(0.3 - x) + y
    except ValueError:
        if p[0, 0] < 100.0:
            raise
        y = 0.0
    return y
""",
    "a product with an infinite quotient that is not chosen": """
import numpy as np

def f(x, p):
    y = np.float64(x) - x
    return min(1.0, y * (1.0 / y)), max(1.0, np.interp(2.0, [0.5, 1.0, 2.5], [1.0, -2.0, 1.0]) / (y * 0.0))
""",
    "questions about one error in several arms": """
import math

import numpy as np

def f(x, p):
    p[0] = max(float(np.maximum(min(p[1, int(x)], 1.0), math.log1p(x) if x else 1.0)), 1.0)
    if not x:
        y = 1 / math.log10(x)
    else:
        y = np.sum([1.0 / p[0, 1], 1.0, 1.0])
    return p
""",
    "another name for a list in a loop that changes the list": """
def f(x, p):
    items = [1.0, 2.0]
    for _ in range(3):
        same = items
        same[0] = p[0, 0] * x
    return items[0] + same[1]
""",
    "another name for a list in an arm that changes the list": """
def f(x, p):
    items = [p[0, 0], p[0, 1]]
    if x > 0.0:
        same = items
        same[0] = 1.0
    return items[0] + items[1]
""",
    "an array behind a check that every sample fails": """
def f(x, p):
    if x < 100.0:
        raise ValueError
    return p
""",
    "an error that is raised again": """
import math

def f(x, p):
    try:
        y = math.asin(3.0 * x)
    except Exception:
        raise
    return y
""",
    "an error that is raised again under a condition": """
import math

def f(x, p):
    try:
        y = math.asin(math.log(x + 1.0))
    except ValueError:
        if p[0, 0] < 100.0:
            raise
        y = 0.0
    return y
""",
    "a remainder of infinity that is not chosen": """
import numpy as np

def f(x, p):
    return min(1.0, np.float64(x) / 0.0 % 1.5)
""",
    "truth values of NumPy are added and multiplied as NumPy does": """
def f(x, p):
    both = (p[0] < 1.0) + (p[0] < x)
    return both, (0.0 < p[0, 0] < 1.0) + (p[1, 0] > 0.0), (p[0, 2] > 0.3) * True, bool(p[0, 0] > 0.0) + True
""",
    "a store at positions of which data chooses some": """
def f(x, p):
    i, j = int(x + 0.6), int(2 * x)
    p[i, j] = 7.0 * x
    p[0, j] += 2.0
    p[:, j] = p[:, j] - x
    p[i, 1:] = [x, 2 * x]
    p[..., i] *= 2.0
    return p
""",
    "a row that data chooses is a view": """
def f(x, p):
    row = p[int(x + 0.6)]
    row[0] = 9.0 * x
    p[0, 1] = x
    return row, p.sum()
""",
    "an array keeps its identity where only one arm gives it a second name": """
def f(x, p):
    if x > 0.3:
        same = p
    p[1, 2] = 1.0 + x
    return p.sum()
""",
    "an array keeps its identity from round to round": """
def f(x, p):
    last = None
    while x < 2.0:
        x += 0.6
        last = p
        p[0, 1] += x
    if last is not None:
        last[1, 1] = x
    return p.sum()
""",
    "what a round leaves is no alias of what it started with": """
def f(x, p):
    y = p[0] * 0.0
    while x < 3.0:
        before = y
        y = y + x
        y[0] = x
        x += 0.7
        p[0, 0] += before[1]
    y[1] = 2.0
    return y.sum() + p.sum()
""",
    "a quotient that is infinite and not chosen has no gradient of its own": """
import numpy as np

def f(x, p):
    ratio = p[1, 0] / (p[0, 0] - 0.25)
    return min(ratio, 1.5) + np.tanh(ratio) + x
""",
    "an infinite product that one choice keeps and the next drops has no gradient": """
import numpy as np

def f(x, p):
    score = np.full(3, x) @ (1.0 / (p[0] - p[0, 0]))
    best = 0.0
    for candidate in (score, x):
        if candidate > 0.2:
            best = candidate
    return best
""",
    "an infinite product of an arm that raises for some has no gradient where it is dropped": """
import math
import numpy as np

def f(x, p):
    score = 1.0 if x < 0.2 else np.full(3, x) @ (1.0 / (p[0] - p[0, 0])) + math.sqrt(x)
    best = 0.0
    for candidate in (score + 1.0, x):
        if candidate > 0.2:
            best = candidate
    return best
""",
    "a loop over an array or a list sees what its rounds wrote": """
def f(x, p):
    items = [x, 2.0, 3.0]
    total = 0.0
    for k, v in enumerate(p[0]):
        p[0, (k + 1) % 3] = v + x
        total += v
    for v, w in zip(items, reversed(items)):
        items[1] = v + x
        total += v * w
    for v in p[1]:
        p[1, int(2.0 * x)] = 0.5
        total += v
    return total, items[1]
""",
    "the complex root of zero has a finite gradient": """
import cmath

def f(x, p):
    return cmath.sqrt(p[0, 0] - 0.25).imag + cmath.sqrt(complex(x, p[1, 1])).real
""",
    "a namedtuple is copied with a change": """
import collections
Pair = collections.namedtuple("Pair", ["low", "high"])

def f(x, p):
    pair = Pair(x, p[0, 0])
    if x > 0.3:
        pair = pair._replace(high=2.0 * x)
    return pair.low - pair.high
""",
    "an object that one arm made can be changed": """
class Body:
    def __init__(self, v):
        self.v = v

    def step(self):
        self.v = 1.5 * self.v

def f(x, p):
    if x > 0.3:
        body = Body(x)
    if x > 0.3:
        body.step()
        return body.v
    return x
""",
}

REFUSED = {
    "a view that each arm takes of other rows": ("""
def f(x, p):
    if x > 0.3:
        row = p[0]
    else:
        row = p[1]
    row[0] = 5.0
    return p.sum()
""", "this writes into an array that is one of several, depending on data"),
    "an array of which such a view exists": ("""
def f(x, p):
    row = p[0] if x > 0.3 else p[1]
    p[:] = 0.0
    return row.sum()
""", "this writes into an array that is one of several, depending on data"),
    "a sum of truth values that are Python's or NumPy's": ("""
def f(x, p):
    return (p[0, 0] < x and x < 1.0) + (x > 0.0)
""", "truth values are added, and whether they are NumPy's, where True + True is True, depends on data"),
    "a loop that makes its own list longer": ("""
def f(x, p):
    items = [x, 2.0]
    for v in items:
        if len(items) < 4:
            items.append(v)
    return sum(items)
""", "this loop changes the length of the list that it runs over"),
    "the type of the larger one of an int and a float": ("""
def f(x, p):
    return 1.0 if isinstance(max(1, x), int) else 0.5
""", "whether this number is an int or a float depends on data"),
}


@pytest.mark.parametrize("claim", ARRAYS)
def test_a_program_with_arrays_that_once_failed_answers_as_python_does(claim):
    verdict = check(Program(0, ARRAYS[claim], "f", ROWS, {}))
    assert (verdict.word, verdict.reason) == ("ok", ""), verdict.detail


@pytest.mark.parametrize("claim", REFUSED)
def test_what_was_once_answered_wrongly_is_refused(claim):
    source, reason = REFUSED[claim]
    verdict = check(Program(0, source, "f", ROWS, {}))
    assert (verdict.word, verdict.reason) == ("refused", reason), verdict.detail


@pytest.mark.parametrize("claim", FOUND)
def test_a_program_that_once_failed_answers_as_python_does(claim):
    source, samples = FOUND[claim]
    verdict = check(Program(0, source, "f", samples, {}))
    assert (verdict.word, verdict.reason) == ("ok", ""), verdict.detail


def test_a_bare_raise_names_itself_where_the_error_may_come_from_several_lines():
    def logarithm(x):
        return math.log(0.3 - x)

    def f(x):
        try:
            y = math.asin(3.0 * x) + logarithm(x)
        except ValueError:
            if x < 100.0:
                raise
            y = 0.0
        return y

    with pytest.raises(da.HeuristicError) as caught:
        da.compile(f)(1.0)
    assert caught.value.error == "ValueError" and caught.value.span.lines[0].strip() == "raise"


def test_chaos_is_told_from_a_wrong_answer():
    chaotic = """
import math

def f(x):
    for _ in range(30):
        x = 34.0 * math.sin(x) if x < 30.0 else 33.0 * math.sin(x)
    return x
"""
    assert Oracle(Program(0, chaotic, "f", ({"x": 0.7},), {})).is_chaotic(0)
    assert not Oracle(Program(0, chaotic.replace("30)", "2)"), "f", ({"x": 0.7},), {})).is_chaotic(0)
