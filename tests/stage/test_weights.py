"""Which numbers of a source are weights, what they are called, where they stand, and why some cannot be trained."""

import importlib.util
import linecache
import sys

import numpy as np
import pytest
import torch

import deepalgo as da


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write modules into a folder of their own and hand back the function `f` of the last one."""
    monkeypatch.syspath_prepend(tmp_path)
    names = []

    def write(text, name="heuristic"):
        path = tmp_path / f"{name}.py"
        path.write_text(text.lstrip("\n"))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return getattr(module, "f", None)

    yield write
    for name in names:
        sys.modules.pop(name, None)


def table(net):
    """The printed table, line by line with single spaces."""
    return [" ".join(line.split()) for line in str(net.weights).splitlines()[1:]]


def keys(net):
    return list(net.weights)


def test_the_table_is_printed_with_names_values_roles_places_and_reasons(load):
    net = da.compile(load('''
import math

GAIN = 2.5
LIMITS = [0.5, 1.5, 4.0]

def f(t, k=0.1):
    x = 1.0
    if t > LIMITS[1]:
        t = LIMITS[2] * t ** 0.75
    while x < t:
        x = x * 1.25 + k
    return GAIN * math.exp(-x) * (t - 3.0) ** 2.0
'''))
    assert str(net.weights) == """\
