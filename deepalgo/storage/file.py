"""The file of a network: a safetensors file whose header holds the program as JSON, with a checksum over all of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deepalgo.errors import FileError
from deepalgo.files import replace_file
from deepalgo.ir import Program
from deepalgo.ir.check import MOST_ROUNDS, check_program
from deepalgo.signature import Signature
from deepalgo.storage.format_one import upgrade
from deepalgo.storage.plain import Json, NotPlain, Tensors
from deepalgo.storage.read_program import listed, read_program
from deepalgo.storage.signatures import read_signature, write_signature
from deepalgo.storage.write_program import write_program

FORMAT, FIRST, VERSION = "deepalgo", "1", "2"
DTYPES = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
#: What reading data of any form may raise.
MALFORMED = (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class Stored:
    """All that a network is: `still` are the weights that training leaves alone although it could change them."""

    program: Program
    heuristic: Program
    signature: Signature | None
    loops: str
    max_rounds: int
    errors: str
    dtype: torch.dtype
    weights: dict[str, Tensor]
    still: tuple[str, ...] = ()


def write_file(path: str | Path, stored: Stored) -> None:
    """Save a network, in one step: a file that was there is replaced as a whole or not at all."""
    replace_file(Path(path), write_bytes(stored, path))


def write_bytes(stored: Stored, path: str | Path = "") -> bytes:
    """The content of the file."""
    from safetensors.torch import save

    tensors = Tensors({f"weights.{key}": value.detach().cpu().clone().contiguous() for key, value in stored.weights.items()})
    try:
        text = json.dumps(_description(stored, tensors), allow_nan=False, separators=(",", ":"))
    except (NotPlain, ValueError) as error:
        raise FileError(f"{stored.program.name} cannot be saved: {error}", path=path, remedy="Compile it with plain data there.") from None
    metadata = {"format": FORMAT, "version": VERSION, "network": text, "sha256": _checksum(text, tensors)}
    return save(tensors.held, metadata)


def _description(stored: Stored, tensors: Tensors) -> Json:
    """What is not a tensor, checked as it will be when it is loaded."""
    check_program(stored.program)
    if stored.max_rounds > MOST_ROUNDS:
        raise ValueError(f"max_rounds is {stored.max_rounds}, and a file has at most {MOST_ROUNDS}")
    grown = stored.heuristic is not stored.program
    if grown:
        check_program(stored.heuristic)
    name = next(name for name, dtype in DTYPES.items() if dtype == stored.dtype)
    return {
        "program": write_program(stored.program, tensors),
        "heuristic": write_program(stored.heuristic, tensors) if grown else None,
        "signature": None if stored.signature is None else write_signature(stored.signature, tensors),
        "options": {"loops": stored.loops, "max_rounds": stored.max_rounds, "errors": stored.errors, "dtype": name},
        "still": list(stored.still),
    }


def read_file(path: str | Path) -> Stored:
    """What `write_file` wrote; FileError for a file that is cut off, altered, foreign or of another version."""
    return read_bytes(Path(path).read_bytes(), path)


def read_bytes(content: bytes, path: str | Path = "") -> Stored:
    """What `write_bytes` wrote."""
    version, text, tensors = _open(content, Path(path))
    try:
        data = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_object)
        if version == FIRST:
            for name in ("program", "heuristic"):
                if data[name] is not None:
                    upgrade(data[name])
        return _stored(data, tensors)
    except MALFORMED as error:
        words = f"{type(error).__name__}: {error}" if type(error) in (KeyError, TypeError, IndexError, AttributeError) else str(error)
        raise FileError(f"the program in it makes no sense: {words:.200}", path=path, remedy=AGAIN) from None


AGAIN = "Nothing of it was run. Take a file that net.save wrote."


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _open(content: bytes, path: Path) -> tuple[str, str, Tensors]:
    """The version, the JSON and the tensors of a file whose format, version and checksum are right."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        held = load(content)
        _check_format(path, metadata := _metadata(content))
        tensors = Tensors(held)
    except (SafetensorError, ValueError) as error:
        raise FileError(f"it is cut off, damaged or no file of deepalgo ({error})", path=path, remedy=AGAIN) from None
    text = metadata.get("network", "")
    if _checksum(text, tensors) != metadata.get("sha256"):
        raise FileError("it was altered after it was saved: the checksum is another", path=path, remedy=AGAIN)
    return metadata["version"], text, tensors


def _metadata(content: bytes) -> dict[str, str]:
    """The texts in the header: its length comes first."""
    size = int.from_bytes(content[:8], "little")
    found: dict[str, str] = json.loads(content[8 : 8 + size]).get("__metadata__", {})
    return found


def _check_format(path: Path, metadata: dict[str, str]) -> None:
    if metadata.get("format") != FORMAT:
        raise FileError("it holds tensors, but no network of deepalgo", path=path, remedy=AGAIN)
    version = metadata.get("version", "")
    if version not in (FIRST, VERSION):
        raise FileError(f"it has version {version:.20} of the format, and this deepalgo reads versions {FIRST} and {VERSION}", path=path,
                        remedy="Load it with the deepalgo that saved it, or compile and save again.")


def _checksum(text: str, tensors: Tensors) -> str:
    digest = hashlib.sha256(text.encode())
    for name, tensor in sorted(tensors.held.items()):
        digest.update(f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b"")
    return digest.hexdigest()


def _stored(data: Json, tensors: Tensors) -> Stored:
    """Build everything from plain data, and check it."""
    program = read_program(data["program"], tensors)
    check_program(program)
    heuristic = program
    if data["heuristic"] is not None:
        heuristic = read_program(data["heuristic"], tensors)
        check_program(heuristic)
    signature = None
    if data["signature"] is not None:
        signature = read_signature(data["signature"], program, tensors)
    options = data["options"]
    dtype = DTYPES[_one_of(options["dtype"], *DTYPES)]
    weights = _weights(program, tensors, dtype)
    loops = _one_of(options["loops"], "run", "settle")
    rounds = options["max_rounds"]
    if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
        raise ValueError(f"max_rounds is {rounds!r:.40}")
    still = tuple(_one_of(key, *weights) for key in listed(data["still"]))
    return Stored(program, heuristic, signature, loops, rounds, _one_of(options["errors"], "raise", "nan"), dtype, weights, still)


def _weights(program: Program, tensors: Tensors, dtype: torch.dtype) -> dict[str, Tensor]:
    """The tensor of every weight, of its shape and the network's precision."""
    weights = {}
    for weight in program.weights:
        tensor = tensors.held[f"weights.{weight.key}"]
        if tuple(tensor.shape) != weight.shape or tensor.dtype != dtype:
            raise ValueError(f"weight {weight.key!r:.60} is {tensor.dtype} of shape {tuple(tensor.shape)}, not {dtype} of {weight.shape}")
        weights[weight.key] = tensor
    return weights


def _one_of(value: Any, *allowed: str) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{value!r:.40} is none of {', '.join(allowed):.80}")
    return str(value)
