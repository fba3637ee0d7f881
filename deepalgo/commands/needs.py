"""Check before a command starts that it has what it needs: packages, folders, files that it will write."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path

from deepalgo.commands.target import UsageError
from deepalgo.errors import InputError

#: Packages that not every installation has, and the extra that brings them.
EXTRAS = {"pygraphviz": "draw", "resvg_py": "draw", "polars": "data", "sklearn": "sklearn"}


def need_package(name: str, purpose: str) -> None:
    """Raise UsageError unless a package can be imported.

    >>> need_package("no_such_package", "a picture")
    Traceback (most recent call last):
    deepalgo.commands.target.UsageError: a picture needs no_such_package: pip install no_such_package
    """
    if importlib.util.find_spec(name) is None:
        wanted = f"'deepalgo[{EXTRAS[name]}]'" if name in EXTRAS else name
        raise UsageError(f"{purpose} needs {name}: pip install {wanted}")


def need_file(path: Path, option: str) -> None:
    """Raise UsageError unless a file can be written there."""
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder: name a file")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.parent}")
    if path.exists() and not os.access(path, os.W_OK):
        raise UsageError(f"{option} {path} cannot be written: permission denied")
    _try_folder(path.parent, f"{option} {path}")


def need_folder(path: Path, option: str) -> None:
    """Make a folder, and raise UsageError unless files can be written into it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{option} {path} cannot be made: {error.strerror}") from None
    _try_folder(path, f"{option} {path}")


def need_picture(path: Path, option: str) -> None:
    """Raise UsageError unless the graph of a network can be drawn into this file, and InputError for a file of another kind."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"draw writes .svg and .png files, not {path.name!r}")
    need_package("pygraphviz", "a drawing")
    if path.suffix.lower() == ".png":
        need_package("resvg_py", "a drawing as .png")
    need_file(path, option)


def _try_folder(folder: Path, what: str) -> None:
    try:
        handle, name = tempfile.mkstemp(prefix=".deepalgo.", dir=folder)
    except OSError as error:
        raise UsageError(f"{what} cannot be written: {error.strerror}") from None
    os.close(handle)
    Path(name).unlink()
