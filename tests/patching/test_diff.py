"""Trained constants go back into the user's own files: the right numbers, nothing else, and only where that is safe."""

import importlib.util
import linecache
import math
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import deepalgo as da
from deepalgo.patching import diff as patching
from deepalgo.patching.rounding import Trial
from tests.stage.test_weights import load as load  # noqa: PLC0414  # a fixture
from tests.support import heuristics
from tests.support.cases import CASES

MAIN = '''\
"""A heuristic with numbers of every kind."""

import functools
from dataclasses import dataclass, field

import numpy as np

from deepalgo import weight
import {helper} as other
from {helper} import OFFSET

GAIN = 0.5  # how much, see the manual
TINY = 1e-6
LARGE: float = 12_000.0
ALPHA, BETA = 0.25, -0.75
TABLE = np.array([[1.0, 2.0],
                  [3.0, 4.0]])   # two rows
STEPS = (0.1,
         0.2,  # the middle one
         0.3)
MIXED = {{"a": 0.7, "b": (1.5, 2.5), "n": 3}}
TWICE = 2.0 * 0.5


class Filter:
    gain = 0.125; other = "0.125"

    def __init__(self, limit):
        self.limit = limit


@dataclass
class Options:
    slope: float = 2.5
    bias: float = field(default=1.25)


FILTER = Filter(4.0)


def f(x, k=0.3, *, shift=-0.1):
    """Uses 0.5, which is text."""
    müßig = "é"; y = 0.6 * x  # columns after letters that take two bytes
    y = y + x ** -0.5 + 2.0 ** x - -1.5
    local = [0.01, -0.02]
    if y > 1e2:
        y = y - 0.6
    options = Options()
    return (GAIN * y + TINY + LARGE + ALPHA * x + BETA + TABLE[1, 0] * x + STEPS[1] + MIXED["b"][1] + MIXED["a"] + TWICE
            + Filter.gain + FILTER.limit + options.slope + options.bias + k + shift + local[1] + other.helper(x) + OFFSET
            + weight(1 / 3, "third"))
'''

