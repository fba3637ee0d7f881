"""Files: replaced as a whole, so that a reader sees the old content or the new one, and the package that one belongs to."""

from __future__ import annotations

import contextlib
import os
import sysconfig
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write beside the file and rename; the file's permissions stay, and a link goes on pointing to it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_file(Path(folder, "a.txt"), b"one")
    ...     replace_file(Path(folder, "a.txt"), b"two")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('a.txt', 'two')]
    """
    path = path.resolve()
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_mask()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
        _settle(path.parent)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def _settle(folder: Path) -> None:
    """Bring the new name of a file to the disk, where the system can do that for folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _mask() -> int:
    """The permissions that new files do not get; asking means setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def package_of(file: str | Path) -> str:
    """The installed package that a file belongs to, "python" for the standard library, or '' for a file of the user's.

    >>> import json, torch
    >>> package_of(json.__file__), package_of(torch.__file__), package_of("/home/me/model.py")
    ('python', 'torch', '')
    """
    path = Path(file).resolve()
    for part in ("site-packages", "dist-packages"):
        if part in path.parts[:-1]:
            return path.parts[len(path.parts) - 1 - path.parts[::-1].index(part) + 1].removesuffix(".py")
    return "python" if path.is_relative_to(Path(sysconfig.get_paths()["stdlib"]).resolve()) else ""
