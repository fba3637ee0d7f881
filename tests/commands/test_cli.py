"""The command line, run as users run it, except where the network itself is not the point."""

import sys

import pytest
from typer.testing import CliRunner

import deepalgo
from deepalgo.cli import app

HEURISTIC = """\
import math

GAIN = 2.5

def cool(t, k=0.1):
    if t > 20.0:
        return GAIN * math.exp(-k * t)
    return t

def noisy(t):
    return t + len(open("log.txt").read())
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "heat.py").write_text(HEURISTIC)
    return lambda *words: CliRunner().invoke(app, list(words))


def test_version_is_the_package_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"deepalgo {deepalgo.__version__}\n")


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("heat.py", "`heat.py` is not of the form FILE.py:FUNCTION"),
        ("heat.py:", "`heat.py:` is not of the form FILE.py:FUNCTION"),
        ("heat:cool", "`heat:cool` is not of the form FILE.py:FUNCTION"),
        ("cold.py:cool", "there is no file cold.py"),
        ("heat.py:warm", "there is no `warm` in heat.py; it defines cool, noisy"),
        ("heat.py:GAIN", "`GAIN` in heat.py is not a function; it defines cool, noisy"),
    ],
)
def test_a_wrong_target_is_named_with_exit_code_2(run, target, text):
    result = run("check", target)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"deepalgo check: {text}\n")


def test_a_file_that_cannot_be_imported_says_what_it_raised(run, tmp_path):
    (tmp_path / "broken.py").write_text("import no_such_module_anywhere\n")
    result = run("check", "broken.py:f")
    assert result.exit_code == 2
    assert result.stderr == "deepalgo check: importing broken.py raises ModuleNotFoundError: No module named 'no_such_module_anywhere'\n"


@pytest.mark.parametrize("example", ["1.0,,", "open('x')", "*[1.0]"])
def test_an_example_that_is_not_literals_is_refused_with_exit_code_2(run, example):
    result = run("check", "heat.py:cool", "--example", example)
    assert result.exit_code == 2
    assert result.stderr == f"deepalgo check: --example takes the arguments of a call as literals, not `{example}`\n"


def test_check_prints_the_weights_and_a_summary(run):
    result = run("check", "heat.py:cool", "--example", "30.0")
    assert result.exit_code == 0, result.stderr
    assert "heat.py:3" in result.stdout
    assert "heat.py:6" in result.stdout
    assert "GAIN" in result.stdout
    assert "soften(net, *inputs, guards=[6])" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("cool: 1 input, ")


def test_check_prints_a_refusal_on_standard_error_with_exit_code_1(run):
    result = run("check", "heat.py:noisy")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("heat.py:11:20: ")
    assert "|     return t + len(open(" in result.stderr