HELPER = '''\
OFFSET = 7.5
SCALE = 0.9\r

def helper(x):
    return SCALE * x + 0.05
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A module and the one that it imports, on the disk; returns a function that imports them (again)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    count = iter(range(100))

    def write(main=MAIN, helper=HELPER):
        name = f"helper_{next(count)}_{tmp_path.name}"
        text = main.format(helper=name)
        (tmp_path / f"{name}.py").write_bytes(helper.encode())
        (tmp_path / "heuristic.py").write_bytes(text.encode())
        return name

    def fresh(helper):
        linecache.checkcache()
        sys.modules.pop(helper, None)
        importlib.invalidate_caches()
        spec = importlib.util.spec_from_file_location(f"heuristic_{next(count)}", tmp_path / "heuristic.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
        spec.loader.exec_module(module)
        sys.dont_write_bytecode = before
        return module

    yield write, fresh
    linecache.checkcache()


def set_weights(network, change):
    with torch.no_grad():
        for weight in network.program.weights:
            if not weight.frozen:
                network.weights[weight.key].copy_(change(network.weights[weight.key]))
    return network


def test_every_number_that_the_source_says_is_replaced_and_the_patched_source_answers_as_the_network_does(project, tmp_path):
    write, fresh = project
    helper = write()
    network = da.compile(fresh(helper).f)
    set_weights(network, lambda value: -1.1234567891234 * value)
    made = da.patch(network, exact=True, partial=True)
    x = [1.0, 2.0, 5.0]
    again = da.compile(fresh(helper).f)
    assert sorted(key for key, _ in made.left) == ["TWICE", "limit"]
    for key in network.weights:
        if key not in ("TWICE", "limit"):
            assert torch.equal(again.weights[key], network.weights[key]), key
    with torch.no_grad():
        for key in ("TWICE", "limit"):
            again.weights[key].copy_(network.weights[key])
    assert again(x).tolist() == network(x).tolist()


SOME = [case if number % 4 == 0 else pytest.param(case, marks=pytest.mark.slow) for number, case in enumerate(CASES)]


@pytest.mark.parametrize("case", SOME, ids=lambda case: case.id)
def test_patched_heuristics_answer_as_their_trained_networks_do(case):
    network = da.compile(case.function, errors="nan", **case.compile_options())
    with torch.no_grad():
        for weight in network.parameters():
            weight.mul_(1 + 1e-3 * torch.rand_like(weight))
    made = da.diff(network, exact=True)
    if made.left or case.function.__name__ not in vars(heuristics):
        pytest.skip("some of its numbers are held by objects")
    texts = {item.file: item.new for item in made.files} or {heuristics.__file__: Path(heuristics.__file__).read_text()}
    assert list(texts) == [heuristics.__file__]
    scope = {"__name__": "patched"}
    exec(compile(texts[heuristics.__file__], "patched.py", "exec"), scope)
    for row in case.rows(5):
        args, kwargs = case.arrange(*row)
        found = np.ravel(numbers(network(*args, **kwargs)))
        args, kwargs = case.arrange(*row)
        try:
            expected = np.ravel(numbers(scope[case.function.__name__](*args, **kwargs)))
        except (ArithmeticError, ValueError):
            assert np.isnan(found).any()
        else:
            assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)


def numbers(answer):
    """The numbers of an answer, one after the other."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, (list, tuple)):
        return np.concatenate([np.ravel(numbers(item)) for item in answer]) if len(answer) else np.zeros(0)
    if isinstance(answer, torch.Tensor):
        return answer.detach().double().numpy()
    return np.array(answer, dtype=float) if isinstance(answer, (bool, int, float, np.ndarray, np.generic)) else np.zeros(0)


def test_the_diff_shows_the_numbers_and_nothing_else(project):
    write, fresh = project
    network = da.compile(fresh(write()).f)
    set_weights(network, lambda value: 1.5 * value)
    lines = str(da.diff(network)).splitlines()
    assert lines[0] == "# TWICE: is 1.5 now, but `TWICE = 2.0 * 0.5` does not say it as a plain number (heuristic.py:22)"
    assert lines[1] == "# limit: is 6.0 now, but no line of the source says it: an object, a closure or a notebook's variable holds it"
    added = [line[1:].rstrip("\r") for line in lines if line.startswith("+") and not line.startswith("+++")]
    assert added == [
        "GAIN = 0.75  # how much, see the manual",
        "TINY = 1.5e-6",
        "LARGE: float = 18_000.0",
        "ALPHA, BETA = 0.375, -1.125",
        "TABLE = np.array([[1.5, 3.0],",
        "                  [4.5, 6.0]])   # two rows",
        "STEPS = (0.15,",
        "         0.3,  # the middle one",
        "         0.45)",
        'MIXED = {"a": 1.05, "b": (2.25, 3.75), "n": 3}',
        '    gain = 0.1875; other = "0.125"',
        "    slope: float = 3.75",
        "    bias: float = field(default=1.875)",
        "def f(x, k=0.45, *, shift=-0.15):",
        '    müßig = "é"; y = 0.9 * x  # columns after letters that take two bytes',
        "    y = y + x ** -0.75 + 3.0 ** x - -2.25",
        "    local = [0.015, -0.03]",
        "    if y > 1.5e2:",
        "        y = y - 0.9",
        '            + weight(0.5, "third"))',
        "OFFSET = 11.25",
        "SCALE = 1.35",
        "    return SCALE * x + 0.075",
    ]


def test_the_diff_is_one_that_patch_understands(project, tmp_path):
    write, fresh = project
    network = set_weights(da.compile(fresh(write()).f), lambda value: 1.25 * value)
    made = da.diff(network)
    tool = "git"
    (tmp_path / "change.diff").write_bytes(str(made).encode())
    subprocess.run([tool, "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([tool, "apply", "change.diff"], cwd=tmp_path, check=True)
    for item in made.files:
        assert item.file and (tmp_path / item.file).read_bytes().decode() == item.new


def test_a_minus_sign_gets_brackets_where_it_would_bind_to_something_else(project):
    write, fresh = project
    text = "def f(x):\n    return 2.0 ** x + -(1.5) + 0.5 .real * x\n"
    network = da.compile(fresh(write(text)).f)
    set_weights(network, lambda value: -value)
    (change,) = [line for line in str(da.diff(network)).splitlines() if line.startswith("+ ")]
    assert change.startswith("+    return (-2.0) ** x + ")


def test_without_training_there_is_nothing_to_change(project, tmp_path):
    write, fresh = project
    network = da.compile(fresh(write()).f)
    before = (tmp_path / "heuristic.py").read_bytes()
    assert not da.diff(network) and str(da.diff(network)) == ""
    assert not da.patch(network)
    assert (tmp_path / "heuristic.py").read_bytes() == before


def test_encoding_line_ends_permissions_and_links_stay(project, tmp_path):
    write, fresh = project
    text = '# -*- coding: latin-1 -*-\r\nGAIN = 0.5 # \xfc\r\n\x0c\r\ndef f(x):\r\n    return GAIN * x'
    helper = write()
    (tmp_path / "real.py").write_bytes(text.encode("latin-1"))
    (tmp_path / "heuristic.py").unlink()
    (tmp_path / "heuristic.py").symlink_to(tmp_path / "real.py")
    (tmp_path / "real.py").chmod(0o750)
    network = set_weights(da.compile(fresh(helper).f), lambda value: value + 0.25)
    da.patch(network)
    assert (tmp_path / "real.py").read_bytes() == text.replace("0.5", "0.75").encode("latin-1")
    assert stat.S_IMODE((tmp_path / "real.py").stat().st_mode) == 0o750
    assert (tmp_path / "heuristic.py").is_symlink()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(("old", "new"), [("GAIN * y", "GAIN * x"), ("see the manual", "ask me"), ("\n\n\nclass", "\n\nclass")])
def test_a_file_that_changed_since_it_was_compiled_is_refused(project, tmp_path, old, new):
    write, fresh = project
    network = set_weights(da.compile(fresh(write()).f), lambda value: value + 0.25)
    file = tmp_path / "heuristic.py"
    file.write_text(file.read_text().replace(old, new, 1))
    before = file.read_text()
    for call in (da.diff, da.patch):
        with pytest.raises(da.FileError) as refusal:
            call(network)
        assert str(refusal.value) == (
            "heuristic.py: the file changed after the function was compiled\n"
            "Import it again, compile again, and load the trained weights into that network."
        )
    assert file.read_text() == before


def test_a_patched_file_is_not_patched_twice(project):
    write, fresh = project
    network = set_weights(da.compile(fresh(write()).f), lambda value: value + 0.25)
    da.patch(network, partial=True)
    with pytest.raises(da.FileError, match="changed after the function was compiled"):
        da.patch(network, partial=True)


def test_numbers_that_cannot_be_written_stop_the_patch_unless_told_otherwise(project, tmp_path):
    write, fresh = project
    network = set_weights(da.compile(fresh(write()).f), lambda value: value + 0.25)
    before = (tmp_path / "heuristic.py").read_bytes()
    with pytest.raises(da.InputError) as refusal:
        da.patch(network)
    assert str(refusal.value) == (
        "not every trained number can be written into the source:\n"
        "  TWICE is 1.25 now, but `TWICE = 2.0 * 0.5` does not say it as a plain number (heuristic.py:22)\n"
        "  limit is 4.25 now, but no line of the source says it: an object, a closure or a notebook's variable holds it\n"
        "Write the others with partial=True, or take the whole function from da.source."
    )
    assert (tmp_path / "heuristic.py").read_bytes() == before


def test_installed_files_are_refused_unless_told(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "installed_heuristic.py").write_text("def f(x):\n    return 0.5 * x\n")
    monkeypatch.syspath_prepend(folder)
    module = importlib.import_module("installed_heuristic")
    network = set_weights(da.compile(module.f), lambda value: value + 0.25)
    assert "+    return 0.75 * x" in str(da.diff(network))
    with pytest.raises(da.FileError, match="it belongs to an installed package\nTo change it all the same: da.patch"):
        da.patch(network)
    da.patch(network, installed=True)
    assert "0.75" in (folder / "installed_heuristic.py").read_text()
    sys.modules.pop("installed_heuristic")


def test_a_cell_of_a_notebook_is_shown_but_not_written():
    text = "def f(x):\n    return 0.5 * x\n"
    linecache.cache["<cell 7>"] = (len(text), None, text.splitlines(True), "<cell 7>")
    scope = {"__name__": "__main__"}
    exec(compile(text, "<cell 7>", "exec"), scope)
    network = set_weights(da.compile(scope["f"]), lambda value: value + 0.25)
    assert "+    return 0.75 * x" in str(da.diff(network))
    with pytest.raises(da.FileError, match="it is no file on the disk"):
        da.patch(network)


def test_a_failure_half_way_puts_everything_back(project, tmp_path, monkeypatch):
    write, fresh = project
    helper = write()
    network = set_weights(da.compile(fresh(helper).f), lambda value: value + 0.25)
    before = [path.read_bytes() for path in sorted(tmp_path.glob("*.py"))]
    calls = []

    def failing(path, content):
        calls.append(path)
        if len(calls) == 2:
            raise OSError("disk full")
        path.write_bytes(content)

    monkeypatch.setattr(patching, "replace_file", failing)
    with pytest.raises(OSError, match="disk full"):
        da.patch(network, partial=True)
    assert len(calls) == 3
    assert [path.read_bytes() for path in sorted(tmp_path.glob("*.py"))] == before


def test_a_grown_network_is_sent_to_source(load):
    network = da.compile(load("def f(x):\n    return 0.5 * x\n"))
    grown = network.with_program(da.compile(lambda x: 0.5 * x + 0.25).program)
    with pytest.raises(da.InputError) as refusal:
        da.diff(grown)
    assert str(refusal.value) == "<lambda> has more weights than its source has numbers: take the whole function from da.source(net)."


FORMULA = """\
import math

def f(x):
    if x < 2040.0:
        return 64.0 / x
    return 0.094 * math.log(x) + 1e-9 * x
"""


def trained(load):
    network = da.compile(load(FORMULA))
    values = {"c4": 2046.18318, "c5": 63.98123456, "c6": 0.0937281, "c6_2": 1.37e-9}
    with torch.no_grad():
        for key, value in values.items():
            network.weights[key].fill_(value)
    return network


def written(network, *inputs, **options):
    return {change.key: change.new for change in da.diff(network, *inputs, **options).changes}


def test_numbers_have_the_fewest_digits_within_the_tolerance(load):
    network = trained(load)
    assert written(network, tolerance=0.05) == {"c6_2": ("1.4e-9",)}
    assert written(network, tolerance=1e-2) == {"c6_2": ("1.37e-9",)}
    assert written(network, tolerance=3e-3) == {"c4": ("2050.0",), "c6_2": ("1.37e-9",)}
    assert written(network, tolerance=1e-3) == {"c4": ("2046.0",), "c6": ("0.0937",), "c6_2": ("1.37e-9",)}
    assert written(network, tolerance=1e-9)["c5"] == ("63.9812346",)
    all_digits = {"c4": ("2046.18318",), "c5": ("63.98123456",), "c6": ("0.0937281",), "c6_2": ("1.37e-9",)}
    assert written(network, exact=True) == written(network, tolerance=0.0) == all_digits


def test_digits_are_chosen_so_that_the_answers_stay(load):
    network = trained(load)
    x = torch.linspace(500.0, 9000.0, 60, dtype=torch.float64)
    for tolerance in (1e-2, 1e-4, 1e-6):
        made = da.diff(network, x, tolerance=tolerance)
        scope = {}
        exec(made.files[0].new if made.files else FORMULA, scope)
        answers = network(x).detach().numpy()
        new = np.array([scope["f"](float(item)) for item in x])
        size = np.maximum(abs(answers), np.sqrt(np.mean(answers**2)))
        assert np.all(abs(new - answers) <= tolerance * size)
    assert "c6_2" not in written(network, x, tolerance=1e-4)  # too small to be seen in any answer
    assert sum(len(text) for (text,) in written(network, x, tolerance=1e-4).values()) < sum(
        len(text) for (text,) in written(network, tolerance=1e-6).values())


def test_one_digit_less_would_be_too_few(load):
    network = trained(load)
    x = torch.linspace(500.0, 9000.0, 60, dtype=torch.float64)
    tolerance = 1e-5
    made = da.diff(network, x, tolerance=tolerance)
    digits = {change.key: len(change.new[0].replace(".", "").strip("0")) for change in made.changes}
    values, olds = patching._changed(network)
    digits |= {key: 0 for key in values if key not in digits}
    trial = Trial(network, [x], values, olds, tolerance)
    assert trial.passes(digits)
    for key, count in digits.items():
        if count > 1:
            assert not trial.passes(digits | {key: count - 1}), key


def test_single_precision_needs_fewer_digits(load):
    network = da.compile(load(FORMULA)).to(torch.float32)
    with torch.no_grad():
        network.weights["c6"].fill_(0.1)
    assert written(network, exact=True) == {"c6": ("0.1",)}


def test_wrong_options_and_data_without_answers_are_refused(load):
    raising = da.compile(load("def f(x):\n    if x > 0.0:\n        raise ValueError\n    return 0.5 * x\n"), errors="nan")
    with pytest.raises(ValueError, match="tolerance must be at least 0 and less than 1, not 2"):
        da.diff(raising, tolerance=2)
    set_weights(raising, lambda value: value + 0.1)
    with pytest.raises(da.InputError, match="the heuristic fails on all of the data"):
        da.diff(raising, torch.tensor([1.0, 2.0]))


def test_a_saved_network_can_still_be_patched(load, tmp_path):
    network = trained(load)
    network.save(tmp_path / "net")
    assert str(da.diff(da.load(tmp_path / "net"))) == str(da.diff(network))


def test_whole_numbers_that_were_made_weights_are_written(load):
    network = da.compile(load("def f(x):\n    return 2 * x + 1\n"), integers=True)
    set_weights(network, lambda value: value * 1.25)
    assert written(network) == {"c2": ("2.5",), "c2_2": ("1.25",)}


def test_an_infinite_number_is_written_as_python_takes_it(load):
    network = da.compile(load("def f(x):\n    return min(x, 5.0)\n"))
    set_weights(network, lambda value: value * math.inf)
    assert written(network) == {"c2": ('float("inf")',)}
