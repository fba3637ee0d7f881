"""What the files around the package say about each other is true."""

import importlib.metadata
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import deepalgo

ROOT = Path(__file__).parent.parent


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return {canonical(name): version for name, version in (line.split("==") for line in lines if not line.startswith("#"))}


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "docs/guide/compile.md"])
def test_every_make_command_that_a_document_names_exists(document):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make (?:[A-Z]+=\S+ )*([a-z-]+)", (ROOT / document).read_text(), re.MULTILINE))
    assert named <= targets


def test_every_dependency_has_an_exact_version_in_the_lock():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {canonical(re.match(r"[\w.-]+", item)[0]) for item in [*project["dependencies"], *project["optional-dependencies"]["dev"]]}
    assert wanted <= set(pinned())


def test_the_suite_runs_with_the_locked_torch():
    assert importlib.metadata.version("torch").split("+")[0] == pinned()["torch"]


def test_the_installed_version_is_the_version_of_the_package():
    assert importlib.metadata.version("deepalgo") == deepalgo.__version__


def test_every_page_of_the_documentation_is_in_its_navigation():
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert pages | {"index.md"} == listed


#: What a stranger finds when opening the repository.
ENTRIES = {
    ".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "benchmarks", "constraints.txt", "deepalgo",
    "docs", "examples", "mkdocs.yml", "pyproject.toml", "tests",
}


def entries(root):
    """The entries of a folder that git does not ignore; without git there is no telling strays from what was made."""
    try:
        known = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               cwd=root, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout of git")
    return {name.split("/")[0] for name in known.stdout.split("\0") if name and (root / name).exists()}


def test_the_root_folder_holds_only_what_belongs_there():
    assert entries(ROOT) == ENTRIES


def test_a_stray_file_in_the_root_folder_is_seen(tmp_path):
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "run.log").write_text("")
    (tmp_path / "table.cube").write_text("")
    assert entries(tmp_path) == {".gitignore", "table.cube"}


def files_named(text):
    """Paths of the repository, and files of the package by the end of their path, each with what it is said to define."""
    for path, symbol in re.findall(r"`([\w/.]+\.py)(?:: ([\w.]+))?`", text):
        yield path, symbol.split(".")[-1]
    for path in re.findall(r"`((?:deepalgo|tests|docs|benchmarks)/[\w/]+(?:\.(?:md|txt))?)`", text):
        yield path, ""


def missing(text, root):
    """What of the named is not there."""
    files = [path for folder in ("deepalgo", "tests", "benchmarks", "docs", "examples") for path in (root / folder).rglob("*")]
    found = {path: [file for file in files if file.as_posix().endswith(f"/{path.rstrip('/')}")] for path, _ in files_named(text)}
    return [(path, symbol) for path, symbol in files_named(text)
            if not any(not symbol or re.search(rf"^ *(?:def |class )?{symbol}\b", file.read_text(), re.MULTILINE) for file in found[path])]


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/way.md"])
def test_every_file_and_function_that_a_map_names_is_there(document):
    assert missing((ROOT / document).read_text(), ROOT) == []


def test_a_file_or_function_that_is_not_there_is_seen(tmp_path):
    (tmp_path / "deepalgo").mkdir()
    (tmp_path / "deepalgo" / "here.py").write_text("def held():\n    pass\n")
    text = "`here.py: held`, `here.py: gone`, `gone.py`, `deepalgo/here.py`, `tests/gone`"
    assert missing(text, tmp_path) == [("here.py", "gone"), ("gone.py", ""), ("tests/gone", "")]


def test_the_map_of_the_package_has_every_part_of_it():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    map = text[text.index("## A map") : text.index("## How to add an operation")]
    parts = {path.name for path in (ROOT / "deepalgo").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {part for part in parts if not re.search(rf"\b{part}\b", map)} == {"__init__.py"}
