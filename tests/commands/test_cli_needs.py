"""A command looks for what it needs before it starts."""

import errno
import sys

import pytest
from typer.testing import CliRunner

from deepalgo.cli import app
from deepalgo.errors import DeepalgoError

HEURISTIC = "def line(x):\n    return 2.0 * x + 1.0\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in a folder with a function and a table; training and compiling would fail."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "heat.py").write_text(HEURISTIC)
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{x},{3 * x}\n" for x in range(40)))
    (tmp_path / "data.parquet").write_bytes(b"")
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("deepalgo.fit", None)
    monkeypatch.setattr("deepalgo.compile", None)
    monkeypatch.setattr("deepalgo.studies.newton.reproduce.run", None)
    return lambda *words: CliRunner().invoke(app, list(words))


def without(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)


def refusal(result, command):
    assert (result.exit_code, result.stdout) == (2, ""), result
    return result.stderr.removeprefix(f"deepalgo {command}: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("words", "name", "text"),
    [
        (("reproduce", "newton"), "pygraphviz", "the graph of Newton's method needs pygraphviz: pip install 'deepalgo[draw]'"),
        (("draw", "heat.py:line"), "pygraphviz", "a drawing needs pygraphviz: pip install 'deepalgo[draw]'"),
        (("draw", "heat.py:line", "-o", "a.png"), "resvg_py", "a drawing as .png needs resvg_py: pip install 'deepalgo[draw]'"),
        (("tune", "heat.py:line", "--data", "data.parquet"), "polars", "a Parquet file needs polars: pip install 'deepalgo[data]'"),
    ],
)
def test_a_package_that_is_not_installed_is_named_before_anything_is_done(run, monkeypatch, words, name, text):
    without(monkeypatch, name)
    assert refusal(run(*words), " ".join(words[:2]) if words[0] == "reproduce" else words[0]) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("reproduce", "newton", "--folder", "file/out"), "--folder file/out cannot be made: Not a directory"),
        (("reproduce", "cluster", "--folder", "file/out"), "--folder file/out cannot be made: Not a directory"),
        (("draw", "heat.py:line", "-o", "out/a.svg"), "--output out/a.svg: there is no folder out"),
        (("tune", "heat.py:line", "--data", "data.csv", "--plot", "out/a.png"), "--plot out/a.png: there is no folder out"),
        (("tune", "heat.py:line", "--data", "data.csv", "--output", "."), "--output . is a folder: name a file"),
        (("tune", "heat.py:line", "--data", "data.csv", "--checkpoint", "out/a.pt"), "--checkpoint out/a.pt: there is no folder out"),
        (("tune", "heat.py:line", "--data", "no.csv"), "there is no file no.csv"),
        (
            ("tune", "heat.py:line", "--data", "data.csv", "--write", "--tensorize", "untie"),
            "the function has grown, so --write cannot put it into its source; --output FILE writes it as a function",
        ),
    ],
)
def test_a_place_that_is_not_there_is_named_before_anything_is_done(run, words, text):
    assert refusal(run(*words), " ".join(words[:2]) if words[0] == "reproduce" else words[0]) == text


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("reproduce", "newton"), "--folder reproduced"),
        (("draw", "heat.py:line"), "--output network.svg"),
        (("tune", "heat.py:line", "--data", "data.csv", "--output", "a.py"), "--output a.py"),
    ],
)
def test_a_folder_that_cannot_be_written_to_is_named_before_anything_is_done(run, monkeypatch, words, place):
    def forbidden(**options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", forbidden)
    found = refusal(run(*words), " ".join(words[:2]) if words[0] == "reproduce" else words[0])
    assert found == f"{place} cannot be written: Permission denied"


def test_data_that_is_missing_is_named_before_the_first_study(run, monkeypatch):
    import dataclasses

    from deepalgo.studies.cluster import reproduce

    def lost():
        raise DeepalgoError("there is no fashion-mnist")

    studies = {**reproduce.STUDIES, "mnist": dataclasses.replace(reproduce.STUDIES["mnist"], load=lambda: None)}
    studies["fashion"] = dataclasses.replace(studies["fashion"], load=lost)
    monkeypatch.setattr(reproduce, "STUDIES", studies)
    monkeypatch.setattr(reproduce, "_study", None)
    result = run("reproduce", "cluster")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "there is no fashion-mnist\n")