name    value            role           place            trainable
k       0.1              coefficient    heuristic.py:6   yes
x       1.0              initial value  heuristic.py:7   no: k is declared
LIMITS  [0.5, 1.5, 4.0]  threshold      heuristic.py:4   no: k is declared
c9      0.75             exponent       heuristic.py:9   no: k is declared
c11     1.25             coefficient    heuristic.py:11  no: k is declared
GAIN    2.5              coefficient    heuristic.py:3   no: k is declared
c12     3.0              coefficient    heuristic.py:12  no: k is declared
c12_2   2.0              exponent       heuristic.py:12  no: a whole exponent of a base that may be negative"""


def test_a_literal_is_named_after_its_variable_keyword_or_line(load):
    net = da.compile(load('''
def scale(x, factor):
    return x * factor

def f(x):
    offset = 0.5
    low, high = -1.0, 2.0
    return scale(x + offset, factor=3.0) + low + high - 4.0
'''))
    assert keys(net) == ["offset", "low", "high", "factor", "c7"]
    assert [net.weights[key].item() for key in net.weights] == [0.5, -1.0, 2.0, 3.0, 4.0]


def test_two_literals_in_a_line_have_two_names(load):
    assert keys(da.compile(load("def f(x):\n    return 2.0 * x + 3.0 * x * x + 2.0\n"))) == ["c2", "c2_2", "c2_3"]


def test_a_place_in_the_source_is_one_weight_however_often_it_is_used(load):
    net = da.compile(load('''
def damp(x):
    return 0.9 * x

def f(x):
    for _ in range(3):
        x = damp(x) + damp(x * x)
    return x
'''))
    assert keys(net) == ["c2"]


def test_module_constants_are_weights_under_their_own_names_and_lines(load):
    load("RATE = 0.25\nDEEP = 1.5\n", "settings")
    net = da.compile(load('''
import settings
from settings import RATE

LOCAL: float = 2.0
A, B = 0.5, 0.75

def f(x):
    return RATE * x + settings.DEEP + LOCAL + A * B
'''))
    assert table(net) == [
        "RATE 0.25 coefficient settings.py:1 yes",
        "DEEP 1.5 coefficient settings.py:2 yes",
        "LOCAL 2.0 coefficient heuristic.py:4 yes",
        "A 0.5 coefficient heuristic.py:5 yes",
        "B 0.75 coefficient heuristic.py:5 yes",
    ]


def test_constants_of_mathematics_are_not_weights(load):
    assert (
        keys(da.compile(load("import math\nfrom math import pi\n\ndef f(x):\n    return math.e * x + pi + math.tau + math.inf * 0\n")))
        == []
    )


def test_float_defaults_are_weights_and_given_arguments_are_inputs(load):
    f = load("def f(x, gain=0.5, *, bias=0.25, mode='fast', count=3):\n    return gain * x + bias + count\n")
    assert keys(da.compile(f)) == ["gain", "bias"]
    assert keys(da.compile(f, inputs=("gain",))) == ["bias"]
    assert [item.path for item in da.compile(f, inputs=("gain",)).program.inputs] == ["x", "gain"]
    assert keys(da.compile(f, example=((1.0, 2.0), {"bias": 3.0}))) == []


def test_attributes_of_classes_and_objects_are_weights(load):
    net = da.compile(load('''
from dataclasses import dataclass

class Base:
    offset = 0.125

class Filter(Base):
    gain = 0.25

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, x):
        return min(self.limit, self.gain * x) + Filter.gain + self.offset

@dataclass
class Options:
    slope: float = 2.5

filter = Filter(4.0)

def f(x):
    return filter(x) * Options().slope
'''))
    assert table(net) == [
        "limit 4.0 coefficient no: Options_slope is declared",
        "Filter_gain 0.25 coefficient heuristic.py:7 no: Options_slope is declared",
        "Base_offset 0.125 coefficient heuristic.py:4 no: Options_slope is declared",
        "Options_slope 2.5 coefficient heuristic.py:17 yes",
    ]


def test_what_a_closure_or_a_partial_holds_is_a_weight(load):
    net = da.compile(load('''
import functools

def make(stiffness):
    def inner(x, y):
        return stiffness * x + y
    return inner

f = functools.partial(make(4.0), y=0.5)
'''))
    assert table(net) == ["y 0.5 coefficient yes", "stiffness 4.0 coefficient yes"]


def test_a_table_of_floats_is_one_weight_of_its_shape(load):
    net = da.compile(load('''
GRID = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
MIXED = {"a": 0.7, "b": (1.5, 2.5), "n": 3}

def f(x):
    local = [1.0, 2.0, 3.0]
    return x * GRID[1][0] + sum(local) + MIXED["a"] + MIXED["b"][1] + MIXED["n"]
'''))
    assert {key: tuple(net.weights[key].shape) for key in net.weights} == {"local": (3,), "GRID": (3, 2), "MIXED_a": (), "MIXED_b": (2,)}
    net(2.0).backward()
    assert net.weights["GRID"].grad.tolist() == [[0.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
    assert net.weights["local"].grad.tolist() == [1.0, 1.0, 1.0]
    assert net.weights["MIXED_b"].grad.tolist() == [0.0, 1.0]


def test_whole_numbers_stay_whole_numbers_unless_asked_for(load):
    f = load("def f(x):\n    for i in range(3):\n        x = 2 * x + 1\n    return x ** 2\n")
    assert keys(da.compile(f)) == []
    net = da.compile(f, integers=True)
    assert {key: net.weights[key].item() for key in net.weights} == {"c3": 2.0, "c3_2": 1.0}
    assert net(1.5).item() == f(1.5)


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("def f(x):\n    for _ in range(int(3.0)):\n        x = x * x\n    return x\n", "c2", "bounds a `range`"),
        ("LEVEL = 2.0\ndef f(x):\n    if LEVEL > 1.5:\n        return x\n    return -x\n", "LEVEL", "decides a branch at heuristic.py:3"),
        ("def f(x):\n    return [x, -x][int(1.0)]\n", "c2", "chooses an item at compile time"),
        ("def f(x):\n    return x ** 3.0\n", "c2", "a whole exponent of a base that may be negative"),
    ],
)
def test_a_number_that_a_fixed_decision_needs_is_frozen_with_the_reason(load, text, key, reason):
    net = da.compile(load(text))
    assert {weight.key: weight.frozen for weight in net.program.weights}[key] == reason
    assert str(net.weights).splitlines()[-1].endswith(f"no: {reason}") or f"no: {reason}" in str(net.weights)
    assert key not in dict(net.weights.named_parameters())
    assert not net.requires_grad_(True).weights[key].requires_grad


def test_an_exponent_of_what_is_never_negative_can_be_trained(load):
    net = da.compile(load("import math\n\ndef f(x):\n    return abs(x) ** 2.0 + math.exp(x) ** 3.0\n"))
    assert [weight.frozen for weight in net.program.weights] == ["", ""]
    net(2.0).backward()
    assert all(weight.grad.item() != 0 for weight in net.parameters())


def test_a_number_that_only_a_discarded_draft_decided_on_stays_trainable(load):
    net = da.compile(load('''
def f(x):
    length = 1.0
    while abs(x) > length:
        length /= 2.0
        x = x / 4.0
        if length < 1e-6:
            break
    return x * length
'''))
    assert [weight.frozen for weight in net.program.weights] == ["", "", "", ""]


def test_a_mark_names_a_weight_and_does_nothing_in_plain_python(load):
    f = load('''
import math

import numpy as np

import deepalgo as da
from deepalgo import weight

def f(x):
    a = da.weight(0.5, "alpha") * x + weight(-2.0, "beta")
    t = da.weight([0.1, 0.2, 0.3], "table")
    third = da.weight(1 / 3, "third")
    pair = da.weight(np.array([1.5, 2.5]), "pair")
    bias = da.weight(np.zeros(2), "bias")
    return a + t[1] + da.weight(3, "three") + third + pair[0] + bias[1] + da.weight(x, "nothing")
''')
    net = da.compile(f)
    assert {key: tuple(net.weights[key].shape) for key in net.weights} == {
        "alpha": (), "beta": (), "table": (3,), "third": (), "pair": (2,), "bias": (2,), "three": ()}
    assert net(1.25).item() == pytest.approx(f(1.25), rel=1e-15)
    assert all(weight.requires_grad for weight in net.parameters())


@pytest.mark.parametrize(
    ("expression", "role"),
    [
        ("0.5 * x", "coefficient"), ("(x if x > 0.5 else -x)", "threshold"), ("abs(x) ** 0.5", "exponent"), ("x + 0.5", "coefficient"),
        ("0.5 ** x", "coefficient"), ("x / 0.5", "coefficient"),
    ],
)
def test_a_weight_knows_its_role(load, expression, role):
    net = da.compile(load(f"def f(x):\n    return {expression}\n"))
    assert [str(weight.role) for weight in net.program.weights] == [role]


def test_weights_are_parameters_under_their_names(load):
    net = da.compile(load("GAIN = 0.5\n\ndef f(x):\n    return GAIN * x + x ** 3.0\n"))
    assert [name for name, _ in net.named_parameters()] == ["weights.GAIN"]
    assert list(net.state_dict()) == ["weights.GAIN", "weights.c4"]
    with torch.no_grad():
        net.weights["GAIN"].fill_(2.0)
    assert net(3.0).item() == 33.0
    assert "GAIN  2.0" in str(net.weights)


def test_a_constant_of_a_notebook_is_a_weight_without_a_line(monkeypatch):
    text = """
