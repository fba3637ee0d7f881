"""What staging notes of a weight for training: who declares it, who reads it, and numbers that nobody chose."""

import importlib.util
import sys
import textwrap
from pathlib import Path

import pytest

import deepalgo as da
from deepalgo.ir.standing import Declared


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write a module and hand it back."""
    names = []

    def write(text, name="standing_case"):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text).lstrip("\n"))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield write
    for name in names:
        sys.modules.pop(name, None)


def standings(net):
    return {weight.key: weight.standing for weight in net.program.weights}


def why(net):
    return net.weights.reasons()


CONTROLLER = """
    class Controller:
        def __init__(self, gain=4.0, limit=1.0):
            self.gain = gain
            self.limit = limit
            self.total = 0.0

        def step(self, error):
            self.total += error
            wanted = self.gain * error + 0.2 * self.total
            return self.limit if wanted > self.limit else wanted

    def run(x):
        controller = Controller()
        for _ in range(3):
            x = x + 0.1 * controller.step(1.0 - x)
        return x

    def wide(x, damping=0.5):
        return run(x) - damping * x
"""


def test_defaults_of_helpers_count_where_the_function_has_none_but_for_thresholds(load):
    module = load(CONTROLLER)
    net = da.compile(module.run)
    assert standings(net)["gain"].declared is Declared.HELPER and standings(net)["gain"].reads == ("Controller.__init__",)
    assert [key for key, reason in why(net).items() if not reason] == ["gain"]
    net = da.compile(module.wide)
    assert [key for key, reason in why(net).items() if not reason] == ["damping"]


def test_decorators_methods_and_partials_do_not_hide_the_function(load):
    module = load("""
        import functools

        def plain(function):
            @functools.wraps(function)
            def wrapper(*args):
                return function(*args)
            return wrapper

        @plain
        def f(x, k=0.5):
            return 3.0 * k * x

        class Model:
            def answer(self, x, k=0.5):
                return 3.0 * k * x

        g = functools.partial(Model().answer)
        h = Model().answer
    """)
    for function in (module.f, module.g, module.h):
        net = da.compile(function)
        assert [key for key, reason in why(net).items() if not reason] == ["k"]


@pytest.mark.parametrize(
    ("text", "still"),
    [
        ("total = 0.0\nfor _ in range(3):\n    total += 0.5 * x\nreturn total", ["total"]),
        ("total, best = 0.0, 7.0\nfor _ in range(3):\n    total = total + 0.5 * x\nreturn total + best", ["total"]),
        ("last = 0.0\nfor _ in range(3):\n    y = x - last\n    last = 0.5 * x\nreturn y", ["last"]),
        ("level = 0.0\nif x > 1.5:\n    level = 0.5 * x\nreturn level + x", []),
        ("return (x + x * x) / 2.0", ["c2"]),
        ("return 0.5 * (x + 4.0 / x)", ["c2"]),
        ("return 0.5 * (x + 4.0 * x)", ["c2"]),
        ("return 0.25 * (x + 4.0 * x) + 2.0 * x", []),
        ("k = x * x\nreturn x + 0.25 / 6.0 * (x + 4.0 * k + x * k)", ["c3_2", "c3_3"]),
        ("return (x - 2.5 * x) / 3.5", ["c2", "c2_2"]),
        ("return sum([x, x * x, 1.0 * x]) / 3.0", ["c2", "c2_2"]),
    ],
)
def test_numbers_that_nobody_chose_stay(load, text, still):
    module = load("def f(x):\n" + textwrap.indent(text, "    ") + "\n")
    found = [key for key, reason in why(da.compile(module.f)).items() if reason]
    assert found == still


SHARED = """
    import numpy as np
    from math import pi

    DT = 0.05
    GAIN = 2.0
    F = [[1.0, DT], [0.0, 1.0]]
    A = np.array([[1.0, DT], [GAIN, 1.0]])
    TURNS = [pi, DT]

    def step(x, v, gain=GAIN):
        moved = F[0][0] * x + F[0][1] * v - DT * gain * TURNS[0]
        return moved + (A @ np.array([x, v]))[0] + (A @ np.array([x, v]))[1] + TURNS[1]

    def other(x):
        return GAIN * x

    class Plant:
        def move(self, x):
            return x + DT

    def shadow(DT):
        return DT

    def unrelated(x):
        return 3.0 * x
"""


def test_a_constant_is_one_weight_wherever_the_module_names_it(load):
    module = load(SHARED)
    net = da.compile(module.step)
    numbers = [weight.key for weight in net.program.weights if weight.value in (0.05, 2.0)]
    assert numbers == ["GAIN", "DT"] or numbers == ["DT", "GAIN"]
    assert standings(net)["GAIN"].declared is Declared.FUNCTION
    assert net(0.7, 0.3).item() == pytest.approx(module.step(0.7, 0.3), rel=1e-14)
    assert net.verify([0.7, 1.1], [0.3, -0.2]) is not None  # each constant is replaced wherever it is held


def test_the_diff_of_a_shared_constant_changes_one_line_and_names_who_else_uses_it(load):
    module = load(SHARED)
    net = da.compile(module.step)
    for key, value in (("DT", 0.0625), ("GAIN", 2.5)):
        net.weights[key].data.fill_(value)
    change = da.diff(net)
    assert sorted(item.key for item in change.changes) == ["DT", "GAIN"]
    assert dict(change.others) == {"GAIN": ("other",), "DT": ("Plant.move",)}
    text = str(change)
    assert "# GAIN is also used by other\n" in text and "# DT is also used by Plant.move\n" in text
    assert [line for line in text.splitlines() if line.startswith("+") and "++" not in line] == ["+DT = 0.0625", "+GAIN = 2.5"]
    assert da.patch(net).files and "GAIN = 2.5" in Path(module.__file__).read_text()


def test_a_list_that_no_longer_holds_the_constant_is_a_weight_of_its_own(load):
    module = load(SHARED)
    module.F[0][1] = 0.5
    net = da.compile(module.step)
    assert {weight.key: weight.value for weight in net.program.weights}["F"] == ((1.0, 0.5), (0.0, 1.0))


def test_marks_outside_of_functions_declare_and_bound(load):
    module = load("""
        import deepalgo as da

        LIMIT = da.weight(0.5, bounds=(0.0, 1.0))

        class Plant:
            mass = da.weight(2.0, bounds=(0.5, None))

        def f(x, gain=da.weight(1.5, bounds=(None, 3))):
            return 3.0 * gain * x * LIMIT / Plant.mass
    """)
    found = {key: (standing.low, standing.high) for key, standing in standings(da.compile(module.f)).items() if standing.declared}
    inf = float("inf")
    assert found == {"gain": (-inf, 3.0), "LIMIT": (0.0, 1.0), "Plant_mass": (0.5, inf)}


def test_the_base_of_a_power_is_a_coefficient_and_what_is_compared_a_threshold(load):
    module = load("""
        def f(t, k=0.9, low=0.1):
            if t > low:
                return 2.5 * k ** t + 10.0 ** t
            return t
    """)
    roles = {weight.key: str(weight.role) for weight in da.compile(module.f).program.weights}
    assert roles == {"k": "coefficient", "low": "threshold", "c3": "coefficient", "c3_2": "coefficient"}


def test_standings_survive_a_file(load, tmp_path):
    net = da.compile(load(CONTROLLER).run)
    net.save(tmp_path / "net.da")
    assert standings(da.load(tmp_path / "net.da")) == standings(net)
    assert why(da.load(tmp_path / "net.da")) == why(net)
