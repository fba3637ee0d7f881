"""`deepalgo tune`, `draw` and `source`: data in, report and diff out, with exit codes and texts."""

import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from deepalgo.cli import app

HEURISTIC = """\
# Heat that a pipe loses.

def loss(length, width, fluid="water"):
    area = 3.1 * length * width  # roughly pi
    return 0.8 * area + 0.05

def both(length):
    return 2.0 * length, 3.0 * length

def roots(s):
    x = 1.0
    for _ in range(3):
        x = x - 0.8 * (x * x - s) / (2 * x)
    return x

def off(x, s):
    return x * x - s

def total(values):
    return 1.5 * values[0] + values[1]
"""
LENGTH, WIDTH = np.random.default_rng(0).uniform(1, 2, (2, 80))


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "pipe.py").write_text(HEURISTIC)
    write_csv("data.csv", length=LENGTH, width=WIDTH, heat=np.pi * LENGTH * WIDTH * 0.9 + 0.2)
    return lambda *words: CliRunner().invoke(app, list(words))


def write_csv(file, **columns):
    pl.DataFrame(columns).write_csv(file)


TUNE = ("tune", "pipe.py:loss", "--data", "data.csv", "--target", "heat", "--steps", "20")


def test_tune_prints_the_report_and_the_diff_and_leaves_the_file_alone(run, tmp_path):
    result = run(*TUNE)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("weight  value  trains  place\n")
    assert "\n\nloss: tuned constants kept, rms error " in result.stdout
    assert "--- a/pipe.py" in result.stdout
    assert "-    return 0.8 * area + 0.05\n" in result.stdout
    assert (tmp_path / "pipe.py").read_text() == HEURISTIC


def test_write_patches_the_source_and_keeps_its_comments(run, tmp_path):
    result = run(*TUNE, "--write")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "pipe.py").read_text()
    assert text != HEURISTIC and "# roughly pi" in text
    space: dict = {}
    exec(text, space)
    assert space["loss"](1.5, 1.2) == pytest.approx(np.pi * 1.5 * 1.2 * 0.9 + 0.2, rel=1e-5)


def test_parquet_is_read_too(run):
    pl.DataFrame({"length": LENGTH, "width": WIDTH, "heat": LENGTH * WIDTH}).write_parquet("data.parquet")
    result = run("tune", "pipe.py:loss", "--data", "data.parquet", "--target", "heat", "--steps", "20")
    assert result.exit_code == 0, result.output
    assert "loss: tuned constants kept" in result.stdout


def test_a_residual_of_the_file_needs_no_target(run, tmp_path):
    write_csv("s.csv", s=np.linspace(0.5, 4, 60))
    result = run("tune", "pipe.py:roots", "--data", "s.csv", "--residual", "off", "--steps", "20", "--plot", "fit.svg")
    assert result.exit_code == 0, result.output
    assert "roots: tuned constants kept" in result.stdout and "wrote fit.svg" in result.stdout
    assert (tmp_path / "fit.svg").stat().st_size > 1000


def test_tensorize_takes_what_check_suggests_and_prints_the_function(run, tmp_path):
    write_csv("s.csv", s=np.linspace(0.5, 8, 200))
    assert "untie(net, 12)" in run("check", "pipe.py:roots").stdout
    command = ("tune", "pipe.py:roots", "--data", "s.csv", "--residual", "off", "--steps", "20", "--tensorize", "untie(net, 12)")
    result = run(*command)
    assert result.exit_code == 0, result.output
    assert "\n\nroots: tensorized kept" in result.stdout and "def roots(s):" in result.stdout
    result = run(*command, "--output", "roots.py")
    assert "wrote roots.py" in result.stdout
    space: dict = {}
    exec((tmp_path / "roots.py").read_text(), space)
    assert abs(space["roots"](2.0) - 2**0.5) < 0.05
    result = run(*command, "--write")
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "the function has grown, so --write cannot put it into its source; --output FILE writes it as a function\n"
    )