from math import pi
import numpy as np
GAIN = 2.5
STEPS = np.array([1.0, 4.0])
COUNTS = np.array([3, 5])
def f(x):
    return GAIN * pi * x + STEPS[int(x)] * COUNTS[int(x)]
"""
    monkeypatch.setitem(linecache.cache, "<cell 1>", (len(text), None, text.splitlines(True), "<cell 1>"))
    scope = {"__name__": "__main__"}
    exec(compile(text, "<cell 1>", "exec"), scope)
    net = da.compile(scope["f"])
    assert table(net) == ["GAIN 2.5 coefficient yes", "STEPS [1.0, 4.0] coefficient yes"]
    assert net([0.5, 1.5]).tolist() == pytest.approx([scope["f"](0.5), scope["f"](1.5)])


def with_default(k):
    def scaled(x, c=k, t=(k, 1.0)):
        return c * x + t[0] * t[1]

    return scaled


def with_class(k):
    class Gain:
        value = k

    return Gain


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Doubled:
    def __get__(self, instance, owner=None):
        return 2.0 * instance.held


class Described:
    value = Doubled()

    def __init__(self, held):
        self.held = held


DEFAULTS = with_default(2.0), with_default(3.0)
HOLDERS = {kind.__name__: (kind(2.0), kind(3.0)) for kind in (with_class, Slotted, Described)}


def of_defaults(x):
    return DEFAULTS[0](x) + 10 * DEFAULTS[1](x)


@pytest.mark.parametrize("kind", HOLDERS)
def test_objects_made_by_one_text_have_numbers_of_their_own(kind):
    first, second = HOLDERS[kind]

    def heuristic(x):
        return first.value * x + 10 * second.value * x

    assert da.compile(heuristic)(1.5).item() == heuristic(1.5)
    assert not da.compile(heuristic).verify([0.5, 2.0]).by_weights.skipped


def test_functions_made_by_one_text_have_defaults_of_their_own():
    assert da.compile(of_defaults)(1.5).item() == of_defaults(1.5)
    assert not da.compile(of_defaults).verify([0.5, 2.0]).by_weights.unseen


def test_numbers_in_the_text_of_a_library_are_no_weights(load):
    net = da.compile(load('''
import numpy as np

def f(x):
    whole, rest = np.poly1d([1.5, 0.5, 2.0]) / np.poly1d([2.0, 1.0])
    return whole(x) + rest(x)
'''))
    assert table(net) == ["t4 [1.5, 0.5, 2.0] coefficient heuristic.py:4 yes", "t4_2 [2.0, 1.0] coefficient heuristic.py:4 yes"]


def test_equal_numbers_in_a_function_that_a_library_calls_are_two_weights(load):
    net = da.compile(load('''
import numpy as np

def f(m):
    return np.apply_along_axis(lambda row: 2.0 * row.sum() + 2.0, 1, m)
'''), example=((np.ones((2, 3)),), {}))
    assert table(net) == ["c4 2.0 coefficient heuristic.py:4 yes", "c4_2 2.0 coefficient heuristic.py:4 yes"]
