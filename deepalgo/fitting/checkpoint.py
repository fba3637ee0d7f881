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
import io
import os
import tempfile
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deepalgo.errors import InputError
from deepalgo.files import replace_file

#: Seconds between two writes, so that short steps are not spent on the disk.
PAUSE = 0.5
#: How a file begins; a checksum of the rest follows, and a line break.
HEAD = b"deepalgo checkpoint 2 "
#: What reading a state that is none may raise.
UNFIT = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, ArithmeticError)
AWAY = "remove it, or name another file"


class Checkpoint:
    """States by the name of the stage. Without a path nothing is kept; `writes=False` only reads.

    A place that cannot be written to is refused at once. What fails later costs the checkpoint and not the run.
    """

    def __init__(self, path: str | os.PathLike[str] | None, fingerprint: str, writes: bool = True) -> None:
        self.path = None if path is None else Path(path)
        self.fingerprint = fingerprint
        self.writes = writes
        self.stages: dict[str, Any] = {}
        self.written = -float("inf")
        if self.path is not None and writes:
            check_place(self.path)
        if self.path is not None and self.path.exists():
            self.stages = self._read(self.path)

    def state(self, stage: str) -> dict[str, Any] | None:
        """Where a stage was when it was last written, if it was."""
        return self.stages.get(stage)

    @property
    def is_due(self) -> bool:
        """Whether a state would be written, unless it must be."""
        return self.path is not None and self.writes and time.monotonic() - self.written >= PAUSE

    def keep(self, stage: str, state: dict[str, Any], now: bool = False) -> None:
        """Write the state of a stage, unless that was done a moment ago."""
        if self.path is None or not self.writes or (not now and not self.is_due):
            return
        self.stages[stage] = state
        write(self.path, {"fingerprint": self.fingerprint, "stages": self.stages})
        self.written = time.monotonic()

    def refusal(self) -> InputError:
        """What to say of a state that no training can go on from."""
        return InputError(f"{self.path} is not a checkpoint of this fit: {AWAY}")

    def _read(self, path: Path) -> dict[str, Any]:
        match read(path, "a fit"):
            case {"fingerprint": str(name), "stages": dict(stages)} if all(isinstance(state, dict) for state in stages.values()):
                if name != self.fingerprint:
                    other = "a fit with other data, weights or settings, or by another version of deepalgo"
                    raise InputError(f"{path} belongs to {other}: {AWAY}")
                return stages
            case _:
                raise InputError(f"{path} is not a checkpoint of a fit: {AWAY}")


def write(path: Path, content: Any) -> None:
    """Put tensors and plain values into a file; if that fails it costs the checkpoint and not the run."""
    try:
        replace_file(path, packed(content))
    except OSError as error:
        reason = error.strerror or str(error)
        warnings.warn(f"the checkpoint {path} was not written: {reason}. Training goes on without it.", stacklevel=3)


def read(path: Path, work: str) -> Any:
    """What a file holds; InputError unless it is whole. `work` is what it should be a checkpoint of."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): {AWAY}") from None
    try:
        return unpacked(content)
    except Altered:
        raise InputError(f"{path} was cut off or altered after it was written: {AWAY}") from None
    except Exception:  # noqa: BLE001  # whatever torch says of a file that is none of its own
        raise InputError(f"{path} is not a checkpoint of {work}: {AWAY}") from None


class Altered(ValueError):
    """The checksum is another."""


def packed(content: Any) -> bytes:
    """Tensors and plain values as the bytes of a file, with a checksum in front.

    >>> unpacked(packed({"step": 7}))
    {'step': 7}
    >>> unpacked(packed({"step": 7})[:-1])
    Traceback (most recent call last):
    deepalgo.fitting.checkpoint.Altered: the checksum is another
    """
    file = io.BytesIO()
    torch.save(content, file)
    body = file.getvalue()
    return HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unpacked(content: bytes) -> Any:
    """The content of a file; one that starts otherwise is read as what torch itself writes."""
    if content.startswith(HEAD):
        digest, _, content = content.removeprefix(HEAD).partition(b"\n")
        if digest != hashlib.sha256(content).hexdigest().encode():
            raise Altered("the checksum is another")
    elif HEAD.startswith(content[: len(HEAD)]):
        raise Altered("the beginning is cut off")
    return torch.load(io.BytesIO(content), weights_only=True)


def check_place(path: Path) -> None:
    """Raise InputError unless a file can be written there."""
    if path.is_dir():
        raise InputError(f"the checkpoint {path} is a folder: name a file")
    if not path.parent.is_dir():
        raise InputError(f"the checkpoint {path} has no folder to be in: make {path.parent} first, or name another file")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"the checkpoint {path} cannot be written ({error.strerror}): name another file") from None
    os.close(handle)
    Path(name).unlink()


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