def test_whole_groups_and_later_rows_are_held_out(run):
    columns = {"length": LENGTH, "width": WIDTH, "heat": 3.0 * LENGTH * WIDTH}
    write_csv("sites.csv", **columns, site=["north", "east", "south", "west"] * 20, day=np.arange(80.0))
    words = ("tune", "pipe.py:loss", "--data", "sites.csv", "--target", "heat", "--steps", "3")
    result = run(*words, "--group", "site")
    assert result.exit_code == 0, result.output
    assert "samples: 80 training; each of 4 groups is left out by one of 4 trainings that judge\n" in result.stdout
    for split in ("day", "time"):
        result = run(*words, "--split", split, "--refit")
        assert result.exit_code == 0, result.output
        assert "samples: 80 training; 5 trainings, each judged on the times that follow it\n" in result.stdout


def test_several_answers_have_several_targets(run):
    write_csv("both.csv", length=LENGTH, a=2.5 * LENGTH, b=2.0 * LENGTH)
    result = run("tune", "pipe.py:both", "--data", "both.csv", "--target", "a,b", "--steps", "20")
    assert result.exit_code == 0, result.output
    assert "+    return 2.5 * length, 2.0 * length" in result.stdout


def test_what_cannot_be_improved_stays_as_it_is(run, tmp_path):
    write_csv("same.csv", length=LENGTH, width=WIDTH, heat=0.8 * 3.1 * LENGTH * WIDTH + 0.05)
    result = run("tune", "pipe.py:loss", "--data", "same.csv", "--target", "heat", "--write")
    assert result.exit_code == 0
    assert result.stdout.endswith("The source stays as it is.\n")
    assert (tmp_path / "pipe.py").read_text() == HEURISTIC


WRONG = {
    ("pipe.py:loss", "--data", "none.csv", "--target", "heat"): "there is no file none.csv",
    ("pipe.py:loss", "--data", "pipe.py", "--target", "heat"): "--data takes .csv and .parquet files, not pipe.py",
    ("pipe.py:loss", "--data", "data.csv", "--target", "warmth"): "data.csv has no column 'warmth'; its columns are length, width, heat",
    ("pipe.py:roots", "--data", "data.csv", "--target", "heat"): (
        "data.csv has no column for the argument 's'; its columns are length, width, heat. Say which one it is: --column s=COLUMN."
    ),
    ("pipe.py:loss", "--data", "typo.csv", "--target", "heat"): (
        "typo.csv has no column for the argument 'width'; its columns are length, Width, heat. Did you mean --column width=Width?"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--column", "width"): "--column takes ARGUMENT=COLUMN, not `width`",
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--column", "depth=heat"): (
        "--column names the argument 'depth', but the function has length, width, fluid"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--column", "width=depth"): (
        "data.csv has no column 'depth'; its columns are length, width, heat"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--group", "site"): (
        "data.csv has no column 'site'; its columns are length, width, heat"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--split", "day"): (
        "data.csv has no column 'day'; its columns are length, width, heat"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--split", "time", "--group", "width"): (
        "--group holds out whole groups and --split later rows: give one of them"
    ),
    ("pipe.py:loss", "--data", "data.csv"): "say what is right: --target COLUMN, or --residual FUNCTION (not both)",
    ("pipe.py:loss", "--data", "data.csv", "--residual", "error"): "--residual names `error`, which is no function of the file",
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--tensorize", "grow(net)"): (
        "--tensorize takes a call of choose, correct, guard, remember, soften, untie, widen, as `deepalgo check` suggests them, "
        "not `grow(net)`"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--tensorize", "guard(net, by=...)"): (
        "--tensorize `guard(net, by=...)`: put the name of a function of the file in the place of `...`"
    ),
    ("pipe.py:loss", "--data", "data.csv", "--target", "heat", "--tensorize", "guard(net, by=other)"): (
        "--tensorize `guard(net, by=other)`: `other` is neither a literal nor a name in the file"
    ),
    ("pipe.py:total", "--data", "data.csv", "--target", "heat", "--example", "[1.0, 2.0]"): (
        "the argument 'values' is more than one number, which a column cannot hold: use da.fit from Python"
    ),
    ("pipe.py:loss", "--data", "short.csv", "--target", "heat"): "line 3 of short.csv has 2 fields, but the first line names 3 columns",
    ("pipe.py:loss", "--data", "empty.csv", "--target", "heat"): "empty.csv is empty: its first line should name the columns",
}


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
def test_a_wrong_command_is_explained_with_exit_code_2(run, tmp_path, words):
    write_csv("typo.csv", length=LENGTH, Width=WIDTH, heat=LENGTH)
    (tmp_path / "short.csv").write_text("length,width,heat\n1,2,3\n1,2\n")
    (tmp_path / "empty.csv").write_text("")
    result = run("tune", *words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"deepalgo tune: {WRONG[words]}\n")


