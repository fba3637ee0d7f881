"""`Checkpoint`: the state of a fit in a file, written so that a run that is killed at any moment finds a whole one.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "fit.pt"
...     Checkpoint(path, "these data").keep("tuned constants", {"step": 7}, now=True)
...     Checkpoint(path, "these data").state("tuned constants")
{'step': 7}
"""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deepalgo.errors import InputError

#: Seconds between two writes, so that short steps are not spent on the disk.
PAUSE = 0.5


class Checkpoint:
    """States by the name of the stage. Without a path nothing is kept; `writes=False` only reads."""

    def __init__(self, path: str | os.PathLike[str] | None, fingerprint: str, writes: bool = True) -> None:
        self.path = None if path is None else Path(path)
        self.fingerprint = fingerprint
        self.writes = writes
        self.stages: dict[str, Any] = {}
        self.written = -float("inf")
        if self.path is not None and self.path.exists():
            self.stages = self._read(self.path)

    def state(self, stage: str) -> dict[str, Any] | None:
        """Where a stage was when it was last written, if it was."""
        return self.stages.get(stage)

    def keep(self, stage: str, state: dict[str, Any], now: bool = False) -> None:
        """Write the state of a stage, unless that was done a moment ago."""
        if self.path is None or not self.writes or (not now and time.monotonic() - self.written < PAUSE):
            return
        self.stages[stage] = state
        write_whole(self.path, {"fingerprint": self.fingerprint, "stages": self.stages})
        self.written = time.monotonic()

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            kept = torch.load(path, weights_only=True)
            fingerprint, stages = kept["fingerprint"], kept["stages"]
        except (pickle.UnpicklingError, RuntimeError, EOFError, LookupError, TypeError, ValueError, AttributeError):
            raise InputError(f"{path} is not a checkpoint of a fit: remove it, or name another file") from None
        if fingerprint != self.fingerprint:
            raise InputError(f"{path} belongs to a fit with other data, weights or settings: remove it, or name another file")
        found: dict[str, Any] = stages
        return found


def write_whole(path: Path, content: Any) -> None:
    """Write a file beside its place, make sure it is on the disk, then put it there in one step."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        torch.save(content, file)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def fingerprint(text: str, tensors: Iterable[Tensor]) -> str:
    """A short name for texts and numbers, which no other texts and numbers have.

    >>> fingerprint("a", [torch.zeros(2)]) == fingerprint("a", [torch.zeros(3)])
    False
    """
    digest = hashlib.sha256(text.encode())
    for tensor in tensors:
        digest.update(str((tensor.dtype, tuple(tensor.shape))).encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()