REFUSED = {
    "hole.csv": "there is NaN or infinity in the targets. Sample 1 (1 of 80). Correct them, or leave them out with missing='drop'.\n",
    "words.csv": "the targets must be numbers, not str_ (np.str_('hot'))\n",
    "same.csv": (
        "all targets are the same (1): a constant would fit them. If this is meant, say it as a residual, e.g. "
        "residual=lambda output, *inputs: output - 1.\n"
    ),
}


@pytest.mark.parametrize("file", REFUSED)
def test_bad_data_are_refused_with_exit_code_1(run, file):
    write_csv("hole.csv", length=LENGTH, width=WIDTH, heat=[None if place == 1 else value for place, value in enumerate(LENGTH.tolist())])
    write_csv("words.csv", length=LENGTH, width=WIDTH, heat=["hot"] * 80)
    write_csv("same.csv", length=LENGTH, width=WIDTH, heat=[1.0] * 80)
    result = run("tune", "pipe.py:loss", "--data", file, "--target", "heat")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", REFUSED[file])


def test_rows_with_holes_can_be_dropped(run):
    write_csv("hole.csv", length=LENGTH, width=WIDTH, heat=[None if place == 1 else value for place, value in enumerate(LENGTH.tolist())])
    result = run("tune", "pipe.py:loss", "--data", "hole.csv", "--target", "heat", "--missing", "drop", "--steps", "10")
    assert result.exit_code == 0, result.output
    assert "1 left out for NaN" in result.stdout


def test_draw_writes_a_picture(run, tmp_path):
    result = run("draw", "pipe.py:loss", "--output", "loss.svg")
    assert (result.exit_code, result.stdout) == (0, "wrote loss.svg\n")
    assert (tmp_path / "loss.svg").read_text().lstrip().startswith("<svg")
    result = run("draw", "pipe.py:loss", "--output", "loss.gif")
    assert (result.exit_code, result.stderr) == (1, "draw writes .svg and .png files, not 'loss.gif'\n")


def test_source_prints_a_function_that_runs_by_itself(run):
    result = run("source", "pipe.py:loss")
    assert result.exit_code == 0, result.stderr
    space: dict = {}
    exec(result.stdout, space)
    assert space["loss"](2.0, 3.0) == pytest.approx(0.8 * 3.1 * 6.0 + 0.05)


@pytest.mark.parametrize("command", ["check", "tune", "draw", "source"])
def test_help_shows_an_example(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: deepalgo {command} " in result.stdout
    assert f"deepalgo {command} " in run("--help").stdout


def test_train_and_fixed_say_which_constants_move(run):
    result = run(*TUNE, "--train", "line 4")
    assert result.exit_code == 0, result.output
    assert [line for line in result.stdout.splitlines() if line.startswith("-   ")] == ["-    area = 3.1 * length * width  # roughly pi"]
    result = run(*TUNE, "--train", "loss.*", "--fixed", "c4,c5_2")
    assert result.stdout.count("no: fixed by 'c4'") == result.stdout.count("no: fixed by 'c5_2'") == 1
    result = run(*TUNE, "--fixed", "nothing")
    assert result.exit_code == 1
    assert "fixed names 'nothing', which is no weight, role, line or function of loss()\n  loss: c4, c5, c5_2" in result.output
